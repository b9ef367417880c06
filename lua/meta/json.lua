---@meta json

--- JSON texts.
---@class json
local json = {}

--- Encodes a value. `nil` → `null`; tables with keys 1..n → arrays; tables with string keys → objects; `{}` →
--- `[]` unless it was decoded from an object; infinities and NaN → `null`; integers stay integers; an
--- error object → its text.
---@param value any
---@return string? text
---@return Error? err  `INTERNAL`: mixed keys or holes; `INVALID`: a cycle, more than 128 levels, or a value of another type
---@nodiscard
function json.encode(value) end

--- Decodes a text. `null` → nil; integers within 64 bits stay integers.
---@param text string
---@return any value
---@return Error? err  `INTERNAL`: not JSON, with line and column; `INVALID`: the empty text
---@nodiscard
function json.decode(text) end

return json
