---@meta registry

--- The entries that this node has loaded. Read only.
---
--- Permission `registry.get` on each id; entries that the caller may not read are left out of lists.
---@class registry
local registry = {}

---@param id string  full id
---@return registry.Entry? entry
---@return Error? err  `INVALID`; `NOT_FOUND`; `PERMISSION_DENIED`
---@nodiscard
function registry.get(id) end

--- The entries that match every key of the filter.
---
--- ```lua
--- local workers = registry.find({[".kind"] = "process.lua", [".ns"] = "app.*", role = "worker"})
--- ```
---@param filter table<string, any>  `.kind`, `.ns`, `.name`, or a key of `meta`; in texts `*` stands for anything
---@return registry.Entry[]? entries
---@return Error? err  `INVALID`
---@nodiscard
function registry.find(filter) end

--- Splits an id at its colon.
---@param id string
---@return registry.Id
---@nodiscard
function registry.parse_id(id) end

--- All entries of one moment.
---@return registry.Snapshot? snapshot
---@return Error? err
---@nodiscard
function registry.snapshot() end

---@class registry.Snapshot
local Snapshot = {}

---@return registry.Entry[]? entries
---@return Error? err
---@nodiscard
function Snapshot:entries() end

---@param id string
---@return registry.Entry? entry
---@return Error? err
---@nodiscard
function Snapshot:get(id) end

---@param filter table<string, any>
---@return registry.Entry[]? entries
---@return Error? err
---@nodiscard
function Snapshot:find(filter) end

---@param name string
---@return registry.Entry[]? entries
---@return Error? err
---@nodiscard
function Snapshot:namespace(name) end

---@class registry.Entry
---@field id string
---@field kind string
---@field meta table<string, any>
---@field data any

---@class registry.Id
---@field ns string
---@field name string

return registry
