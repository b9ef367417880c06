---@meta process

--- Processes: who I am, sending and receiving, starting and watching others, names.
---
--- `process` is a global; `require("process")` returns the same table.
---
--- A process is a Lua coroutine of its own with a mailbox. Processes share nothing: what is sent is
--- copied. A PID is a string that names one process for ever; after a restart of its node it differs.
---
--- ```lua
--- local pid = assert(process.spawn_monitored("app:worker", "app:processes", {queue = "mail"}))
--- process.send(pid, "task", {id = 1})
---
--- local events = process.events()
--- local event = events:receive()
--- if event.kind == process.event.EXIT and event.result.error then
---     logger:warn("worker failed", {error = event.result.error})
--- end
--- ```
---
--- Wherever a destination is expected, a PID or a registered name will do. A wrong Lua type for a
--- string argument raises. Calls that wait suspend only the calling coroutine.
---@class processlib
process = {}

--- The PID of the calling process.
---@return string pid
---@nodiscard
function process.pid() end

--- The id of the registry entry that the caller runs, `"namespace:name"`.
---@return string id
---@nodiscard
function process.id() end

--- Sends a message. Never waits for the receiver: `true` means that the message is queued at the target
--- (for another node: handed to the connection), not that it was read.
---
--- Values are copied at the call: nil, booleans, numbers (integers and floats stay apart), binary
--- strings, tables (shared parts and cycles keep their shape), error objects. A function, channel,
--- coroutine or other userdata is refused with the path of the value. Changing a table afterwards
--- changes nothing at the receiver.
---
--- Order: messages and broadcasts from one process to one other arrive in the order sent.
---
--- Permission `process.send` on the target's PID; `meta.pid` is the caller's PID.
---@param dest string  PID or registered name
---@param topic string  not beginning with `@`; the empty topic is allowed
---@param ... any
---@return true? ok
---@return Error? err  `INVALID`: too few arguments, `@` topic, or a value that cannot be sent; `NOT_FOUND`: no such name, process or node; `InvalidState`: the process is ending; `UNAVAILABLE`: its host is stopping, its mailbox is full (retryable) or the connection is overloaded (retryable); `PERMISSION_DENIED`
function process.send(dest, topic, ...) end

--- Stops a process by force, at its next point of suspension. None of its code runs any more; its exit
--- result is the error `process terminated`. Returns at once; monitor it to see the end.
---
--- Permission `process.terminate` on the PID.
---@param dest string
---@return true? ok
---@return Error? err  `NOT_FOUND`: no such name; `INTERNAL`: not found among the living; `PERMISSION_DENIED`
function process.terminate(dest) end

--- Asks a process to stop: it gets one CANCEL event and decides for itself. No forced stop follows.
---
--- Permission `process.cancel` on the PID.
---@param dest string
---@param reason? string  `""` if absent
---@return true? ok
---@return Error? err  as for `terminate`
function process.cancel(dest, reason) end

--- Asks for one EXIT event when the process ends. One-way. If the node of the process dies, the EXIT has
--- an error of kind `UNAVAILABLE`.
---
--- Permission `process.monitor` on the PID.
---@param dest string
---@return true? ok
---@return Error? err  as for `terminate`; also `already monitoring pid`
function process.monitor(dest) end

--- Takes back a monitor. After it no EXIT of that process arrives. No error if there was none.
---
--- Permission `process.unmonitor` on the PID.
---@param dest string
---@return true? ok
---@return Error? err
function process.unmonitor(dest) end

--- Links both processes: when one ends *with an error*, the other gets LINK_DOWN, and fails too unless it
--- has set `trap_links`. Linking twice is one link.
---
--- Permission `process.link` on the PID.
---@param dest string
---@return true? ok
---@return Error? err  as for `terminate`
function process.link(dest) end

--- Takes back a link, from either side. After it no LINK_DOWN of that pair arrives.
---
--- Permission `process.unlink` on the PID.
---@param dest string
---@return true? ok
---@return Error? err
function process.unlink(dest) end

--- The options of the calling process, in a new table. They are not inherited by children.
---@return process.Options
---@nodiscard
function process.get_options() end

--- Sets options. Valid keys take effect even if another key is refused.
---@param options process.Options
---@return boolean ok  `false` on error (not nil)
---@return Error? err  `INVALID`: not a table, an unknown key, or a value of the wrong type
function process.set_options(options) end

--- The channel of messages that no `listen` channel claims, as `Message` objects. The same channel at
--- each call.
---
--- Nothing is lost before the call: messages wait in the mailbox, in order, until a channel takes them.
---@return Channel
function process.inbox() end

--- The channel of CANCEL, EXIT and LINK_DOWN events. The same channel at each call. Events wait until it
--- is asked for; they never go to the inbox.
---@return Channel
function process.events() end

--- The channel of messages with exactly this topic; the same channel at each call. Values come as they
--- were sent: none → nil, one → the value, several → an array. With `message = true` it gives `Message`
--- objects.
---
--- Messages already waiting in the mailbox flow in, in order. No permission is needed.
---@param topic string  not empty, not beginning with `@`
---@param options? {message?: boolean}
---@return Channel? channel
---@return Error? err  `INVALID`
function process.listen(topic, options) end

--- Ends a subscription of `listen`, `inbox` or `events` and closes its channel. Values already in the
--- channel can still be received; later messages go to the inbox.
---@param subscribed Channel
---@return boolean ok
---@return Error? err  the channel is not subscribed
function process.unlisten(subscribed) end

--- Starts a process from a `process.lua` entry.
---
--- When it returns, the child's file has been loaded, its PID can be sent to, and monitor and link are
--- set; its main function may not have begun. So a child that ends at once still gives its EXIT. The
--- child inherits the caller's actor, scope and context values. The end of the parent does not stop it.
---
--- Permissions `process.spawn` on `id` and `process.host` on `host`.
---@param id string  full id of the entry
---@param host string  full id of a `process.host` entry
---@param ... any  arguments of the child's main function, copied
---@return string? pid
---@return Error? err  `INVALID`; `NOT_FOUND`: no such entry, host or method; `UNAVAILABLE`: the host is not running; `LimitExceeded`: the host is full; `INTERNAL`: the file failed while loading; `PERMISSION_DENIED`
function process.spawn(id, host, ...) end

--- As `spawn`, and the caller monitors the child. Also needs `process.spawn.monitored` on `id`.
---@param id string
---@param host string
---@param ... any
---@return string? pid
---@return Error? err
function process.spawn_monitored(id, host, ...) end

--- As `spawn`, and caller and child are linked. Also needs `process.spawn.linked` on `id`.
---@param id string
---@param host string
---@param ... any
---@return string? pid
---@return Error? err
function process.spawn_linked(id, host, ...) end

--- As `spawn`, monitored and linked. Needs the permissions of both.
---@param id string
---@param host string
---@param ... any
---@return string? pid
---@return Error? err
function process.spawn_linked_monitored(id, host, ...) end

--- Starts a process, waits for its end and returns the first value of its main function.
---
--- Permissions `process.exec` on `id` and `process.host` on `host`.
---@param id string
---@param host string
---@param ... any
---@return any value
---@return Error? err  what `spawn` returns, or the error that the process ended with
function process.exec(id, host, ...) end

--- A builder of processes with additional context values, which the child reads with `ctx.get`.
---
--- Permission `process.context` on `context`; denied: raises.
---@param values table<string, any>  copied; merged over the inherited ones
---@return process.Builder
---@nodiscard
function process.with_context(values) end

--- A builder of processes with options. Permission `process.context` on `context`; denied: raises.
---@param options table<string, any>
---@return process.Builder
---@nodiscard
function process.with_options(options) end

--- Replaces the running code by that of an entry and calls its main function. Does not return on
--- success. PID, names, monitors, links and the mailbox stay; channels, timers and coroutines go. State
--- passes by the arguments only.
---@param id string?  nil: the newest code of the same entry
---@param ... any
function process.upgrade(id, ...) end

--- The values of `event.kind`.
---@class process.Kinds
---@field CANCEL "pid.cancel"  somebody asks this process to stop
---@field EXIT "pid.exit"  a monitored process ended
---@field LINK_DOWN "pid.link.down"  a linked process failed, and `trap_links` is set
process.event = {
    CANCEL = "pid.cancel",
    EXIT = "pid.exit",
    LINK_DOWN = "pid.link.down",
}

--- Names for processes. A name goes away when its process ends, before its EXIT is sent, so who saw the
--- EXIT can take the name at once.
---@class process.Registry
---@field LOCAL 0  known on this node only
---@field EVENTUAL 1  known on every node, after a while
---@field CONSISTENT 2  not available
---@field STRONG 3  not available
process.registry = {
    LOCAL = 0,
    EVENTUAL = 1,
    CONSISTENT = 2,
    STRONG = 3,
}

--- Gives a process a name. One process may have many.
---
--- Permission `process.registry.register` on the name (`….eventual` for that scope), and
--- `process.registry.foreign` on a PID that is not the caller's.
---@param name string
---@param pid? string  default: the caller; must be a live process of this node
---@param scope? integer  `LOCAL` (default) or `EVENTUAL`
---@return true? ok  also if the process has the name already
---@return Error? err  `ALREADY_EXISTS`: another process has it; `INVALID`; `INTERNAL`: the scope is not available; `PERMISSION_DENIED`
function process.registry.register(name, pid, scope) end

--- Finds a process by name: names of all nodes first, then those of this node. No permission is needed.
---@param name string
---@return string? pid
---@return Error? err  `NOT_FOUND`
---@nodiscard
function process.registry.lookup(name) end

--- Frees a name. Permission `process.registry.unregister` on it.
---@param name string
---@param scope? integer
---@return boolean removed
---@return Error? err  `PERMISSION_DENIED`
function process.registry.unregister(name, scope) end

--- A received message.
---@class Message
local Message = {}

---@return string topic
---@nodiscard
function Message:topic() end

---@return string pid  the sender; `""` if there is none
---@nodiscard
function Message:from() end

--- What was sent: nil for nothing, one `Payload`, or an array of them. `msg:payload():data()` is the
--- value of a message with one.
---@return Payload|Payload[]|nil
---@nodiscard
function Message:payload() end

--- Builds processes. Immutable: every method returns a new builder. Missing arguments and denied
--- permissions raise here; a failed start returns `nil, err`.
---@class process.Builder
local Builder = {}

--- Adds context values. Needs `process.security` too if the builder has an actor or scope.
---@param values table<string, any>
---@return process.Builder
---@nodiscard
function Builder:with_context(values) end

---@param options table<string, any>
---@return process.Builder
---@nodiscard
function Builder:with_options(options) end

--- The child acts as `actor`. Permission `process.security` on `security`.
---@param actor security.Actor
---@return process.Builder
---@nodiscard
function Builder:with_actor(actor) end

--- The child is bound by `scope`. Permission `process.security` on `security`.
---@param scope security.Scope
---@return process.Builder
---@nodiscard
function Builder:with_scope(scope) end

--- Spawn or signal: if the local name is free the child gets it in the same step; if it is taken nothing
--- is started, the builder's messages go to its owner, and the owner's PID is returned.
---@param name string  not empty
---@return process.Builder
---@nodiscard
function Builder:with_name(name) end

--- A message that the child gets before any other, without a sender. May be repeated.
---@param topic string  not beginning with `@`
---@param ... any
---@return process.Builder
---@nodiscard
function Builder:with_message(topic, ...) end

--- As `process.spawn`; likewise the following three and `exec`.
---@param id string
---@param host string
---@param ... any
---@return string? pid
---@return Error? err
function Builder:spawn(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string? pid
---@return Error? err
function Builder:spawn_monitored(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string? pid
---@return Error? err
function Builder:spawn_linked(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return string? pid
---@return Error? err
function Builder:spawn_linked_monitored(id, host, ...) end

---@param id string
---@param host string
---@param ... any
---@return any value
---@return Error? err
function Builder:exec(id, host, ...) end

---@class process.Options
---@field trap_links boolean?  turn LINK_DOWN into an event instead of failing; default `false`

--- What `process.events()` gives.
---@class process.Event
---@field kind string  one of `process.event`
---@field from string  who cancelled, ended or failed
---@field at number  unix time, in seconds
---@field reason string?  CANCEL only; `""` if none was given
---@field result process.Result?  EXIT and LINK_DOWN only

---@class process.Result
---@field value any  the first value that main returned
---@field error Error?  why the process failed

return process
