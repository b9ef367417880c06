--- Calls with a time limit, and the coroutines that belong to them.
local part, host = ...
local failure = part("failure")

local time = require("time")
local base = coroutine

local limited = {}

--- The scope that is entered now.
local current

--- A scope collects the coroutines of one test, so that a time-out can say where each of them waits.
function limited.scope()
    local scope = {coroutines = {}}
    current = scope
    return scope
end

--- Ends a scope. What its coroutines do from now on is no longer the test's business.
function limited.leave(scope)
    scope.finish = nil
    if current == scope then current = nil end
end

--- The spec file's `coroutine`. A coroutine that fails ends the running call of its scope; if there is none
--- any more, `on_late_failure(failure)` is told.
function limited.coroutine(on_late_failure)
    local own = {}
    function own.spawn(fn, ...)
        if type(fn) ~= "function" then
            failure.misuse("bad argument #1 to 'spawn' (function expected, got " .. type(fn) .. ")")
        end
        local scope = current
        local arguments = table.pack(...)
        local thread = base.spawn(function()
            local ok, failed = xpcall(fn, failure.handler, table.unpack(arguments, 1, arguments.n))
            if ok then return end
            if scope and scope.finish then return scope.finish(false, failed) end
            on_late_failure(failed)
        end)
        if scope then scope.coroutines[#scope.coroutines + 1] = thread end
        return thread
    end
    return setmetatable(own, {__index = base})
end

local function waiting_places(scope, main)
    local places = {}
    local function add(name, thread)
        if base.status(thread) == "dead" then return end
        local trace = failure.clean(debug.traceback(thread))
        if trace ~= "" then places[#places + 1] = name .. " waits at\n" .. trace end
    end
    add("the test", main)
    for index, thread in ipairs(scope.coroutines) do add("coroutine " .. index, thread) end
    return table.concat(places, "\n")
end

local function timed_out(limit_ms, scope, main)
    local file, line = failure.location(debug.traceback(main))
    return failure.new({
        message = ("timed out after %g ms"):format(limit_ms),
        file = file,
        line = line,
        traceback = waiting_places(scope, main),
    })
end

--- Calls `fn` in a coroutine of its own, for at most `limit_ms`. Returns true and its results, or false and a
--- failure. A call that is out of time stays suspended for good.
function limited.call(limit_ms, scope, fn)
    local done = channel.new(1)
    function scope.finish(...)
        -- Only the first end of the call counts, so this must not wait.
        channel.select({done:case_send(table.pack(...)), default = true})
    end
    local finish = scope.finish
    local main = base.spawn(function() finish(xpcall(fn, failure.handler)) end)
    local timer = time.timer(math.floor(limit_ms * 1000000))
    local result = channel.select({done:case_receive(), timer:response():case_receive()})
    timer:stop()
    scope.finish = nil
    if result.channel ~= done then return false, timed_out(limit_ms, scope, main) end
    return table.unpack(result.value, 1, result.value.n)
end

return limited
