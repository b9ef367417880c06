-- Base functions that differ from Lua's own: `load`, `collectgarbage`, the random numbers of a
-- process, and the math functions that Lua 5.4 dropped.
--
-- Called once per VM with the stock functions; `environment()` gives the global environment of the
-- process that runs.

local stock, environment, new_generator = ...
local load, collectgarbage, random = stock.load, stock.collectgarbage, stock.random
local atan, error, find, format, log = stock.atan, stock.error, stock.find, stock.format, stock.log
local next, select, setmetatable, tostring, type =
    stock.next, stock.select, stock.setmetatable, stock.tostring, stock.type

local guarded = {}

-- Text only: bytecode can break the VM. Without an environment the chunk gets the process's own.
function guarded.load(chunk, name, mode, ...)
    if type(mode) ~= "string" or find(mode, "t", 1, true) then
        mode = "t"
    else
        mode = ""
    end
    if select("#", ...) == 0 then
        return load(chunk, name, mode, environment())
    end
    return load(chunk, name, mode, (...))
end

-- The collector works for all processes of the VM, so a script may look at it and nudge it only.
function guarded.collectgarbage(option)
    if option == "count" then
        return collectgarbage("count")
    elseif option == "step" then
        return collectgarbage("step", 0)
    end
    local name = option == nil and "collect" or tostring(option)
    error(format("bad argument #1 to 'collectgarbage' (invalid option '%s')", name), 2)
end

-- A process that seeds gets a generator of its own; the others share one that nobody can seed.
local generators = setmetatable({}, { __mode = "k" })

function guarded.random(m, n)
    local draw = random
    if next(generators) then
        local own = generators[environment()]
        draw = own and own.random or random
    end
    if n ~= nil then
        return draw(m, n)
    elseif m ~= nil then
        return draw(m)
    end
    return draw()
end

function guarded.randomseed(...)
    local generator = new_generator()
    generators[environment()] = generator
    return generator.randomseed(...)
end

function guarded.pow(x, y)
    return x ^ y
end

function guarded.log10(x)
    return log(x, 10)
end

function guarded.atan2(y, x)
    return atan(y, x)
end

return guarded
