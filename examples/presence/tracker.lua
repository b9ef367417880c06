-- Follows every group of the scope and tells the two moments that matter to people.
local pg = require("pg")

local function main()
    local people = assert(pg.open("presence:people"))
    local events = process.events()
    -- The picture and the changes to it come from one moment, so counting is exact.
    local watch, present = people:events()
    local changes = watch:channel()

    local devices = {}
    for person, sessions in pairs(present) do
        devices[person] = #sessions
    end
    while true do
        local ready = channel.select({ events:case_receive(), changes:case_receive() })
        if ready.channel == events then
            return
        end
        local change = ready.value
        local person = change.path
        local before = devices[person] or 0
        local joined = change.kind == "member.joined"
        local now = before + (joined and 1 or -1) * #change.data.PIDs
        devices[person] = now > 0 and now or nil
        if before == 0 and now > 0 then
            print(person .. " is online")
        elseif before > 0 and now == 0 then
            print(person .. " is offline")
        end
    end
end

return main
