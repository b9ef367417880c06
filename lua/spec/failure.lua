--- Failure objects, and where in the spec something happened.
local part, host = ...
local show = part("show")

local failure = {}

local Failure = {__name = "spec.Failure"}
local Skip = {__name = "spec.Skip"}

function Failure.__tostring(self)
    if not self.file then return self.message end
    return ("%s:%d: %s"):format(self.file, self.line, self.message)
end

--- Whether a frame belongs to this library or to the host, which nobody wants to see.
local function is_internal(file) return file:find("^%[spec:") ~= nil or file:find("^%[moonmesh") ~= nil end

--- A long chunk name is cut by Lua: "...tail". The host knows the whole of it.
local function whole_name(file)
    local tail = file:match("^%.%.%.(.+)")
    if tail and host.path and host.path:sub(-#tail) == tail then return host.path end
    return file
end

local function frame(line)
    local file, number, rest = line:match("^%s*(.-):(%d+): (in .*)$")
    if file then return {file = whole_name(file), line = tonumber(number), what = rest} end
    return nil
end

--- A traceback without the frames of the library, its innermost frame first.
function failure.clean(traceback)
    local lines, pending = {}, {}
    for line in traceback:gmatch("[^\n]+") do
        local at = frame(line)
        if at and not is_internal(at.file) then
            table.move(pending, 1, #pending, #lines + 1, lines)
            pending = {}
            lines[#lines + 1] = ("%s:%d: %s"):format(at.file, at.line, at.what)
        elseif not at and line:find("^%s*%[C%]") and #lines > 0 then
            -- Only worth a line between two frames of the spec.
            pending[#pending + 1] = line:match("^%s*(.*)$")
        elseif at then
            pending = {}
        end
    end
    return table.concat(lines, "\n")
end

--- File and line of the innermost frame of the spec in a traceback.
function failure.location(traceback)
    for line in traceback:gmatch("[^\n]+") do
        local at = frame(line)
        if at and not is_internal(at.file) then return at.file, at.line end
    end
    return nil
end

--- File and line of the spec's code that called into the library.
function failure.caller() return failure.location(debug.traceback("", 2)) end

--- Raises a failure made of `fields`; file and line are those of the caller in the spec.
function failure.raise(fields)
    local traceback = debug.traceback("", 2)
    fields.file, fields.line = failure.location(traceback)
    fields.traceback = failure.clean(traceback)
    error(setmetatable(fields, Failure), 0)
end

--- Raises a text that tells of wrong use of the library, with the place in the spec.
function failure.misuse(text)
    local file, line = failure.caller()
    error(file and ("%s:%d: %s"):format(file, line, text) or text, 0)
end

--- Ends the running test as skipped.
function failure.skip(reason) error(setmetatable({reason = reason}, Skip), 0) end

function failure.is_failure(value) return getmetatable(value) == Failure end

function failure.is_skip(value) return getmetatable(value) == Skip end

local function error_kind(value)
    if type(value) ~= "userdata" then return nil end
    local ok, kind = pcall(function() return errors.is(value, value:kind()) and value:kind() or nil end)
    return ok and kind or nil
end

--- The message of whatever was raised.
function failure.message_of(raised)
    if type(raised) == "string" then return raised end
    local meta = getmetatable(raised)
    if type(raised) == "userdata" or (type(meta) == "table" and meta.__tostring) then
        return tostring(raised)
    end
    return show.value(raised)
end

--- What was raised, as a failure. `traceback` is of the moment it was raised.
function failure.from(raised, traceback)
    if failure.is_failure(raised) or failure.is_skip(raised) then return raised end
    local file, line = failure.location(traceback)
    local message = failure.message_of(raised)
    local where, number, rest = message:match("^(.-):(%d+): (.*)$")
    if where and whole_name(where) == file and tonumber(number) == line then message = rest end
    return setmetatable({
        message = message,
        kind = error_kind(raised),
        file = file,
        line = line,
        traceback = failure.clean(traceback),
    }, Failure)
end

--- For `xpcall`.
function failure.handler(raised) return failure.from(raised, debug.traceback("", 2)) end

--- A failure that was not raised.
function failure.new(fields) return setmetatable(fields, Failure) end

return failure
