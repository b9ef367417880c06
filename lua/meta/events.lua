---@meta events

--- The event bus of this node. Best effort: a subscriber that does not read loses events; nobody waits for
--- it. Events do not leave the node.
---
--- The host publishes `cluster` (`node.joined`, `node.left`, `node.updated`), `process`, `registry` and
--- `supervisor`. Scripts may not send to those.
---
--- ```lua
--- local events = require("events")
--- local sub = assert(events.subscribe("cluster", "node.left"))
--- local event = sub:channel():receive()
--- print(event.kind, event.path)
--- ```
---@class events
local events = {}

--- Subscribes. Permission `events.subscribe` on the system.
---@param system string  segments separated by dots; `*` is one segment, `**` any number
---@param kind? string  default: every kind
---@return events.Subscription? subscription
---@return Error? err  `INVALID`: empty; `PERMISSION_DENIED`
---@nodiscard
function events.subscribe(system, kind) end

--- Publishes. Permission `events.send` on the system.
---@param system string
---@param kind string
---@param path string
---@param data? any  copied
---@return true? ok
---@return Error? err  `INVALID`: empty system, kind or path, or a value that cannot be sent; `PERMISSION_DENIED`
function events.send(system, kind, path, data) end

---@class events.Subscription
local Subscription = {}

--- The channel of `events.Event`; the same at each call.
---@return Channel
---@nodiscard
function Subscription:channel() end

--- Unsubscribes and closes the channel.
function Subscription:close() end

---@class events.Event
---@field system string
---@field kind string
---@field path string
---@field data any

return events
