-- A member of the group "greeters": answers every "greet" that is broadcast to the group.
local pg = require("pg")

local function main(greeting)
    local scope = assert(pg.open("app:pg"))
    local greet = process.listen("greet", { message = true })
    local events = process.events()
    assert(scope:join("greeters"))
    print("ready to say " .. greeting)

    while true do
        local ready = channel.select({ greet:case_receive(), events:case_receive() })
        if ready.channel == events then
            -- The service is being stopped. Groups are left when the process ends.
            return
        end
        local message = ready.value
        local name = message:payload():data()
        process.send(message:from(), "greeting", greeting .. ", " .. name)
    end
end

return main
