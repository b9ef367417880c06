--- Runs what `tree` holds and reports each step to the host.
local part, host = ...
local failure = part("failure")
local limited = part("limited")
local tree = part("tree")

local runner = {}

local totals = {passed = 0, failed = 0, skipped = 0}

--- The test that runs now: `{test, cleanups, scope}`.
local running

local function report(event, fields)
    fields.event = event
    host.report(fields)
end

local function test_event(event, test, more)
    local fields = {
        id = test.id,
        name = test.name,
        blocks = test.blocks,
        full_name = test.full_name,
        tags = test.tags,
        file = test.file,
        line = test.line,
    }
    for key, value in next, more do fields[key] = value end
    report(event, fields)
end

local function failure_fields(failed)
    return {
        message = failed.message,
        kind = failed.kind,
        file = failed.file,
        line = failed.line,
        expected = failed.expected,
        actual = failed.actual,
        diff = failed.diff,
        traceback = failed.traceback,
    }
end

local function report_error(stage, name, failed)
    totals.failed = totals.failed + 1
    report("error", {stage = stage, name = name, failure = failure_fields(failed)})
end

--- `pending(name)` declares a test to be written; inside a test it ends it as skipped.
function runner.pending(name)
    if tree.is_collecting() then return tree.add_pending(name) end
    failure.skip(name or "pending")
end

--- `finally(fn)` inside a test: `fn` runs when the test is over, however it ends.
function runner.finally(fn)
    if not running then failure.misuse("finally can only be used inside a test") end
    table.insert(running.cleanups, 1, fn)
end

--- `coroutine` of the spec file: a failing coroutine fails its test instead of the whole file.
runner.coroutine = limited.coroutine(function(failed)
    local name = "a coroutine outside of any test"
    if tree.is_collecting() then return tree.add_error("coroutine", name, failed) end
    report_error("coroutine", name, failed)
end)

local function prefixed(failed, what)
    local copy = failure_fields(failed)
    copy.message = what .. " failed: " .. failed.message
    return failure.new(copy)
end

--- All hooks of a kind around a test, outermost block first.
local function hooks_around(test, kind)
    local lists = {}
    local block = test.parent
    while block do
        table.insert(lists, 1, block[kind])
        block = block.parent
    end
    local hooks = {}
    for _, list in ipairs(lists) do table.move(list, 1, #list, #hooks + 1, hooks) end
    return hooks
end

local function run_body(test, limit_ms)
    return limited.call(limit_ms, running.scope, function()
        for _, hook in ipairs(hooks_around(test, "before_each")) do hook() end
        return test.fn()
    end)
end

local function run_cleanups(test, limit_ms)
    local first
    local function run(what, fn)
        local ok, failed = limited.call(limit_ms, running.scope, fn)
        if not ok then first = first or prefixed(failed, what) end
    end
    for _, cleanup in ipairs(running.cleanups) do run("finally", cleanup) end
    local hooks = hooks_around(test, "after_each")
    for index = #hooks, 1, -1 do run("after_each", hooks[index]) end
    return first
end

local function skip(test, reason)
    totals.skipped = totals.skipped + 1
    test_event("test_skip", test, {reason = reason})
end

local function fail(test, failed, started_ms)
    totals.failed = totals.failed + 1
    if not failed.file then failed.file, failed.line = test.file, test.line end
    local duration_ms = host.now_ms() - started_ms
    test_event("test_fail", test, {duration_ms = duration_ms, failure = failure_fields(failed)})
end

local function run_test(test, setup_failure)
    if test.skip then return skip(test, test.skip) end
    local started_ms = host.now_ms()
    test_event("test_start", test, {})
    if setup_failure then return fail(test, setup_failure, started_ms) end
    local limit_ms = test.timeout_ms or host.timeout_ms
    running = {cleanups = {}, scope = limited.scope()}
    local ok, failed = run_body(test, limit_ms)
    local cleanup_failed = run_cleanups(test, limit_ms)
    limited.leave(running.scope)
    running = nil
    if not ok and failure.is_skip(failed) and not cleanup_failed then
        return skip(test, failed.reason)
    end
    if not ok and not failure.is_skip(failed) then return fail(test, failed, started_ms) end
    if cleanup_failed then return fail(test, cleanup_failed, started_ms) end
    totals.passed = totals.passed + 1
    test_event("test_pass", test, {duration_ms = host.now_ms() - started_ms})
end

local function run_hooks(block, kind, on_failure)
    for _, hook in ipairs(block[kind]) do
        local scope = limited.scope()
        local ok, failed = limited.call(host.timeout_ms, scope, hook)
        limited.leave(scope)
        if not ok then
            local name = block.name and ("%s of %q"):format(kind, block.name) or kind
            if on_failure(name, failed) then return end
        end
    end
end

local function in_order(children)
    local order = host.order and host.order(#children)
    if not order then return children end
    local ordered = {}
    for place, index in ipairs(order) do ordered[place] = children[index] end
    return ordered
end

local function run_block(block, setup_failure)
    if block.runs and not setup_failure then
        run_hooks(block, "setup", function(name, failed)
            setup_failure = prefixed(failed, name)
            return true
        end)
    end
    for _, child in ipairs(in_order(block.children)) do
        if host.stopped and host.stopped() then break end
        if child.selected and child.kind == "test" then
            run_test(child, setup_failure)
        elseif child.selected then
            run_block(child, setup_failure)
        end
    end
    if block.runs then
        run_hooks(block, "teardown", function(name, failed) report_error("teardown", name, failed) end)
    end
end

local function list_tests(block)
    for _, child in ipairs(block.children) do
        if child.kind == "block" then
            list_tests(child)
        elseif child.selected then
            test_event("test_listed", child, {})
        end
    end
end

local function report_leaks()
    local leaks = host.leaked and host.leaked()
    if leaks and (#leaks.processes > 0 or #leaks.members > 0) then
        report("leaked", {processes = leaks.processes, members = leaks.members})
    end
end

--- Reads the declarations, then runs or lists the selected tests. Returns the totals.
function runner.run()
    local started_ms = host.now_ms()
    part("declare")
    report("suite_start", {path = host.path, tests = tree.select()})
    for _, broken in ipairs(tree.errors) do
        report_error(broken.stage, broken.name, broken.failure)
    end
    if host.mode == "list" then
        list_tests(tree.root)
    elseif tree.root.selected then
        run_block(tree.root)
        report_leaks()
    end
    report("suite_end", {
        path = host.path,
        passed = totals.passed,
        failed = totals.failed,
        skipped = totals.skipped,
        duration_ms = host.now_ms() - started_ms,
    })
    return totals
end

return runner
