-- One device: its person is online while it runs.
local pg = require("pg")
local time = require("time")

local function main(person, device, lasts)
    local people = assert(pg.open("presence:people"))
    assert(people:join(person))
    print(person .. " connects with a " .. device)

    local ready = channel.select({
        process.events():case_receive(),
        time.after(lasts):case_receive(),
    })
    -- A crash would look the same to everybody else: the end of a process is the leave.
    return ready.ok
end

return main
