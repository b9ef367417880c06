-- What every VM has beside the sandbox: how a process starts, `require`, `print`, and the coroutine
-- functions that know of waits of the host. Called once per VM with the host's primitives.

local host, base = ...
local pack, unpack, type = table.pack, table.unpack, type
local setmetatable, error = setmetatable, error

local prelude = {}

local environment_metatable = { __index = base, __metatable = false }
prelude.environment_metatable = environment_metatable

local function new_environment()
    local environment = setmetatable({}, environment_metatable)
    environment._G = environment
    return environment
end

-- A process or function entry: its chunk gives main, or a table that has it.
function prelude.boot(factory, environment, method)
    local main = factory(environment)()
    if type(main) == "table" then
        main = main[method]
    end
    if type(main) ~= "function" then
        error(host.no_method(method), 0)
    end
    return main(host.loaded())
end

-- A file given on the command line: its chunk is main itself, or returns it.
local function call_main(arguments, main, ...)
    if type(main) == "function" then
        return main(unpack(arguments, 1, arguments.n))
    end
    return main, ...
end

function prelude.boot_script(factory, environment)
    local arguments = pack(host.loaded())
    return call_main(arguments, factory(environment)(unpack(arguments, 1, arguments.n)))
end

-- `require` of one program: nil for the process's own, else a library's entry id.
local function requirer(program)
    return function(name)
        local module, factory, id = host.resolve(program, name)
        if module ~= nil then
            return module
        end
        local loaded = host.loaded_libraries()
        if loaded[id] == nil then
            local environment = new_environment()
            environment.require = requirer(id)
            local exported = factory(environment)()
            loaded[id] = exported == nil and true or exported
        end
        return loaded[id]
    end
end

base.require = requirer(nil)

local create, status, close, running = coroutine.create, coroutine.status, coroutine.close, coroutine.running

prelude.coroutine = {
    create = create,
    resume = host.resume,
    wrap = host.wrap,
    yield = coroutine.yield,
    isyieldable = coroutine.isyieldable,
    running = running,
    spawn = host.spawn_coroutine,
    -- A coroutine inside which the process waits counts as running for everyone else.
    status = function(thread)
        if host.is_in_wait(thread) then
            return "normal"
        end
        return status(thread)
    end,
    close = function(thread)
        if host.is_in_wait(thread) then
            error("cannot close a normal coroutine", 2)
        end
        return close(thread)
    end,
}

return prelude
