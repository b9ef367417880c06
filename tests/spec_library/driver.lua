-- Runs the spec library on one source, as the host would, and collects what it reports.
local fakes, env, load_part, settings, source, events = ...

env.channel = fakes.channel
env.coroutine = setmetatable({spawn = fakes.spawn}, {__index = env.coroutine})
function env.require(name)
    return name == "time" and fakes.time or error("module '" .. name .. "' is not available")
end

local failures = 0
local host = {
    load = load_part,
    now_ms = function() return fakes.now_ns / 1e6 end,
    mode = settings.mode,
    path = settings.path,
    name = settings.name,
    timeout_ms = settings.timeout_ms,
    report = function(event)
        if event.failure then failures = failures + 1 end
        events[#events + 1] = event
    end,
    spawn_function = function(fn, ...)
        if type(fn) ~= "function" then return nil, "not a function" end
        return "{app:processes|1." .. select("#", ...) .. "}"
    end,
}

if settings.only then
    function host.accepts(full_name, tags)
        return full_name:find(settings.only, 1, true) or table.concat(tags, " ") == settings.only
    end
end
if settings.stop_after then
    function host.stopped() return failures >= settings.stop_after end
end
if settings.reversed then
    function host.order(count)
        local order = {}
        for index = 1, count do order[index] = count + 1 - index end
        return order
    end
end
if settings.leaks then
    function host.leaked() return {processes = {"{p}"}, members = {"lobby {p}"}} end
end

local chunk = assert(load(source, "@" .. settings.path, "t", env))
if settings.name then host.entry = chunk else host.file = chunk end

return fakes.run(function() return load_part("init")(host) end)
