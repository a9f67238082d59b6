package check

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
)

// What may be null or absent where that is not wanted: why, and which guard helps.

// mayBeNull reports an expression that may be null where null is not wanted.
func (c *checker) mayBeNull(x hclNode, got typed, s *subject) {
	c.report(c.nullFinding(x.Range(), got, s.phrase("")+" must not be null, and", c.text(x.Range())))
}

// mayBeAbsent reports an attribute that is required and whose value is the
// reading of an attribute that may be absent: it would be left out.
func (c *checker) mayBeAbsent(x hclNode, s *subject) {
	text := c.text(x.Range())
	c.report(diag.New(codeMayBeNull, x.Range(), "%s is required, and it is left out where %s is absent. Say what it is then, as in coalesce(%s, …), or %s == null ? … : %s.", s.phrase(""), text, text, text, text))
}

// failsWhereAbsent reports the reading of an attribute that may be absent in
// the last argument of try, where nothing catches its failure.
func (c *checker) failsWhereAbsent(at hcl.Range, name string) {
	c.report(diag.New(codeMayBeNull, at, "In try, reading an attribute that is absent fails, and %q may be absent here, in the last argument, which nothing follows. End with something that is always there.", name))
}

// readOfNull reports that a part of something is read that may be null.
func (c *checker) readOfNull(r reading, at hcl.Range, part string) {
	if r.t.Underlying().Kind() == types.Null {
		c.report(diag.New(codeMayBeNull, at, "The %s is read of %s, which is null here.", part, c.text(r.at)))
		return
	}
	c.report(c.nullFinding(at, r.typed, fmt.Sprintf("The %s is read here, but", part), c.text(r.at)))
}

// nullFinding says that something may be null, why, and what to do about it.
// text is how it is written.
func (c *checker) nullFinding(at hcl.Range, got typed, begin, text string) diag.Diagnostic {
	k := got.cause
	switch {
	case k != nil && k.result != nil:
		return c.unguarded(at, k, begin, text)
	case k != nil && k.input:
		return diag.New(codeMayBeNull, at, "%s %s is null where the optional input is left out. Say what to use then, as in coalesce(%s, …), or give the input a default.", begin, text, text)
	case k != nil && k.optional != "":
		return diag.New(codeMayBeNull, at, "%s %s is null where the optional attribute %q is absent. Say what to use then, as in coalesce(%s, …), or use it only where %s != null.", begin, text, k.optional, text, text)
	case got.t.Underlying().Kind() == types.Null:
		return diag.New(codeMayBeNull, at, "%s this is null.", begin)
	}
	if strings.ContainsAny(text, "({*") {
		return diag.New(codeMayBeNull, at, "%s %s may be null. Say what to use then, as in coalesce(%s, …), or give it a name in a locals block and use it only where local.NAME != null.", begin, text, text)
	}
	return diag.New(codeMayBeNull, at, "%s %s may be null. Say what to use then, as in coalesce(%s, …), or use it only where %s != null.", begin, text, text, text)
}

// unguarded says that a step's output or error may be null, and names the guard.
func (c *checker) unguarded(at hcl.Range, k *cause, begin, text string) diag.Diagnostic {
	r := k.result
	if k.part == "error" {
		return diag.New(codeUnguarded, at, "%s %s is null unless the step failed. Use it only where %s.outcome == \"error\".", begin, text, k.of)
	}
	var why []string
	if r.outcomes&outcomeSkipped != 0 {
		why = append(why, "was skipped")
	}
	if r.outcomes&outcomeError != 0 {
		why = append(why, "failed")
	}
	if r.outcomes == outcomeOK || len(why) == 0 {
		return diag.New(codeMayBeNull, at, "%s %s may be null. Say what to use then, as in coalesce(%s, …), or use it only where %s != null.", begin, text, text, text)
	}
	if list, ok := strings.CutSuffix(k.of, "[*]"); ok {
		d := diag.New(codeUnguarded, at, "%s %s is null where step %q %s. Take those that succeeded: [for r in %s : r.output if r.outcome == \"ok\"], and read of r.output what is wanted.",
			begin, text, r.step.name(), strings.Join(why, " or "), list)
		return c.whyNull(d, r)
	}
	d := diag.New(codeUnguarded, at, "%s %s is null where step %q %s. Use it only where %s.outcome == \"ok\": in a when, as %s.outcome == \"ok\" ? … : …, or as coalesce(%s, …).",
		begin, text, r.step.name(), strings.Join(why, " or "), k.of, k.of, text)
	return c.whyNull(d, r)
}

// whyNull points at what makes a step that may be skipped or fail.
func (c *checker) whyNull(d diag.Diagnostic, r *result) diag.Diagnostic {
	if w := r.step.syn.When; w != nil && r.outcomes&outcomeSkipped != 0 {
		d = d.With(w.NameRange, "This makes the step skippable.")
	}
	if o := r.step.syn.OnError; o != nil && r.outcomes&outcomeError != 0 {
		d = d.With(o.Range, "This tolerates its failure.")
	}
	return d
}
