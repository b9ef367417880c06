--- How the process of a spec file begins: it hands the library what the host offers.
local offered = require("@spec")

local host = offered.settings()
for _, name in ipairs({"load", "now_ms", "report", "accepts", "stopped"}) do host[name] = offered[name] end
if host.is_shuffled then host.order = offered.order end

--- The compiled file; one that does not compile fails as a file that does not load.
local function file()
    local chunk, problem = offered.chunk()
    if not chunk then error(problem, 0) end
    return chunk()
end

if host.name then
    function host.entry()
        local main = file()
        if type(main) == "table" then main = main[host.method] end
        return main()
    end
else
    host.file = file
end

function host.spawn_function(fn, ...)
    local code, problem = offered.dump(fn)
    if not code then return nil, problem end
    return process.spawn("app:spec_process", "app:processes", code, ...)
end

return host.load("init")(host)
