package check_test

import "testing"

const constants = `
  input "n" {
    type = integer
  }
  input "k" {
    type = string
  }
  locals {
    xs    = [1, 2]
    m     = { a = 1 }
    none  = []
    key   = "a"
    empty = {}
  }
`

func output(name, value string, want ...string) rule {
	return rule{name, constants + "  output \"o\" {\n    value = " + value + "\n  }", want}
}

// TestWhatCertainlyFails: an operation of constants that fails is found when
// checking, unless a condition or try may keep it from failing the run.
func TestWhatCertainlyFails(t *testing.T) {
	runRules(t, []rule{
		output("a division by zero", `1 / 0`, "WFC2213 `1 / 0`"),
		output("a remainder of one", `5 % 0`, "WFC2213 `5 % 0`"),
		output("whatever is divided", `input.n / (0)`, "WFC2213 `input.n / (0)`"),
		output("in each element", `[for x in local.xs : x / 0]`, "WFC2213 `x / 0`"),
		output("beyond the numbers", `1e399 * 1e300`, "WFC2213 `1e399 * 1e300`"),
		output("what is divided may be anything", `input.n / 2`),
		output("and so may what divides", `2 / input.n`),
		output("in try", `try(1 / 0, 0)`),
		output("in can", `can(1 / 0)`),

		output("a computed key that is there already", `{ "a" = 1, ("a") = 2 }`, "WFC1204 `(\"a\")` ~ \"a\""),
		output("a key that a computed one is already", `{ ("a") = 1, a = 2 }`, "WFC1204 `a`"),
		output("two computed ones", `{ (local.key) = 1, ("a") = 2 }`, "WFC1204 `(\"a\")`"),
		output("two written ones", `{ "a" = 1, a = 2 }`, "WFC1204 `a`"),
		output("a key that is not known", `{ "a" = 1, (input.k) = 2 }`),

		output("an index out of the literal", `[1, 2][2]`, "WFC2207 `[2]`"),
		output("an index out of a local", `local.xs[5]`, "WFC2207 `[5]`"),
		output("an index behind a condition", `length(local.xs) > 5 ? local.xs[5] : 0`),
		output("an index in try", `try(local.xs[5], 0)`),
		output("a key that an object does not have", `local.m["b"]`, "WFC2207 `[\"b\"]` ~ It has \"a\"."),
		output("a key behind a condition", `contains(keys(local.m), "b") ? local.m["b"] : 0`),
		output("an attribute in try", `try(local.m["b"], 0)`),

		output("a pattern without a match", `regex("^a", "b")`, "WFC2106 `\"b\"` ~ matches nothing"),
		output("in a local's value", `regex("^b", local.key)`, "WFC2106 `local.key` ~ matches nothing"),
		output("a pattern that is asked for first", `can(regex("^b", local.key)) ? regex("^b", local.key) : "x"`),
		output("a list of one that has two", `one([1, 2])`, "WFC2106 `[1, 2]`"),
		output("no base64", `base64decode("!")`, "WFC2106 `\"!\"`"),
		output("no number", `parseint("12x", 10)`, "WFC2106 `\"12x\"`"),
		output("fewer values than keys", `zipmap(["a", "b"], [1])`, "WFC2106 `[1]`"),
		output("a part that is not there", `pointer({ a = 1 }, "/b")`, "WFC2106 `\"/b\"`"),
	})
}

// TestWhatIsEmpty: a constant that is empty is gone through in vain, which is no mistake.
func TestWhatIsEmpty(t *testing.T) {
	runRules(t, []rule{
		output("for", `[for e in local.none : e.name]`),
		output("for over an object", `{ for k, v in local.empty : k => v.name[0].first }`),
		output("a splat", `local.none[*].name`),
		output("an index behind a condition", `length(local.none) > 0 ? upper(local.none[0].name) : "none"`),
		{"for_each", constants + `
  step "s" {
    for_each = local.none
    call     = demo.greet
    args     = { name = each.value.name }
  }`, nil},
	})
}

// TestSettings: what a local says today is no mistake where it is compared.
func TestSettings(t *testing.T) {
	const settings = `
  input "state" {
    type = enum("open", "closed")
  }
  locals {
    mode    = "fast"
    level   = 3
    also    = local.mode
    targets = [{ name = "a", kind = "dev" }]
    flags   = { a = true }
    wanted  = input.state
  }
`
	o := func(name, value string, want ...string) rule {
		return rule{name, settings + "  output \"o\" {\n    value = " + value + "\n  }", want}
	}
	runRules(t, []rule{
		o("a local", `local.mode == "slow" ? 1 : 2`),
		o("by another local", `local.also != "slow"`),
		o("a number", `local.level == 4`),
		o("an attribute of elements", `[for t in local.targets : t.name if t.kind == "prod"]`),
		o("in a list of names", `contains(keys(local.flags), "b")`),
		o("of another kind", `local.mode == 3`, "WFC2205 `local.mode == 3`"),
		o("what arrives from outside", `local.wanted == "opne"`, "WFC2205 `local.wanted == \"opne\"`"),
		o("an element of what arrives", `[for s in [input.state] : s == "opne"]`, "WFC2205 `s == \"opne\"`"),
		o("constants beside each other", `"a" == "b"`, "WFC2205 `\"a\" == \"b\"`"),
		{"each", settings + `
  step "s" {
    for_each = local.targets
    when     = each.value.kind == "prod"
    call     = demo.greet
    args     = { name = each.value.name }
  }`, nil},
	})
}

// TestTryOfUnions: reading what only some members of a union have fails for the
// others, which try catches.
func TestTryOfUnions(t *testing.T) {
	const who = `
  input "who" {
    type = union(object({ login = string }), object({ name = string }))
  }
  input "id" {
    type = union(string, object({ id = integer }))
  }
  input "ids" {
    type = list(union(string, object({ id = integer })))
  }
  locals {
    mixed = [{ a = 1 }, "x"]
  }
`
	o := func(name, value string, want ...string) rule {
		return rule{name, who + "  output \"o\" {\n    value = " + value + "\n  }", want}
	}
	runRules(t, []rule{
		o("try", `try(input.who.login, "nobody")`),
		o("what may be there beside it is anything", `upper(try(input.who.login, "nobody"))`),
		o("one after the other", `try(input.who.login, input.who.name, "nobody")`),
		o("a text or an object", `try(input.id.id, 0) + 1`),
		o("the type is that of the members that have it", `upper(try(input.id.id, "x"))`, "WFC2201 `input.id.id`"),
		o("each of a list", `[for x in input.ids : try(x.id, 0)]`),
		o("can", `can(input.id.id) ? input.id.id + 1 : 0`),
		o("not on the other side of can", `can(input.who.login) ? "x" : input.who.login`, "WFC2202 `login`"),
		o("what none has", `try(input.who.logn, "nobody")`, "WFC2202 `logn`"),
		o("without try", `input.who.login`, "WFC2202 `login`"),
		o("in its last argument", `try(input.id.id, input.who.login)`, "WFC2202 `login`"),
	})
}
