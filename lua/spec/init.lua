--- The spec library: `describe`, `it`, `assert` and what belongs to them, for `moonmesh test`.
---
--- It runs inside one process. The host compiles every part of it with the chunk name `=[spec:<part>]` and
--- with the environment of that process, the same that the spec file gets, then calls this part with one
--- table. Everything about reporting, selecting and repeating belongs to the host; this side only tells it
--- what happens, one event at a time, and returns when all is done.
---
--- Fields of `host`; those with `?` may be absent:
---
--- | field | meaning |
--- |---|---|
--- | `load(name) -> function` | the compiled part `lua/spec/<name>.lua` |
--- | `now_ms() -> number` | a monotonic clock, in milliseconds |
--- | `mode` | `"run"`, `"list"` (report `test_listed` instead of running), or `"assert"` (only set the global `assert`, for processes made by `spec.spawn`) |
--- | `report(event)` | is told of every event; must not yield |
--- | `path` | the spec file or entry, as it shall appear in events |
--- | `file?()` | the compiled spec file |
--- | `entry?()` | instead of `file`: the method of a `function.lua` entry with `meta.type: test` |
--- | `name?` | the name of the entry's test |
--- | `accepts?(full_name, tags) -> boolean` | whether a test is selected; default: all are |
--- | `order?(count) -> integer[]` | a permutation of 1..count for the children of one block; default: as written |
--- | `stopped?() -> boolean` | asked before each test: skip the rest of the file (`--fail-fast`) |
--- | `timeout_ms` | the default limit of one test |
--- | `spawn_function?(fn, ...) -> pid, err` | behind `spec.spawn` |
--- | `cluster?(n) -> nodes, err` | behind `spec.cluster`; a list of objects with the methods of `spec.Node` |
--- | `leaked?() -> {processes, members}` | asked at the end of the file: lists of texts |
---
--- Events are tables with a field `event`:
---
--- | event | fields |
--- |---|---|
--- | `suite_start` | `path`, `tests` (how many are selected) |
--- | `test_listed`, `test_start`, `test_pass`, `test_fail`, `test_skip` | `id` (from 1, in the order written), `name`, `blocks` (names of the enclosing blocks), `full_name`, `tags`, `file`, `line` (of the test) |
--- | `test_pass`, `test_fail` | and `duration_ms` |
--- | `test_skip` | and `reason` |
--- | `test_fail`, `error` | and `failure`: `message`, `file?`, `line?`, `expected?`, `actual?`, `diff?`, `traceback?`, `kind?` (of an error object) |
--- | `error` | a failure outside of any test: `stage` (`load`, `describe`, `teardown` or `coroutine`), `name` |
--- | `leaked` | `processes`, `members` |
--- | `suite_end` | `path`, `passed`, `failed` (errors included), `skipped`, `duration_ms` |
local host = ...

local loaded = {}

local function part(name)
    local value = loaded[name]
    if value == nil then
        value = host.load(name)(part, host)
        loaded[name] = value
    end
    return value
end

assert = part("assert")
if host.mode == "assert" then return end

local tree = part("tree")
local runner = part("runner")

describe, context = tree.describe, tree.describe
it, test = tree.it, tree.it
pending = runner.pending
setup, before_all = tree.hook("setup"), tree.hook("setup")
teardown, after_all = tree.hook("teardown"), tree.hook("teardown")
before_each = tree.hook("before_each")
after_each = tree.hook("after_each")
finally = runner.finally
coroutine = runner.coroutine

spec = {}

--- Starts a process from a function of the spec file; see `lua/meta/spec.lua`.
function spec.spawn(fn, ...)
    if not host.spawn_function then error("spec.spawn is not available here", 2) end
    local pid, err = host.spawn_function(fn, ...)
    if not pid then error(err, 2) end
    return pid
end

--- Starts real nodes; see `lua/meta/spec.lua`.
function spec.cluster(count)
    if not host.cluster then error("spec.cluster is not available here", 2) end
    local nodes, err = host.cluster(count)
    if not nodes then error(err, 2) end
    return nodes
end

return runner.run()
