package catalog

import (
	"maps"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// inclusion answers whether all values of a type are values of another. It
// differs from [types.Assignable], which asks what an author may write where: an
// any is everything here and fits only any, and rules such as a minimum count.
// Where it cannot say, it says no.
type inclusion struct {
	assumed map[[2]*types.Type]bool // asked further out
	asked   *int                    // questions so far
}

// maxAsked bounds the questions of one comparison: unions of objects that hold
// each other could be asked about without end. No real catalog needs a hundredth.
const maxAsked = 100_000

// within reports whether every value of got is one of want.
func within(want, got *types.Type) bool { return (&inclusion{asked: new(int)}).within(want, got) }

func (i *inclusion) within(want, got *types.Type) bool {
	w, g := want.Underlying(), got.Underlying()
	if w == g {
		return true
	}
	if *i.asked++; *i.asked > maxAsked {
		return false
	}
	if pair := [2]*types.Type{w, g}; i.assumed[pair] {
		return true
	} else if want.Kind() == types.Named || got.Kind() == types.Named {
		// Only what has a name can lead back to itself. That an assumption outlives
		// a failure makes nothing true: one failure decides.
		if i.assumed == nil {
			i.assumed = map[[2]*types.Type]bool{}
		}
		i.assumed[pair] = true
	}
	switch {
	case w.Kind() == types.Any, g.Kind() == types.Never:
		return true
	case g.Kind() == types.Any:
		return false
	case g.Kind() == types.Union:
		for _, m := range g.Items() {
			if !i.within(w, m) {
				return false
			}
		}
		return true
	case w.Kind() == types.Union:
		for _, m := range w.Items() {
			// What was assumed for one member says nothing of the next.
			one := inclusion{assumed: maps.Clone(i.assumed), asked: i.asked}
			if one.within(m, g) {
				return true
			}
		}
		return false
	case g.Kind() == types.Literal:
		return types.Assignable(w, g) == nil
	}
	return i.sameSort(w, g) && implied(w.Refinement(), g.Refinement())
}

// sameSort judges types that are no unions, without their rules.
func (i *inclusion) sameSort(w, g *types.Type) bool {
	switch w.Kind() {
	case types.Number:
		return g.Kind() == types.Number || g.Kind() == types.Integer
	case types.List:
		return g.Kind() == types.List && i.within(w.Elem(), g.Elem()) ||
			g.Kind() == types.Tuple && w.Refinement() == nil && i.all(w.Elem(), g.Items())
	case types.Tuple:
		if g.Kind() != types.Tuple || len(w.Items()) != len(g.Items()) {
			return false
		}
		for n, x := range w.Items() {
			if !i.within(x, g.Items()[n]) {
				return false
			}
		}
		return true
	case types.Map:
		switch g.Kind() {
		case types.Map:
			return i.within(w.Elem(), g.Elem())
		case types.Object:
			for _, a := range g.Attrs() {
				if !i.within(w.Elem(), a.Type) {
					return false
				}
			}
			return g.Rest() == nil || i.within(w.Elem(), g.Rest())
		}
		return false
	case types.Object:
		switch g.Kind() {
		case types.Object:
			return i.object(w, g)
		case types.Map:
			return i.object(w, types.ObjectOf(nil, g.Elem()))
		}
		return false
	}
	return w.Kind() == g.Kind() && w.Kind() != types.Literal
}

func (i *inclusion) all(want *types.Type, got []*types.Type) bool {
	for _, g := range got {
		if !i.within(want, g) {
			return false
		}
	}
	return true
}

func (i *inclusion) object(w, g *types.Type) bool {
	for _, a := range w.Attrs() {
		switch b := g.Attr(a.Name); {
		case b != nil:
			if b.Optional && !a.Optional || !i.within(a.Type, b.Type) {
				return false
			}
		case !a.Optional:
			return false
		case g.Rest() != nil && !i.within(a.Type, g.Rest()):
			return false
		}
	}
	for _, b := range g.Attrs() {
		if w.Attr(b.Name) == nil && w.Rest() != nil && !i.within(w.Rest(), b.Type) {
			return false
		}
		if w.Attr(b.Name) == nil && w.Rest() == nil {
			return false
		}
	}
	return w.Rest() == nil || g.Rest() == nil || i.within(w.Rest(), g.Rest())
}

// implied reports whether what keeps the rules got keeps the rules want.
func implied(want, got *types.Refinement) bool {
	var none types.Refinement
	if want == nil {
		return true
	}
	if got == nil {
		got = &none
	}
	atLeast := func(w, g *int) bool { return w == nil || g != nil && *g >= *w }
	atMost := func(w, g *int) bool { return w == nil || g != nil && *g <= *w }
	from := func(w, g *value.Decimal) bool { return w == nil || g != nil && g.Cmp(*w) >= 0 }
	to := func(w, g *value.Decimal) bool { return w == nil || g != nil && g.Cmp(*w) <= 0 }
	return (want.Pattern == "" || want.Pattern == got.Pattern) &&
		(want.Format == "" || want.Format == got.Format) &&
		(!want.UniqueItems || got.UniqueItems) &&
		atLeast(want.MinLength, got.MinLength) && atMost(want.MaxLength, got.MaxLength) &&
		atLeast(want.MinItems, got.MinItems) && atMost(want.MaxItems, got.MaxItems) &&
		atLeast(want.MinProperties, got.MinProperties) && atMost(want.MaxProperties, got.MaxProperties) &&
		from(want.Minimum, got.Minimum) && from(want.ExclusiveMinimum, got.ExclusiveMinimum) &&
		to(want.Maximum, got.Maximum) && to(want.ExclusiveMaximum, got.ExclusiveMaximum) &&
		(want.MultipleOf == nil || got.MultipleOf != nil && want.MultipleOf.Cmp(*got.MultipleOf) == 0)
}
