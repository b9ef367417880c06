---@meta payload

--- Payload objects: what a `Message` carries. `payload` is a global; `require("payload")` returns the same
--- table.
---@class payloadlib
payload = {}

--- Wraps a copy of a value.
---@param value any  plain data, as for `process.send`
---@return Payload? payload
---@return Error? err  `INVALID`: a value that cannot be copied; the message has its path
---@nodiscard
function payload.new(value) end

--- The formats. Payloads of this host are `LUA` or `ERROR`.
---@class payload.Formats
payload.format = {
    JSON = "json/plain",
    YAML = "yaml/plain",
    STRING = "text/plain",
    BYTES = "application/octet-stream",
    MSGPACK = "application/msgpack",
    LUA = "lua/any",
    ERROR = "golang/error",
}

---@class Payload
local Payload = {}

--- The value. Tables are new at each call.
---@return any
---@nodiscard
function Payload:data() end

--- One of `payload.format`.
---@return string
---@nodiscard
function Payload:get_format() end

return payload
