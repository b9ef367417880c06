use super::*;
use crate::lua::modules::snippets;
use crate::value::kind;

const SNIPPETS: &[(&str, &str)] = &[
    (
        "constants",
        r##"assert(time.NANOSECOND == 1 and time.MICROSECOND == 1000 and time.MILLISECOND == 10^6)
        assert(math.type(time.HOUR) == "integer" and time.HOUR == 60 * time.MINUTE)
        assert(time.MINUTE == 60 * time.SECOND and time.SECOND == 1000000000)
        assert(time.JANUARY == 1 and time.DECEMBER == 12)
        assert(time.SUNDAY == 0 and time.SATURDAY == 6)
        assert(time.utc:string() == "UTC" and time.localtz:string() == "Local")"##,
    ),
    (
        "now and unix",
        r##"local now = time.now()
        assert(math.abs(now:unix() - os.time()) <= 1 and now:unix_nano() // 10^9 == now:unix())
        assert(now:location():string() == "Local" and not now:is_zero())
        local t = time.unix(1700000000, 5)
        assert(t:unix() == 1700000000 and t:unix_nano() == 1700000000000000005)
        assert(t:nanosecond() == 5 and time.unix(0):unix_nano() == 0)
        assert(time.unix(1, -1):unix_nano() == 999999999 and time.unix(0, -1):unix() == -1)
        local v, e = time.unix(math.maxinteger)
        assert(v == nil and e:kind() == "Invalid" and e:retryable() == false)
        assert(not pcall(time.unix) and not pcall(time.unix, "x") and not pcall(time.unix, 1.5))"##,
    ),
    (
        "date and its parts",
        r##"local t = time.date(2024, time.FEBRUARY, 29, 13, 5, 9, 7, time.utc)
        assert(t:year() == 2024 and t:month() == 2 and t:day() == 29 and t:hour() == 13)
        assert(t:minute() == 5 and t:second() == 9 and t:nanosecond() == 7)
        assert(t:weekday() == time.THURSDAY and t:year_day() == 60)
        local y, m, d = t:date()
        assert(y == 2024 and m == 2 and d == 29)
        local h, mi, s = t:clock()
        assert(h == 13 and mi == 5 and s == 9 and math.type(s) == "integer")
        assert(tostring(t) == "2024-02-29 13:05:09.000000007 +0000 UTC", tostring(t))
        assert(time.date(2024, 1, 2):location():string() == "UTC")
        assert(time.date(1, 1, 1, 0, 0, 0, 0, time.utc):is_zero())
        assert(not pcall(time.date, 2024, 1) and not pcall(time.date, 2024, 1, "x"))
        assert(not pcall(time.date, 2024, 1, 1, 0, 0, 0, 0, "UTC"))"##,
    ),
    (
        "parts out of range carry over",
        r##"local function day(...) return time.date(...):format(time.DATE_TIME) end
        assert(day(2024, 14, 32, 0, 0, 0, 0, time.utc) == "2025-03-04 00:00:00")
        assert(day(2024, 1, 1, -1, 0, 0, -1, time.utc) == "2023-12-31 22:59:59")
        local v, e = time.date(100000, 1, 1, 0, 0, 0, 0, time.utc)
        assert(v == nil and e:kind() == "Invalid")
        v, e = time.date(math.mininteger, math.mininteger, 1)
        assert(v == nil and e:kind() == "Invalid")"##,
    ),
    (
        "arithmetic",
        r##"local t = time.date(2024, 1, 31, 12, 0, 0, 0, time.utc)
        assert(t:add("1h30m"):format(time.TIME_ONLY) == "13:30:00")
        assert(t:add(time.SECOND):sub(t):seconds() == 1.0 and t:add(0.5 * time.SECOND):nanosecond() == 5e8)
        assert(t:add(-time.HOUR):hour() == 11 and t:add("-1h"):hour() == 11)
        local later = t:add_date(0, 1, 0)
        assert(later:format(time.DATE_ONLY) == "2024-03-02")
        assert(t:add_date(1, -1, 1):format(time.DATE_ONLY) == "2025-01-01")
        local back = t:sub(later)
        assert(back:hours() == -31 * 24 and later:add(back):equal(t) and tostring(back) == "-744h0m0s")
        assert(t:before(later) and later:after(t) and not t:after(t) and t:equal(t:add(0)))
        assert(t < later and t <= t and t == t:add(0) and t ~= later and t ~= 5)
        for _, bad in ipairs{"", "1", "1x", "x", {}, true, 0/0, math.huge} do
            local v, e = t:add(bad)
            assert(v == nil and e:kind() == "Invalid" and e:retryable() == false)
        end
        local v, e = t:add_date(100000, 0, 0)
        assert(v == nil and e:kind() == "Invalid")
        assert(not pcall(t.sub, t, 5) and not pcall(t.before, t, nil) and not pcall(t.add_date, t, 1))
        assert(not pcall(function() return t < 5 end))"##,
    ),
    (
        "round and truncate",
        r##"local t = time.date(2024, 1, 1, 12, 34, 56, 789000000, time.utc)
        assert(t:round("1m"):format(time.TIME_ONLY) == "12:35:00")
        assert(t:truncate(time.HOUR):format(time.TIME_ONLY) == "12:00:00")
        assert(t:round("1s"):second() == 57 and t:truncate("1s"):second() == 56)
        assert(t:round(time.parse_duration("24h")):day() == 2 and t:truncate(0):equal(t))
        local v, e = t:round("-1s")
        assert(v == nil and e:kind() == "Invalid")
        v, e = t:truncate("soon")
        assert(v == nil and e:kind() == "Invalid")"##,
    ),
    (
        "durations",
        r##"local d = time.parse_duration("1h30m0.5s")
        assert(d:hours() == 1.5 + 0.5 / 3600 and d:minutes() == 90 + 0.5 / 60 and d:seconds() == 5400.5)
        assert(d:milliseconds() == 5400500 and d:microseconds() == 5400500000)
        assert(d:nanoseconds() == 5400500000000 and math.type(d:milliseconds()) == "integer")
        assert(math.type(time.parse_duration("2h"):hours()) == "float")
        assert(tostring(d) == "1h30m0.5s" and time.parse_duration(d) == d)
        assert(time.parse_duration(1500):nanoseconds() == 1500 and tostring(time.parse_duration("0")) == "0s")
        assert(time.parse_duration("1us") < time.parse_duration("1ms"))
        assert(time.parse_duration("1ms") <= time.parse_duration(time.MILLISECOND))
        assert(time.parse_duration("1.5ns" ):nanoseconds() == 1)
        for _, bad in ipairs{"", "5", "1d", "1h ", "-1s", -1, {}, true, 0/0, -math.huge, "9999999h",
            "--1s", "-+1s", time.unix(0):sub(time.unix(1))} do
            local v, e = time.parse_duration(bad)
            assert(v == nil and e:kind() == "Invalid" and e:retryable() == false, tostring(bad))
        end
        assert(select(2, time.parse_duration()):kind() == "Invalid")
        assert(not pcall(d.hours, 5) and not pcall(function() return d < 5 end) and d ~= 5)"##,
    ),
    (
        "locations",
        r##"local berlin = time.load_location("Europe/Berlin")
        assert(berlin:string() == "Europe/Berlin" and tostring(berlin) == "Europe/Berlin")
        local winter = time.date(2024, 1, 15, 12, 0, 0, 0, berlin)
        local summer = time.date(2024, 7, 15, 12, 0, 0, 0, berlin)
        assert(winter:format("-07:00 MST") == "+01:00 CET" and winter:utc():hour() == 11)
        assert(summer:format("-07:00 MST") == "+02:00 CEST" and summer:utc():hour() == 10)
        assert(winter:utc():location():string() == "UTC" and winter:utc():equal(winter))
        assert(winter:in_local():location():string() == "Local")
        assert(winter:utc():in_location(berlin):hour() == 12)
        local india = time.fixed_zone("IST", 5.5 * 3600)
        assert(india:string() == "IST" and winter:in_location(india):format("15:04 Z07:00 MST") == "16:30 +05:30 IST")
        assert(winter:in_location(time.fixed_zone("", -3 * 3600)):format("MST") == "-03")
        assert(time.load_location("UTC"):string() == "UTC" and time.load_location("Local"))
        -- 02:30 does not exist on that day; it becomes a moment with one of the two offsets.
        local gap = time.date(2024, 3, 31, 2, 30, 0, 0, berlin)
        assert(gap:hour() == 3 or gap:hour() == 1)
        -- Noon stays noon across the change of clocks.
        assert(time.date(2024, 3, 30, 12, 0, 0, 0, berlin):add_date(0, 0, 1):hour() == 12)
        local v, e = time.load_location("")
        assert(v == nil and e:kind() == "Invalid")
        v, e = time.load_location("Middle/Earth")
        assert(v == nil and e:kind() == "NotFound" and e:retryable() == false)
        v, e = time.fixed_zone("far", 10^6 | 0)
        assert(v == nil and e:kind() == "Invalid")
        assert(not pcall(winter.in_location, winter, "UTC") and not pcall(time.load_location))"##,
    ),
    (
        "format",
        r##"local zone = time.fixed_zone("MST", -7 * 3600)
        local t = time.date(2006, 1, 2, 15, 4, 5, 678900000, zone)
        for layout, text in pairs{
            [time.RFC3339] = "2006-01-02T15:04:05-07:00",
            [time.RFC3339NANO] = "2006-01-02T15:04:05.6789-07:00",
            [time.RFC822] = "02 Jan 06 15:04 MST", [time.RFC822Z] = "02 Jan 06 15:04 -0700",
            [time.RFC850] = "Monday, 02-Jan-06 15:04:05 MST",
            [time.RFC1123] = "Mon, 02 Jan 2006 15:04:05 MST",
            [time.RFC1123Z] = "Mon, 02 Jan 2006 15:04:05 -0700",
            [time.DATE_TIME] = "2006-01-02 15:04:05", [time.DATE_ONLY] = "2006-01-02",
            [time.TIME_ONLY] = "15:04:05", [time.KITCHEN] = "3:04PM",
            [time.STAMP] = "Jan  2 15:04:05", [time.STAMP_MILLI] = "Jan  2 15:04:05.678",
            [time.STAMP_MICRO] = "Jan  2 15:04:05.678900",
            [time.STAMP_NANO] = "Jan  2 15:04:05.678900000",
            ["1/2 3pm __2 002 4 5"] = "1/2 3pm   2 002 4 5", ["03:04 January"] = "03:04 January",
            ["Z0700 Z07 Z07:00:00 -070000"] = "-0700 -07 -07:00:00 -070000",
            [",000 plain text"] = ",678 plain text", [""] = "",
        } do
            assert(t:format(layout) == text, layout .. " -> " .. t:format(layout))
        end
        assert(t:utc():format_rfc3339() == "2006-01-02T22:04:05Z")
        assert(t:truncate("1s"):format("05.999 05.000") == "05 05.000")
        local midnight = time.date(2024, 12, 25, 0, 0, 0, 0, time.utc)
        assert(midnight:format(time.KITCHEN) == "12:00AM" and midnight:format("pm") == "am")
        assert(midnight:add("12h"):format(time.KITCHEN) == "12:00PM")
        assert(not pcall(t.format, t) and not pcall(t.format, t, {}))"##,
    ),
    (
        "parse",
        r##"local function parsed(layout, text, loc)
            local t, e = time.parse(layout, text, loc)
            assert(t, tostring(e))
            return t:utc():format(time.RFC3339NANO)
        end
        assert(parsed(time.RFC3339, "2024-05-06T07:08:09Z") == "2024-05-06T07:08:09Z")
        assert(parsed(time.RFC3339, "2024-05-06T07:08:09.5+02:00") == "2024-05-06T05:08:09.5Z")
        assert(parsed(time.RFC3339NANO, "2024-05-06T07:08:09.123456789Z") == "2024-05-06T07:08:09.123456789Z")
        assert(parsed(time.RFC1123Z, "Mon, 06 May 2024 07:08:09 -0330") == "2024-05-06T10:38:09Z")
        assert(parsed(time.RFC850, "monday, 06-MAY-24 07:08:09 UTC") == "2024-05-06T07:08:09Z")
        assert(parsed(time.DATE_ONLY, "2024-02-29") == "2024-02-29T00:00:00Z")
        assert(parsed(time.KITCHEN, "12:05AM") == "0000-01-01T00:05:00Z")
        assert(parsed(time.KITCHEN, "3:05PM") == "0000-01-01T15:05:00Z")
        assert(parsed(time.STAMP_MILLI, "Feb  3 04:05:06.789") == "0000-02-03T04:05:06.789Z")
        assert(parsed("2006-002", "2024-060") == "2024-02-29T00:00:00Z")
        assert(parsed("06 1 2", "68 12 31") == "2068-12-31T00:00:00Z")
        assert(parsed("06", "69") == "1969-01-01T00:00:00Z")
        assert(parsed("2006-01-02 15:04 MST", "2024-01-01 10:00 GMT+3") == "2024-01-01T07:00:00Z")
        local berlin = time.load_location("Europe/Berlin")
        assert(parsed(time.DATE_TIME, "2024-07-01 12:00:00", berlin) == "2024-07-01T10:00:00Z")
        assert(time.parse(time.DATE_TIME, "2024-07-01 12:00:00", berlin):location():string() == "Europe/Berlin")
        assert(parsed(time.RFC1123, "Mon, 01 Jul 2024 12:00:00 CEST", berlin) == "2024-07-01T10:00:00Z")
        assert(parsed(time.RFC1123, "Mon, 01 Jul 2024 12:00:00 CET", berlin) == "2024-07-01T11:00:00Z")
        assert(time.parse(time.RFC3339, "2024-07-01T12:00:00+02:00", berlin):location():string() == "Europe/Berlin")
        assert(time.parse(time.RFC3339, "2024-07-01T12:00:00+05:00"):format("-07:00") == "+05:00")
        assert(time.parse(time.RFC3339, "2024-07-01T12:00:00Z"):location():string() == "UTC")"##,
    ),
    (
        "parse refuses",
        r##"for _, case in ipairs{
            {time.DATE_ONLY, "2024-13-01", "month out of range"},
            {time.DATE_ONLY, "2024-02-30", "day out of range"},
            {time.DATE_ONLY, "2023-02-29", "day out of range"},
            {"2006-002", "2023-366", "out of range"},
            {time.TIME_ONLY, "24:00:00", "hour out of range"},
            {time.TIME_ONLY, "23:60:00", "minute out of range"},
            {time.RFC3339, "2024-01-01T00:00:00+25:00", "offset hour out of range"},
            {time.DATE_ONLY, "2024-1-01", 'cannot parse "1-01" as "01"'},
            {time.DATE_ONLY, "2024-01-01x", 'extra text: "x"'},
            {time.RFC3339, "2024-01-01", 'cannot parse "" as "T"'},
            {time.RFC1123, "Xxx, 01 Jul 2024 12:00:00 UTC", 'as "Mon"'},
            {time.KITCHEN, "3:04XM", 'as "PM"'},
            {"MST", "ab", 'as "MST"'},
            {"15:04.000", "10:00.12", 'as ".000"'},
            {"2006-01-02 002", "2024-03-01 060", "does not match"},
            {"2006", "20é4", 'as "2006"'},
            {time.RFC3339, "", 'as "2006"'},
        } do
            local v, e = time.parse(case[1], case[2])
            assert(v == nil and e:kind() == "Invalid" and e:retryable() == false, case[2])
            assert(e:message():find(case[3], 1, true), e:message())
        end
        assert(not pcall(time.parse, {}, "x") and not pcall(time.parse, "x"))
        assert(not pcall(time.parse, time.DATE_ONLY, "2024-01-01", "UTC"))"##,
    ),
];

#[test]
fn everything_scripts_can_do() {
    let vm = snippets::Vm::new();
    vm.set("time", table(vm.lua()).unwrap());
    vm.run(SNIPPETS);
}

#[test]
fn durations_of_other_modules() {
    let lua = Lua::new();
    let text = |text: &str| Value::String(lua.create_string(text).unwrap());
    assert_eq!(duration_from_lua(&text("1m")).unwrap().as_secs(), 60);
    assert_eq!(duration_from_lua(&Value::Integer(5)).unwrap().as_nanos(), 5);
    let error = duration_from_lua(&Value::Integer(-5)).unwrap_err();
    assert_eq!((&*error.kind, error.retryable), (kind::INVALID, Some(false)));
    assert!(error.message.contains("-5ns"), "{error}");
}

proptest::proptest! {
    #[test]
    fn any_layout_and_text_give_a_time_or_an_error(
        layout in "(2006|01|_2|Jan|Mon|15|PM|MST|Z07:00|-0700|\\.000|,9|é| |[0-9a-zA-Z:.-]){0,8}",
        text in "[0-9A-Za-zé :.,+-]{0,24}",
        nanos in -62_135_596_800_000_000_000i128..253_000_000_000_000_000_000,
    ) {
        let _ = parse::parse(&layout, &text, None);
        let time = Time::from_unix_nanos(nanos, Location::utc()).unwrap();
        let _ = format::format(&time.civil(), &layout);
    }

    #[test]
    fn what_a_layout_shows_it_reads(
        nanos in -62_135_596_800_000_000_000i128..253_000_000_000_000_000_000,
        offset in -50_000i64..50_000,
    ) {
        let zone = Location::fixed("", offset / 60 * 60).unwrap();
        let time = Time::from_unix_nanos(nanos, zone).unwrap();
        for layout in [
            "2006-01-02T15:04:05.999999999Z07:00",
            "Monday, 2 January 2006 3:04:05.000000000 pm -0700",
            "2006 __2 15.04.05,999999999 -07:00:00",
        ] {
            let text = format::format(&time.civil(), layout);
            let read = parse::parse(layout, &text, None).unwrap();
            proptest::prop_assert_eq!(read.timestamp(), time.timestamp(), "{} {}", layout, text);
        }
    }
}
