package funcs

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func TestPatterns(t *testing.T) {
	run(t, []call{
		{name: "regex", args: `["[a-z]+", "12ab34cd"]`, gives: `"ab"`},
		{name: "regex", args: `["(a)(b)?", "a"]`, gives: `["a",null]`},
		{name: "regex", args: `["(?P<x>a)(?P<y>b)?(c)", "ac"]`, gives: `{"x":"a","y":null}`},
		{name: "regex", args: `["", ""]`, gives: `""`},
		{name: "regex", args: `["^\\S+$", "a\r\nb"]`, fails: `matches nothing in "a\r\nb"`},
		{name: "regex", args: `["(a", "a"]`, fails: `missing closing )`},
		{name: "regex", args: `["a(?!b)", "a"]`, fails: `no look-around`},
		{name: "regex", args: `["\\x{e9}\\p{L}", "éß"]`, gives: `"éß"`},

		{name: "regexall", args: `["x", "abc"]`, gives: `[]`},
		{name: "regexall", args: `["(\\w)=(\\d)?", "a=1 b="]`, gives: `[["a","1"],["b",null]]`},
		{name: "regexall", args: `["\\d+", "1 22"]`, gives: `["1","22"]`},

		{name: "regexreplace", args: `["a.b", ".", "$$"]`, gives: `"$$$"`},
		{name: "regexreplace", args: `["John Doe", "(?P<first>\\w+) (?P<last>\\w+)", "$last, ${first}x"]`, gives: `"Doe, Johnx"`},
		{name: "regexreplace", args: `["ac", "a(b)?", "[$1]"]`, gives: `"[]c"`},
		{name: "regexreplace", args: `["a", "(a)", "$1x"]`, fails: `The replacement names the group "1x", which the pattern does not have.`},
		{name: "regexreplace", args: `["a", "(a)", "$2"]`, fails: `"2", which the pattern does not have`},
		{name: "regexreplace", args: `["a", "a", "cost $"]`, fails: `the sign itself is written $$.`},
		{name: "regexreplace", args: `["a", "[", ""]`, fails: `The pattern is no regular expression`},
		{name: "regex", args: `["` + strings.Repeat("a*", 10_000) + `", ""]`, fails: `The pattern has 20000 bytes, and may have 10000.`},
	})
}

// A constant pattern says what its matches are; only groups that may take no
// part are nullable.
func TestPatternTypes(t *testing.T) {
	for pattern, want := range map[string]string{
		`a+`:                            `string`,
		`(a)(b)`:                        `tuple([string, string])`,
		`(a)(b)?`:                       `tuple([string, nullable(string)])`,
		`(a)|(b)`:                       `tuple([nullable(string), nullable(string)])`,
		`((a)|b)+`:                      `tuple([string, nullable(string)])`,
		`(a){2}(b){0,2}(c){1,}(d)*`:     `tuple([string, nullable(string), string, nullable(string)])`,
		`(a){0}`:                        `tuple([nullable(string)])`,
		`(?P<y>\d{4})(?:-(?P<m>\d\d))?`: `object({ y = string, m = nullable(string) })`,
	} {
		p := value.OfString(pattern)
		got, problem, _ := Lookup("regex").Infer([]Arg{{Type: types.StringType, Const: &p}, {Type: types.StringType}})
		if problem != "" || types.Print(got) != want {
			t.Errorf("%s: %s %s, want %s", pattern, types.Print(got), problem, want)
		}
	}
	p := value.OfString("(a")
	if _, problem, arg := Lookup("regexall").Infer([]Arg{{Type: types.StringType, Const: &p}, {Type: types.StringType}}); problem == "" || arg != 0 {
		t.Errorf("a broken constant pattern is not refused (%q, %d)", problem, arg)
	}
}

func TestTheCacheOfPatternsIsBounded(t *testing.T) {
	c := patternCache{compiled: map[string]*regexp.Regexp{}}
	for i := range 3 * maxPatterns {
		if _, err := c.compile(fmt.Sprintf("a{%d}", i%1000)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.compiled); n > maxPatterns {
		t.Errorf("%d patterns are kept, at most %d should be", n, maxPatterns)
	}
}
