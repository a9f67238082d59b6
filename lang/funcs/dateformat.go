package funcs

import (
	"fmt"
	"strings"
	"time"

	"github.com/lda-wf/wfc/lang/value"
)

// dateFormat is a format of formatdate and parsetime.
type dateFormat []datePart

// datePart is a field of letters, as "YYYY", or literal text.
type datePart struct {
	field   string
	literal string // where field is empty
}

// dateFields are all fields; a run of one letter must be one of them.
var dateFields = map[string]bool{}

func init() {
	for _, f := range strings.Fields("YYYY YY MMMM MMM MM M DD D EEEE EEE hh h HH H AA aa mm m ss s ZZZZZ ZZZZ ZZZ Z") {
		dateFields[f] = true
	}
}

// parseDateFormat reads a format. An error is a full sentence.
func parseDateFormat(s string) (dateFormat, error) {
	var parts dateFormat
	literal := func(text string) {
		if n := len(parts); n > 0 && parts[n-1].field == "" {
			parts[n-1].literal += text
			return
		}
		parts = append(parts, datePart{literal: text})
	}
	for s != "" {
		c := s[0]
		switch {
		case c == '\'':
			text, rest, err := quotedLiteral(s)
			if err != nil {
				return nil, err
			}
			literal(text)
			s = rest
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			n := len(s) - len(strings.TrimLeft(s, s[:1]))
			if !dateFields[s[:n]] {
				return nil, fail("The format's %q is no field of a time. Letters that are text stand in single quotes, as in \"hh 'Uhr'\".", s[:n])
			}
			parts = append(parts, datePart{field: s[:n]})
			s = s[n:]
		default:
			literal(s[:1])
			s = s[1:]
		}
	}
	return parts, nil
}

// quotedLiteral reads text in single quotes, a doubled quote in it being one.
func quotedLiteral(s string) (text, rest string, err error) {
	s = s[1:]
	for {
		end := strings.IndexByte(s, '\'')
		if end < 0 {
			return "", "", fail("A single quote in the format is not closed; a quote that is text is written ''''.")
		}
		text += s[:end]
		s = s[end+1:]
		if !strings.HasPrefix(s, "'") {
			return text, s, nil
		}
		text += "'"
		s = s[1:]
	}
}

func (f dateFormat) write(t time.Time) string {
	var b strings.Builder
	for _, p := range f {
		if p.field == "" {
			b.WriteString(p.literal)
		} else {
			b.WriteString(writeField(p.field, t))
		}
	}
	return b.String()
}

func writeField(field string, t time.Time) string {
	hour12 := (t.Hour()+11)%12 + 1
	switch field {
	case "YYYY":
		return fmt.Sprintf("%04d", t.Year())
	case "YY":
		return fmt.Sprintf("%02d", t.Year()%100)
	case "MMMM":
		return t.Month().String()
	case "MMM":
		return t.Month().String()[:3]
	case "MM":
		return fmt.Sprintf("%02d", t.Month())
	case "M":
		return fmt.Sprint(int(t.Month()))
	case "DD":
		return fmt.Sprintf("%02d", t.Day())
	case "D":
		return fmt.Sprint(t.Day())
	case "EEEE":
		return t.Weekday().String()
	case "EEE":
		return t.Weekday().String()[:3]
	case "hh":
		return fmt.Sprintf("%02d", t.Hour())
	case "h":
		return fmt.Sprint(t.Hour())
	case "HH":
		return fmt.Sprintf("%02d", hour12)
	case "H":
		return fmt.Sprint(hour12)
	case "AA":
		return t.Format("PM")
	case "aa":
		return t.Format("pm")
	case "mm":
		return fmt.Sprintf("%02d", t.Minute())
	case "m":
		return fmt.Sprint(t.Minute())
	case "ss":
		return fmt.Sprintf("%02d", t.Second())
	case "s":
		return fmt.Sprint(t.Second())
	case "ZZZZZ":
		return t.Format("-07:00")
	case "ZZZZ":
		return t.Format("-0700")
	case "ZZZ":
		if _, offset := t.Zone(); offset == 0 {
			return "UTC"
		}
		return t.Format("-0700")
	default: // Z
		return t.Format("Z07:00")
	}
}

// dateReader reads a text by a format.
type dateReader struct {
	text                           string
	rest                           string
	year, month, day               int
	hour, minute, second, nanos    int
	hour12, afternoon, offsetKnown bool
	offset                         int
	weekday                        time.Weekday
	hasWeekday                     bool
}

// read returns the time that the text says; without an offset it is one of zone.
func (f dateFormat) read(text string, zone *time.Location) (time.Time, error) {
	r := &dateReader{text: text, rest: text, year: 1, month: 1, day: 1}
	for _, p := range f {
		if p.field == "" {
			rest, found := strings.CutPrefix(r.rest, p.literal)
			if !found {
				return time.Time{}, r.expected(value.OfString(p.literal).Summary(40))
			}
			r.rest = rest
			continue
		}
		if err := r.field(p.field); err != nil {
			return time.Time{}, err
		}
	}
	if r.rest != "" {
		return time.Time{}, r.expected("the end")
	}
	if r.hour12 {
		if r.hour < 1 || r.hour > 12 {
			return time.Time{}, r.wrong("hour of twelve", r.hour)
		}
		r.hour %= 12
		if r.afternoon {
			r.hour += 12
		}
	}
	if r.offsetKnown {
		zone = time.FixedZone("", r.offset)
		if r.offset == 0 {
			zone = time.UTC
		}
	}
	t := time.Date(r.year, time.Month(r.month), r.day, r.hour, r.minute, r.second, r.nanos, zone)
	switch {
	// time.Date carries what is too much over to the next unit; 24:00 and the 31st of June are mistakes here.
	case r.month < 1 || r.month > 12:
		return t, r.wrong("month", r.month)
	case r.day < 1 || r.day > time.Date(r.year, time.Month(r.month)+1, 0, 0, 0, 0, 0, time.UTC).Day():
		return t, r.wrong("day of that month", r.day)
	case r.hour > 23:
		return t, r.wrong("hour", r.hour)
	case r.minute > 59:
		return t, r.wrong("minute", r.minute)
	case r.second > 59:
		return t, r.wrong("second", r.second)
	case r.hasWeekday && t.Weekday() != r.weekday:
		return t, fail("%s says %s, but that day is a %s.", value.OfString(text).Summary(60), r.weekday, t.Weekday())
	}
	return t, nil
}

func (r *dateReader) expected(what string) error {
	return fail("The text %s does not have the format: at %s %s is expected.",
		value.OfString(r.text).Summary(60), value.OfString(r.rest).Summary(30), what)
}

func (r *dateReader) wrong(what string, n int) error {
	return fail("The text %s is no time: there is no %s %d.", value.OfString(r.text).Summary(60), what, n)
}

// digits reads from least to most digits.
func (r *dateReader) digits(what string, least, most int, into *int) error {
	n, i := 0, 0
	for i < len(r.rest) && i < most && '0' <= r.rest[i] && r.rest[i] <= '9' {
		n = n*10 + int(r.rest[i]-'0')
		i++
	}
	if i < least {
		return r.expected(what)
	}
	*into = n
	r.rest = r.rest[i:]
	return nil
}

// name reads one of n English names in any case, whole or its first three letters.
func (r *dateReader) name(what string, n int, short bool, nameOf func(int) string) (int, error) {
	for i := range n {
		name := nameOf(i)
		if short {
			name = name[:3]
		}
		if len(r.rest) >= len(name) && strings.EqualFold(r.rest[:len(name)], name) {
			r.rest = r.rest[len(name):]
			return i, nil
		}
	}
	return 0, r.expected(what)
}

func (r *dateReader) field(field string) error {
	month := func(i int) string { return time.Month(i + 1).String() }
	day := func(i int) string { return time.Weekday(i).String() }
	var err error
	switch field {
	case "YYYY":
		return r.digits("a year of four digits", 4, 4, &r.year)
	case "YY":
		err = r.digits("a year of two digits", 2, 2, &r.year)
		if r.year += 1900; r.year < 1969 { // as Go and POSIX: 69 is 1969, 68 is 2068
			r.year += 100
		}
	case "MMMM", "MMM":
		r.month, err = r.name("a month's name", 12, field == "MMM", month)
		r.month++
	case "EEEE", "EEE":
		var i int
		i, err = r.name("a weekday's name", 7, field == "EEE", day)
		r.weekday, r.hasWeekday = time.Weekday(i), true
	case "MM", "M":
		return r.digits("a month", len(field), 2, &r.month)
	case "DD", "D":
		return r.digits("a day", len(field), 2, &r.day)
	case "hh", "h":
		return r.digits("an hour", len(field), 2, &r.hour)
	case "HH", "H":
		r.hour12 = true
		return r.digits("an hour", len(field), 2, &r.hour)
	case "mm", "m":
		return r.digits("a minute", len(field), 2, &r.minute)
	case "ss", "s":
		if err = r.digits("a second", len(field), 2, &r.second); err == nil {
			r.fraction()
		}
	case "AA", "aa":
		var i int
		i, err = r.name("AM or PM", 2, false, func(i int) string { return []string{"AM", "PM"}[i] })
		r.afternoon = i == 1
	default:
		err = r.zone(field)
	}
	return err
}

// fraction reads a fraction of a second, if one follows: up to nine digits count.
func (r *dateReader) fraction() {
	if len(r.rest) < 2 || r.rest[0] != '.' && r.rest[0] != ',' || r.rest[1] < '0' || r.rest[1] > '9' {
		return
	}
	r.rest = r.rest[1:]
	scale := 100_000_000
	for r.rest != "" && '0' <= r.rest[0] && r.rest[0] <= '9' {
		r.nanos += int(r.rest[0]-'0') * scale
		scale /= 10
		r.rest = r.rest[1:]
	}
}

func (r *dateReader) zone(field string) error {
	r.offsetKnown = true
	utc := map[string]string{"Z": "Z", "ZZZ": "UTC"}[field]
	if rest, found := strings.CutPrefix(r.rest, utc); found && utc != "" {
		r.rest = rest
		return nil
	}
	const what = "a zone's offset"
	if r.rest == "" || r.rest[0] != '+' && r.rest[0] != '-' {
		return r.expected(what)
	}
	sign := 1
	if r.rest[0] == '-' {
		sign = -1
	}
	r.rest = r.rest[1:]
	var hours, minutes int
	if err := r.digits(what, 2, 2, &hours); err != nil {
		return err
	}
	if field == "Z" || field == "ZZZZZ" {
		rest, found := strings.CutPrefix(r.rest, ":")
		if !found {
			return r.expected(what)
		}
		r.rest = rest
	}
	if err := r.digits(what, 2, 2, &minutes); err != nil {
		return err
	}
	if hours > 23 || minutes > 59 {
		return r.wrong("offset of hours", hours)
	}
	r.offset = sign * (hours*3600 + minutes*60)
	return nil
}
