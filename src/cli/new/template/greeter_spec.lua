-- Run by `moonmesh test`, in a fresh node with the entries of this folder.
local pg = require("pg")

describe("the greeter", function()
    local scope

    before_each(function()
        scope = assert(pg.open("app:pg"))
        assert.eventually(function()
            return #scope:get_members("greeters") > 0
        end, { within = "5s" })
    end)

    it("answers by name", function()
        local greetings = process.listen("greeting")
        assert(scope:broadcast("greeters", "greet", "Ada"))
        assert.are.equal("hello, Ada", assert.receives(greetings, { within = "5s" }))
    end)
end)
