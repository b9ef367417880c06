---@meta payload

--- Payload objects: what a `Message` carries. `payload` is a global; `require("payload")` returns the same
--- table.
---@class payloadlib
payload = {}

--- Wraps a value.
---@param value any
---@return Payload
---@nodiscard
function payload.new(value) end

---@class payload.Formats
---@field JSON string
---@field YAML string
---@field STRING string
---@field BYTES string
---@field MSGPACK string
---@field LUA string
---@field ERROR string
payload.format = {}

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
