-- `g:join`, `g:leave` and who sees it.
local pg = require("pg")

describe("g:join", function()
    local g

    before_each(function()
        g = assert(pg.open("app:pg"))
    end)

    it("counts every join, and every leave takes one back", function()
        assert(g:join("a"))
        assert(g:join({ "a", "b" }))
        finally(function() g:leave({ "a", "b" }) end)
        assert.are.same({ process.pid(), process.pid() }, g:get_members("a"))
        assert(g:leave("a"))
        assert.are.same({ process.pid() }, g:get_members("a"))
    end)

    it("does nothing for a list with a bad name", function()
        local ok, err = g:join({ "c", "" })
        assert.is_nil(ok)
        assert.error_kind(errors.INVALID, err)
        assert.are.same({}, g:get_members("c"))
    end)

    it("is seen by a monitor, and so is the end of the process", function()
        local sub, members = g:monitor("d")
        assert.are.same({}, members)
        local pid = spec.spawn(function()
            assert(require("pg").open("app:pg"):join("d"))
        end)
        local joined = assert.receives(sub:channel())
        assert.are.equal("member.joined", joined.kind)
        assert.are.same({ pid }, joined.data.PIDs)
        assert.are.equal("member.left", assert.receives(sub:channel()).kind)
        sub:close()
    end)
end)
