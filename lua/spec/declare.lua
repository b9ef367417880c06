--- Gets the tests: from a spec file, or from the method of a `function.lua` entry.
local part, host = ...
local failure = part("failure")
local limited = part("limited")
local tree = part("tree")

local function from_file()
    local ok, raised = xpcall(host.file, failure.handler)
    if not ok then tree.add_error("load", host.path, raised) end
end

--- `false, message` and `nil, message` are failures; an error object keeps its kind.
local function raise_unless_passed(result, message)
    if result == false or (result == nil and message ~= nil) then
        if message == nil then message = "the test returned false" end
        error(type(message) == "string" and failure.new({message = message}) or message, 0)
    end
end

local function add_table(tests)
    local names = {}
    for name, fn in next, tests do
        if type(name) == "string" and type(fn) == "function" then names[#names + 1] = name end
    end
    table.sort(names)
    tree.describe(host.name, function()
        for _, name in ipairs(names) do
            tree.it(name, function() raise_unless_passed(tests[name]()) end)
        end
    end)
end

--- The method has to be called to know whether it is one test or returns a table of them. What came of the
--- call is kept, and told again when the one test runs.
local function from_entry()
    if host.mode == "list" then return tree.it(host.name, host.entry) end
    local scope = limited.scope()
    local called = table.pack(limited.call(host.timeout_ms, scope, host.entry))
    limited.leave(scope)
    if called[1] and type(called[2]) == "table" then return add_table(called[2]) end
    tree.it(host.name, function()
        if not called[1] then error(called[2], 0) end
        raise_unless_passed(called[2], called[3])
    end)
end

if host.entry then from_entry() else from_file() end
tree.close()
return true
