--- Assertions that wait.
local part, host = ...
local failure = part("failure")
local show = part("show")

local time = require("time")

local waits = {}

--- A duration given as text, count of nanoseconds or Duration, in nanoseconds.
function waits.nanoseconds(value, default)
    local duration, err = time.parse_duration(value == nil and default or value)
    if not duration then failure.misuse(tostring(err)) end
    return duration:nanoseconds()
end

local function options_of(options, known)
    if options == nil then return {} end
    if type(options) ~= "table" then failure.misuse("the options must be a table") end
    for name in next, options do
        if not known[name] then failure.misuse(("unknown option %q"):format(tostring(name))) end
    end
    return options
end

--- Calls `fn` until it returns something truthy, without raising.
function waits.eventually(_, fn, options)
    options = options_of(options, {within = true, every = true})
    local within_ns = waits.nanoseconds(options.within, "2s")
    local every_ns = waits.nanoseconds(options.every, "10ms")
    local deadline_ms = host.now_ms() + within_ns / 1e6
    local tries = 0
    while true do
        tries = tries + 1
        local called = table.pack(xpcall(fn, failure.handler))
        if called[1] and called[2] then
            return true, {results = {n = called.n - 1, table.unpack(called, 2, called.n)}}
        end
        local left_ns = math.floor((deadline_ms - host.now_ms()) * 1e6)
        if left_ns <= 0 then
            local last = called[1] and {message = "it returned " .. show.value(called[2])} or called[2]
            return false, {
                message = ("not so within %g ms, after %d tries: %s"):format(
                    within_ns / 1e6, tries, last.message),
                expected = last.expected,
                actual = last.actual,
                diff = last.diff,
            }
        end
        time.sleep(math.min(every_ns, left_ns))
    end
end

--- Waits for one value of a channel.
function waits.receives(negated, ch, options)
    options = options_of(options, {within = true})
    local within_ns = waits.nanoseconds(options.within, "1s")
    local timer = time.timer(within_ns)
    local result = channel.select({ch:case_receive(), timer:response():case_receive()})
    timer:stop()
    if result.channel == ch and result.ok then
        return true, {actual = show.whole(result.value), results = {n = 1, result.value}}
    end
    local why = result.channel == ch and "the channel is closed"
        or ("nothing was received within %g ms"):format(within_ns / 1e6)
    return false, {message = not negated and why or nil, results = {n = 0}}
end

return waits
