--- Values as text, for failures: complete enough to compare, the same at each run.
local show = {}

local ONE_LINE_CHARACTERS = 72
local MAX_ITEMS = 200
local MAX_STRING_BYTES = 2000
local MAX_DEPTH = 20

local ESCAPES = {["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ['"'] = '\\"', ["\\"] = "\\\\"}

--- A string in quotes, with what cannot be seen escaped.
function show.quoted(text)
    local rest = ""
    if #text > MAX_STRING_BYTES then
        rest = ("… (%d bytes)"):format(#text)
        text = text:sub(1, MAX_STRING_BYTES)
    end
    local escaped = text:gsub('[%c"\\\127]', function(c)
        return ESCAPES[c] or ("\\x%02x"):format(c:byte())
    end)
    if not utf8.len(text) then
        escaped = escaped:gsub("[\128-\255]", function(c) return ("\\x%02x"):format(c:byte()) end)
    end
    return '"' .. escaped .. '"' .. rest
end

local function number_text(value)
    if value ~= value then return "nan" end
    if value == math.huge then return "math.huge" end
    if value == -math.huge then return "-math.huge" end
    local text = tostring(value)
    if tonumber(text) == value then return text end
    text = ("%.17g"):format(value)
    return text:find("[.e]") and text or text .. ".0"
end

--- A key as it stands behind the table in Lua: `.name`, `[3]`, `["two words"]`.
function show.key(key)
    if type(key) == "string" and key:find("^[%a_][%w_]*$") then return "." .. key end
    return "[" .. show.value(key) .. "]"
end

local RANK = {number = 1, string = 2}

local function before(a, b)
    local left, right = RANK[type(a)] or 3, RANK[type(b)] or 3
    if left ~= right then return left < right end
    if left == 3 then return tostring(a) < tostring(b) end
    return a < b
end

--- The keys of a table without its list part (1 to `length`), in a fixed order.
function show.sorted_keys(value, length)
    local keys = {}
    for key in next, value do
        local listed = math.type(key) == "integer" and key >= 1 and key <= length
        if not listed then keys[#keys + 1] = key end
    end
    table.sort(keys, before)
    return keys
end

--- The length of the list part: the items before the first nil.
function show.list_length(value)
    local length = 0
    while rawget(value, length + 1) ~= nil do length = length + 1 end
    return length
end

local render

local function table_items(value, depth, parents)
    local items = {}
    local function add(text)
        if #items < MAX_ITEMS then items[#items + 1] = text end
    end
    local length = show.list_length(value)
    for index = 1, math.min(length, MAX_ITEMS) do
        add(render(rawget(value, index), depth, parents))
    end
    local keys = show.sorted_keys(value, length)
    for _, key in ipairs(keys) do
        local name = show.key(key)
        if name:sub(1, 1) == "." then name = name:sub(2) end
        add(name .. " = " .. render(rawget(value, key), depth, parents))
    end
    local more = length + #keys - #items
    if more > 0 then items[#items + 1] = ("… %d more"):format(more) end
    return items
end

function render(value, depth, parents)
    local kind = math.type(value) and "number" or type(value)
    if kind == "string" then return show.quoted(value) end
    if kind == "number" then return number_text(value) end
    if kind ~= "table" then return tostring(value) end
    if parents[value] then return "<cycle>" end
    if depth > MAX_DEPTH then return "{…}" end
    parents[value] = true
    local items = table_items(value, depth + 1, parents)
    parents[value] = nil
    local width = 4
    local one_line = true
    for _, item in ipairs(items) do
        width = width + #item + 2
        one_line = one_line and not item:find("\n", 1, true)
    end
    if one_line and width <= ONE_LINE_CHARACTERS then return "{" .. table.concat(items, ", ") .. "}" end
    local indent = "\n" .. ("    "):rep(depth + 1)
    return "{" .. indent .. table.concat(items, "," .. indent) .. ",\n" .. ("    "):rep(depth) .. "}"
end

--- Any value on one line or, if it is large, on several.
function show.value(value) return render(value, 0, {}) end

--- As `value`; but a text of several lines stands for itself, so that lines can be compared.
function show.whole(value)
    local lines = type(value) == "string" and value:find("\n", 1, true)
    if lines and #value <= MAX_STRING_BYTES and not value:find("[%z\1-\8\11-\31\127]") then
        return value
    end
    return show.value(value)
end

return show
