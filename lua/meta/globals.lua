---@meta

--- The globals of every Moonmesh script that are not Lua's own, and those of Lua's own that differ.
---
--- Lua 5.4's base functions, `string`, `table`, `math`, `utf8` and `coroutine` are there. `io`, `package`,
--- `dofile` and `loadfile` are not. All shared tables are read-only: assigning to a field raises
--- `attempt to modify a read-only table`. A script's own globals live in an environment of its own.
---
--- For the Lua language server: `"runtime.version": "Lua 5.4"`, and in `"runtime.builtin"` disable `io`,
--- `os`, `debug` and `package`.

--- Writes one line, the arguments through `tostring`, separated by tabs: to the log at level info, with
--- PID and entry as fields; to stdout for `moonmesh run FILE.lua`, `run --exec` and tests.
---@param ... any
function print(...) end

--- Loads a module: a name that the entry lists under `modules:`, or an alias from its `imports:` (a
--- `library.lua` entry, loaded once per process). In `moonmesh run FILE.lua` and in specs every built-in
--- module is available.
---
--- Raises `module 'x' is not available: add it to modules:` for anything else.
---@param name string
---@return any module
function require(name) end

--- Compiles a text. Bytecode is refused, and the environment is always the caller's.
---@param chunk string|fun(): string?
---@param chunkname? string
---@param mode? "t"
---@return function? chunk
---@return string? err
function load(chunk, chunkname, mode) end

--- Only `"count"` (kilobytes used by the caller's worker) and `"step"`.
---@param option? "count"|"step"
---@param arg? integer
---@return number|boolean
function collectgarbage(option, arg) end

--- Lua 5.1's name of `table.unpack`.
---@generic T
---@param list T[]
---@param i? integer
---@param j? integer
---@return T ...
function unpack(list, i, j) end

--- Attaches a channel made with `channel.new` to a topic.
---@param topic string
---@param to Channel
function subscribe(topic, to) end

--- Detaches a channel.
---@param from Channel
function unsubscribe(from) end

--- Starts `fn` as a concurrent coroutine of the same process. It runs up to its first wait before the
--- caller goes on. Its return values are dropped. An uncaught error in it ends the *process* with that
--- error. When the main function returns, the other coroutines end without running on.
---@param fn function
---@param ... any  arguments of `fn`
---@return thread
function coroutine.spawn(fn, ...) end

--- The parts of Lua's `os` that do not reach outside.
---@class oslib
os = {}

---@param date? table
---@return integer seconds  since the Unix epoch
function os.time(date) end

---@return number seconds  CPU time used
function os.clock() end

---@param format? string
---@param time? integer
---@return string|table
function os.date(format, time) end

---@param later integer
---@param earlier integer
---@return number seconds
function os.difftime(later, earlier) end

--- Only the traceback of Lua's `debug`.
---@class debuglib
debug = {}

---@overload fun(message?: any, level?: integer): string
---@param thread thread
---@param message? any
---@param level? integer
---@return string
function debug.traceback(thread, message, level) end

---@param x number
---@param y number
---@return number
function math.pow(x, y) end

---@param x number
---@return number
function math.log10(x) end

---@param y number
---@param x number
---@return number
function math.atan2(y, x) end

---@param x number
---@return number
function math.sinh(x) end

---@param x number
---@return number
function math.cosh(x) end

---@param x number
---@return number
function math.tanh(x) end
