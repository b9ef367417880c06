/// What each of [`WRITES`] must raise.
pub const READ_ONLY: &str = "attempt to modify a read-only table";

/// Attempts of one process to change what others share.
pub const WRITES: &[&str] = &[
    "string.format = print",
    "string.new = 1",
    "string.format = nil",
    "table.insert = nil",
    "math.pi = 3",
    "utf8.char = nil",
    "coroutine.resume = nil",
    "os.time = nil",
    "load('format = 1', 'x', 't', string)()",
    "local _ENV = string format = 1",
    "setmetatable({}, {__index = string, __newindex = string}).x = 1",
    "coroutine.wrap(function() math.pi = 3 end)()",
    "debug.traceback = nil",
    "host.text = nil",
    "host.inner.value = 2",
    "host.inner = nil",
    "rawset(string, 'format', 1)",
    "rawset(string, 'new', 1)",
    "rawset(host.inner, 'value', 1)",
    "table.insert(host, 1)",
    "table.insert(string, 1, 'x')",
    "table.remove(string)",
    "table.move({1, 2}, 1, 2, 1, string)",
    "table.sort(setmetatable({}, {__index = string, __newindex = string, \
     __len = function() return 2 end}), function(a, b) return true end)",
    "getmetatable('').__index = {}",
    "getmetatable('').__index.format = nil",
    "getmetatable('').__metatable = nil",
    "rawset(getmetatable(''), '__index', {})",
    "setmetatable({}, {__newindex = string}).format = 1",
    "for k in pairs(string) do string[k] = nil end",
    "local _, t = pairs(string) t.format = nil",
    "local _, t = ipairs(host) t.text = nil",
    "string[nil or 1] = 1",
];

/// What else a script may not do, and what it is told.
pub const REFUSED: &[(&str, &str)] = &[
    ("setmetatable(string, {})", "cannot change a protected metatable"),
    ("setmetatable(host.inner, nil)", "cannot change a protected metatable"),
    ("setmetatable(getmetatable(''), {})", "cannot change a protected metatable"),
    ("setmetatable(_G, {})", "cannot change a protected metatable"),
    ("setmetatable('', {})", "table expected"),
    ("setmetatable({}, {__gc = function() end})", "__gc"),
    ("collectgarbage()", "invalid option 'collect'"),
    ("collectgarbage('collect')", "invalid option 'collect'"),
    ("collectgarbage('stop')", "invalid option 'stop'"),
    ("collectgarbage('generational')", "invalid option"),
    ("assert(load(bytecode))", "attempt to load a binary chunk"),
    ("assert(load(bytecode, 'x', 'b'))", "attempt to load a binary chunk"),
    ("assert(load(bytecode, 'x', 'bt', {}))", "attempt to load a binary chunk"),
    (
        "local sent assert(load(function() if sent then return end sent = true return bytecode end))",
        "attempt to load a binary chunk",
    ),
    ("assert(load('return 1', 'x', 'b'))", "attempt to load a text chunk"),
    ("string(5)", "bad argument #1 to 'string' (string expected, got number)"),
    ("string()", "string expected, got no value"),
];

/// What works; each checks itself.
pub const ALLOWED: &[(&str, &str)] = &[
    (
        "absent",
        r##"for _, name in ipairs{"io", "package", "dofile", "loadfile", "require"} do
            assert(_G[name] == nil, name)
        end
        local function only(library, names)
            local count = 0
            for name in pairs(library) do count = count + 1 end
            assert(count == #names)
            for _, name in ipairs(names) do assert(library[name], name) end
        end
        only(os, {"clock", "date", "difftime", "time"})
        only(debug, {"traceback"})
        assert(string.dump == nil)"##,
    ),
    (
        "no way to content or metatables",
        r##"assert(getmetatable(string) == false)
        assert(getmetatable(_G) == false and getmetatable(host.inner) == false)
        assert(getmetatable("").__index == string)
        assert(select(2, pairs(string)) == string and select(2, ipairs(string)) == string)
        for _, value in pairs(getmetatable("")) do assert(value == string) end
        for _, library in pairs{string, table, math, host} do
            for _, value in pairs(library) do assert(value ~= _G) end
        end"##,
    ),
    (
        "reads of frozen tables",
        r##"local seen = {}
        for name, value in pairs(host) do seen[name] = value end
        assert(seen.text == host.text and seen.inner == host.inner)
        local count = 0
        for name in next, host do count = count + 1 end
        assert(count == 7 and next(host, next(host)) ~= nil)
        assert(rawget(host, "text") == host.text and host.missing == nil and #host == 0)
        assert(rawlen(host) == 0 and rawlen("abc") == 3 and rawlen({1, 2}) == 2)
        assert(rawequal(host.inner, host.inner) and type(host) == "table")
        assert(next({}) == nil and rawget({5}, 1) == 5 and rawset({}, 1, 2)[1] == 2)"##,
    ),
    (
        "own globals",
        r##"x = 1
        assert(_G.x == 1 and rawget(_G, "x") == 1)
        pcall, string = nil, nil
        assert(pcall ~= nil and ("x"):upper() == "X")"##,
    ),
    (
        "load",
        r##"assert(load("y = 1; return _G")() == _G and y == 1)
        assert(load("return io or package or require")() == nil)
        local env = {}
        load("z = 1", "name", "t", env)()
        assert(env.z == 1 and z == nil)
        assert(not pcall(load("z = 1", "name", "t", nil)))
        local parts = {"return ", "7"}
        assert(load(function() return table.remove(parts, 1) end)() == 7)
        local f, why = load("x =", "=here")
        assert(f == nil and why:find("here:1:", 1, true))
        assert(coroutine.wrap(load)("return _G")() == _G)
        assert(load("return load")()("return _G")() == _G)"##,
    ),
    (
        "collectgarbage",
        r##"assert(collectgarbage("count") > 0)
        assert(type(collectgarbage("step")) == "boolean")"##,
    ),
    (
        "older Lua",
        r##"assert(select("#", unpack({1, 2, 3})) == 3 and unpack == table.unpack)
        assert(math.pow(2, 10) == 1024.0 and math.log10(1000) == 3.0)
        assert(math.atan2(1, 0) == math.pi / 2 and math.sinh(0) == 0.0)
        assert(math.cosh(0) == 1.0 and math.tanh(0) == 0.0 and _VERSION == "Lua 5.4")"##,
    ),
    ("string is a cast", r##"assert(string("x") == "x" and string(host.checked("y")) == "y")"##),
    (
        "error objects as strings",
        r##"local e = host.error("Not Found")
        assert(string.find(e, "Found") == 5 and string.match(e, "%u") == "N")
        assert(string.gsub(e, "o", "0") == "N0t F0und" and string.len(e) == 9)
        assert(string.gsub("x", "x", e) == "Not Found" and string.find("Not Found", e) == 1)
        assert(string.sub(e, 1, 3) == "Not" and string.upper(e) == "NOT FOUND")
        assert(string.lower(e) == "not found" and string.reverse(e) == "dnuoF toN")
        assert(string.rep(e, 2, "-") == "Not Found-Not Found" and string.byte(e, 1) == 78)
        assert(string.format("%s|%q|%5.3s", e, e, e) == 'Not Found|"Not Found"|  Not')
        local words = {}
        for word in string.gmatch(e, "%a+") do words[#words + 1] = word end
        assert(#words == 2 and words[2] == "Found")
        local ok, why = pcall(function() return string.find(io, "x") end)
        assert(why:find("bad argument #1 to 'find' (string expected, got nil)", 1, true), why)
        ok, why = pcall(string.upper, coroutine.create(print or type))
        assert(why:find("string expected, got thread", 1, true), why)"##,
    ),
    (
        "failures of native code look like Lua's own",
        r##"
        local ok, e = pcall(host.text)
        assert(not ok and type(e) == "string" and e:find("text", 1, true), tostring(e))
        ok, e = pcall(function() host.text() end)
        assert(e == "failures of native code look like Lua's own:4: text", e)
        ok, e = pcall(function() host.checked({}) end)
        assert(e:find(":6: bad argument #1 to 'checked' (string expected, got table)", 1, true), e)
        ok, e = pcall(function() host.converted(1, {}) end)
        assert(e:find(":8: bad argument #2 to '?' (string expected, got table)", 1, true), e)
        ok, e = pcall(function() host.other() end)
        assert(e:find(":10: other", 1, true), e)
        ok, e = pcall(function() host.error("m").kind({}) end)
        assert(e:find("bad argument #1 to 'kind'", 1, true), e)"##,
    ),
    (
        "raised error objects",
        r##"local ok, e = pcall(host.object)
        assert(not ok and e:kind() == "Conflict" and e:message() == "object" and e:retryable())
        local ok2, again = pcall(error, e)
        assert(rawequal(again, e))"##,
    ),
    (
        "pcall and xpcall",
        r##"assert(select("#", pcall(function() return 1, nil, nil end)) == 4)
        local ok, a, b = pcall(function(...) return select("#", ...), ... end, nil, 2)
        assert(ok and a == 2 and b == nil)
        ok, a = xpcall(host.object, function(e) return e:kind() .. "!" end)
        assert(not ok and a == "Conflict!")
        ok, a = xpcall(host.text, function(e) return type(e) end)
        assert(a == "string")
        assert(select(3, xpcall(function(...) return ... end, print or type, 1, 2)) == 2)
        ok, a = pcall(pcall)
        assert(not ok and a:find("value expected"))
        ok, a = pcall(error)
        assert(not ok and a == nil)
        local t = {}
        ok, a = pcall(error, t)
        assert(a == t)
        ok, a = pcall(string.rep)
        assert(a == "bad argument #1 to 'rep' (string expected, got no value)" or
            a:find("string expected, got no value"), a)"##,
    ),
    (
        "yields across pcall and xpcall",
        r##"local co = coroutine.wrap(function()
            local ok, v = pcall(function()
                local got = coroutine.yield(1)
                host.object()
            end)
            assert(not ok and v:kind() == "Conflict")
            ok, v = xpcall(function() return coroutine.yield(2) end, error)
            assert(ok and v == "b")
            ok, v = xpcall(function() coroutine.yield(3) host.text() end, string.upper)
            return v
        end)
        assert(co() == 1 and co("a") == 2 and co("b") == 3)
        local last = co()
        assert(last:find("TEXT$"), last)"##,
    ),
    (
        "other globals",
        r##"assert(debug.traceback("m"):find("stack traceback"))
        assert(os.time{year = 2024, month = 1, day = 2, hour = 12} > 0 and os.clock() >= 0)
        assert(type(os.date()) == "string" and os.difftime(2, 1) == 1.0)
        assert(tostring(1) == "1" and tonumber("0x10") == 16 and utf8.len("é") == 1)
        assert(coroutine.isyieldable() == false)"##,
    ),
];
