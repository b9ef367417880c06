-- Hands out the numbers 1..count, collects their squares, gives the job of a dead worker again.
local pg = require("pg")

-- The state of one run: what is still to do, and who has what.
local function plan(count)
    local todo = {}
    for number = count, 1, -1 do
        todo[#todo + 1] = number
    end
    return { todo = todo, given = {}, squares = {}, left = count }
end

-- Gives jobs to idle workers until one of the two runs out.
local function hand_out(work, idle)
    for pid in pairs(idle) do
        local number = work.todo[#work.todo]
        if not number then
            return
        end
        idle[pid] = nil
        -- A worker that died since it said it was idle cannot be watched: the job stays ours.
        if process.monitor(pid) and process.send(pid, "job", number) then
            work.todo[#work.todo] = nil
            work.given[pid] = number
        end
    end
end

local function finished(work, result, pid)
    process.unmonitor(pid)
    work.given[pid] = nil
    if not work.squares[result.number] then
        work.squares[result.number] = result.square
        work.left = work.left - 1
        print(("%d squared is %d"):format(result.number, result.square))
    end
end

local function lost(work, pid)
    local number = work.given[pid]
    work.given[pid] = nil
    if number then
        print(("the worker with %d died, somebody else gets it"):format(number))
        work.todo[#work.todo + 1] = number
    end
end

local function main(count)
    local scope = assert(pg.open("pool:pg"))
    local events = process.events()
    local results = process.listen("result", { message = true })
    local watch, members = scope:monitor("idle")
    local changes = watch:channel()

    local idle = {}
    for _, pid in ipairs(members) do
        idle[pid] = true
    end
    local work = plan(count)
    while work.left > 0 do
        hand_out(work, idle)
        local ready = channel.select({
            events:case_receive(),
            results:case_receive(),
            changes:case_receive(),
        })
        if ready.channel == results then
            finished(work, ready.value:payload():data(), ready.value:from())
        elseif ready.channel == changes then
            for _, pid in ipairs(ready.value.data.PIDs) do
                idle[pid] = ready.value.kind == "member.joined" or nil
            end
        elseif ready.value.kind == process.event.EXIT then
            lost(work, ready.value.from)
        else
            return
        end
    end
    print("all " .. count .. " squares are there")
    return work.squares
end

return main
