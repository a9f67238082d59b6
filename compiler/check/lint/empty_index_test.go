package lint_test

import "testing"

func TestIndexOfWhatMayBeEmpty(t *testing.T) {
	const around = `
  input "xs" {
    type = list(object({ id = integer, open = bool }))
  }
  locals {
    open = [for x in input.xs : x if x.open]
    all  = [for x in input.xs : x]
  }
`
	output := func(value string) string { return around + "\n  output \"o\" {\n    value = " + value + "\n  }" }
	runRules(t, "WFC3311", []rule{
		{"of a for with an if", output("[for x in input.xs : x.id if x.open][0]"), []string{"[for x in input.xs : x.id if x.open]"}},
		{"and an attribute of it", output("[for x in input.xs : x if x.open][0].id"), []string{"[for x in input.xs : x if x.open]"}},
		{"of a local", output("local.open[0].id"), []string{"local.open[0].id"}},
		{"without an if", output("[[for x in input.xs : x][0].id, local.all[0].id]"), nil},
		{"try catches it", output("try(local.open[0].id, 0)"), nil},
		{"the last argument of try catches nothing", output("try(input.xs[0].id, local.open[0].id)"), []string{"local.open[0].id"}},
		{"a condition around it", output("length(local.open) > 0 ? local.open[0].id : 0"), nil},
		{"and one over what it is made from", output("anytrue([for x in input.xs : x.open]) ? local.open[0].id : 0"), nil},
		{"the when of the step", around + `
  step "s" {
    when  = length(local.open) > 0
    value = local.open[0].id
  }`, nil},
		{"inside of what goes through it", around + `
  step "s" {
    for_each = local.open
    value    = [each.index, local.open[0].id]
  }
  output "o" {
    value = [for x in local.open : x.id == local.open[0].id]
  }`, nil},
		{"what a condition may guard where the local is used", around + `
  locals {
    first = local.open[0]
  }
  step "s" {
    when  = length(local.open) > 0
    value = local.first.id
  }`, nil},
		{"a local that nothing guards", around + `
  locals {
    first = local.open[0]
  }
  step "s" {
    value = local.first.id
  }`, []string{"local.open[0]"}},
		{"an index that is computed is meant", around + `
  input "n" {
    type = integer
  }
  output "o" {
    value = local.open[input.n].id
  }`, nil},
	})
}
