package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
)

// Parts of values that cannot be read: attributes and elements that are not there.

// unknownAttribute reports an attribute that an object type does not name.
func (c *checker) unknownAttribute(r reading, u *types.Type, name string, s hcl.TraverseAttr) {
	have := attrNames(u)
	of := c.text(r.at)
	label := s
	label.Name = name
	at := nameRange(label)
	if u.Rest() != nil {
		if near, ok := nearest.Name(name, have); ok {
			c.report(diag.New(codeUnknownAttribute, at, "%s does not declare the attribute %q. Did you mean %q? It may have others: those are read by index, as in %s[%q].", of, name, near, of, name).
				Fix("Change it to "+near, false, edit(at, near)))
			return
		}
		c.report(diag.New(codeUnknownAttribute, at, "%s may have attributes that its type does not declare, and %q would be one. Those are read by index: write %s[%q].", of, name, of, name).
			Fix("Read it by index", true, edit(s.SrcRange, "["+strconv.Quote(name)+"]")))
		return
	}
	if c.ofSomeMembers(r, of, name, at) {
		return
	}
	d := unknownName(codeUnknownAttribute, "attribute", of, name, at, have)
	if len(have) == 0 && c.isBareAnswer(of) {
		d.Detail += fmt.Sprintf(" An ask without a type takes no more for an answer than that it is not declined. Say what people answer, as in answer = object({ %s = bool }).", name)
		c.report(d)
		return
	}
	if c.resultOf(u) == nil && len(d.Fixes) > 0 {
		c.report(d) // what is near is meant
		return
	}
	if c.resultOf(u) == nil {
		// Results are ours; other objects may have more than their schema says.
		d.Detail += fmt.Sprintf(" An attribute that the type does not declare is read as %s[%q].", of, name)
	} else if k := c.resultOf(u); len(d.Fixes) == 0 {
		if o := types.WithoutNull(k.output).Underlying(); o.Kind() == types.Object && o.Attr(name) != nil {
			d.Detail += fmt.Sprintf(" Its output has %q: write %s.output.%s.", name, of, name)
			d = d.Fix("Read it of the output", true, edit(at, "output."+name))
		}
	}
	c.report(d)
}

func attrNames(u *types.Type) []string {
	out := make([]string, 0, len(u.Attrs()))
	for _, a := range u.Attrs() {
		out = append(out, a.Name)
	}
	return out
}

// noAttributes reports `.name` on what is no object.
func (c *checker) noAttributes(r reading, u *types.Type, name string, s hcl.TraverseAttr) {
	of := c.text(r.at)
	label := s
	label.Name = name
	at := nameRange(label)
	switch u.Kind() {
	case types.Blob:
		c.report(diag.New(codeUnknownAttribute, at, "%s is a blob, which has the attributes mime_type, size and sha256 only.", of))
	case types.Map:
		if through, ok := c.splats[r.at]; ok && through.t.Underlying().Kind() == types.Map {
			// The map is taken as a list of one, which nobody means.
			m := c.text(through.source)
			c.report(diag.New(codeNoAttributes, at, "%s is a map, and [*] goes through lists. Write values(%s)[*].%s for the attribute of all, or go through it with [for k, v in %s : v.%s].", m, m, name, m, name).
				Fix("Go through its values", false, before(through.source, "values("), after(through.source, ")")))
			return
		}
		if k := c.resultOf(u.Elem()); k != nil && u.Elem().Attr(name) != nil {
			c.report(diag.New(codeNoAttributes, at, "%s is a map with one result for each element of the step's for_each. Write %s[KEY].%s for one, values(%s)[*].%s for the attribute of all, or go through them with { for k, r in %s : k => r.%s }.", of, of, name, of, name, of, name))
			return
		}
		c.report(diag.New(codeNoAttributes, at, "%s is a map, and its elements are read by key: write %s[%q].", of, of, name).
			Fix("Read it by key", true, edit(s.SrcRange, "["+strconv.Quote(name)+"]")))
	case types.List, types.Tuple:
		if res := c.listOfResults(u); res != nil {
			each := "element of the step's for_each"
			if res.step != nil && res.step.syn.Loop != nil {
				each = "round of the step's loop"
			}
			c.report(diag.New(codeNoAttributes, at, "%s is a list with one result for each %s. Write %s[*].%s for the attribute of all, or go through them with [for r in %s : r.%s].", of, each, of, name, of, name).
				Fix("Read it of every element", false, edit(s.SrcRange, "[*]."+name)))
			return
		}
		if slices.Contains(lengths, name) {
			c.report(diag.New(codeNoAttributes, at, "%s is a list and has no attributes. How many elements it has says length(%s).", of, of).
				Fix("Write length(…)", false, before(r.at, "length("), edit(s.SrcRange, ")")))
			return
		}
		c.report(diag.New(codeNoAttributes, at, "%s is a list and has no attributes. Write %s[*].%s for the attribute of every element, or %s[0].%s for one.", of, of, name, of, name).
			Fix("Read it of every element", false, edit(s.SrcRange, "[*]."+name)))
	default:
		if types.Widen(u).Underlying().Kind() == types.String && slices.Contains(lengths, name) {
			c.report(diag.New(codeNoAttributes, at, "%s is a string and has no attributes. How many characters it has says length(%s).", of, of).
				Fix("Write length(…)", false, before(r.at, "length("), edit(s.SrcRange, ")")))
			return
		}
		c.report(diag.New(codeNoAttributes, at, "%s is %s and has no attributes, so that %q cannot be read.", of, describe(u), name))
	}
}

// lengths is what other languages call the number of elements or characters.
var lengths = []string{"length", "len", "size", "count"}

// keyIs checks the key of an index against what a collection takes.
func (c *checker) keyIs(r reading, k index, want *types.Type, noun string) bool {
	if types.Assignable(want, k.t) == nil {
		return true
	}
	d := diag.New(codeWrongIndex, k.at, "%s is %s, whose key is %s; this is %s.", c.text(r.at), a(noun), types.Describe(want), describe(k.t))
	if want == types.IntegerType && k.t.Underlying().Kind() == types.Number {
		d.Detail += " Write toint(…) around it."
	}
	if u := r.t.Underlying(); u.Kind() == types.Object && isInteger(k.t) {
		d.Detail += listing("attribute", attrNames(u))
		var lists []string
		for _, at := range u.Attrs() {
			if kind := types.WithoutNull(at.Type).Underlying().Kind(); kind == types.List || kind == types.Tuple {
				lists = append(lists, at.Name)
			}
		}
		if len(lists) == 1 {
			d.Detail += fmt.Sprintf(" Do you mean %s.%s%s?", c.text(r.at), lists[0], c.text(k.at))
		}
	}
	c.report(d)
	return false
}

func a(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func (c *checker) outOfRange(r reading, k index, n int) {
	c.report(diag.New(codeWrongIndex, k.at, "%s has %s, counted from 0, so that it has no element %s.", c.text(r.at), count(n, "element"), k.lit.JSON()))
}

// noSuchKey reports a key that an object does not have, all of whose attributes are known.
func (c *checker) noSuchKey(r reading, k index, u *types.Type, name string) {
	d := unknownName(codeWrongIndex, "attribute", c.text(r.at), name, k.at, attrNames(u))
	d.Fixes = nil // which would take the place of the brackets, too
	if k.lit == nil {
		d.Detail = fmt.Sprintf("%s may be %q, which %s does not have.%s Say what is meant then, as in lookup(%s, %s, …), or add it.",
			c.text(k.at), name, c.text(r.at), listing("attribute", attrNames(u)), c.text(r.at), c.text(k.at))
	}
	c.report(d)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func (c *checker) notIndexable(r reading, u *types.Type, k index) {
	c.report(diag.New(codeWrongIndex, k.at, "%s is %s and has no elements: only lists, maps and objects have.", c.text(r.at), describe(u)))
}
