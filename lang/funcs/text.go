package funcs

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Text is bytes that are mostly UTF-8. Functions that count or cut characters
// count code points, a byte that is no UTF-8 as one; what they do not change
// they keep byte for byte. (So mapping goes through mapRunes: strings.Map
// would replace bytes that are no UTF-8.)

func init() {
	register(Text,
		text1("upper", upper, "Gives the text in upper case, code point by code point.", `upper("åse 1")`, `"ÅSE 1"`),
		text1("lower", lower, "Gives the text in lower case, code point by code point.", `lower("ÅSE")`, `"åse"`),
		text1("title", title, "Gives the text with the first letter of each word in upper case.", `title("release notes")`, `"Release Notes"`),
		text1("trimspace", strings.TrimSpace, "Removes white space, line breaks included, from both ends.", `trimspace("  a b\r\n")`, `"a b"`),
		text1("chomp", chomp, "Removes all line breaks at the end.", `chomp("a\r\n\n")`, `"a"`),
		text1("strrev", strrev, "Gives the code points of the text in reverse order.", `strrev("abc")`, `"cba"`),
		text2("trim", "text", "characters", strings.Trim,
			"Removes all leading and trailing characters that are among the given ones.", `trim("?!hi?!", "!?")`, `"hi"`),
		text2("trimprefix", "text", "prefix", strings.TrimPrefix,
			"Removes the prefix where the text has it.", `trimprefix("docs/a.md", "docs/")`, `"a.md"`),
		text2("trimsuffix", "text", "suffix", strings.TrimSuffix,
			"Removes the suffix where the text has it.", `trimsuffix("a.md", ".md")`, `"a"`),
		textTest("startswith", "prefix", strings.HasPrefix, "Says whether the text begins with the prefix.", `startswith("feat: x", "feat")`, `true`),
		textTest("endswith", "suffix", strings.HasSuffix, "Says whether the text ends with the suffix.", `endswith("a.md", ".md")`, `true`),
		textTest("strcontains", "part", strings.Contains, "Says whether the text contains the part.", `strcontains("a BREAKING CHANGE", "BREAKING")`, `true`),
		&Func{
			Name:    "substr",
			Params:  []Param{{"text", types.StringType}, {"offset", types.IntegerType}, {"length", types.IntegerType}},
			Result:  types.StringType,
			Call:    callSubstr,
			Doc:     "Gives `length` code points from `offset` on. A negative offset counts from the end, a negative length means all the rest; what lies beyond the text is empty.",
			Example: `[substr("héllo", 1, 3), substr("hello", -2, -1)]`,
			Gives:   `["éll","lo"]`,
		},
		&Func{
			Name:    "replace",
			Params:  []Param{{"text", types.StringType}, {"part", types.StringType}, {"replacement", types.StringType}},
			Result:  types.StringType,
			Call:    callReplace,
			Doc:     "Replaces every occurrence of a part, taken literally. (Terraform takes `/…/` as a pattern; here that is `regexreplace`.)",
			Example: `replace("/tmp/x", "/tmp/", "")`,
			Gives:   `"x"`,
		},
		&Func{
			Name:     "join",
			Params:   []Param{{"separator", types.StringType}, {"list", stringList}},
			Variadic: &Param{"lists", stringList},
			Result:   types.StringType,
			Call:     callJoin,
			Doc:      "Joins the strings of one or more lists, with the separator between them.",
			Example:  `join(", ", ["a", "b"], ["c"])`,
			Gives:    `"a, b, c"`,
		},
		&Func{
			Name:    "split",
			Params:  []Param{{"separator", types.StringType}, {"text", types.StringType}},
			Result:  stringList,
			Call:    callSplit,
			Doc:     "Splits the text at every separator; an empty separator splits between code points. There is always at least one element, unless both are empty.",
			Example: `split(",", "a,b,,c")`,
			Gives:   `["a","b","","c"]`,
		},
		&Func{
			Name:    "indent",
			Params:  []Param{{"spaces", types.IntegerType}, {"text", types.StringType}},
			Result:  types.StringType,
			Call:    callIndent,
			Doc:     "Puts spaces before every line but the first.",
			Example: `indent(2, "a:\nb\nc")`,
			Gives:   `"a:\n  b\n  c"`,
		},
	)
}

// text1 makes a function from text to text.
func text1(name string, f func(string) string, doc, example, gives string) *Func {
	return &Func{
		Name: name, Params: []Param{{"text", types.StringType}}, Result: types.StringType,
		Call: func(args []value.Value) (value.Value, error) {
			return value.OfString(f(args[0].AsString())), nil
		},
		Doc: doc, Example: example, Gives: gives,
	}
}

// text2 makes a function from two texts to text that is not longer than the first.
func text2(name, first, second string, f func(a, b string) string, doc, example, gives string) *Func {
	return &Func{
		Name: name, Params: []Param{{first, types.StringType}, {second, types.StringType}}, Result: types.StringType,
		Call: func(args []value.Value) (value.Value, error) {
			return value.OfString(f(args[0].AsString(), args[1].AsString())), nil
		},
		Doc: doc, Example: example, Gives: gives,
	}
}

// textTest makes a function that says something of a text and another one.
func textTest(name, second string, f func(a, b string) bool, doc, example, gives string) *Func {
	return &Func{
		Name: name, Params: []Param{{"text", types.StringType}, {second, types.StringType}}, Result: types.BoolType,
		Call: func(args []value.Value) (value.Value, error) {
			return value.OfBool(f(args[0].AsString(), args[1].AsString())), nil
		},
		Doc: doc, Example: example, Gives: gives,
	}
}

// mapRunes replaces each code point by f of it and keeps bytes that are no UTF-8.
func mapRunes(s string, f func(rune) rune) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b.WriteByte(s[i])
		} else {
			b.WriteRune(f(r))
		}
		i += size
	}
	return b.String()
}

func upper(s string) string { return mapRunes(s, unicode.ToUpper) }
func lower(s string) string { return mapRunes(s, unicode.ToLower) }

// title is Terraform's: a letter after anything but a letter, digit, underscore
// or mark is the first of a word.
func title(s string) string {
	previous := ' '
	return mapRunes(s, func(r rune) rune {
		first := !unicode.IsLetter(previous) && !unicode.IsDigit(previous) && !unicode.IsMark(previous) && previous != '_' && previous != '\''
		previous = r
		if first {
			return unicode.ToTitle(r)
		}
		return r
	})
}

func chomp(s string) string { return strings.TrimRight(s, "\r\n") }

func strrev(s string) string {
	b := make([]byte, len(s))
	at := len(s)
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		at -= size
		copy(b[at:], s[i:i+size])
		i += size
	}
	return string(b)
}

func callSubstr(args []value.Value) (value.Value, error) {
	return value.OfString(substr(args[0].AsString(), clamp(args[1]), clamp(args[2]))), nil
}

// substr returns length code points of s from offset on; see the function's Doc.
func substr(s string, offset, length int) string {
	if offset < 0 {
		offset = max(offset+utf8.RuneCountInString(s), 0)
	}
	start := byteOffset(s, offset)
	if length < 0 {
		return s[start:]
	}
	s = s[start:]
	return s[:byteOffset(s, length)]
}

// byteOffset returns where the code point of index n begins, len(s) beyond the last.
func byteOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// clamp returns a whole number as an int; one beyond 32 bits, which is beyond
// every text and list, as the nearest one within.
func clamp(v value.Value) int {
	d := v.AsNumber()
	if n, ok := d.Int64(); ok {
		return int(max(min(n, math.MaxInt32), math.MinInt32))
	}
	if d.Sign() < 0 {
		return math.MinInt32
	}
	return math.MaxInt32
}

func callReplace(args []value.Value) (value.Value, error) {
	text, part, with := args[0].AsString(), args[1].AsString(), args[2].AsString()
	if len(with) > len(part) {
		if err := roomForText(len(text) + strings.Count(text, part)*(len(with)-len(part))); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfString(strings.ReplaceAll(text, part, with)), nil
}

func callJoin(args []value.Value) (value.Value, error) {
	separator := args[0].AsString()
	total, n := 0, 0
	for _, list := range args[1:] {
		for _, e := range list.AsList() {
			total += len(e.AsString()) + len(separator)
			n++
			if err := roomForText(total - len(separator)); err != nil {
				return value.Value{}, err
			}
		}
	}
	var b strings.Builder
	b.Grow(total)
	first := true
	for _, list := range args[1:] {
		for _, e := range list.AsList() {
			if !first {
				b.WriteString(separator)
			}
			first = false
			b.WriteString(e.AsString())
		}
	}
	return value.OfString(b.String()), nil
}

func callSplit(args []value.Value) (value.Value, error) {
	separator, text := args[0].AsString(), args[1].AsString()
	if err := roomForElements(strings.Count(text, separator)); err != nil {
		return value.Value{}, err
	}
	return stringsOf(strings.Split(text, separator)), nil
}

// stringsOf returns a list of strings.
func stringsOf(ss []string) value.Value {
	elems := make([]value.Value, len(ss))
	for i, s := range ss {
		elems[i] = value.OfString(s)
	}
	return value.OfList(elems)
}

func callIndent(args []value.Value) (value.Value, error) {
	spaces, text := clamp(args[0]), args[1].AsString()
	if spaces < 0 {
		return value.Value{}, failArg(0, "A line cannot be indented by %d spaces.", spaces)
	}
	if err := roomForText(len(text) + spaces*strings.Count(text, "\n")); err != nil {
		return value.Value{}, err
	}
	if !strings.Contains(text, "\n") {
		return args[1], nil
	}
	return value.OfString(strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", spaces))), nil
}
