---@meta security

--- Who acts, and what may be done.
---
--- Every process carries an actor and a scope (a set of policies), each optional, inherited from its
--- parent. Guarded calls of the host check them by themselves; scripts ask with `can`.
---
--- ```lua
--- local security = require("security")
--- if not security.can("shop.refund", order.id, {amount = order.total}) then
---     return nil, errors.new({message = "no refund", kind = errors.PERMISSION_DENIED})
--- end
--- ```
---
--- With actor and scope: allowed means that a policy allows it and none denies it. With either missing:
--- allowed, unless the node runs with `security.strict_mode`.
---@class security
local security = {}

--- Who the calling process acts as.
---@return security.Actor?
---@nodiscard
function security.actor() end

--- The policies that bind the calling process.
---@return security.Scope?
---@nodiscard
function security.scope() end

--- Whether the caller may do something now. It answers exactly what a guarded call would decide.
---@param action string
---@param resource string
---@param meta? table<string, any>  what conditions read under `meta.`
---@return boolean
---@nodiscard
function security.can(action, resource, meta) end

--- Permission `security.actor.create` on `id`; denied: raises.
---@param id string
---@param meta? table<string, any>  copied; must be plain data
---@return security.Actor
---@nodiscard
function security.new_actor(id, meta) end

--- Permission `security.scope.create` on `custom`; denied: raises.
---@param policies? security.Policy[]  none: a scope that allows nothing
---@return security.Scope
---@nodiscard
function security.new_scope(policies) end

--- A loaded policy. Permission `security.policy.get` on `id`.
---@param id string  full id
---@return security.Policy? policy
---@return Error? err  `INVALID`; `NOT_FOUND`; `PERMISSION_DENIED`
---@nodiscard
function security.policy(id) end

--- The scope of all policies of a group. Permission `security.policy_group.get` on `group`.
---@param group string  full id
---@return security.Scope? scope
---@return Error? err  `INVALID`; `NOT_FOUND`: no policy belongs to it; `PERMISSION_DENIED`
---@nodiscard
function security.named_scope(group) end

--- Immutable.
---@class security.Actor
local Actor = {}

---@return string
---@nodiscard
function Actor:id() end

--- A copy.
---@return table<string, any>
---@nodiscard
function Actor:meta() end

--- A `security.policy` entry.
---@class security.Policy
local Policy = {}

---@return string
---@nodiscard
function Policy:id() end

--- What this policy says by itself; `"undefined"` if it does not apply.
---@param actor security.Actor?
---@param action string
---@param resource string
---@param meta? table<string, any>
---@return "allow"|"deny"|"undefined"
---@nodiscard
function Policy:evaluate(actor, action, resource, meta) end

--- A set of policies. Immutable: `with` and `without` return new scopes. It names its policies, so it
--- always speaks with those in force.
---@class security.Scope
local Scope = {}

--- Permission `security.scope.create` on `with`; denied: raises.
---@param policy security.Policy
---@return security.Scope
---@nodiscard
function Scope:with(policy) end

--- Permission `security.scope.create` on `without`; denied: raises.
---@param id string
---@return security.Scope
---@nodiscard
function Scope:without(id) end

---@param id string
---@return boolean
---@nodiscard
function Scope:contains(id) end

--- The policies, ordered by id.
---@return security.Policy[]
---@nodiscard
function Scope:policies() end

--- Denied if any policy denies, else allowed if any allows, else undefined.
---@param actor security.Actor?
---@param action string
---@param resource string
---@param meta? table<string, any>
---@return "allow"|"deny"|"undefined"
---@nodiscard
function Scope:evaluate(actor, action, resource, meta) end

return security
