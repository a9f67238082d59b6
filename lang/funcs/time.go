package funcs

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // timein must know the zones on machines without them too

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Times are text as RFC 3339 has it, with up to nine digits of a second. There
// is no clock: the time of a run is run.started_at.

func init() {
	at := Param{"time", types.StringType}
	register(Times,
		&Func{
			Name:   "timeadd",
			Params: []Param{at, {"duration", types.StringType}},
			Result: types.StringType,
			Infer:  inferTimes(types.StringType, readTime, readDuration),
			Call: func(args []value.Value) (value.Value, error) {
				t, err := timeArg(args, 0)
				if err != nil {
					return value.Value{}, err
				}
				d, err := readDuration(args[1].AsString())
				if err != nil {
					return value.Value{}, &ArgError{1, err.Error()}
				}
				return timeText(t.Add(d))
			},
			Doc:     "Adds a duration such as `\"1h30m\"`, `\"-90s\"` or `\"250ms\"` to an RFC 3339 time. The zone stays.",
			Example: `timeadd("2026-01-02T03:04:05Z", "90m")`,
			Gives:   `"2026-01-02T04:34:05Z"`,
		},
		&Func{
			Name:   "timecmp",
			Params: []Param{{"a", types.StringType}, {"b", types.StringType}},
			Result: types.IntegerType,
			Infer:  inferTimes(types.EnumOf(value.OfInt(-1), value.OfInt(0), value.OfInt(1)), readTime, readTime),
			Call: func(args []value.Value) (value.Value, error) {
				a, b, err := twoTimes(args)
				return value.OfInt(int64(a.Compare(b))), err
			},
			Doc:     "Gives -1, 0 or 1 as the first time is before the second, the same moment, or after it, whatever their zones.",
			Example: `timecmp("2026-01-02T03:00:00Z", "2026-01-02T04:00:00+01:00")`,
			Gives:   `0`,
		},
		&Func{
			Name:   "timediff",
			Params: []Param{{"from", types.StringType}, {"to", types.StringType}},
			Result: types.NumberType,
			Infer:  inferTimes(types.NumberType, readTime, readTime),
			Call: func(args []value.Value) (value.Value, error) {
				from, to, err := twoTimes(args)
				if err != nil {
					return value.Value{}, err
				}
				return secondsBetween(from, to), nil
			},
			Doc:     "Gives the seconds from the first time to the second, exactly; negative where the second is before the first.",
			Example: `timediff("2026-01-02T03:00:00Z", "2026-01-02T04:00:00.5Z")`,
			Gives:   `3600.5`,
		},
		&Func{
			Name:   "timein",
			Params: []Param{at, {"zone", types.StringType}},
			Result: types.StringType,
			Infer: inferTimes(types.StringType, readTime, func(s string) (*time.Location, error) {
				return readZone(s)
			}),
			Call: func(args []value.Value) (value.Value, error) {
				t, err := timeArg(args, 0)
				if err != nil {
					return value.Value{}, err
				}
				zone, err := readZone(args[1].AsString())
				if err != nil {
					return value.Value{}, &ArgError{1, err.Error()}
				}
				return timeText(t.In(zone))
			},
			Doc:     "Gives the same moment in another time zone, named as in the IANA database, or `\"UTC\"`.",
			Example: `timein("2026-07-01T12:00:00Z", "Europe/Berlin")`,
			Gives:   `"2026-07-01T14:00:00+02:00"`,
		},
		&Func{
			Name:   "formatdate",
			Params: []Param{{"format", types.StringType}, at},
			Result: types.StringType,
			Infer:  inferTimes(types.StringType, parseDateFormat, readTime),
			Call: func(args []value.Value) (value.Value, error) {
				format, err := parseDateFormat(args[0].AsString())
				if err != nil {
					return value.Value{}, &ArgError{0, err.Error()}
				}
				t, err := timeArg(args, 1)
				if err != nil {
					return value.Value{}, err
				}
				return textOf(format.write(t))
			},
			Doc: "Writes an RFC 3339 time by a format: `YYYY YY` year, `MMMM MMM MM M` month, `DD D` day, `EEEE EEE` weekday, `hh h` hour, `HH H` hour of twelve, `AA aa` AM or am, `mm m` minute, `ss s` second, " +
				"`ZZZZZ` offset as -08:00, `ZZZZ` as -0800, `ZZZ` the same but UTC, `Z` as -08:00 but Z for UTC. Other letters stand in single quotes, a quote is doubled in them.",
			Example: `formatdate("EEE, DD MMM YYYY 'at' hh:mm ZZZ", "2026-01-02T03:04:05Z")`,
			Gives:   `"Fri, 02 Jan 2026 at 03:04 UTC"`,
		},
		&Func{
			Name:     "parsetime",
			Params:   []Param{{"format", types.StringType}, {"text", types.StringType}},
			Optional: []Param{{"zone", types.StringType}},
			Result:   types.StringType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				if format, constant := constText(args[0]); constant {
					if _, err := parseDateFormat(format); err != nil {
						return types.StringType, err.Error(), 0
					}
				}
				if len(args) > 2 {
					if zone, constant := constText(args[2]); constant {
						if _, err := readZone(zone); err != nil {
							return types.StringType, err.Error(), 2
						}
					}
				}
				return ok(types.StringType)
			},
			Call:    callParseTime,
			Doc:     "Reads a time written in a format of `formatdate` and gives it as RFC 3339. A fraction may follow the seconds. Where the format has no offset, the time is one of the zone, by default UTC; month and day are 1 and the hour 0 where the format has none.",
			Example: `parsetime("DD.MM.YYYY hh:mm", "02.07.2026 14:30", "Europe/Berlin")`,
			Gives:   `"2026-07-02T14:30:00+02:00"`,
		},
	)
}

// inferTimes checks two arguments where they are constant.
func inferTimes[A, B any](result *types.Type, first func(string) (A, error), second func(string) (B, error)) func([]Arg) (*types.Type, string, int) {
	return func(args []Arg) (*types.Type, string, int) {
		if s, constant := constText(args[0]); constant {
			if _, err := first(s); err != nil {
				return result, err.Error(), 0
			}
		}
		if s, constant := constText(args[1]); constant {
			if _, err := second(s); err != nil {
				return result, err.Error(), 1
			}
		}
		return ok(result)
	}
}

func readTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return t, fail("%s is no RFC 3339 time such as \"2026-01-02T03:04:05Z\".", value.OfString(s).Summary(60))
	}
	return t, nil
}

func readDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return d, fail("%s is no duration such as \"1h30m\", \"-90s\" or \"250ms\".", value.OfString(s).Summary(60))
	}
	return d, nil
}

// readZone returns a time zone by its IANA name. The machine's own zone, which
// Go calls Local and the empty name, would make expressions differ between machines.
func readZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, fail("%q is no time zone such as \"Europe/Berlin\" or \"UTC\".", name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fail("%s is no time zone such as \"Europe/Berlin\" or \"UTC\".", value.OfString(name).Summary(60))
	}
	return zone, nil
}

func timeArg(args []value.Value, i int) (time.Time, error) {
	t, err := readTime(args[i].AsString())
	if err != nil {
		return t, &ArgError{i, err.Error()}
	}
	return t, nil
}

func twoTimes(args []value.Value) (a, b time.Time, err error) {
	if a, err = timeArg(args, 0); err == nil {
		b, err = timeArg(args, 1)
	}
	return a, b, err
}

// timeText writes a time as RFC 3339, which has four digits for the year.
func timeText(t time.Time) (value.Value, error) {
	if y := t.Year(); y < 0 || y > 9999 {
		return value.Value{}, fail("The result's year would be %d, but times go from the year 0 to 9999.", y)
	}
	return value.OfString(t.Format(time.RFC3339Nano)), nil
}

// secondsBetween returns the seconds from one time to another. Not time.Sub,
// which ends at 292 years.
func secondsBetween(from, to time.Time) value.Value {
	seconds := to.Unix() - from.Unix()
	nanos := int64(to.Nanosecond() - from.Nanosecond())
	sign := ""
	if seconds < 0 || seconds == 0 && nanos < 0 {
		sign, seconds, nanos = "-", -seconds, -nanos
	}
	if nanos < 0 {
		seconds, nanos = seconds-1, nanos+1e9
	}
	text := fmt.Sprintf("%s%d", sign, seconds)
	if nanos != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%09d", nanos), "0")
	}
	d, err := value.ParseDecimal(text)
	if err != nil {
		panic(err) // fewer than thirty digits
	}
	return value.OfNumber(d)
}

func callParseTime(args []value.Value) (value.Value, error) {
	format, err := parseDateFormat(args[0].AsString())
	if err != nil {
		return value.Value{}, &ArgError{0, err.Error()}
	}
	zone := time.UTC
	if len(args) > 2 {
		if zone, err = readZone(args[2].AsString()); err != nil {
			return value.Value{}, &ArgError{2, err.Error()}
		}
	}
	t, err := format.read(args[1].AsString(), zone)
	if err != nil {
		return value.Value{}, &ArgError{1, err.Error()}
	}
	return timeText(t)
}
