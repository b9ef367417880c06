-- Small stand-ins for the host's blocking calls, on a virtual clock: as much as the spec library uses.
local errors = ...

local fakes = {now_ns = 0}

local ready, timers = {}, {}
local create, resume, yield, status, running =
    coroutine.create, coroutine.resume, coroutine.yield, coroutine.status, coroutine.running

local function wake(thread) ready[#ready + 1] = thread end

local function step(thread, ...)
    local ok, err = resume(thread, ...)
    if not ok then error(debug.traceback(thread, tostring(err)), 0) end
end

local Channel = {}
Channel.__index = Channel
fakes.channel = {}

function fakes.channel.new(capacity)
    return setmetatable({buffer = {n = 0}, capacity = capacity or 0, waiters = {}}, Channel)
end

function Channel:case_receive() return {channel = self, op = "receive"} end
function Channel:case_send(value) return {channel = self, op = "send", value = value} end

function Channel:close()
    self.closed = true
    for _, thread in ipairs(self.waiters) do wake(thread) end
    self.waiters = {}
end

local function try(case)
    local ch = case.channel
    if case.op == "send" then
        if ch.closed or ch.buffer.n >= math.max(ch.capacity, 1) then return nil end
        ch.buffer.n = ch.buffer.n + 1
        ch.buffer[ch.buffer.n] = {case.value}
        for _, thread in ipairs(ch.waiters) do wake(thread) end
        ch.waiters = {}
        return {channel = ch, ok = true}
    end
    if ch.buffer.n > 0 then
        local item = table.remove(ch.buffer, 1)
        ch.buffer.n = ch.buffer.n - 1
        return {channel = ch, value = item[1], ok = true}
    end
    if ch.closed then return {channel = ch, ok = false} end
    return nil
end

function fakes.channel.select(cases)
    while true do
        for _, case in ipairs(cases) do
            local result = try(case)
            if result then return result end
        end
        if cases.default then return {default = true, ok = true} end
        for _, case in ipairs(cases) do table.insert(case.channel.waiters, (running())) end
        yield()
    end
end

function Channel:send(value)
    if self.closed then error("send on closed channel", 2) end
    fakes.channel.select({self:case_send(value)})
    return true
end

function Channel:receive()
    local result = fakes.channel.select({self:case_receive()})
    return result.value, result.ok
end

local UNITS = {ns = 1, ms = 1000000, s = 1000000000, m = 60000000000}

local function nanoseconds(value)
    if type(value) == "number" then return value end
    local number, unit = value:match("^([%d.]+)(%a+)$")
    return number and UNITS[unit] and math.floor(tonumber(number) * UNITS[unit])
end

fakes.time = {}

function fakes.time.parse_duration(value)
    local ns = nanoseconds(value)
    if not ns then return nil, errors.new({message = "bad duration " .. value, kind = "Invalid"}) end
    return {nanoseconds = function() return ns end}
end

function fakes.time.timer(value)
    local ch = fakes.channel.new(1)
    local timer = {at = fakes.now_ns + nanoseconds(value), channel = ch}
    timers[#timers + 1] = timer
    return {
        response = function() return ch end,
        stop = function() timer.stopped = true end,
    }
end

function fakes.time.after(value) return fakes.time.timer(value):response() end

function fakes.time.sleep(value) fakes.time.after(value):receive() end

function fakes.spawn(fn, ...)
    local thread = create(fn)
    step(thread, ...)
    return thread
end

local function fire_next_timer()
    local first
    for _, timer in ipairs(timers) do
        if not timer.stopped and (not first or timer.at < first.at) then first = timer end
    end
    if not first then return false end
    first.stopped = true
    fakes.now_ns = math.max(fakes.now_ns, first.at)
    try({channel = first.channel, op = "send", value = fakes.now_ns})
    first.channel:close()
    return true
end

-- Runs `main` to its end and returns its result.
function fakes.run(main)
    local result
    local thread = create(function() result = main() end)
    step(thread)
    while status(thread) ~= "dead" do
        local next_ready = table.remove(ready, 1)
        if next_ready then
            if status(next_ready) == "suspended" then step(next_ready) end
        elseif not fire_next_timer() then
            error("all coroutines are blocked:\n" .. debug.traceback(thread), 0)
        end
    end
    return result
end

return fakes
