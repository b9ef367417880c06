--- The global `assert`: callable as Lua's own, with the assertions as fields.
---
--- A field's name is a sentence of words joined by `_` or `.`, in any case: words such as `is` and `has` only
--- read well, `not` and `no` negate, the rest is the name of an assertion. So `assert.is_not_nil(x)`,
--- `assert.is.Not.Nil(x)` and `assert.is_not.Nil(x)` are the same.
local part = ...
local failure = part("failure")
local assertions = part("assertions")
local show = part("show")

local FILLERS = {}
for word in ("is are was were be been has have had does did to a an the"):gmatch("%a+") do
    FILLERS[word] = true
end
local NEGATIONS = {["not"] = true, ["no"] = true}

local function expectation_failed(assertion, negated, details, message)
    local text = details.message or (negated and assertion.negative or assertion.positive)
    if message ~= nil then text = failure.message_of(message) .. ": " .. text end
    failure.raise({
        message = text,
        expected = details.expected,
        actual = details.actual,
        diff = not negated and details.diff or nil,
    })
end

local function bind(name, assertion, negated)
    if negated and not assertion.negative then
        failure.misuse(("assert.%s cannot be negated"):format(name))
    end
    return function(...)
        local count = select("#", ...)
        if count < assertion.arguments then
            local text = "assert.%s takes %d arguments, not %d"
            failure.misuse(text:format(name, assertion.arguments, count))
        end
        local holds, details = assertion.check(negated, ...)
        if holds == negated then
            local message = select(assertion.arguments + assertion.optional + 1, ...)
            expectation_failed(assertion, negated, details, message)
        end
        if details.results then return table.unpack(details.results, 1, details.results.n) end
        return ...
    end
end

--- How many letters have to be put in, left out or exchanged to get from one word to the other.
local function distance(from, to)
    local row = {}
    for column = 0, #to do row[column] = column end
    for line = 1, #from do
        local diagonal
        diagonal, row[0] = row[0], line
        for column = 1, #to do
            local cost = from:byte(line) == to:byte(column) and 0 or 1
            local best = math.min(diagonal + cost, row[column] + 1, row[column - 1] + 1)
            diagonal, row[column] = row[column], best
        end
    end
    return row[#to]
end

local function nearest(word)
    local best, best_distance = nil, 3
    for _, name in ipairs(show.sorted_keys(assertions, 0)) do
        local found = distance(word, name)
        if found < best_distance then best, best_distance = name, found end
    end
    return best
end

local chain

local function words_of(text)
    local words = {}
    for word in text:gmatch("[^_]+") do words[#words + 1] = word:lower() end
    return words
end

local function resolve(name, negated)
    local words = words_of(name)
    local first = 1
    while words[first] and (FILLERS[words[first]] or NEGATIONS[words[first]]) do
        if NEGATIONS[words[first]] then negated = not negated end
        first = first + 1
    end
    local rest = table.concat(words, "_", first)
    if rest == "" then return chain(negated) end
    local assertion = assertions[rest]
    if assertion then return bind(rest, assertion, negated) end
    local near = nearest(rest)
    local hint = near and ("; did you mean %q?"):format(near) or ""
    failure.misuse(("assert has no %q%s"):format(name, hint))
end

function chain(negated)
    return setmetatable({}, {
        __index = function(self, name)
            if type(name) ~= "string" then return nil end
            local value = resolve(name, negated)
            rawset(self, name, value)
            return value
        end,
    })
end

local root = chain(false)

getmetatable(root).__call = function(_, ...)
    if ... then return ... end
    if select("#", ...) == 0 then failure.misuse("bad argument #1 to 'assert' (value expected)") end
    local message = select(2, ...)
    if select("#", ...) == 1 then message = "assertion failed!" end
    error(message, 0)
end

return root
