---@meta logger

--- Structured logging. Each record carries the PID, the entry and the source line besides its own fields.
---
--- ```lua
--- local logger = require("logger")
--- local log = logger:named("mailer"):with({queue = "out"})
--- log:info("sent", {count = 3, elapsed_ms = 12.5})
--- ```
---
--- Fields keep their types in JSON logs; error objects appear as their long text. Never waits.
---@class logger
local logger = {}

---@param message string
---@param fields? table<string, any>
function logger:debug(message, fields) end

---@param message string
---@param fields? table<string, any>
function logger:info(message, fields) end

---@param message string
---@param fields? table<string, any>
function logger:warn(message, fields) end

---@param message string
---@param fields? table<string, any>
function logger:error(message, fields) end

--- A logger that adds `fields` to every record.
---@param fields table<string, any>
---@return logger
---@nodiscard
function logger:with(fields) end

--- A logger with a name; names of names join with `.`. Raises `INVALID` for an empty name.
---@param name string
---@return logger
---@nodiscard
function logger:named(name) end

return logger
