---@meta pg

--- Process groups: named sets of processes that span every node of the cluster.
---
--- ```lua
--- local pg = require("pg")                     -- list "pg" under `modules:` of the entry
---
--- local rooms = assert(pg.open("app:pg"))      -- a scope: one namespace of groups
--- rooms:join("lobby")
--- rooms:broadcast("lobby", "said", {text = "hello"})   -- to every member, on every node
--- ```
---
--- The rules that hold for every call:
---
--- - **Errors.** A call that fails returns `nil, err` (subscriptions: `nil, nil, err`); read
---   `err:kind()`. A wrong Lua *type* for a plain string argument raises, as in the standard library.
--- - **Permissions** are checked on every call, against the policies in force at that moment; a denied
---   call returns `errors.PERMISSION_DENIED` and has done nothing. The attribute `meta.scope` of the
---   check is the scope id, so that a policy's conditions can tell scopes apart.
--- - **Who.** Only the calling process joins and leaves; there is no argument for another PID. A
---   process that ends has left all its groups before anybody is told that it ended.
--- - **Views.** Membership is exact on its own node at once. Other nodes see a change when the
---   announcement arrives, and any lost announcement is repaired by itself. A node lists the members
---   of the nodes it is connected to.
--- - **Limits.** When the scope's queue is full a call returns `errors.UNAVAILABLE` with
---   `retryable() == true`, at once; it never blocks. When the scope's service is not running it
---   returns `errors.UNAVAILABLE`.
--- - **Blocking.** `get_members`, `get_local_members`, `which_groups` and `which_local_groups` never
---   wait for anything. The others suspend the calling coroutine only while the scope takes the call.
---@class pg
local pg = {}

--- Opens a scope, which is a registry entry of kind `pg.scope`.
---
--- The instance belongs to the calling process and is released when the process ends. Opening the
--- same scope again gives another instance of the same groups.
---
--- Permission `pg.open` on `id`.
---@param id string  full id of the scope, `"namespace:name"`
---@return pg.Instance? instance
---@return Error? err  `INVALID`: no such form of id; `NOT_FOUND`: no `pg.scope` entry has this id; `UNAVAILABLE`: its service is not running; `PERMISSION_DENIED`
---@nodiscard
function pg.open(id) end

--- An open scope. `tostring(instance)` names the scope and says whether it is released.
---@class pg.Instance
local Instance = {}

--- Joins one group, or several in one step.
---
--- Joins count: who joined n times is listed n times, gets each broadcast n times, and must leave n
--- times. A list is all or nothing: permissions and limits are checked for the whole list first, and
--- a name that stands in it twice counts twice. The whole list is one step for every observer. When
--- `join` has returned, a broadcast from any process of this node reaches the caller.
---
--- Permission `pg.join` on each group name.
---
--- ```lua
--- rooms:join("workers")
--- rooms:join({"workers", "all"})
--- ```
---@param group string|string[]  one non-empty name, or a non-empty list of them
---@return boolean? ok  `true`
---@return Error? err  `INVALID`: an empty name, an empty list, or a list with a hole or an item that is no non-empty string; `RATE_LIMITED`: `max_groups` or `max_members_per_group` is reached, `err:details()` has `limit` and `value`; `UNAVAILABLE`; `PERMISSION_DENIED`
function Instance:join(group) end

--- Leaves one group, or several in one step; each leave undoes one join.
---
--- A list is best effort: groups that the process is not in are skipped. It is an error only if the
--- process was in none of the named groups. The whole list is one step for every observer.
---
--- Permission `pg.leave` on each group name.
---@param group string|string[]  one non-empty name, or a non-empty list of them
---@return boolean? ok  `true`
---@return Error? err  `INVALID`: not a member of any of them, or a malformed argument as in `join`; `UNAVAILABLE`; `PERMISSION_DENIED`
function Instance:leave(group) end

--- The members of a group on all connected nodes. A process that joined n times is listed n times.
---
--- An unknown group is an empty one: `{}`, not an error. The table is the caller's own. Between two
--- calls without a change the order is the same; it may differ from node to node.
---
--- Permission `pg.get_members` on the group name.
---@param group string
---@return string[]? pids
---@return Error? err  `INVALID`: empty name; `PERMISSION_DENIED`
---@nodiscard
function Instance:get_members(group) end

--- As `get_members`, for members on this node only. Permission `pg.get_local_members` on the group name.
---@param group string
---@return string[]? pids
---@return Error? err  `INVALID`: empty name; `PERMISSION_DENIED`
---@nodiscard
function Instance:get_local_members(group) end

--- The names of all groups that have a member on any connected node, each once.
---
--- Permission `pg.which_groups` on the scope id.
---@return string[]? names
---@return Error? err  `PERMISSION_DENIED`
---@nodiscard
function Instance:which_groups() end

--- The names of all groups that have a member on this node, each once.
---
--- Permission `pg.which_local_groups` on the scope id.
---@return string[]? names
---@return Error? err  `PERMISSION_DENIED`
---@nodiscard
function Instance:which_local_groups() end

--- Sends one message to every member of a group, on every connected node, once per join.
---
--- The members are those of one moment in the scope's order of events: whoever joined before has it,
--- whoever joins later has not. Delivery happens outside the scope; a slow member delays nobody. Each
--- member gets a message under `topic` from the calling process: by `process.listen(topic)`, else in
--- its inbox. The caller gets it too if it is a member. Zero payloads are fine; payloads are copied
--- at the call.
---
--- Order: what one process sends to one other process, by `process.send` and by broadcasts, arrives in
--- the order sent. Delivery to other nodes is at most once: a node that is lost meanwhile misses it.
---
--- Permission `pg.broadcast` on the group name.
---
--- ```lua
--- local ok, err, reached = rooms:broadcast("workers", "task", {id = 42})
--- if ok and reached == 0 then queue_for_later() end
--- ```
---@param group string
---@param topic string  not empty, and not beginning with `@`
---@param ... any  payloads: nil, booleans, numbers, strings, tables, errors
---@return boolean? ok  `true`, also if the group is empty
---@return Error? err  `INVALID`: empty group, bad topic, or a payload that cannot be sent (the message has its path); `UNAVAILABLE`; `PERMISSION_DENIED`
---@return integer? reached  number of member slots addressed
function Instance:broadcast(group, topic, ...) end

--- As `broadcast`, to the members on this node only. Permission `pg.broadcast_local` on the group name.
---@param group string
---@param topic string  not empty, and not beginning with `@`
---@param ... any  payloads
---@return boolean? ok
---@return Error? err  as for `broadcast`
---@return integer? reached  number of member slots addressed
function Instance:broadcast_local(group, topic, ...) end

--- Subscribes to the changes of one group and returns its present members, both at one moment: the
--- members plus the events, replayed, give what `get_members` says at every later point of rest. No
--- change is missed and none is counted twice.
---
--- Permission `pg.monitor` on the group name.
---
--- ```lua
--- local sub, members, err = rooms:monitor("workers")
--- if err then return nil, err end
--- local events = sub:channel()
--- while true do
---     local event, open = events:receive()
---     if not open then break end
---     print(event.kind, event.path, table.concat(event.data.PIDs, " "))
--- end
--- ```
---@param group string
---@return pg.Subscription? subscription
---@return string[]? members  as from `get_members`
---@return Error? err  `INVALID`: empty name; `UNAVAILABLE`; `PERMISSION_DENIED`
---@nodiscard
function Instance:monitor(group) end

--- As `monitor`, for every group of the scope.
---
--- Permission `pg.events` on the scope id.
---@return pg.Subscription? subscription
---@return table<string, string[]>? snapshot  members by group name
---@return Error? err  `UNAVAILABLE`; `PERMISSION_DENIED`
---@nodiscard
function Instance:events() end

--- Lets go of the scope. Every later method of this instance answers `nil, err` of kind `INVALID`.
---
--- Groups are *not* left and subscriptions are *not* closed by it. Releasing again does nothing.
---@return true
function Instance:release() end

--- A subscription to membership changes. It ends with its process.
---@class pg.Subscription
local Subscription = {}

--- The channel of `pg.Event` values; the same channel at each call.
---
--- It holds `monitor_buffer` events (64 unless the scope says otherwise). When it is full, further
--- events are dropped for this subscription only; the next event that fits has `data.Dropped`.
---@return Channel channel
---@nodiscard
function Subscription:channel() end

--- How many events this subscription has lost because its channel was full.
---@return integer count
---@nodiscard
function Subscription:dropped() end

--- Unsubscribes. When it returns, nothing is emitted any more.
---
--- Events that were queued can still be received; then the channel answers `nil, false`. With
--- `flush = true` they are discarded, so the next receive is `nil, false`. Closing again does nothing.
---@param options? {flush?: boolean}
---@return true
function Subscription:close(options) end

--- One change of one group.
---
--- A process that ends gives one `member.left` per group, its PID repeated once for each join. Members
--- that vanish with their node give one event per group.
---@class pg.Event
---@field system "pg"
---@field kind "member.joined"|"member.left"
---@field path string  the group
---@field data pg.EventData

---@class pg.EventData
---@field Group string  the group
---@field PIDs string[]  who; a PID stands here as often as its memberships changed
---@field Dropped integer?  events lost before this one: read `get_members` again

return pg
