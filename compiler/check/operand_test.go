package check_test

import (
	"strings"
	"testing"
)

// TestOperands: what is no number, and what is said of it, once.
func TestOperands(t *testing.T) {
	const inputs = `
  input "s" {
    type = string
  }
  input "n" {
    type = nullable(number)
  }
  input "i" {
    type = integer
  }
  input "e" {
    type = enum("x", "y")
  }
  input "m" {
    type = map(string)
  }
  input "xs" {
    type = list(object({ id = integer }))
  }
  locals {
    table = { x = 1 }
    whole = { x = 1, y = 2 }
  }
`
	o := func(name, value string, want ...string) rule {
		return rule{name, inputs + "  output \"o\" {\n    value = " + value + "\n  }", want}
	}
	runRules(t, []rule{
		o("texts in an order", `input.s < "b"`, "WFC2201 `input.s < \"b\"` ~ timecmp(input.s, \"b\")"),
		o("a text and a number", `input.s >= 3`, "WFC2201 `input.s` ~ tonumber(input.s)"),
		o("texts that are multiplied", `input.s * "b"`, "WFC2201 `input.s`"),
		o("numbers that may be null", `input.n * input.n`, "WFC2301 `input.n`", "WFC2301 `input.n`"),
		o("a mistake on either side", `input.nope * length(input.gone)`, "WFC2003 `nope`", "WFC2003 `gone`"),
		o("a number with a fraction", `input.i == 1.5`, "WFC2205 `input.i == 1.5` ~ always false."),
		o("a verb for whole numbers", `format("%d", coalesce(input.n, 1))`, "WFC2106 `coalesce(input.n, 1)` ~ Round it with floor() or ceil()"),
		o("of a list", `formatlist("%d", ["a"])`, "WFC2106 `[\"a\"]` ~ writes a whole number"),
		o("a map for a list", `reverse(input.m)`, "WFC2201 `input.m` ~ Its values are values(input.m)"),
		o("a text for a list of anything", `reverse(input.s)`, "WFC2201 `input.s` ~ this is a string."),
		o("lists without a common type", `input.i > 0 ? [1] : ["x"]`, "WFC2204 `[\"x\"]` ~ one is list(integer), and this is list(string)"),
		o("what a table lacks", `local.table[input.e]`, "WFC2207 `input.e` ~ input.e may be \"y\", which local.table does not have."),
		o("a whole table", `local.whole[input.e] + 1`),
		o("a table behind a question", `input.e == "x" ? local.table[input.e] : 0`),
		o("what a call may give", `one(input.xs).id`, "WFC2301 `one(input.xs).id` ~ give it a name in a locals block"),
	})
}

// A chain of operators costs what it holds, also where its first operand is wrong.
func TestALongChainWithAMistakeIsCheckedOnce(t *testing.T) {
	chain := `"a"` + strings.Repeat(" - 1", 900)
	p := load(t, "workflow \"w\" {\n  output \"o\" {\n    value = "+chain+"\n  }\n}\n")
	if found := findings(p); len(found) != 1 {
		t.Error(show(p, found))
	}
}
