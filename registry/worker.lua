-- A worker: joins the group "workers" and does each task that is broadcast to it.
local pg = require("pg")

local function main(name)
    local scope = assert(pg.open("app:pg"))
    -- Listen before joining: from the join on, tasks may arrive.
    local tasks = process.listen("task", { message = true })
    local events = process.events()
    assert(scope:join("workers"))
    print(name .. " joined the group \"workers\"")

    while true do
        local ready = channel.select({ tasks:case_receive(), events:case_receive() })
        if ready.channel == events then
            -- The service is being stopped. Ending is enough: groups are left at the end.
            return
        end
        local message = ready.value
        local number = message:payload():data()
        print(name .. " got task " .. number)
        -- Answers to one sender arrive in the order they were sent. It may be gone by now.
        process.send(message:from(), "done", { name = name, number = number })
    end
end

return main
