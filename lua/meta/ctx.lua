---@meta ctx

--- The context values of the calling process: inherited from its parent, and set with
--- `process.with_context` or `funcs.new():with_context`.
---@class ctx
local ctx = {}

---@param key string
---@return any value
---@return Error? err  `INVALID`: empty key; `NOT_FOUND`: no such value
---@nodiscard
function ctx.get(key) end

--- All values, in a new table.
---@return table<string, any>? values
---@return Error? err
---@nodiscard
function ctx.all() end

return ctx
