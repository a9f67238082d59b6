package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// comparison compares two types, of what is passed to a server (input) or of
// what it gives.
type comparison struct {
	*differ
	input bool
	seen  map[[2]*types.Type]bool // of types that are being compared further out
}

// widened and narrowed report a change after which there are more values, or
// fewer: more is compatible for what is passed, fewer for what is given.
func (c *comparison) widened(kind ChangeKind, path, detail string, args ...any) {
	c.add(kind, !c.input, path, detail, args...)
}

func (c *comparison) narrowed(kind ChangeKind, path, detail string, args ...any) {
	c.add(kind, c.input, path, detail, args...)
}

func (c *comparison) compare(path string, old, now *types.Type) {
	a, b := old.Underlying(), now.Underlying()
	if a == b {
		return
	}
	if pair := [2]*types.Type{a, b}; c.seen[pair] {
		return
	} else if c.seen == nil {
		c.seen = map[[2]*types.Type]bool{pair: true}
	} else {
		c.seen[pair] = true
	}
	switch aAny, bAny := a.Kind() == types.Any, b.Kind() == types.Any; {
	case aAny && bAny:
		return
	case bAny:
		c.widened(TypeWidened, path, "It was %s, and may be anything now.", describe(old))
		return
	case aAny:
		c.narrowed(TypeNarrowed, path, "It could be anything, and must be %s now.", describe(now))
		return
	}
	switch before, after := old.Nullable(), now.Nullable(); {
	case a.Kind() == types.Null || b.Kind() == types.Null:
		c.whole(path, old, now)
		return
	case before && !after:
		c.narrowed(NullRefused, path, "It cannot be null any more.")
	case after && !before:
		c.widened(NullAllowed, path, "It can be null now.")
	}
	if old.Nullable() || now.Nullable() {
		c.compare(path, types.WithoutNull(old), types.WithoutNull(now))
		return
	}
	before, isEnum := literals(old)
	after, isEnumToo := literals(now)
	switch {
	case isEnum && isEnumToo:
		c.enum(path, before, after)
	case a.Kind() != b.Kind() || a.Kind() == types.Union || len(a.Items()) != len(b.Items()):
		c.whole(path, old, now)
	default:
		c.parts(path, a, b)
	}
}

// whole compares types that have no parts in common.
func (c *comparison) whole(path string, old, now *types.Type) {
	wider, narrower := within(now, old), within(old, now)
	was, is := describe(old), describe(now)
	if was == is {
		was, is = "another such type", is+" now"
	} else {
		is += " now"
	}
	switch {
	case wider && narrower:
	case wider:
		c.widened(TypeWidened, path, "It is %s, which allows more; it was %s.", is, was)
	case narrower:
		c.narrowed(TypeNarrowed, path, "It is %s, which allows less; it was %s.", is, was)
	default:
		c.add(TypeChanged, true, path, "It is %s; it was %s.", is, was)
	}
}

// literals returns the values of an enum.
func literals(t *types.Type) ([]value.Value, bool) {
	switch u := t.Underlying(); u.Kind() {
	case types.Literal:
		return []value.Value{u.Lit()}, true
	case types.Union:
		var out []value.Value
		for _, m := range u.Items() {
			vs, ok := literals(m)
			if !ok {
				return nil, false
			}
			out = append(out, vs...)
		}
		return out, true
	}
	return nil, false
}

func (c *comparison) enum(path string, old, now []value.Value) {
	missing := func(from, in []value.Value) string {
		var out []string
		for _, v := range from {
			if !slices.ContainsFunc(in, func(x value.Value) bool { return value.Equal(x, v) }) {
				out = append(out, show(v))
			}
		}
		slices.Sort(out)
		return list3(out)
	}
	if added := missing(now, old); added != "" {
		c.widened(EnumWidened, path, "It can be %s now.", added)
	}
	if removed := missing(old, now); removed != "" {
		// Breaking either way: it cannot be passed, or what compares a result with
		// it never holds.
		c.add(EnumNarrowed, true, path, "It cannot be %s any more.", removed)
	}
}

// list3 lists words for a sentence.
func list3(words []string) string {
	const most = 8
	if len(words) > most {
		words = append(words[:most:most], fmt.Sprintf("%d others", len(words)-most))
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// parts compares types of one kind, part by part.
func (c *comparison) parts(path string, old, now *types.Type) {
	switch old.Kind() {
	case types.List, types.Map:
		c.compare(path+"[*]", old.Elem(), now.Elem())
	case types.Tuple:
		for i, x := range old.Items() {
			c.compare(path+"["+strconv.Itoa(i)+"]", x, now.Items()[i])
		}
	case types.Object:
		c.object(path, old, now)
	}
	c.refinements(path, old.Refinement(), now.Refinement())
}

func (c *comparison) object(path string, old, now *types.Type) {
	added, removed, noun := AttributeAdded, AttributeRemoved, "attribute"
	if path == "args" {
		added, removed, noun = ArgumentAdded, ArgumentRemoved, "argument"
	}
	for _, x := range old.Attrs() {
		at := path + types.Step(x.Name)
		y := now.Attr(x.Name)
		switch {
		case y != nil:
			c.attr(at, noun, x, *y)
		case !c.input:
			c.add(removed, true, at, "The %s is gone.", noun)
		case now.Rest() != nil && within(now.Rest(), x.Type):
			c.add(removed, false, at, "The %s is not declared any more; it can still be passed, as any other.", noun)
		default:
			c.add(removed, true, at, "The %s is gone, and cannot be passed any more.", noun)
		}
	}
	for _, y := range now.Attrs() {
		switch at := path + types.Step(y.Name); {
		case old.Attr(y.Name) != nil:
		case c.input && y.Optional && old.Rest() != nil && !within(y.Type, old.Rest()):
			c.add(added, true, at, "The %s is declared now, as %s; it could be %s before, as any other.", noun, describe(y.Type), describe(old.Rest()))
		case !c.input && old.Rest() != nil && !within(old.Rest(), y.Type):
			c.add(added, true, at, "The %s is declared now, as %s; it was %s before, as any other.", noun, describe(y.Type), describe(old.Rest()))
		case !c.input:
			c.add(added, false, at, "The %s is new.", noun)
		case y.Optional:
			c.add(added, false, at, "The %s is new; it may be left out.", noun)
		default:
			c.add(added, true, at, "The %s is new, and must be passed.", noun)
		}
	}
	switch a, b := old.Rest(), now.Rest(); {
	case a == nil && b != nil:
		c.add(BecameOpen, false, path, "It takes other %ss than the declared ones now.", noun)
		if !c.input {
			c.changes[len(c.changes)-1].Detail = "It may have other attributes than the declared ones now."
		}
	case a != nil && b == nil:
		c.add(BecameClosed, c.input, path, "It takes the declared %ss only now.", noun)
		if !c.input {
			c.changes[len(c.changes)-1].Detail = "It has the declared attributes only now."
		}
	case a != nil:
		c.compare(path+"[*]", a, b)
	}
}

func (c *comparison) attr(path, noun string, old, now types.Attr) {
	switch {
	case c.input && old.Optional && !now.Optional:
		c.add(BecameRequired, true, path, "The %s cannot be left out any more.", noun)
	case c.input && now.Optional && !old.Optional:
		c.add(BecameOptional, false, path, "The %s can be left out now.", noun)
	case old.Optional && !now.Optional:
		c.add(BecameRequired, false, path, "The %s is always there now.", noun)
	case now.Optional && !old.Optional:
		c.add(BecameOptional, true, path, "The %s may be absent now.", noun)
	}
	if c.input && old.Optional && now.Optional {
		switch a, b := old.Default, now.Default; {
		case a == nil && b != nil:
			c.add(DefaultChanged, false, path, "Left out it is %s now; there was no default.", show(*b))
		case a != nil && b == nil:
			c.add(DefaultChanged, false, path, "It has no default any more; it was %s.", show(*a))
		case a != nil && !value.Equal(*a, *b):
			c.add(DefaultChanged, false, path, "Left out it is %s now; it was %s.", show(*b), show(*a))
		}
	}
	if old.Description != now.Description {
		c.add(DescriptionChanged, false, path, "The description of the %s has changed.", noun)
	}
	c.compare(path, old.Type, now.Type)
}
