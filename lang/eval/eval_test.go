package eval

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
)

// testScope has the names that most tests use.
func testScope(t testing.TB) MapScope {
	return MapScope{
		"o":    parseJSON(t, `{"a":1,"n":null,"o":{"b":"x"},"l":[1,2],"s":"text","t":true}`),
		"xs":   parseJSON(t, `[{"a":1},{"b":2},null]`),
		"m":    parseJSON(t, `{"b":2,"a":1,"c":3}`),
		"n":    value.NullValue,
		"k":    value.OfString("a"),
		"blob": value.OfBlob(&value.BlobValue{MIMEType: "image/png", Size: 3, SHA256: "aa"}),
	}
}

// check evaluates text and compares with want: JSON, "absent", or the beginning
// of an error after "!". The canonical print must give the same.
func check(t *testing.T, scope Scope, text, want string) {
	t.Helper()
	e := parse(t, text)
	for _, e := range []expr.Expr{e, parse(t, expr.Print(e))} {
		r, err := Eval(e, scope)
		got := r.Value.JSON()
		switch {
		case err != nil:
			got = "!" + err.Error()
		case r.Absent:
			got = "absent"
		}
		if got != want && !(strings.HasPrefix(want, "!") && strings.HasPrefix(got, want)) {
			t.Errorf("%s\ngives %s\nwant  %s", expr.Print(e), got, want)
		}
	}
}

func TestMissingIsNotNull(t *testing.T) {
	scope := testScope(t)
	for text, want := range map[string]string{
		`o.z`:                              `absent`,
		`(o.z)`:                            `absent`,
		`"${o.z}"`:                         `absent`,
		`o.t ? o.z : 1`:                    `absent`,
		`xs[1].a`:                          `absent`,
		`o.n`:                              `null`,
		`{ a = o.z, b = (o.z), c = o.n }`:  `{"c":null}`,
		`{ (k) = o.z, b = 1 }`:             `{"b":1}`,
		`{ a = true ? o.z : 1 }`:           `{}`,
		`{ a = o.z == null }`:              `{"a":true}`,
		`{ a = coalesce(o.z) }`:            `{"a":null}`,
		`{ a = coalesce(o.z, 2) }`:         `{"a":2}`,
		`[o.z, 1]`:                         `[null,1]`,
		`{ for k, v in m : k => o.z }`:     `{"a":null,"b":null,"c":null}`,
		`xs[*].a`:                          `!An element of xs[*] is null, so that its attribute "a" cannot be read.`,
		`[for x in xs : x.a if x != null]`: `[1,null]`,
		`can(o.z)`:                         `false`,
		`can(o.n)`:                         `true`,
		`can({ a = o.z })`:                 `false`,
		`try(o.z, "d")`:                    `"d"`,
		`try(o.n, "d")`:                    `null`,
		`try(o["z"], "d")`:                 `"d"`,
		`try(o.o.z.y, xs[9], "d")`:         `"d"`,
		`try([for x in xs : x.a], "d")`:    `"d"`,
		`{ a = try(o.z, null) }`:           `{"a":null}`,
		`o.z.y`:                            `!o.z is absent, so that its attribute "y" cannot be read. Ask can(o.z) first, or use try.`,
		`o.n.y`:                            `!o.n is null, so that its attribute "y" cannot be read. Ask o.n != null first.`,
		`o["z"]`:                           `!o has no key "z".`,
		`m["bb"]`:                          `!m has no key "bb".`,
		`{ beta = 1 }["betta"]`:            `!{ beta = 1 } has no key "betta". Did you mean "beta"?`,
		`"x${o.z}"`:                        `!o.z is null and cannot stand in a text.`,
		`try(o.z)`:                         `!try: all of its arguments failed. The last one said: o has no attribute "z".`,
		`{ a = o.z, (k) = 2 }`:             `!The object has the key "a" already.`,
	} {
		check(t, scope, text, want)
	}
}

func TestNothingIsEvaluatedThatIsNotNeeded(t *testing.T) {
	scope := testScope(t)
	for text, want := range map[string]string{
		`false && o.n.x`:                  `false`,
		`true || o.n.x`:                   `true`,
		`true ? 1 : o.n.x`:                `1`,
		`false ? o.n.x : 1`:               `1`,
		`coalesce(1, o.n.x)`:              `1`,
		`try(1, o.n.x)`:                   `1`,
		`true && o.n.x`:                   `!o.n is null`,
		`[for x in [1] : o.n.x if false]`: `[]`,
	} {
		check(t, scope, text, want)
	}
}

func TestNothingIsConverted(t *testing.T) {
	scope := testScope(t)
	for text, want := range map[string]string{
		`1 + "1"`:                   `!The right side of + must be a number, not the string "1". Convert it with tonumber.`,
		`-"1"`:                      `!What follows the minus must be a number, not the string "1".`,
		`!"true"`:                   `!What follows the ! must be true or false, not the string "true".`,
		`"a" < "b"`:                 `!The left side of < must be a number`,
		`"true" ? 1 : 2`:            `!The condition must be true or false, not the string "true".`,
		`n ? 1 : 2`:                 `!The condition is null, where true or false is wanted.`,
		`n + 1`:                     `!The left side of + is null, where a number is wanted.`,
		`o.l["0"]`:                  `!o.l is a list, whose index must be a whole number, not the string "0".`,
		`m[0]`:                      `!m is a map or object, whose key must be a string, not the number 0.`,
		`o.l[0.5]`:                  `!The index 0.5 is out of range: o.l has 2 elements.`,
		`o.l[1.0]`:                  `2`,
		`o.l[-1]`:                   `!The index -1 is out of range`,
		`o.l[2]`:                    `!The index 2 is out of range: o.l has 2 elements.`,
		`{ (1) = 2 }`:               `!A key of an object must be a string, not the number 1. Convert it with tostring.`,
		`{ for x in [1] : x => x }`: `!A key of an object must be a string`,
		`{ (n) = 2 }`:               `!A key of an object must be a string, not null.`,
		`1 == "1"`:                  `false`,
		`null == 0`:                 `false`,
		`[1, "1", null]`:            `[1,"1",null]`,
		`true ? [1, "a"] : [2]`:     `[1,"a"]`,
		`"a" == "a"`:                `true`,
		`[1.0] == [1]`:              `true`,
		`"${1.50}"`:                 `1.50`,
		`"${1.50} ${true} ${1e3}"`:  `"1.50 true 1e3"`,
		`"a${o.l}"`:                 `!o.l is a list and cannot stand in a text.`,
		`"a${o}"`:                   `!o is an object and cannot stand in a text.`,
		`"a${blob}"`:                `!blob is a blob and cannot stand in a text.`,
		`o.s.x`:                     `!o.s is the string "text", which has no attribute "x".`,
		`o.a[0]`:                    `!o.a is the number 1, which has no elements.`,
		`[for x in "abc" : x]`:      `!"abc" is the string "abc". A for goes over a list, a map or an object.`,
		`[for x in n : x]`:          `!n is null, so that its elements cannot be read.`,
		`1 / 0`:                     `!1 / 0 cannot be computed: division by zero.`,
		`1e400 * 10`:                `!1e400 * 10 cannot be computed: the result's exponent is beyond ±400.`,
		`-1.50`:                     `-1.50`,
		`1.50 * 1`:                  `1.5`,
	} {
		check(t, scope, text, want)
	}
}

func TestForAndSplat(t *testing.T) {
	scope := testScope(t)
	for text, want := range map[string]string{
		`[for k, v in m : "${k}${v}"]`:                            `["a1","b2","c3"]`,
		`[for v in m : v]`:                                        `[1,2,3]`,
		`[for i, v in ["x", "y"] : i]`:                            `[0,1]`,
		`{ for v in ["z", "a"] : v => 1 }`:                        `{"z":1,"a":1}`,
		`{ for v in [1, 2, 3] : (v > 1 ? "x" : "y") => v... }`:    `{"y":[1],"x":[2,3]}`,
		`{ for v in ["a", "a"] : v => 1 }`:                        `!Two elements have the key "a".`,
		`[for x in [[1], [2, 3]] : [for y in x : y + length(x)]]`: `[[2],[4,5]]`,
		`[for o in [1] : o]`:                                      `[1]`,
		`[for x in [1] : [for x in [2] : x]]`:                     `[[2]]`,
		`[for x in [5] : x][0] + o.a`:                             `6`,
		`n[*].a`:                                                  `[]`,
		`o.z[*].a`:                                                `[]`,
		`o[*].a`:                                                  `[1]`,
		`5[*]`:                                                    `[5]`,
		`[[1, 2], [3]][*][0]`:                                     `[1,3]`,
		`[{ a = [{ b = 1 }] }][*].a[*].b`:                         `[[1]]`,
		`[{ a = [1] }, { a = [2] }].*.a[0]`:                       `[1]`,
		`[{ a = 1 }][*].b`:                                        `[null]`,
		`"%{ for k, v in m }${k}=${v} %{ endfor }"`:               `"a=1 b=2 c=3 "`,
		`"%{ for x in [1, 2] }%{ if x > 1 }${x}%{ else }-%{ endif }%{ endfor }"`: `"-2"`,
		"<<-EOT\n  %{ for x in [1, 2] }\n  - ${x}\n  %{ endfor }\n  EOT\n":       `"- 1\n- 2\n"`,
		`length([1, 2]...)`:      `!length: `,
		`max([1, 3, 2]...)`:      `3`,
		`coalesce([null, 2]...)`: `2`,
		`coalesce(null)`:         `null`,
		`blob.mime_type`:         `"image/png"`,
		`blob["size"]`:           `3`,
		`blob.x`:                 `!blob is a blob, which has the attributes`,
	} {
		check(t, scope, text, want)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	scope := testScope(t)
	for text, want := range map[string]string{
		`[1, o.n.x.y, 2]`:               `o.n.x`,
		`1 + (2 + "x")`:                 `"x"`,
		`upper("a", 1 + tonumber("x"))`: `tonumber("x")`,
		`"a ${o.l} b"`:                  `o.l`,
		`{ a = 1, (n) = 2 }`:            `(n)`,
		`[for x in o.l : x if x]`:       `x`,
		`zz.a.b`:                        `zz`,
		`m[k].a.b[9]`:                   `m[k].a`,
		`o.l[7]`:                        `o.l[7]`,
	} {
		e := parse(t, text)
		_, err := Eval(e, scope)
		var failed *Error
		if !errors.As(err, &failed) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		at := text[failed.Range.Start.Byte:failed.Range.End.Byte]
		if at != want && !strings.HasPrefix(text[failed.Range.Start.Byte:], want) {
			t.Errorf("%s: %q at %q, want %q", text, err, at, want)
		}
	}
}

// lazyScope computes members by name and counts.
type lazyScope struct {
	members map[string]int
	failing error
}

func (s *lazyScope) Root(name string) (value.Value, error) {
	if name == "broken" {
		return value.NullValue, s.failing
	}
	return value.OfString("whole " + name), nil
}

func (s *lazyScope) Member(root, name string) (value.Value, bool, error) {
	if root != "local" {
		return value.NullValue, false, nil
	}
	s.members[name]++
	return value.OfString(name), true, nil
}

func (s *lazyScope) Call(name string, args []value.Value) (value.Value, bool, error) {
	if name != "env" {
		return value.NullValue, false, nil
	}
	if len(args) != 1 {
		return value.NullValue, false, errors.New("It wants a name.")
	}
	return value.OfString("$" + args[0].AsString()), true, nil
}

func TestScopesComputeLazily(t *testing.T) {
	s := &lazyScope{members: map[string]int{}}
	check(t, s, `[local.a, local["b"], false && local.c, true ? local.a : local.d, local]`, `["a","b",false,"a","whole local"]`)
	if s.members["a"] != 4 || s.members["b"] != 2 || s.members["c"] != 0 || s.members["d"] != 0 {
		t.Error(s.members)
	}
	check(t, s, `[for local in [{ a = 1 }] : local.a]`, `[1]`)
	check(t, s, `env("HOME")`, `"$HOME"`)
	check(t, s, `env()`, `!env: It wants a name.`)
	check(t, s, `uper("x")`, `!There is no function "uper". Did you mean "upper"?`)
}

func TestErrorsOfTheScope(t *testing.T) {
	cause := errors.New("the disk is full")
	s := &lazyScope{members: map[string]int{}, failing: cause}
	for _, text := range []string{`broken.x`, `try(broken, 1)`, `can(broken)`, `[for x in broken : x]`} {
		_, err := Eval(parse(t, text), s)
		var failed *Error
		if !errors.As(err, &failed) || !errors.Is(err, cause) {
			t.Errorf("%s: %v", text, err)
		}
	}
	s.failing = &Error{Message: "It is not there."}
	check(t, s, `try(broken, 1)`, `1`)
	_, err := Eval(parse(t, `1 + broken`), s)
	var failed *Error
	if !errors.As(err, &failed) || failed.Range.Start.Byte != 4 {
		t.Errorf("%+v", err)
	}
}

func TestAProgramIsUsedByManyAtOnce(t *testing.T) {
	p := Compile(parse(t, `[for x in each.value.xs : "${x}-${each.value.n}" if x != each.value.n]`))
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			scope := MapScope{"each": parseJSON(t, strings.ReplaceAll(`{"value":{"xs":[1,2,3,4],"n":N}}`, "N", string(rune('0'+n))))}
			for range 100 {
				r, err := p.Eval(scope)
				if err != nil || len(r.Value.AsList()) < 3 {
					t.Errorf("%v, %v", r.Value, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestConstantProgramsAreKnown(t *testing.T) {
	for text, want := range map[string]bool{`{ a = [1, "x", { b = null }] }`: true, `"a"`: true, `-1`: true, `[n]`: false, `1 + 1`: false, `{ a = 1, a = 2 }`: false} {
		if _, known := Compile(parse(t, text)).Constant(); known != want {
			t.Errorf("%s: %v", text, known)
		}
	}
	if r, err := Eval(expr.Expr{}, nil); err != nil || !r.Value.IsNull() {
		t.Error(r, err)
	}
}

func TestDeepExpressionsDoNotExhaustTheStack(t *testing.T) {
	chain := "1" + strings.Repeat(" + 1", 990)
	check(t, MapScope{}, chain, "991")
	check(t, MapScope{}, strings.Repeat("[", 200)+strings.Repeat("]", 200)+" == []", "false")
}

func BenchmarkArguments(b *testing.B) {
	e := parse(b, `{ number = each.value.number, label = "triage-${each.value.id}", labels = [for l in each.value.labels : l if l != "x"], body = step.a.output.text }`)
	scope := MapScope{
		"each": parseJSON(b, `{"value":{"number":7,"id":"abc","labels":["a","x","b"]}}`),
		"step": parseJSON(b, `{"a":{"output":{"text":"hello"}}}`),
	}
	b.Run("program", func(b *testing.B) {
		b.ReportAllocs()
		p := Compile(e)
		for range b.N {
			if _, err := p.Eval(scope); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("eval", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := Eval(e, scope); err != nil {
				b.Fatal(err)
			}
		}
	})
}
