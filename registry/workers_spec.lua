-- Checks the application of this directory, which is running while the specs do.
local pg = require("pg")

describe("the workers", function()
    local scope

    before_each(function()
        scope = assert(pg.open("app:pg"))
    end)

    it("are three", function()
        assert.eventually(function()
            return #scope:get_members("workers") == 3
        end, { within = "5s" })
    end)

    it("get tasks in order", function()
        local tasks = process.listen("task")
        assert(scope:join("workers"))
        local first = assert.receives(tasks, { within = "5s" })
        local second = assert.receives(tasks, { within = "5s" })
        assert.are.equal(first + 1, second)
        assert(scope:leave("workers"))
    end)
end)
