---@meta funcs

--- Calls to `function.lua` entries. Each call runs as a short-lived process of its own, which inherits the
--- caller's actor, scope and context values.
---
--- ```lua
--- local funcs = require("funcs")
--- local total, err = funcs.call("shop:total", {1, 2, 3})
---
--- local future = assert(funcs.new():with_options({timeout = "2s"}):async("shop:report"))
--- local payload = future:response():receive()
--- ```
---@class funcs
local funcs = {}

--- Calls a function and waits for its result.
---
--- Permission `funcs.call` on `id`.
---@param id string  full id of the entry
---@param ... any  arguments, copied
---@return any result
---@return Error? err  `INVALID`: no namespace or no name; `NOT_FOUND`; `PERMISSION_DENIED`; else the error raised or returned inside, with its kind
function funcs.call(id, ...) end

--- Starts a call and returns at once. Permission `funcs.call` on `id`.
---@param id string
---@param ... any
---@return funcs.Future? future
---@return Error? err  as for `call`, as far as it is known at the start
---@nodiscard
function funcs.async(id, ...) end

--- An executor without settings of its own.
---@return funcs.Executor
---@nodiscard
function funcs.new() end

--- Calls with settings. Immutable: every `with_*` returns a new executor.
---@class funcs.Executor
local Executor = {}

--- Adds context values. Permission `funcs.context` on `context`.
---@param values table<string, any>
---@return funcs.Executor
---@nodiscard
function Executor:with_context(values) end

--- Calls act as `actor`. Permission `funcs.security` on `security`.
---@param actor security.Actor
---@return funcs.Executor
---@nodiscard
function Executor:with_actor(actor) end

--- Calls are bound by `scope`. Permission `funcs.security` on `security`.
---@param scope security.Scope
---@return funcs.Executor
---@nodiscard
function Executor:with_scope(scope) end

---@param options {timeout?: integer|string|time.Duration}  timeout: a number counts *milliseconds*
---@return funcs.Executor
---@nodiscard
function Executor:with_options(options) end

--- As `funcs.call`; a time-out is an error of kind `TIMEOUT`.
---@param id string
---@param ... any
---@return any result
---@return Error? err
function Executor:call(id, ...) end

--- As `funcs.async`.
---@param id string
---@param ... any
---@return funcs.Future? future
---@return Error? err
---@nodiscard
function Executor:async(id, ...) end

--- A call under way.
---@class funcs.Future
local Future = {}

--- The channel that gets the result as one `Payload` (or the error object).
---@return Channel
---@nodiscard
function Future:response() end

--- The same channel.
---@return Channel
---@nodiscard
function Future:channel() end

---@return boolean
---@nodiscard
function Future:is_complete() end

---@return boolean
---@nodiscard
function Future:is_canceled() end

--- The result, if it is there. Does not wait.
---@return Payload? result
---@return Error? err
---@nodiscard
function Future:result() end

--- The error, if the call failed.
---@return Error? err
---@return boolean failed
---@nodiscard
function Future:error() end

--- Asks the call to stop.
---@return true
function Future:cancel() end

return funcs
