---@meta uuid

--- UUIDs. Bad input: `nil, err` of kind `INVALID`.
---@class uuid
local uuid = {}

--- From time and node.
---@return string? id
---@return Error? err
---@nodiscard
function uuid.v1() end

--- Random.
---@return string? id
---@return Error? err
---@nodiscard
function uuid.v4() end

--- Ordered by time of creation.
---@return string? id
---@return Error? err
---@nodiscard
function uuid.v7() end

--- From a namespace UUID and a name, by MD5: the same input gives the same UUID.
---@param namespace string
---@param name string
---@return string? id
---@return Error? err
---@nodiscard
function uuid.v3(namespace, name) end

--- From a namespace UUID and a name, by SHA-1: the same input gives the same UUID.
---@param namespace string
---@param name string
---@return string? id
---@return Error? err
---@nodiscard
function uuid.v5(namespace, name) end

---@param x any
---@return boolean
---@nodiscard
function uuid.validate(x) end

---@param id string
---@return integer? version
---@return Error? err
---@nodiscard
function uuid.version(id) end

---@param id string
---@return "RFC4122"|"Microsoft"|"NCS"|"Future"|nil variant
---@return Error? err
---@nodiscard
function uuid.variant(id) end

---@param id string
---@return uuid.Parts? parts
---@return Error? err
---@nodiscard
function uuid.parse(id) end

---@param id string
---@param form "standard"|"simple"|"urn"
---@return string? text
---@return Error? err
---@nodiscard
function uuid.format(id, form) end

---@class uuid.Parts
---@field version integer
---@field variant string
---@field timestamp integer?  unix seconds; versions 1 and 7
---@field node string?  hexadecimal; version 1

return uuid
