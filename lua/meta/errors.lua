---@meta errors

--- Error objects and their kinds.
---
--- `errors` is a global; `require("errors")` returns the same table. Functions of the host return
--- `nil, err` for what can go wrong at run time and raise for misuse (a wrong argument type).
---
--- ```lua
--- local members, err = rooms:get_members("lobby")
--- if err then
---     if err:kind() == errors.PERMISSION_DENIED then return nil, err end
---     if err:retryable() then retry_later() end
--- end
--- ```
---@class errorslib
---@field NOT_FOUND "NotFound"
---@field ALREADY_EXISTS "AlreadyExists"
---@field INVALID "Invalid"
---@field PERMISSION_DENIED "PermissionDenied"
---@field UNAVAILABLE "Unavailable"
---@field INTERNAL "Internal"
---@field CONFLICT "Conflict"
---@field CANCELED "Canceled"
---@field TIMEOUT "Timeout"
---@field RATE_LIMITED "RateLimited"
---@field UNKNOWN ""
errors = {
    NOT_FOUND = "NotFound",
    ALREADY_EXISTS = "AlreadyExists",
    INVALID = "Invalid",
    PERMISSION_DENIED = "PermissionDenied",
    UNAVAILABLE = "Unavailable",
    INTERNAL = "Internal",
    CONFLICT = "Conflict",
    CANCELED = "Canceled",
    TIMEOUT = "Timeout",
    RATE_LIMITED = "RateLimited",
    UNKNOWN = "",
}

--- Makes an error object, from a message or from its parts.
---
--- A kind may be any string; those above are the ones the host uses, besides `LimitExceeded` and
--- `InvalidState`. Without `kind` the error's kind is `errors.UNKNOWN`. Only the first argument counts:
--- `errors.new("Timeout", "text")` makes an error with the *message* `Timeout`.
---
--- Raises `expected string or table`, `message field is required` or `message must be a string`.
---
--- ```lua
--- return nil, errors.new({message = "no seat left", kind = errors.CONFLICT, details = {seats = 0}})
--- ```
---@param message string|errors.Parts
---@return Error
---@nodiscard
function errors.new(message) end

--- Adds context to an error. Kind, message, retryable and details stay; `context: message` appears in
--- logs and JSON, outermost context first, and is dropped when the error leaves the process.
---
--- Raises if `err` is neither an error nor a string (nil included).
---@param err Error|string
---@param context string|Error
---@return Error
---@nodiscard
function errors.wrap(err, context) end

--- Whether `err` is an error object of this kind. Anything that is no error object: `false`.
---@param err any
---@param kind string
---@return boolean
---@nodiscard
function errors.is(err, kind) end

--- The Lua stack captured when the error was made, innermost frame first. Do not depend on its exact
--- content.
---@param err any
---@return errors.Stack? stack  nil: no error object, or it crossed a boundary and has no stack
---@nodiscard
function errors.call_stack(err) end

--- What a failed call returns. Immutable. `tostring(err)` is the message; `..` and the functions of
--- `string` take an error where they take a string and use its message. `==` compares identity.
---
--- `error(err)` raises it unchanged: `pcall` returns the same object, without a position added.
--- At the end of a process, in a message, or as the result of `funcs.call` it arrives with kind,
--- message, retryable and details (kind `UNKNOWN` becomes `INTERNAL`).
---@class Error
local Error = {}

---@return string kind  `""`: unknown
---@nodiscard
function Error:kind() end

---@return string message  without wrap context
---@nodiscard
function Error:message() end

--- Whether trying again may help.
---@return boolean? retryable  nil: nobody said
---@nodiscard
function Error:retryable() end

--- More facts. A new table at each call.
---@return table? details
---@nodiscard
function Error:details() end

--- The captured stack as text; `""` if the error crossed a boundary.
---@return string stack
---@nodiscard
function Error:stack() end

---@class errors.Parts
---@field message string
---@field kind string?
---@field retryable boolean?
---@field details table?  string keys; copied

---@class errors.Stack
---@field thread string
---@field frames errors.Frame[]

---@class errors.Frame
---@field level integer
---@field source string
---@field line integer
---@field name string
---@field type string

return errors
