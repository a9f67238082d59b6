package iface

import (
	"strings"
	"testing"
)

func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{
			"spaces and indentation",
			"interface   x{\n@read  @idempotent\n      tool t( a :string ,b: optional( integer,20 ) )->list( string )\n\n\n\n  type u=object({a=string,b=optional(bool)},any)\n }\n",
			"interface x {\n  @read @idempotent\n  tool t(a: string, b: optional(integer, 20)) -> list(string)\n\n  type u = object({ a = string, b = optional(bool) }, any)\n}\n",
		},
		{
			"lines break where they did",
			"interface x {\ntool t(\na: object({\nb = string\n}),\n) -> any\n}\n",
			"interface x {\n  tool t(\n    a: object({\n      b = string\n    }),\n  ) -> any\n}\n",
		},
		{
			"a declaration that goes on",
			"interface x {\ntool t(a: string)\n-> any\ntype u =\nstring\nresource r\n\"x://y\" -> string\n}\n",
			"interface x {\n  tool t(a: string)\n    -> any\n  type u =\n    string\n  resource r\n    \"x://y\" -> string\n}\n",
		},
		{
			"comments keep their text",
			"#  above\n\n\n/* a\n   b */\ninterface x { # beside  \n# in\ntool t( # c\n a: string, /* d */ b: string // e\n) -> any\n  # end\n\n}\n# after",
			"#  above\n\n/* a\n   b */\ninterface x { # beside  \n  # in\n  tool t( # c\n    a: string, /* d */ b: string // e\n  ) -> any\n  # end\n}\n# after\n",
		},
		{"texts stay as written", "interface x {\n\"a  \\u00e9 \\\" $${b}\"\ntool \"c  d\"() -> enum( \"e  f\" , -1 )\n}", "interface x {\n  \"a  \\u00e9 \\\" $${b}\"\n  tool \"c  d\"() -> enum(\"e  f\", -1)\n}\n"},
		{"no blank lines at the ends of braces", "interface x {\n\n\n  type a = string\n\n}\n\n\n\ninterface y {}\n\n\n", "interface x {\n  type a = string\n}\n\ninterface y {}\n"},
		{"one line stays one", "interface x { tool a( ... ) -> any   tool b( ...:string ) -> any }", "interface x { tool a(...) -> any tool b(...: string) -> any }\n"},
		{"line breaks of Windows", "interface x {\r\ntype a = string\r\n}\r\n", "interface x {\r\n  type a = string\r\n}\r\n"},
		{"a mark of the encoding", "\ufeffinterface x {}", "\ufeffinterface x {}\n"},
		{"nothing", "\n\n", ""},
		{"a comment alone", "   # a", "# a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, found := Format("test.wfi", []byte(c.src))
			if len(found) > 0 {
				t.Fatal(found[0].Detail)
			}
			if string(got) != c.want {
				t.Errorf("got\n%q\nwant\n%q", got, c.want)
			}
			if again, _ := Format("test.wfi", got); string(again) != string(got) {
				t.Errorf("formatted again it is\n%q", again)
			}
		})
	}
}

func TestWhatCannotBeParsedIsNotFormatted(t *testing.T) {
	got, found := Format("test.wfi", []byte("interface x {\n  tool t(\n}\n"))
	if got != nil || len(found) != 1 {
		t.Errorf("got %q, %v", got, found)
	}
}

// Meaning is the checker's.
func TestWhatIsWrongInMeaningIsFormatted(t *testing.T) {
	got, found := Format("test.wfi", []byte("interface x {\n@reads\ntool t(a: strng) -> any\n}\n"))
	if !strings.Contains(string(got), "  @reads\n  tool t(a: strng) -> any\n") || len(found) > 0 {
		t.Errorf("got %q, %v", got, found)
	}
}

// FuzzParse feeds files: whatever it is, reading ends without a fault, every
// diagnostic has a place in the file, and what can be parsed can be formatted,
// which changes white space only, and once.
func FuzzParse(f *testing.F) {
	f.Add(issues)
	for _, s := range []string{
		"interface x {\n  tool t(a = string b: list(string -> any\n  prompt p(x: string)\n", "interface x { @read \"d\" tool \"a b\"(...) -> any }",
		"interface x {\ntype a = b\ntype b = union(a, null)\nresource r \"x://{a\" -> string\n}\n}\ntool", "\"a\\u00e9 ${b}\" interface",
		"interface a { type type = enum(1e5, -2, \"\\\\\") }\n# c\n/* d */", "interface x {\n type t = defs({ a = list(a) }, a)\n tool y(q: optional(t, { a = [1, null] })) -> interface.x.t }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, found := Parse("test.wfi", []byte(src))
		set, more := NewSet([]*File{file})
		for _, d := range append(found, more...) {
			if d.Code == codeFault {
				t.Fatal(d.Detail)
			}
			if r := d.Range; r.Start.Byte < 0 || r.Start.Byte > r.End.Byte || r.End.Byte > len(src) || r.Start.Line < 1 {
				t.Fatalf("%s is at %v of %d bytes", d.Code, r, len(src))
			}
		}
		formatted, wrong := Format("test.wfi", []byte(src))
		if len(wrong) == 0 {
			again, _ := Format("test.wfi", formatted)
			if string(again) != string(formatted) {
				t.Fatalf("%q formats as\n%q, and that as\n%q", src, formatted, again)
			}
			if written(src) != written(string(formatted)) {
				t.Fatalf("%q formats as\n%q, which is something else", src, formatted)
			}
		}
		if len(found)+len(more) > 0 {
			return
		}
		for _, i := range set.All() {
			printed := Print(i)
			again, found := Parse("test.wfi", []byte(printed))
			if len(found) > 0 {
				t.Fatalf("%q prints as\n%s\n%s", src, printed, found[0].Detail)
			}
			if n := len(again.declared[0].decls); n != len(i.Types)+len(i.Tools)+len(i.Resources)+len(i.Prompts) {
				t.Fatalf("%q prints as\n%s", src, printed)
			}
		}
	})
}

// written are the tokens of a file, without the white space between them.
func written(src string) string {
	tokens, _ := lex(newSource("", []byte(src)))
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(src[t.start:t.end] + "\x00")
	}
	return b.String()
}
