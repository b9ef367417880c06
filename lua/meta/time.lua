---@meta time

--- Points in time, durations, time zones, timers.
---
--- ```lua
--- local time = require("time")
--- time.sleep("250ms")
--- local r = channel.select({replies:case_receive(), time.after("5s"):case_receive()})
--- if r.channel ~= replies then return nil, errors.new({message = "no reply", kind = errors.TIMEOUT}) end
--- ```
---
--- Where a duration is expected, each of these will do: a text such as `"1h30m"`, `"1.5s"`, `"250ms"` (units
--- ns, us, ms, s, m, h), an integer count of *nanoseconds* (`5 * time.SECOND`), or a `Duration`.
---@class time
---@field NANOSECOND integer
---@field MICROSECOND integer
---@field MILLISECOND integer
---@field SECOND integer
---@field MINUTE integer
---@field HOUR integer
---@field JANUARY integer
---@field FEBRUARY integer
---@field MARCH integer
---@field APRIL integer
---@field MAY integer
---@field JUNE integer
---@field JULY integer
---@field AUGUST integer
---@field SEPTEMBER integer
---@field OCTOBER integer
---@field NOVEMBER integer
---@field DECEMBER integer
---@field SUNDAY integer
---@field MONDAY integer
---@field TUESDAY integer
---@field WEDNESDAY integer
---@field THURSDAY integer
---@field FRIDAY integer
---@field SATURDAY integer
---@field RFC3339 string
---@field RFC3339NANO string
---@field RFC822 string
---@field RFC822Z string
---@field RFC850 string
---@field RFC1123 string
---@field RFC1123Z string
---@field DATE_TIME string
---@field DATE_ONLY string
---@field TIME_ONLY string
---@field KITCHEN string
---@field STAMP string
---@field STAMP_MILLI string
---@field STAMP_MICRO string
---@field STAMP_NANO string
---@field utc time.Location
---@field localtz time.Location
local time = {}

---@alias time.DurationLike string|integer|time.Duration

---@return time.Time
---@nodiscard
function time.now() end

--- The moment `sec` seconds and `nsec` nanoseconds after the Unix epoch.
---@param sec integer
---@param nsec? integer
---@return time.Time
---@nodiscard
function time.unix(sec, nsec) end

--- A moment from its parts; parts out of range carry over (month 13 is January of the next year).
---@param year integer
---@param month integer
---@param day integer
---@param hour? integer
---@param minute? integer
---@param second? integer
---@param nanosecond? integer
---@param location? time.Location  default: `time.utc`
---@return time.Time
---@nodiscard
function time.date(year, month, day, hour, minute, second, nanosecond, location) end

--- Reads a text by a layout that shows how the reference moment, Mon Jan 2 15:04:05 2006, would look.
---@param layout string  for example `time.RFC3339`
---@param text string
---@param location? time.Location  for texts without a zone
---@return time.Time? t
---@return Error? err  `INVALID`
---@nodiscard
function time.parse(layout, text, location) end

---@param value time.DurationLike
---@return time.Duration? d
---@return Error? err  `INVALID`
---@nodiscard
function time.parse_duration(value) end

---@param iana string  for example `"Europe/Berlin"`
---@return time.Location? location
---@return Error? err
---@nodiscard
function time.load_location(iana) end

---@param name string
---@param offset_seconds integer  east of UTC
---@return time.Location
---@nodiscard
function time.fixed_zone(name, offset_seconds) end

--- Suspends the calling coroutine. Raises for an invalid or negative duration.
---@param duration time.DurationLike
function time.sleep(duration) end

--- A channel that gets one `Time` after the duration and is then closed: the first receive is `t, true`,
--- later ones `nil, false`.
---@param duration time.DurationLike
---@return Channel? channel
---@return Error? err  `INVALID`
---@nodiscard
function time.after(duration) end

---@param duration time.DurationLike
---@return time.Timer? timer
---@return Error? err  `INVALID`
---@nodiscard
function time.timer(duration) end

--- Ticks at each interval. A slow reader gets the latest tick; ticks never pile up.
---@param duration time.DurationLike  more than zero
---@return time.Ticker? ticker
---@return Error? err  `INVALID`
---@nodiscard
function time.ticker(duration) end

---@class time.Timer
local Timer = {}

--- The channel that gets one `Time`, then is closed.
---@return Channel
---@nodiscard
function Timer:response() end

--- The same channel.
---@return Channel
---@nodiscard
function Timer:channel() end

--- Stops the timer and closes its channel.
---@return boolean stopped  `false`: it had fired or was stopped already
function Timer:stop() end

--- Starts it again with another duration.
---@param duration time.DurationLike
---@return boolean was_running
function Timer:reset(duration) end

---@class time.Ticker
local Ticker = {}

---@return Channel
---@nodiscard
function Ticker:response() end

---@return Channel
---@nodiscard
function Ticker:channel() end

--- Stops the ticks and closes the channel.
function Ticker:stop() end

--- A moment, with the zone it is shown in. `tostring` gives readable text.
---@class time.Time
local Time = {}

---@param duration time.DurationLike  a negative count of nanoseconds goes back
---@return time.Time
---@nodiscard
function Time:add(duration) end

---@param other time.Time
---@return time.Duration  self minus other
---@nodiscard
function Time:sub(other) end

---@param years integer
---@param months integer
---@param days integer
---@return time.Time
---@nodiscard
function Time:add_date(years, months, days) end

---@param other time.Time
---@return boolean
---@nodiscard
function Time:before(other) end

---@param other time.Time
---@return boolean
---@nodiscard
function Time:after(other) end

--- Whether both are the same moment, in whatever zones.
---@param other time.Time
---@return boolean
---@nodiscard
function Time:equal(other) end

---@param layout string
---@return string
---@nodiscard
function Time:format(layout) end

---@return string
---@nodiscard
function Time:format_rfc3339() end

---@return integer seconds
---@nodiscard
function Time:unix() end

---@return integer nanoseconds
---@nodiscard
function Time:unix_nano() end

---@return integer year
---@return integer month
---@return integer day
---@nodiscard
function Time:date() end

---@return integer hour
---@return integer minute
---@return integer second
---@nodiscard
function Time:clock() end

---@return integer
---@nodiscard
function Time:year() end

---@return integer
---@nodiscard
function Time:month() end

---@return integer
---@nodiscard
function Time:day() end

---@return integer
---@nodiscard
function Time:hour() end

---@return integer
---@nodiscard
function Time:minute() end

---@return integer
---@nodiscard
function Time:second() end

---@return integer
---@nodiscard
function Time:nanosecond() end

---@return integer weekday  `time.SUNDAY` to `time.SATURDAY`
---@nodiscard
function Time:weekday() end

---@return integer day  1 to 366
---@nodiscard
function Time:year_day() end

---@return boolean
---@nodiscard
function Time:is_zero() end

---@return time.Time
---@nodiscard
function Time:utc() end

---@return time.Time
---@nodiscard
function Time:in_local() end

---@param location time.Location
---@return time.Time
---@nodiscard
function Time:in_location(location) end

---@return time.Location
---@nodiscard
function Time:location() end

---@param unit time.Duration
---@return time.Time
---@nodiscard
function Time:round(unit) end

---@param unit time.Duration
---@return time.Time
---@nodiscard
function Time:truncate(unit) end

---@class time.Duration
local Duration = {}

---@return number
---@nodiscard
function Duration:hours() end

---@return number
---@nodiscard
function Duration:minutes() end

---@return number
---@nodiscard
function Duration:seconds() end

---@return integer
---@nodiscard
function Duration:milliseconds() end

---@return integer
---@nodiscard
function Duration:microseconds() end

---@return integer
---@nodiscard
function Duration:nanoseconds() end

---@class time.Location
local Location = {}

---@return string name
---@nodiscard
function Location:string() end

return time
