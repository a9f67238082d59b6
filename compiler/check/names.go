package check

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"golang.org/x/text/unicode/norm"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
)

// root resolves the beginning of a traversal: a variable, or a root and where
// it needs one its first name. It returns the steps that are left.
func (c *checker) root(x *hclsyntax.ScopeTraversalExpr, en *env) (reading, hcl.Traversal) {
	name, rest := x.Traversal.RootName(), x.Traversal[1:]
	at := x.Traversal[0].SourceRange()
	if v := en.variable(name); v != nil {
		r := reading{typed: of(v.typ), at: at}
		if en.hasFacts() {
			r.path = variablePath(v)
			r = c.arrived(r, en)
		}
		c.sawRoot(name, at, r, nil)
		return r, rest
	}
	fault := reading{typed: failed, at: x.SrcRange}
	root, ok := rootNames[name]
	if !ok {
		c.unknownRoot(x, en)
		return fault, nil
	}
	if c.place.roots&root.bit == 0 {
		c.notHere(name, root.where, at)
		return fault, nil
	}
	r := reading{at: at, path: name}
	var member *hcl.TraverseAttr
	switch name {
	case "each":
		r.t = c.place.each
	case "self":
		r.t = c.place.self
	case "args":
		r.t = c.place.args
	case "loop":
		r.t = c.place.loop
	case "calls":
		r.t = c.place.calls
	case "call":
		r.t = c.place.call
	case "question":
		r.t = c.place.question
	case "run":
		if !c.knownOfRun(x) {
			return fault, nil
		}
		r.t = c.runType(c.place.run)
	case "project":
		r.t = projectType
	default:
		label, ok := c.firstName(rest)
		if !ok {
			c.incomplete(name, x, rest)
			return fault, nil
		}
		t, ok := c.member(name, label)
		if !ok {
			return fault, nil
		}
		r = reading{typed: t, at: hcl.RangeBetween(at, label.SrcRange), path: name + "." + label.Name}
		rest = rest[1:]
		member = &label
	}
	if !en.hasFacts() {
		r.path = ""
	}
	r = c.arrived(r, en)
	c.sawRoot(name, at, r, member)
	if r.present != nil && en.isStrict() {
		if !en.isCaught() {
			c.failsWhereAbsent(r.at, c.text(r.at))
			return fault, nil
		}
		r.typed = of(r.present)
	}
	return r, rest
}

// firstName returns the name that a root such as input needs: an attribute, or
// an index that is text, as an attribute.
func (c *checker) firstName(rest hcl.Traversal) (hcl.TraverseAttr, bool) {
	if len(rest) == 0 {
		return hcl.TraverseAttr{}, false
	}
	switch s := rest[0].(type) {
	case hcl.TraverseAttr:
		s.Name = c.attrName(s)
		return s, true
	case hcl.TraverseIndex:
		if name, ok := (expr.Expr{Source: c.source}).IndexName(s); ok {
			return hcl.TraverseAttr{Name: name, SrcRange: s.SrcRange}, true
		}
	}
	return hcl.TraverseAttr{}, false
}

// member returns what input.x, local.x, step.x or secret.x is.
func (c *checker) member(root string, label hcl.TraverseAttr) (typed, bool) {
	switch root {
	case "secret":
		if _, ok := c.w.secrets[label.Name]; ok {
			return of(types.StringType), true
		}
		c.unknown(codeUnknownSecret, "secret", "This project", label, keysOf(c.w.secrets), "")
	case "input":
		if in := c.f.inputs[label.Name]; in != nil && in.twice {
			return failed, true
		} else if in != nil {
			out := of(in.read)
			if in.optional && in.syn.Default == nil {
				out = typed{t: types.NullableOf(in.read), present: in.read, cause: &cause{optional: label.Name, input: true}}
			}
			return out, true
		}
		c.unknown(codeUnknownInput, "input", c.f.name(), label, keysOf(c.f.inputs), c.f.file())
	case "local":
		if l := c.f.locals[label.Name]; l != nil && l.twice {
			return failed, true
		} else if l != nil && c.place.final {
			t, problem := c.finalLocal(l)
			if problem != nil {
				c.localInFinally(label.Name, label.SrcRange, problem)
			}
			return of(t), problem == nil
		} else if l != nil {
			return of(c.localType(l)), true
		}
		c.unknown(codeUnknownLocal, "local", c.f.name(), label, keysOf(c.f.locals), c.f.file())
	case "step":
		if s := c.f.steps[label.Name]; s != nil {
			switch {
			case s.twice:
				return failed, true
			case s.syn.Finally && !c.place.test:
				c.finallyReferred(label.Name, nameRange(label))
				return failed, false
			case c.place.final:
				return of(c.finalType(s)), true
			}
			return of(c.stepType(s)), true
		}
		c.unknown(codeUnknownStep, "step", c.f.name(), label, keysOf(c.f.steps), c.f.file())
	}
	return failed, false
}

// unknown reports a name that does not exist, with the nearest that does. It
// is silent where a syntax error may have swallowed the name: of the project,
// or of the file that would define it.
func (c *checker) unknown(code diag.Code, noun, owner string, label hcl.TraverseAttr, have []string, file string) {
	if c.w.mayBeLost(label.Name, file) || c.again(noun+"."+label.Name) {
		return
	}
	if near, ok := nearest.Name(label.Name, have); ok && !isIdentifier(near) {
		return // what is meant has a name that is none, which has its diagnostic
	}
	d := unknownName(code, noun, owner, label.Name, nameRange(label), have)
	if c.f != nil && len(d.Fixes) == 0 {
		switch {
		case code == codeUnknownLocal && c.f.inputs[label.Name] != nil:
			d.Detail += fmt.Sprintf(" There is an input of this name: input.%s.", label.Name)
		case code == codeUnknownInput && c.f.locals[label.Name] != nil:
			d.Detail += fmt.Sprintf(" There is a local of this name: local.%s.", label.Name)
		}
	}
	c.report(d)
}

// unknownName is the finding for a name that does not exist.
func unknownName(code diag.Code, noun, owner, name string, at hcl.Range, have []string) diag.Diagnostic {
	detail := fmt.Sprintf("%s has no %s %q.", owner, noun, name)
	near, ok := nearest.Name(name, have)
	if ok {
		detail += fmt.Sprintf(" Did you mean %q?", near)
		if norm.NFC.String(near) == norm.NFC.String(name) {
			detail += " They look alike, and are made of different code points."
		}
		return diag.New(code, at, "%s", detail).Fix("Change it to "+near, true, edit(at, near))
	}
	return diag.New(code, at, "%s", detail+listing(noun, have))
}

// mostListed is how many names a message lists; more do not help to find one.
const mostListed = 12

// listing returns a sentence that lists what exists.
func listing(noun string, have []string) string {
	if len(have) == 0 {
		return ""
	}
	shown := have[:min(len(have), mostListed)]
	s := " It has " + quoteAll(shown)
	if n := len(have) - len(shown); n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s + "."
}

// quoteAll returns `"a", "b" and "c"`.
func quoteAll(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = strconv.Quote(n)
	}
	if len(q) < 2 {
		return strings.Join(q, "")
	}
	return strings.Join(q[:len(q)-1], ", ") + " and " + q[len(q)-1]
}

// nameRange is the place of an attribute step's name without the dot.
func nameRange(a hcl.TraverseAttr) hcl.Range {
	r := a.SrcRange
	switch n, size := len(a.Name), r.End.Byte-r.Start.Byte; {
	case size == n+4: // ["name"]
		r.Start.Byte, r.End.Byte = r.Start.Byte+2, r.End.Byte-2
		r.Start.Column, r.End.Column = r.Start.Column+2, r.End.Column-2
	case size > n:
		r.Start.Byte += size - n
		r.Start.Column += size - n
	}
	return r
}

// notHere reports a root that exists, but not at this place.
func (c *checker) notHere(name, where string, at hcl.Range) {
	noun := c.place.noun
	if name != "each" {
		noun = strings.TrimSuffix(noun, " without for_each") // which matters for each alone
	}
	if name == "loop" && noun == "a step" {
		noun = "this part of a step" // which may have a loop
	}
	d := diag.New(codeNotHere, at, "%q cannot be used in %s. It can be used %s.", name, noun, where)
	if name == "each" && c.place.roots&rootStep != 0 && c.f != nil {
		d.Detail = fmt.Sprintf("%q cannot be used in %s: it is the element of a step with for_each. It can be used %s.", name, c.place.noun, where)
	}
	c.report(d)
}

// incomplete reports `input` and the like without a name.
func (c *checker) incomplete(root string, x *hclsyntax.ScopeTraversalExpr, rest hcl.Traversal) {
	example := root + ".NAME"
	if len(rest) > 0 {
		c.report(diag.New(codeIncompleteName, x.SrcRange, "After %q comes the name with a dot: write %s.", root, example))
		return
	}
	c.report(diag.New(codeIncompleteName, x.SrcRange, "%q is no value by itself: name one of its members, as in %s.", root, example))
}

// unknownRoot reports a name that begins an expression and means nothing.
func (c *checker) unknownRoot(x *hclsyntax.ScopeTraversalExpr, en *env) {
	name := x.Traversal.RootName()
	if c.again(name) {
		return
	}
	at := x.Traversal[0].SourceRange()
	if c.f != nil {
		if c.f.sources[name] != nil {
			c.report(diag.New(codeUnknownName, at, "%q is a source, and a source is no value. A step calls its tools with call = %s.TOOL; another expression reads the step's result, as in step.NAME.output.", name, name))
			return
		}
		for _, k := range []struct {
			root string
			ok   bool
		}{{"input", c.f.inputs[name] != nil}, {"local", c.f.locals[name] != nil}, {"step", c.f.steps[name] != nil}} {
			if !k.ok || c.place.roots&rootNames[k.root].bit == 0 {
				continue
			}
			whole := k.root + "." + name
			c.report(diag.New(codeUnknownName, at, "Nothing is called %q here. Did you mean the %s %s?", name, k.root, whole).
				Fix("Change it to "+whole, true, edit(at, whole)))
			return
		}
	}
	if c.place.self != nil && c.place.self.Attr(name) != nil {
		c.report(diag.New(codeUnknownName, at, "Nothing is called %q here. The step's own result is self: write self.%s.", name, name).
			Fix("Change it to self."+name, true, edit(at, "self."+name)))
		return
	}
	if len(x.Traversal) == 1 && funcs.Lookup(name) != nil {
		c.report(diag.New(codeUnknownName, at, "%q is a function: call it, as in %s(…).", name, name))
		return
	}
	have := c.visible(en)
	detail := fmt.Sprintf("Nothing is called %q here.", name)
	if ours := habitualRoots[name]; ours != "" && slices.Contains(have, ours) && len(x.Traversal) > 1 {
		c.report(diag.New(codeUnknownName, at, "%s Did you mean %q?", detail, ours).Fix("Change it to "+ours, false, edit(at, ours)))
		return
	}
	if near, ok := nearest.Name(name, have); ok {
		c.report(diag.New(codeUnknownName, at, "%s Did you mean %q?", detail, near).Fix("Change it to "+near, true, edit(at, near)))
		return
	}
	if len(x.Traversal) == 1 && c.place.roots&(rootProject|rootSecret) == rootProject|rootSecret && name == strings.ToUpper(name) {
		call := fmt.Sprintf("env(%q)", name)
		c.report(diag.New(codeUnknownName, at, "%s A variable of the environment is read with %s; a secret has a block, secret \"%s\" { env = %q }, and is read as secret.%s.",
			detail, call, strings.ToLower(name), name, strings.ToLower(name)).Fix("Read it with env", false, edit(at, call)))
		return
	}
	if name == "env" && len(x.Traversal) > 1 {
		detail += " The environment is read in provider, connection and deployment blocks, with env(\"NAME\"); a workflow gets such a value as an input."
	}
	if at, ok := c.sequence(x.SrcRange); ok {
		c.report(c.escaped(diag.New(codeUnknownName, x.SrcRange, "%s", detail+begins(have)), at, x.SrcRange))
		return
	}
	if len(x.Traversal) == 1 {
		detail += fmt.Sprintf(" Text stands in quotes: %q.", name)
		c.report(diag.New(codeUnknownName, at, "%s", detail+begins(have)).Fix("Put it in quotes", false, edit(at, strconv.Quote(name))))
		return
	}
	c.report(diag.New(codeUnknownName, at, "%s", detail+begins(have)))
}

// habitualRoots are the names that other tools have for what an expression begins with.
var habitualRoots = map[string]string{
	"var": "input", "vars": "input", "variable": "input", "variables": "input", "param": "input", "params": "input", "parameters": "input",
	"task": "step", "tasks": "step", "job": "step", "jobs": "step", "node": "step", "item": "each",
}

func begins(have []string) string {
	if len(have) == 0 {
		return " No names can be used here, only constants."
	}
	return " A name begins with " + orAll(have) + "."
}

// orAll returns "a, b or c".
func orAll(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// visible returns the names an expression may begin with here, variables first.
func (c *checker) visible(en *env) []string {
	var out []string
	for ; en != nil; en = en.up {
		if en.name != "" {
			out = append(out, en.name)
		}
	}
	var rs []string
	for n, r := range rootNames {
		if c.place.roots&r.bit != 0 {
			rs = append(rs, n)
		}
	}
	sort.Strings(rs)
	return append(out, rs...)
}

// keysOf returns a map's keys, sorted.
func keysOf[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// variablePath identifies a variable among all of its name.
func variablePath(v *env) string { return v.name + "#" + strconv.Itoa(v.id) }
