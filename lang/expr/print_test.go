package expr

import "testing"

func mustParse(t testing.TB, text string) Expr {
	t.Helper()
	e, problems := Parse(text, "test")
	if problems.HasErrors() {
		t.Fatalf("%s: %s", text, problems[0].Detail)
	}
	return e
}

func TestExpressionsThatDifferInFormattingPrintAlike(t *testing.T) {
	tests := map[string][]string{
		`{ a = 1, "b c" = "x" }`:              {"{a=1,\"b c\":\"x\"}", "{\n  # one\n  \"a\" : 1\n  \"b c\" = \"x\" // two\n}", "({ (\"a\") = (1), \"b c\" = \"${\"x\"}\" })"},
		`{ (input.n) = 1 }`:                   {"{(input.n)=1}", `{ "${input.n}" = 1 }`},
		`"a\nb\n"`:                            {"<<EOT\na\nb\nEOT\n", "<<-EOT\n    a\n    b\n    EOT\n", `"a\u000ab\n"`},
		`1.50 + 2e3`:                          {"1.50+2e3", "(1.50) + (2e3)", "(1.50 +\n2e3)"},
		`(a + b) * c`:                         {"(a+b)*c", "((a) + b) * (c)"},
		`a + b * c - d`:                       {"a+(b*c)-d", "((a + b*c) - d)"},
		`a - (b - c)`:                         {"a -(b - c)"},
		`a || b && c == d`:                    {"(a)||(b&&(c==d))"},
		`(a || b) && c`:                       {"((a||b))&&c"},
		`a ? b : c ? d : e`:                   {"a?b:c?d:e", "a ? b : (c ? d : e)"},
		`(a ? b : c) ? d : e`:                 {"(a?b:c)?d:e"},
		`--a`:                                 {"-(-a)", "- -a"},
		`!(a == b)`:                           {"!(a==b)"},
		`-(a + b).c`:                          {"-((a+b).c)"},
		`(-a).c`:                              {"(-a).c"},
		`a["x"].b[0][k]`:                      {"a[ \"x\" ].b.0[ k ]", "a[/* x */\"x\"].b[0][(k)]"},
		`a[*].b[*].c`:                         {"a[*].b[*].c"},
		`(a[*].b)[0]`:                         {"a.*.b[0]", "(a[*].b)[0]"},
		`a[*].b[0]`:                           {"a[*].b[0]", "a[*].b.0"},
		`[for k, v in m : v if v > 1]`:        {"[for k,v in m:v if v>1]", "[ for k, v in (m) : (v)\n if (v > 1) ]"},
		`{for x in xs : x.k => x...}`:         {"{for x in xs:x.k=>x...}"},
		`f(a, b...)`:                          {"f(a,b...)", "f(\n  a,\n  b...\n)"},
		`"x${a}y%{if b}1%{else}2%{endif}"`:    {`"x${ a }y%{ if b }1%{ else }2%{ endif }"`, `"x  ${~ a ~}  y%{if (b)}1%{else}2%{endif}"`},
		`"%{for i, x in xs}${x},%{endfor}"`:   {`"%{ for i, x in xs ~}   ${x},%{ endfor }"`},
		`"$${a} %%{b} $c"`:                    {`"$${a} %%{b} $c"`, `"\u0024{a} \u0025{b} $c"`},
		`a`:                                   {`"${a}"`, `((a))`, `"${"${a}"}"`},
		`"${a}${""}"`:                         {`"${a ~}  "`, `"${a}${""}"`},
		`{ "true" = 1, "for" = 2, x-y = 3 }`:  {`{ true = 1, "for" = 2, x-y = 3 }`},
		`[1, true, null, ""]`:                 {"[1,true,null,\"\",]"},
		"{ \"cafe\u0301\" = \"cafe\u0301\" }": {"{ cafe\u0301 = \"cafe\\u0301\" }"},
	}
	for want, texts := range tests {
		for _, text := range append(texts, want) {
			if got := Print(mustParse(t, text)); got != want {
				t.Errorf("Print of\n%s\ngives %s\nwant  %s", text, got, want)
			}
		}
	}
}
