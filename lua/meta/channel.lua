---@meta channel

--- Channels carry values between the coroutines of *one* process. (Between processes use
--- `process.send`; a channel in a message is refused.)
---
--- `channel` is a global; `require("channel")` returns the same table.
---
--- ```lua
--- local jobs = channel.new(8)
--- coroutine.spawn(function()
---     while true do
---         local job, open = jobs:receive()
---         if not open then return end
---         work(job)
---     end
--- end)
--- jobs:send({id = 1})
--- jobs:close()
--- ```
---
--- Waiting suspends only the calling coroutine and works from anywhere a Lua coroutine may yield:
--- inside `pcall`, inside coroutines the script made itself, inside iterator functions. Waiters are
--- served first come first served.
---@class channellib
channel = {}

--- Makes a channel.
---@param capacity? integer  values it stores; 0 (the default) or less means that a send waits for a receiver
---@return Channel
---@nodiscard
function channel.new(capacity) end

--- Waits for the first of several operations that can go ahead, and does exactly that one.
---
--- The first case *in list order* that is ready wins; there is no random choice. With `default = true`
--- in the list (or as second argument) it never waits. A receive case on a closed, empty channel is
--- always ready, with `ok == false`: check `ok` in loops. A send case on a closed channel never fires.
--- Items that are not cases are skipped. An empty list without default waits for ever.
---
--- ```lua
--- local r = channel.select({jobs:case_receive(), time.after("1s"):case_receive()})
--- if r.channel == jobs and r.ok then work(r.value) end
--- ```
---@param cases channel.Cases
---@param default? boolean  `true`: return at once if nothing is ready
---@return channel.Result
function channel.select(cases, default) end

--- A channel. `==` compares identity.
---@class Channel
local Channel = {}

--- Puts a value in: at once if a receiver waits or there is room, else it waits for that.
---
--- Any value may be sent, nil included; tables are passed by reference. Raises `send on closed channel` if
--- the channel was closed before the call.
---@param value any
---@return boolean? ok  `true`: taken or stored
---@return Error? err  the channel was closed while this call waited; the value is lost
function Channel:send(value) end

--- Takes the next value, waiting for one if there is none.
---
--- Stored values come first, in the order sent. Once the channel is closed and empty the answer is
--- `nil, false`, at once and for ever. (`nil, true` is a nil that somebody sent.)
---@return any value
---@return boolean ok  `false`: closed and empty
function Channel:receive() end

--- Closes the channel: waiting receivers get `nil, false`, waiting senders get `nil, err`. Stored values
--- can still be received. Closing again does nothing.
function Channel:close() end

--- A send for `channel.select`. Nothing moves until the select.
---@param value any
---@return channel.Case
---@nodiscard
function Channel:case_send(value) end

--- A receive for `channel.select`. Nothing moves until the select.
---@return channel.Case
---@nodiscard
function Channel:case_receive() end

--- Describes one operation of a select.
---@class channel.Case

---@class channel.Cases: { [integer]: channel.Case }
---@field default boolean?  `true`: do not wait

--- What a select did.
---@class channel.Result
---@field channel Channel?  the channel of the case that fired: the very object, so compare with `==`
---@field value any  the received value; nil for a send case
---@field ok boolean  `false` only for a receive from a closed, empty channel
---@field default true?  set if nothing was ready and there was a default

return channel
