-- Gives the group "workers" a task every second and tells who comes, goes and answers.
local pg = require("pg")
local time = require("time")

local function main()
    local scope = assert(pg.open("app:pg"))
    local events = process.events()
    local done = process.listen("done")

    -- Members and changes from one point in time: nothing is missed, nothing is seen twice.
    local watch, members, refused = scope:monitor("workers")
    if not watch then
        error(refused)
    end
    local changes = watch:channel()
    print(#members .. " workers are there")

    local ticker = assert(time.ticker("1s"))
    local ticks = ticker:channel()
    local number = 0
    while true do
        local ready = channel.select({
            events:case_receive(),
            changes:case_receive(),
            done:case_receive(),
            ticks:case_receive(),
        })
        if ready.channel == events then
            ticker:stop()
            return
        elseif ready.channel == changes and ready.ok then
            for _, pid in ipairs(ready.value.data.PIDs) do
                print(ready.value.kind .. ": " .. pid)
            end
        elseif ready.channel == done then
            print("task " .. ready.value.number .. " was done by " .. ready.value.name)
        elseif ready.channel == ticks then
            number = number + 1
            local _, err, reached = scope:broadcast("workers", "task", number)
            if err then
                print("task " .. number .. " was not sent: " .. err)
            else
                print("task " .. number .. " was sent to " .. reached .. " workers")
            end
        end
    end
end

return main
