-- Takes one job at a time. Being in the group "idle" means: give me a job.
local pg = require("pg")
local time = require("time")

local function main()
    local scope = assert(pg.open("pool:pg"))
    local events = process.events()
    local jobs = process.listen("job", { message = true })

    while true do
        assert(scope:join("idle"))
        local ready = channel.select({ events:case_receive(), jobs:case_receive() })
        if ready.channel == events then
            return
        end
        assert(scope:leave("idle"))
        local message = ready.value
        local number = message:payload():data()
        time.sleep("20ms")
        if number == 13 and math.random() < 0.5 then
            error("13 brings bad luck")
        end
        process.send(message:from(), "result", { number = number, square = number * number })
    end
end

return main
