package funcs

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTimes(t *testing.T) {
	run(t, []call{
		{name: "timeadd", args: `["2026-01-31T23:59:59.123456789+05:30", "1ns"]`, gives: `"2026-01-31T23:59:59.12345679+05:30"`},
		{name: "timeadd", args: `["2024-02-28T12:00:00Z", "24h"]`, gives: `"2024-02-29T12:00:00Z"`},
		{name: "timeadd", args: `["9999-12-31T23:59:59Z", "1s"]`, fails: `The result's year would be 10000`},
		{name: "timeadd", args: `["2026-01-02", "1h"]`, fails: `"2026-01-02" is no RFC 3339 time`},
		{name: "timeadd", args: `["2026-01-02T00:00:00Z", "1 day"]`, fails: `"1 day" is no duration`},
		{name: "timecmp", args: `["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000001Z"]`, gives: `-1`},
		{name: "timediff", args: `["2026-01-02T00:00:00.75Z", "2026-01-02T00:00:00.5Z"]`, gives: `-0.25`},
		{name: "timediff", args: `["2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z"]`, gives: `0`},
		{name: "timediff", args: `["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]`, gives: `315537897599`},
		{name: "timediff", args: `["2026-01-02T00:00:00.000000001Z", "2026-01-03T00:00:00Z"]`, gives: `86399.999999999`},
		{name: "timein", args: `["2026-01-01T12:00:00.5Z", "America/New_York"]`, gives: `"2026-01-01T07:00:00.5-05:00"`},
		{name: "timein", args: `["2026-07-01T14:00:00+02:00", "UTC"]`, gives: `"2026-07-01T12:00:00Z"`},
		{name: "timein", args: `["2026-07-01T14:00:00Z", "Local"]`, fails: `is no time zone`},
		{name: "timein", args: `["2026-07-01T14:00:00Z", "../etc/passwd"]`, fails: `is no time zone`},

		{name: "formatdate", args: `["YYYY-MM-DD'T'hh:mm:ssZ", "2026-01-02T03:04:05+01:00"]`, gives: `"2026-01-02T03:04:05+01:00"`},
		{name: "formatdate", args: `["YY M D h m s", "2026-01-02T03:04:05Z"]`, gives: `"26 1 2 3 4 5"`},
		{name: "formatdate", args: `["EEEE D MMMM, HH:mm AA H aa", "2026-01-02T00:04:05Z"]`, gives: `"Friday 2 January, 12:04 AM 12 am"`},
		{name: "formatdate", args: `["ZZZZZ ZZZZ ZZZ Z", "2026-01-02T00:04:05-08:00"]`, gives: `"-08:00 -0800 -0800 -08:00"`},
		{name: "formatdate", args: `["''''hh 'o''clock' é", "2026-01-02T00:04:05Z"]`, gives: `"'00 o'clock é"`},
		{name: "formatdate", args: `["YYYYY", "2026-01-02T00:04:05Z"]`, fails: `The format's "YYYYY" is no field of a time.`},
		{name: "formatdate", args: `["'x", "2026-01-02T00:04:05Z"]`, fails: `is not closed`},

		{name: "parsetime", args: `["EEE MMM DD YYYY hh:mm:ss 'GMT'ZZZZ '(Coordinated Universal Time)'", "Fri Jan 02 2026 03:04:05 GMT+0000 (Coordinated Universal Time)"]`, gives: `"2026-01-02T03:04:05Z"`},
		{name: "parsetime", args: `["YYYY-MM-DD hh:mm:ss", "2026-01-02 03:04:05.25"]`, gives: `"2026-01-02T03:04:05.25Z"`},
		{name: "parsetime", args: `["D/M/YY", "2/1/26"]`, gives: `"2026-01-02T00:00:00Z"`},
		{name: "parsetime", args: `["D MMMM YYYY HH:mm AA", "2 january 2026 12:30 am"]`, gives: `"2026-01-02T00:30:00Z"`},
		{name: "parsetime", args: `["YYYY-MM-DD hh:mm", "2026-01-02 14:30", "Europe/Berlin"]`, gives: `"2026-01-02T14:30:00+01:00"`},
		{name: "parsetime", args: `["YYYY-MM-DDZZZZZ", "2026-01-02-08:00", "Europe/Berlin"]`, gives: `"2026-01-02T00:00:00-08:00"`},
		{name: "parsetime", args: `["YYYY-MM-DD", "2026-02-30"]`, fails: `there is no day of that month 30`},
		{name: "parsetime", args: `["YYYY-MM-DD", "2026-13-01"]`, fails: `there is no month 13`},
		{name: "parsetime", args: `["hh:mm", "24:00"]`, fails: `there is no hour 24`},
		{name: "parsetime", args: `["HH:mm AA", "13:00 PM"]`, fails: `no hour of twelve 13`},
		{name: "parsetime", args: `["EEE YYYY-MM-DD", "Mon 2026-01-02"]`, fails: `says Monday, but that day is a Friday.`},
		{name: "parsetime", args: `["YYYY-MM-DD", "2026-01-02T"]`, fails: `at "T" the end is expected.`},
		{name: "parsetime", args: `["YYYY-MM-DD", "26-01-02"]`, fails: `a year of four digits is expected`},
		{name: "parsetime", args: `["YYYY", "2026", "Nowhere/X"]`, fails: `is no time zone`},
	})
}

// What formatdate writes, parsetime reads.
func TestParseTimeReadsWhatFormatDateWrites(t *testing.T) {
	formats := []string{
		"YYYY-MM-DD'T'hh:mm:ssZ", "EEE, D MMM YYYY HH:mm:ss aa ZZZZ", "EEEE M/DD/YYYY h:m:s ZZZZZ", "DD MMMM YYYY hh''mm ss ZZZ",
	}
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-62000000000, 250000000000).Draw(t, "at"), 0).UTC()
		at = at.In(time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "offset")))
		spec := rapid.SampledFrom(formats).Draw(t, "format")
		f, err := parseDateFormat(spec)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.read(f.write(at), time.UTC)
		if err != nil || !got.Equal(at) {
			t.Fatalf("%s: %s was read as %s: %v", spec, f.write(at), got, err)
		}
	})
}

func TestPaths(t *testing.T) {
	run(t, []call{
		{name: "dirname", args: `["a"]`, gives: `"."`},
		{name: "dirname", args: `["/a"]`, gives: `"/"`},
		{name: "dirname", args: `["a/b/"]`, gives: `"a/b"`},
		{name: "basename", args: `["a/b/"]`, gives: `"b"`},
		{name: "basename", args: `[""]`, gives: `"."`},
		{name: "pathnorm", args: `[""]`, gives: `"."`},
		{name: "pathnorm", args: `["../../a/../b"]`, gives: `"../../b"`},
		{name: "pathnorm", args: `["/../a"]`, gives: `"/a"`},
		{name: "pathnorm", args: `["a\\b"]`, gives: `"a\\b"`},
		{name: "pathjoin", args: `["a", "../../b"]`, gives: `"../b"`},
		{name: "pathjoin", args: `["a", "", "/b"]`, gives: `"a/b"`},
		{name: "pathjoin", args: `["", ""]`, gives: `""`},
		{name: "pathjoin", args: `["/docs/api", "../café.md"]`, gives: `"/docs/café.md"`},
	})
}
