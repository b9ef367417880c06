-- The pool must get all work done, also when workers die in the middle of it.
describe("the pool", function()
    it("does every job once", function()
        local squares = assert(process.exec("pool:dispatcher", "pool:processes", 30))
        assert.are.equal(30, #squares)
        for number, square in ipairs(squares) do
            assert.are.equal(number * number, square)
        end
    end)
end)
