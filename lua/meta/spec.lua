---@meta

--- The globals of spec files, `*_spec.lua`, which `moonmesh test` finds and runs.
---
--- Each file runs as a process in a fresh node of its own: scope `app:pg`, host `app:processes`, every built-in
--- module available. It may spawn, block, sleep and listen.
---
--- ```lua
--- local pg = require("pg")
---
--- describe("a room #pg", function()
---     local rooms
---     before_each(function() rooms = assert(pg.open("app:pg")) end)
---
---     it("hears what is said", function()
---         rooms:join("lobby")
---         finally(function() rooms:leave("lobby") end)
---         rooms:broadcast("lobby", "said", "hello")
---         assert.equal("hello", assert.receives(process.listen("said")))
---     end)
--- end)
--- ```
---
--- A test has 10 s (`--timeout`, `it.timeout`); one that hangs fails and says where each of its coroutines
--- waits. A coroutine made with `coroutine.spawn` that fails fails its test.

--- Groups tests. Blocks nest; the body runs at once, while the file is read. A word `#tag` in a name is a
--- tag of every test inside.
---@param name string
---@param body fun()
function describe(name, body) end

--- The same as `describe`.
---@param name string
---@param body fun()
function context(name, body) end

--- Declares a test. Without a body it is skipped as pending.
---@class spec.It
---@overload fun(name: string, body?: fun())
it = {}

--- Runs only this test, and others so marked, of the file. The others count as skipped.
---@param name string
---@param body? fun()
function it.only(name, body) end

--- A test with a time limit of its own.
---@param limit string|integer|time.Duration  for example `"30s"`; an integer counts nanoseconds
---@param name string
---@param body? fun()
function it.timeout(limit, name, body) end

--- The same as `it`.
test = it

--- Between tests: declares a test that is yet to be written. Inside a test: ends it as skipped.
---@param name? string  inside a test: why
function pending(name) end

--- Runs before each test of this block and the blocks in it, those of outer blocks first. If it fails, the
--- test fails.
---@param hook fun()
function before_each(hook) end

--- Runs after each test, whatever became of it, those of inner blocks first.
---@param hook fun()
function after_each(hook) end

--- Runs once, before the first test of this block. If it fails, every test of the block fails.
---@param hook fun()
function setup(hook) end

--- The same as `setup`.
---@param hook fun()
function before_all(hook) end

--- Runs once, after the last test of this block.
---@param hook fun()
function teardown(hook) end

--- The same as `teardown`.
---@param hook fun()
function after_all(hook) end

--- Inside a test: runs `cleanup` when the test is over, however it ends. The last one given runs first.
---@param cleanup fun()
function finally(cleanup) end

--- Callable as Lua's own `assert`; its fields are assertions.
---
--- Names are sentences: words such as `is`, `are`, `has` only read well, `not` and `no` negate, and words are
--- joined by `_` or `.`: `assert.are.equal`, `assert.is_not_nil`, `assert.is_not.equal`, `assert.has_no_error`.
--- The expected value comes first. After its own arguments every assertion takes a message. An assertion
--- that holds returns its arguments.
---@class spec.Assert
---@overload fun(value: any, message?: any, ...): any
---@field is spec.Assert
---@field are spec.Assert
---@field has spec.Assert
---@field is_not spec.Assert
---@field are_not spec.Assert
---@field has_no spec.Assert
assert = {}

--- `expected == actual`. Tables are equal only if they are one table; compare content with `same`.
---@param expected any
---@param actual any
---@param message? string
function assert.equal(expected, actual, message) end

--- Equal by content: tables by keys and values, error objects by kind, message, retryable and details, all
--- else by `==`. The failure lists the places that differ.
---@param expected any
---@param actual any
---@param message? string
function assert.same(expected, actual, message) end

--- Exactly `true`.
---@param value any
---@param message? string
function assert.is_true(value, message) end

--- Exactly `false`.
---@param value any
---@param message? string
function assert.is_false(value, message) end

---@param value any
---@param message? string
function assert.is_nil(value, message) end

---@generic T
---@param value T?
---@param message? string
---@return T
function assert.is_not_nil(value, message) end

--- Neither nil nor `false`.
---@param value any
---@param message? string
function assert.truthy(value, message) end

--- nil or `false`.
---@param value any
---@param message? string
function assert.falsy(value, message) end

---@param value any
---@param message? string
---@return string
function assert.is_string(value, message) end

---@param value any
---@param message? string
---@return number
function assert.is_number(value, message) end

---@param value any
---@param message? string
---@return table
function assert.is_table(value, message) end

---@param value any
---@param message? string
---@return function
function assert.is_function(value, message) end

---@param value any
---@param message? string
---@return boolean
function assert.is_boolean(value, message) end

---@param value any
---@param message? string
---@return userdata
function assert.is_userdata(value, message) end

---@param value any
---@param message? string
---@return thread
function assert.is_thread(value, message) end

--- `fn` raises; with `expected`: this very error. A text is compared with the error's message, without the
--- position that Lua puts before it; other values by content.
---@param fn fun()
---@param expected? any
---@param message? string
---@return any raised
function assert.has_error(fn, expected, message) end

--- `fn` does not raise. Returns what `fn` returned.
---@param fn fun()
---@param message? string
---@return any ...
function assert.has_no_error(fn, message) end

--- `fn` raises an error whose message has a match of the Lua pattern.
---@param fn fun()
---@param pattern string
---@param message? string
---@return any raised
function assert.error_matches(fn, pattern, message) end

--- The text (or the message of an error object) has a match of the Lua pattern.
---@param pattern string
---@param text string|Error
---@param message? string
function assert.matches(pattern, text, message) end

--- The number lies within `expected - tolerance` and `expected + tolerance`.
---@param expected number
---@param actual number
---@param tolerance number
---@param message? string
function assert.near(expected, actual, tolerance, message) end

--- `err` is an error object of this kind.
---@param kind string  for example `errors.NOT_FOUND`
---@param err any
---@param message? string
function assert.error_kind(kind, err, message) end

--- The list has an item that is the same as the value, by content.
---@param list any[]
---@param value any
---@param message? string
function assert.one_of(list, value, message) end

--- Calls `fn` again and again until it returns something truthy without raising, and returns that. Fails
--- with what the last call did when the time is over. Cannot be negated.
---
--- ```lua
--- assert.eventually(function() return #rooms:get_members("lobby") == 3 end, {within = "5s"})
--- ```
---@param fn fun(): any
---@param options? {within?: string|integer|time.Duration, every?: string|integer|time.Duration}  default: 2 s, 10 ms
---@param message? string
---@return any ...
function assert.eventually(fn, options, message) end

--- Waits for one value of a channel and returns it. Negated: nothing must come in that time.
---@param ch Channel
---@param options? {within?: string|integer|time.Duration}  default: 1 s
---@param message? string
---@return any value
function assert.receives(ch, options, message) end

--- What only specs have.
---@class spec
spec = {}

--- Starts a process from a function of the spec file, and returns its PID. So several members fit in one
--- file. The function gets an environment of its own with `assert` in it; it must not use locals of the file
--- around it: raises, naming the local, if it does. Arguments are copied.
---
--- Processes that still run at the end of the file are terminated and reported.
---@param fn function
---@param ... any
---@return string pid
function spec.spawn(fn, ...) end

--- Starts `count` real nodes in this program, connected to each other, and returns a handle to run code on
--- each.
---@param count integer
---@return spec.Node[]
function spec.cluster(count) end

--- A handle to one node of `spec.cluster`. All nodes are stopped at the end of the file.
---@class spec.Node
local Node = {}

---@return string name
---@nodiscard
function Node:name() end

--- Runs a function of the spec file as a process on the node, as `spec.spawn` would, and waits for its end.
--- Returns what the function returned, copied; raises what it raised.
---@param fn function
---@param ... any
---@return any ...
function Node:run(fn, ...) end

--- Starts a process from a function of the spec file on the node.
---@param fn function
---@param ... any
---@return string pid
function Node:spawn(fn, ...) end

--- Stops the node and waits until it has left the cluster.
function Node:stop() end
