-- Who is online. A group exists while it has a member, so the list of groups is the answer.
local pg = require("pg")

local function who()
    local people, err = pg.open("presence:people")
    if not people then
        return nil, err
    end
    local names = people:which_groups()
    table.sort(names)
    return names
end

return { who = who }
