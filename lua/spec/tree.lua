--- What a spec file declares: blocks, tests and hooks, in the order written.
local part, host = ...
local failure = part("failure")
local waits = part("waits")

local tree = {}

local function new_block(name, parent)
    return {
        kind = "block",
        name = name,
        parent = parent,
        children = {},
        setup = {},
        teardown = {},
        before_each = {},
        after_each = {},
    }
end

--- The file itself.
tree.root = new_block(nil, nil)
--- How many tests there are.
tree.count = 0
--- Errors outside of tests, met while declarations are read: `{stage, name, failure}`.
tree.errors = {}

local current = tree.root
local collecting = true

--- No declarations from here on.
function tree.close() collecting = false end

local function demand_collecting(what)
    if not collecting then failure.misuse(what .. " cannot be used inside a test or hook") end
end

local function demand_name(what, name)
    if type(name) ~= "string" then
        failure.misuse(("%s takes a name first (a string, got %s)"):format(what, type(name)))
    end
end

--- The names of the blocks around a test or block, outermost first.
function tree.blocks_of(node)
    local names = {}
    local block = node.parent
    while block and block.name do
        table.insert(names, 1, block.name)
        block = block.parent
    end
    return names
end

local function add_test(name, fn, settings)
    tree.count = tree.count + 1
    local blocks = {}
    local test = {kind = "test", name = name, fn = fn, parent = current, id = tree.count}
    for key, value in next, settings do test[key] = value end
    test.file, test.line = failure.caller()
    test.blocks = tree.blocks_of(test)
    table.move(test.blocks, 1, #test.blocks, 1, blocks)
    blocks[#blocks + 1] = name
    test.full_name = table.concat(blocks, " ")
    test.tags = {}
    for tag in test.full_name:gmatch("#([%w_%-]+)") do test.tags[#test.tags + 1] = tag end
    current.children[#current.children + 1] = test
end

function tree.add_error(stage, name, failed)
    tree.errors[#tree.errors + 1] = {stage = stage, name = name, failure = failed}
end

--- Adds a test that is skipped.
function tree.add_pending(name) add_test(name, nil, {}) end

--- Whether declarations are still being read.
function tree.is_collecting() return collecting end

function tree.describe(name, fn)
    demand_collecting("describe")
    demand_name("describe", name)
    if type(fn) ~= "function" then failure.misuse("describe takes a function second") end
    local block = new_block(name, current)
    current.children[#current.children + 1] = block
    current = block
    local ok, raised = xpcall(fn, failure.handler)
    current = block.parent
    if not ok then tree.add_error("describe", name, raised) end
end

local function it(name, fn, settings)
    demand_collecting("it")
    demand_name("it", name)
    if fn ~= nil and type(fn) ~= "function" then failure.misuse("it takes a function second") end
    add_test(name, fn, settings)
end

tree.it = setmetatable({
    --- Runs only this test (and others so marked) of the file.
    only = function(name, fn) it(name, fn, {only = true}) end,
    --- A test with a limit of its own.
    timeout = function(limit, name, fn)
        it(name, fn, {timeout_ms = waits.nanoseconds(limit) / 1e6})
    end,
}, {
    __call = function(_, name, fn) it(name, fn, {}) end,
})

--- The function that declares hooks of this kind.
function tree.hook(kind)
    return function(fn)
        demand_collecting(kind)
        if type(fn) ~= "function" then failure.misuse(kind .. " takes a function") end
        local hooks = current[kind]
        hooks[#hooks + 1] = fn
    end
end

--- Marks what is selected, and returns how many tests are.
function tree.select()
    local only = false
    local function each_test(block, visit)
        for _, child in ipairs(block.children) do
            if child.kind == "test" then visit(child) else each_test(child, visit) end
        end
    end
    local count = 0
    each_test(tree.root, function(test)
        test.selected = not host.accepts or host.accepts(test.full_name, test.tags)
        if not test.selected then return end
        count = count + 1
        only = only or test.only
        local block = test.parent
        while block do
            block.selected = true
            block = block.parent
        end
    end)
    each_test(tree.root, function(test)
        if not test.fn then
            test.skip = "pending"
        elseif only and not test.only then
            test.skip = "another test of the file is marked it.only"
        end
        if not test.selected or test.skip then return end
        local block = test.parent
        while block do
            block.runs = true
            block = block.parent
        end
    end)
    return count
end

return tree
