--- How a process made by `spec.spawn` begins: with the assertions, then the function it was given.
local offered = require("@spec")

local function run(code, ...)
    offered.load("init")({load = offered.load, now_ms = offered.now_ms, report = offered.report, mode = "assert"})
    return offered.undump(code)(...)
end

return run(...)
