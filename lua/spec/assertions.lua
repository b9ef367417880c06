--- The assertions by name. Each has `arguments` (how many it must get), `optional` (how many more it may
--- get before the caller's message), `check(negated, ...) -> holds, details`, and the message of a failure as it
--- is (`positive`) and negated (`negative`; absent: it cannot be negated).
local part = ...
local compare = part("compare")
local failure = part("failure")
local show = part("show")
local waits = part("waits")

local assertions = {}

local function define(names, assertion)
    assertion.optional = assertion.optional or 0
    for name in names:gmatch("[%w_]+") do assertions[name] = assertion end
end

local function comparison(expected, actual)
    return {
        expected = show.whole(expected),
        actual = show.whole(actual),
        diff = compare.diff(expected, actual),
    }
end

define("equal equals", {
    arguments = 2,
    positive = "the values are not equal",
    negative = "the values are equal",
    check = function(_, expected, actual)
        local details = comparison(expected, actual)
        if type(expected) == "table" and expected ~= actual and compare.same(expected, actual) then
            details.message = "these are two tables with the same content; compare content with are.same"
        end
        return expected == actual, details
    end,
})

define("same", {
    arguments = 2,
    positive = "the values differ",
    negative = "the values are the same",
    check = function(_, expected, actual)
        return compare.same(expected, actual), comparison(expected, actual)
    end,
})

local function value_test(names, expected, test)
    define(names, {
        arguments = 1,
        positive = ("the value is not %s"):format(expected),
        negative = ("the value is %s"):format(expected),
        check = function(_, value)
            return test(value), {expected = expected, actual = show.whole(value)}
        end,
    })
end

value_test("true", "true", function(value) return value == true end)
value_test("false", "false", function(value) return value == false end)
value_test("nil", "nil", function(value) return value == nil end)
value_test("truthy", "truthy", function(value) return not not value end)
value_test("falsy", "falsy", function(value) return not value end)
for kind in ("string number table function boolean userdata thread"):gmatch("%a+") do
    value_test(kind, "a " .. kind, function(value) return type(value) == kind end)
end

--- An error's text without the position that Lua put before it.
local function without_position(text) return (text:gsub("^[^\n]-:%d+: ", "", 1)) end

local function is_expected_error(expected, raised)
    if type(expected) ~= "string" then return compare.same(expected, raised) end
    if type(raised) == "string" then
        return raised == expected or without_position(raised) == expected
    end
    return failure.message_of(raised) == expected
end

local function call_of(fn)
    if type(fn) ~= "function" and not (getmetatable(fn) or {}).__call then
        failure.misuse("bad argument #1 (a function expected, got " .. type(fn) .. ")")
    end
    return table.pack(pcall(fn))
end

local function raised_details(called)
    if called[1] then
        return {message = "no error was raised", results = {n = called.n - 1, table.unpack(called, 2, called.n)}}
    end
    local raised = called[2]
    local text = failure.is_failure(raised) and raised.message or failure.message_of(raised)
    return {
        message = "an error was raised: " .. text,
        actual = type(raised) == "string" and raised or show.whole(text),
        results = {n = 1, raised},
    }
end

define("error errors", {
    arguments = 1,
    optional = 1,
    positive = "no error was raised",
    negative = "an error was raised",
    check = function(negated, fn, expected)
        local called = call_of(fn)
        local details = raised_details(called)
        if expected == nil or called[1] then return not called[1], details end
        local matches = is_expected_error(expected, called[2])
        details.expected = show.whole(expected)
        if not negated then details.message = "another error was raised" end
        return matches, details
    end,
})

define("error_matches error_match", {
    arguments = 2,
    positive = "no error was raised",
    negative = "such an error was raised",
    check = function(_, fn, pattern)
        local called = call_of(fn)
        local details = raised_details(called)
        if called[1] then return false, details end
        details.message = "the error does not match the pattern"
        details.expected = show.quoted(pattern)
        return failure.message_of(called[2]):find(pattern) ~= nil, details
    end,
})

define("matches match", {
    arguments = 2,
    positive = "the text does not match the pattern",
    negative = "the text matches the pattern",
    check = function(_, pattern, text)
        local details = {expected = show.quoted(pattern), actual = show.whole(text)}
        if type(text) == "userdata" then text = tostring(text) end
        if type(text) ~= "string" and type(text) ~= "number" then
            details.message = "the value is not a text"
            return false, details
        end
        return tostring(text):find(pattern) ~= nil, details
    end,
})

define("near", {
    arguments = 3,
    positive = "the number is not near enough",
    negative = "the number is too near",
    check = function(_, expected, actual, tolerance)
        local details = {
            expected = ("%s ± %s"):format(show.value(expected), show.value(tolerance)),
            actual = show.value(actual),
        }
        if type(actual) ~= "number" then
            details.message = "the value is not a number"
            return false, details
        end
        return math.abs(expected - actual) <= tolerance, details
    end,
})

define("error_kind", {
    arguments = 2,
    positive = "the error is of another kind",
    negative = "the error is of this kind",
    check = function(_, kind, err)
        local details = {expected = show.quoted(kind), actual = show.value(err)}
        local read, own = pcall(function() return err:kind() end)
        if type(err) ~= "userdata" or not read then
            details.message = "the value is not an error object"
            return false, details
        end
        details.actual = ("%s (%s)"):format(show.quoted(own), failure.message_of(err))
        return errors.is(err, kind), details
    end,
})

define("one_of", {
    arguments = 2,
    positive = "the value is none of these",
    negative = "the value is one of these",
    check = function(_, list, value)
        local details = {expected = "one of " .. show.value(list), actual = show.whole(value)}
        for _, item in ipairs(list) do
            if compare.same(item, value) then return true, details end
        end
        return false, details
    end,
})

define("eventually", {arguments = 1, optional = 1, check = waits.eventually})

define("receives", {
    arguments = 1,
    optional = 1,
    positive = "nothing was received",
    negative = "something was received",
    check = waits.receives,
})

return assertions
