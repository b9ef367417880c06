--- Deep comparison of values.
local part = ...
local show = part("show")

local compare = {}

local MAX_DIFFERENCES = 20

--- The parts of an error object that survive a process boundary; nil for anything else.
local function error_parts(value)
    if type(value) ~= "userdata" then return nil end
    local ok, parts = pcall(function()
        if not errors.is(value, value:kind()) then return nil end
        return {
            kind = value:kind(),
            message = value:message(),
            retryable = value:retryable(),
            details = value:details(),
        }
    end)
    return ok and parts or nil
end

local walk

local function walk_tables(expected, actual, path, walked)
    local pairs_seen = walked.seen[expected]
    if not pairs_seen then
        pairs_seen = {}
        walked.seen[expected] = pairs_seen
    end
    if pairs_seen[actual] then return end
    pairs_seen[actual] = true
    for _, key in ipairs(show.sorted_keys(expected, 0)) do
        walk(rawget(expected, key), rawget(actual, key), path .. show.key(key), walked)
    end
    for _, key in ipairs(show.sorted_keys(actual, 0)) do
        if rawget(expected, key) == nil then
            walk(nil, rawget(actual, key), path .. show.key(key), walked)
        end
    end
end

function walk(expected, actual, path, walked)
    if #walked.found >= walked.limit then return end
    if rawequal(expected, actual) or expected == actual then return end
    if type(expected) == "table" and type(actual) == "table" then
        return walk_tables(expected, actual, path, walked)
    end
    local left, right = error_parts(expected), error_parts(actual)
    if left and right then return walk_tables(left, right, path, walked) end
    walked.found[#walked.found + 1] = {path = path, expected = expected, actual = actual}
end

local function differences(expected, actual, limit)
    local walked = {seen = {}, found = {}, limit = limit}
    walk(expected, actual, "", walked)
    return walked.found
end

--- Whether two values are the same by content: tables by their keys and values (metatables aside, cycles
--- allowed), error objects by kind, message, retryable and details, everything else by `==`.
function compare.same(expected, actual) return #differences(expected, actual, 1) == 0 end

local function text_difference(expected, actual)
    local at = 1
    local shorter = math.min(#expected, #actual)
    while at <= shorter and expected:byte(at) == actual:byte(at) do at = at + 1 end
    local before = expected:sub(1, at - 1)
    local line = select(2, before:gsub("\n", "\n")) + 1
    local column = #before:match("[^\n]*$") + 1
    return ("texts differ from line %d, column %d on: expected %s, actual %s"):format(
        line, column, show.quoted(expected:sub(at, at + 30)), show.quoted(actual:sub(at, at + 30)))
end

local function line_of(difference)
    local where = difference.path == "" and "" or difference.path .. ": "
    if difference.actual == nil then
        return where .. "missing, expected " .. show.value(difference.expected)
    elseif difference.expected == nil then
        return where .. "not expected, actual " .. show.value(difference.actual)
    end
    return where .. "expected " .. show.value(difference.expected)
        .. ", actual " .. show.value(difference.actual)
end

--- What differs, one line for each place, as text. nil where expected and actual say it all.
function compare.diff(expected, actual)
    if type(expected) == "string" and type(actual) == "string" then
        if #expected + #actual < 60 then return nil end
        return text_difference(expected, actual)
    end
    if type(expected) ~= "table" or type(actual) ~= "table" then return nil end
    local lines = {}
    for _, difference in ipairs(differences(expected, actual, MAX_DIFFERENCES + 1)) do
        lines[#lines + 1] = #lines < MAX_DIFFERENCES and line_of(difference) or "…"
    end
    return #lines > 0 and table.concat(lines, "\n") or nil
end

return compare
