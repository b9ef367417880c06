-- Presence with people of the spec's own, beside those of the example.
local function is_online(person)
    for _, name in ipairs(assert(process.exec("presence:who", "presence:processes"))) do
        if name == person then
            return true
        end
    end
    return false
end

local function session(person, device)
    return assert(process.spawn("presence:session", "presence:processes", person, device, "1m"))
end

describe("a person", function()
    it("is online from the first device to the last", function()
        assert.is_false(is_online("dan"))
        local phone = session("dan", "phone")
        local laptop = session("dan", "laptop")
        assert.eventually(function() return is_online("dan") end, { within = "5s" })

        assert(process.monitor(phone))
        assert(process.terminate(phone))
        assert.receives(process.events(), { within = "5s" })
        assert.is_true(is_online("dan"))

        assert(process.cancel(laptop, "closed"))
        assert.eventually(function() return not is_online("dan") end, { within = "5s" })
    end)
end)
