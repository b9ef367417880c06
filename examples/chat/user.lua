-- One person in a chat room: says some lines, hears everybody, sees who comes and goes.
local pg = require("pg")
local time = require("time")

local function room_group(room)
    return "room:" .. room
end

local function says(scope, room, name, lines)
    for _, line in ipairs(lines) do
        time.sleep("300ms")
        -- The sender is a member too, so it hears itself: everybody sees the same chat.
        assert(scope:broadcast(room_group(room), "said", name, line))
    end
end

local function main(name, room, lines)
    local scope = assert(pg.open("chat:rooms"))
    local events = process.events()
    local said = process.listen("said")
    assert(scope:join(room_group(room)))
    local watch = assert(scope:monitor(room_group(room)))
    local changes = watch:channel()

    -- Speaking waits between lines; hearing must not wait with it.
    coroutine.spawn(function()
        says(scope, room, name, lines or {})
    end)

    while true do
        local ready = channel.select({
            events:case_receive(),
            said:case_receive(),
            changes:case_receive(),
        })
        if ready.channel == events then
            return
        elseif ready.channel == said then
            print(("[%s sees] %s: %s"):format(name, ready.value[1], ready.value[2]))
        elseif ready.ok then
            local verb = ready.value.kind == "member.joined" and "came" or "went"
            print(("[%s sees] %d %s"):format(name, #ready.value.data.PIDs, verb))
        end
    end
end

return main
