package funcs

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/value"
)

func TestText(t *testing.T) {
	run(t, []call{
		// Text is bytes: combining marks stay, so does what is no UTF-8 (tested below).
		{name: "upper", args: `["cafe\u0301"]`, gives: "\"CAFE\u0301\""},
		{name: "lower", args: `["ÅSE 😀"]`, gives: `"åse 😀"`},
		{name: "title", args: `["o'brien and åse_x y-z"]`, gives: `"O'brien And Åse_x Y-Z"`},
		{name: "trimspace", args: `["\u00a0\t a\r\n"]`, gives: `"a"`},
		{name: "trimspace", args: `["\ufeffa"]`, gives: "\"\ufeffa\""},
		{name: "chomp", args: `["a\n\r\n"]`, gives: `"a"`},
		{name: "chomp", args: `["\na"]`, gives: `"\na"`},
		{name: "strrev", args: `["aé😀"]`, gives: `"😀éa"`},
		{name: "trim", args: `["\r\na\r\n", "\n\r"]`, gives: `"a"`},
		{name: "trimprefix", args: `["aab", "a"]`, gives: `"ab"`},
		{name: "trimsuffix", args: `["a", "a.md"]`, gives: `"a"`},
		{name: "startswith", args: `["", ""]`, gives: `true`},
		{name: "strcontains", args: `["é", "e\u0301"]`, gives: `false`},

		{name: "substr", args: `["a😀é", 1, 1]`, gives: `"😀"`},
		{name: "substr", args: `["abc", -2, 1]`, gives: `"b"`},
		{name: "substr", args: `["abc", -9, 2]`, gives: `"ab"`},
		{name: "substr", args: `["abc", 9, 2]`, gives: `""`},
		{name: "substr", args: `["abc", 1, 1000000000000000000000]`, gives: `"bc"`},
		{name: "substr", args: `["abc", 0, 0]`, gives: `""`},

		{name: "replace", args: `["a.b.c", ".", "/x/"]`, gives: `"a/x/b/x/c"`},
		{name: "replace", args: `["/a/", "/a/", "b"]`, gives: `"b"`},
		{name: "replace", args: `["ab", "", "-"]`, gives: `"-a-b-"`},

		{name: "join", args: `[", ", []]`, gives: `""`},
		{name: "join", args: `["", ["a"], [], ["b"]]`, gives: `"ab"`},
		{name: "split", args: `[",", ""]`, gives: `[""]`},
		{name: "split", args: `["", "aé😀"]`, gives: `["a","é","😀"]`},
		{name: "split", args: `["\n", "a\r\nb"]`, gives: `["a\r","b"]`},
		{name: "indent", args: `[2, "a\n\nb"]`, gives: `"a\n  \n  b"`},
		{name: "indent", args: `[-1, "a"]`, fails: `cannot be indented by -1 spaces`},
	})
}

func TestBytesThatAreNoUTF8Stay(t *testing.T) {
	for _, c := range []struct{ name, text, gives string }{
		{"upper", "a\xffb", "A\xffB"},
		{"lower", "A\xc3", "a\xc3"},
		{"title", "\xfe a", "\xfe A"},
		{"strrev", "a\xffé", "é\xffa"},
		{"chomp", "\xff\n", "\xff"},
		{"mdcell", "\xff|", "\xff\\|"},
	} {
		got, err := Lookup(c.name).Apply([]value.Value{value.OfString(c.text)})
		if err != nil || got.AsString() != c.gives {
			t.Errorf("%s(%q) = %q, %v, want %q", c.name, c.text, got.AsString(), err, c.gives)
		}
	}
}

func TestFormat(t *testing.T) {
	run(t, []call{
		{name: "format", args: `["100%%"]`, gives: `"100%"`},
		{name: "format", args: `["%s %s %s", "a", 1.50, true]`, gives: `"a 1.50 true"`},
		{name: "format", args: `["%v %v %v", null, [1.0, "<&>"], {"b": 1}]`, gives: `"null [1.0,\"<&>\"] {\"b\":1}"`},
		{name: "format", args: `["%v|%#v", "a", "a"]`, gives: `"a|\"a\""`},
		{name: "format", args: `["%q", "a\"\n"]`, gives: `"\"a\\\"\\n\""`},
		{name: "format", args: `["%[2]s %[1]s", "a", "b"]`, gives: `"b a"`},
		{name: "format", args: `["%s %[1]s", "a"]`, gives: `"a a"`},
		{name: "format", args: `["%5s|%-5s|%05d|%+d|% d|%5t", "é", "é", -42, 7, 7, true]`, gives: `"    é|é    |-0042|+7| 7| true"`},
		{name: "format", args: `["%.2s", "é😀x"]`, gives: `"é😀"`},
		{name: "format", args: `["%d", 9007199254740993123]`, gives: `"9007199254740993123"`},
		{name: "format", args: `["%d", 1e30]`, gives: `"1000000000000000000000000000000"`},
		{name: "format", args: `["%d", 2.0]`, gives: `"2"`},
		{name: "format", args: `["%x %X %#x %b %o %x", 255, 255, 255, 5, 8, "å"]`, gives: `"ff FF 0xff 101 10 c3a5"`},
		{name: "format", args: `["%05.2f|%.0f|%.0f|%.0f|%f", 3.14159, 0.5, 1.5, 2.5, 1]`, gives: `"03.14|0|2|2|1.000000"`},
		{name: "format", args: `["%.2f|%.2f|%.2f", 0.005, 0.015, -0.001]`, gives: `"0.00|0.02|0.00"`},
		{name: "format", args: `["%.1f", 99999999999999999999.95]`, gives: `"100000000000000000000.0"`},
		{name: "format", args: `["%.3f", 1e-300]`, gives: `"0.000"`},
		{name: "format", args: `["%.2e|%e|%E", 123456, 0, 0.00012]`, gives: `"1.23e+05|0.000000e+00|1.200000E-04"`},
		{name: "format", args: `["%g|%g|%.3g", 0.1, 9007199254740993, 1234567]`, gives: `"0.1|9007199254740993|1230000"`},
		{name: "format", args: `["%.1g|%.0f", 9.99e400, 1e-400]`, gives: `"1e+401|0"`},

		{name: "format", args: `["%s"]`, fails: `The format writes 1 values, but 0 are given.`},
		{name: "format", args: `["a", 1]`, fails: `every value must be used`},
		{name: "format", args: `["%s", null]`, fails: `value 1 is null`},
		{name: "format", args: `["%s", [1]]`, fails: `value 1 is the list [1]`},
		{name: "format", args: `["%d", "1"]`, fails: `The verb %d writes a whole number, but value 1 is the string "1". Convert it with toint().`},
		{name: "format", args: `["%d", 1.5]`, fails: `writes a whole number, but value 1 is the number 1.5`},
		{name: "format", args: `["%z", 1]`, fails: `The format has no verb %z.`},
		{name: "format", args: `["%", 1]`, fails: `ends within a verb`},
		{name: "format", args: `["%99999999999d", 1]`, fails: `too large`},
		{name: "format", args: `["%[0]d", 1]`, fails: `from 1 on`},

		{name: "formatlist", args: `["%s=%s", ["a", "b"], [1, 2]]`, gives: `["a=1","b=2"]`},
		{name: "formatlist", args: `["%s", []]`, gives: `[]`},
		{name: "formatlist", args: `["%s", "a"]`, gives: `["a"]`},
		{name: "formatlist", args: `["%s%s", ["a"], []]`, fails: `must have one length`},
	})
}

func TestResultsAreBounded(t *testing.T) {
	big := strings.Repeat("a", 1<<20)
	list := make([]value.Value, 1001)
	for i := range list {
		list[i] = value.OfInt(int64(i))
	}
	for _, c := range []struct {
		name string
		args []value.Value
	}{
		{"replace", []value.Value{value.OfString(big), value.OfString("a"), value.OfString(big)}},
		{"regexreplace", []value.Value{value.OfString(big[:1000]), value.OfString("a"), value.OfString(big)}},
		{"join", []value.Value{value.OfString(big), stringsOf(make([]string, 100))}},
		{"indent", []value.Value{value.OfInt(1 << 30), value.OfString("a\nb")}},
		{"format", append([]value.Value{value.OfString(strings.Repeat("%[1]s", 100))}, value.OfString(big))},
		{"range", []value.Value{value.OfInt(1e9)}},
		{"range", []value.Value{value.OfInt(0), value.OfInt(1), num("1e-300")}},
		{"setproduct", []value.Value{value.OfList(list), value.OfList(list)}},
		{"split", []value.Value{value.OfString(""), value.OfString(big)}},
		{"jsonencode", []value.Value{nested(64)}},
		{"flatten", []value.Value{nested(64)}},
	} {
		if _, err := Lookup(c.name).Apply(c.args); err == nil || !strings.Contains(err.Error(), "most") && !strings.Contains(err.Error(), "more than") {
			t.Errorf("%s: got %v, want a limit", c.name, err)
		}
	}
}

// nested returns a value of n lists that stands for 2 to the n.
func nested(n int) value.Value {
	v := value.OfList(nil)
	for range n {
		v = value.OfList([]value.Value{v, v})
	}
	return v
}

func num(s string) value.Value {
	d, err := value.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return value.OfNumber(d)
}

func TestMarkdown(t *testing.T) {
	run(t, []call{
		{name: "mdcell", args: `["a\\|b"]`, gives: `"a\\\\\\|b"`},
		{name: "mdcell", args: `["C:\\x\\"]`, gives: `"C:\\x\\\\"`},
		{name: "mdcell", args: `["a\n\rb\r\n"]`, gives: `"a<br><br>b<br>"`},
		{name: "mdcell", args: `["\"q\" & <tag> ${x} %{y}"]`, gives: `"\"q\" & <tag> ${x} %{y}"`},

		{name: "section", args: `["# A\n\ntext\n\n## B\nmore\n# C\nend", "# A"]`, gives: `"text\n\n## B\nmore"`},
		{name: "section", args: `["# A\ntext\n## B\nmore\n# C\nend", "## B"]`, gives: `"more"`},
		{name: "section", args: `["# A\r\n\r\ntext\r\nline\r\n\r\n# B", "# A"]`, gives: `"text\r\nline"`},
		{name: "section", args: `["# A\n", "# A"]`, gives: `""`},
		{name: "section", args: `["# A", "# A"]`, gives: `""`},
		{name: "section", args: `["\ufeff# A ##\nx  ", " # A "]`, gives: `"x  "`},
		{name: "section", args: `["# A\n` + "```" + `sh\n# B\n` + "```" + `\nx\n# B\ny", "# A"]`, gives: `"` + "```" + `sh\n# B\n` + "```" + `\nx"`},
		{name: "section", args: `["# A\nx\n#hash\n# B", "# A"]`, gives: `"x\n#hash"`},
		{name: "section", args: `["# A\n1\n# A\n2", "# A"]`, gives: `"1"`},
		{name: "section", args: `["# A\nx", "## A"]`, fails: `The text has no heading "## A".`},
		{name: "section", args: `["# A\nx", "A"]`, fails: `A heading is written with its level`},
	})
}

func FuzzSection(f *testing.F) {
	f.Add("# A\ntext\n```\n# B\n```\n## C\r\n", "# A")
	f.Add("~~~\n~~~ x\n~~~~\n", "#")
	f.Fuzz(func(t *testing.T, text, title string) {
		got, err := Lookup("section").Apply([]value.Value{value.OfString(text), value.OfString(title)})
		if err != nil {
			notABug(t, err)
			return
		}
		if !strings.Contains(text, got.AsString()) {
			t.Errorf("%q is no part of %q", got.AsString(), text)
		}
	})
}

func notABug(t *testing.T, err error) {
	t.Helper()
	if strings.Contains(err.Error(), "bug in wfc") {
		t.Error(err)
	}
}
