-- The chat, with the spec as one more person in the room.
local pg = require("pg")

describe("the lobby", function()
    it("lets everybody hear everybody", function()
        local scope = assert(pg.open("chat:rooms"))
        local said = process.listen("said")
        assert(scope:join("room:lobby"))

        local heard = {}
        while not (heard.ann and heard.bob and heard.cleo) do
            local line = assert.receives(said, { within = "5s" })
            heard[line[1]] = true
        end
    end)

    it("shows who comes and who goes", function()
        local scope = assert(pg.open("chat:rooms"))
        local watch = assert(scope:monitor("room:quiet"))
        local changes = watch:channel()

        local guest = assert(process.spawn("chat:user", "chat:processes", "dan", "quiet"))
        local came = assert.receives(changes, { within = "5s" })
        assert.are.equal("member.joined", came.kind)
        assert.are.same({ guest }, came.data.PIDs)

        assert(process.terminate(guest))
        local went = assert.receives(changes, { within = "5s" })
        assert.are.equal("member.left", went.kind)
        assert.are.same({ guest }, went.data.PIDs)
    end)
end)
