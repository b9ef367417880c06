---@meta system

--- The state of this node. Every call needs permission `system.read` on the name of its part: `memory`,
--- `runtime`, `node`, `cluster`, `hosts`, `supervisor`. Denied: `nil, err` of kind `PERMISSION_DENIED`.
---@class system
local system = {}

---@class system.Memory
system.memory = {}

--- Memory figures of the node, in bytes.
---@return table<string, integer>? stats
---@return Error? err
---@nodiscard
function system.memory.stats() end

---@class system.Runtime
system.runtime = {}

--- How many tasks are alive (processes and the host's own).
---@return integer? count
---@return Error? err
---@nodiscard
function system.runtime.goroutines() end

---@class system.Node
system.node = {}

--- The name of this node; `local` without a cluster.
---@return string? name
---@return Error? err
---@nodiscard
function system.node.id() end

--- The address that this node tells others.
---@return string? address
---@return Error? err  `UNAVAILABLE`: there is no cluster
---@nodiscard
function system.node.addr() end

---@class system.Cluster
system.cluster = {}

--- The live nodes, this one first, the others by name.
---@return system.Member[]? members
---@return Error? err
---@nodiscard
function system.cluster.members() end

--- How many there are, this node included.
---@return integer? count
---@return Error? err
---@nodiscard
function system.cluster.size() end

---@class system.Hosts
system.hosts = {}

--- The process hosts of this node.
---@return system.Host[]? hosts
---@return Error? err
---@nodiscard
function system.hosts.list() end

--- The processes of a host.
---@param id string
---@return system.Process[]? processes
---@return Error? err  `NOT_FOUND`
---@nodiscard
function system.hosts.processes(id) end

---@class system.Supervisor
system.supervisor = {}

---@param id string
---@return system.Service? state
---@return Error? err  `NOT_FOUND`: no such service
---@nodiscard
function system.supervisor.state(id) end

--- The states of all services.
---@return system.Service[]? states
---@return Error? err
---@nodiscard
function system.supervisor.states() end

---@class system.Member
---@field id string  node name
---@field is_local boolean
---@field addr string?
---@field meta table<string, any>?

---@class system.Host
---@field id string
---@field workers integer
---@field processes integer

---@class system.Process
---@field pid string
---@field source string  id of the entry it runs

---@class system.Service
---@field id string
---@field status "unknown"|"starting"|"running"|"stopping"|"stopped"|"failed"|"exited"
---@field desired "running"|"stopped"
---@field retry_count integer
---@field last_update number  unix time, in seconds
---@field started_at number?  unix time, in seconds
---@field details string?

return system
