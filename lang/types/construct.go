package types

import (
	"slices"

	"github.com/lda-wf/wfc/lang/value"
)

// UnionOf returns the union of its members: flattened, in order of first
// appearance, without duplicates and without what another member holds anyway
// (a literal beside its base type, integer beside number). One member
// collapses to itself, true with false is bool, any absorbs the rest, and no
// members make [NeverType]. Where a member that remains has a refinement that
// one it absorbs lacks, the refinement is dropped.
func UnionOf(members ...*Type) *Type {
	t, _ := unionOf(members)
	return t
}

// maxAbsorbing is how many members of a union are asked whether they hold another one.
// A union with a member too many means the same.
const maxAbsorbing = 256

// unionOf also reports whether a refinement was dropped: the result holds more
// values than its members together.
func unionOf(members []*Type) (t *Type, widened bool) {
	if len(members) == 1 && members[0].kind != Union {
		return members[0], false
	}
	// flat has the members in order without unions; literals that come twice are left out here, because
	// an enum may have thousands.
	var flat []*Type
	var top *Type // any, once it was met
	literals := map[string]bool{}
	var key []byte
	var add func(m *Type)
	add = func(m *Type) {
		switch m.kind {
		case Any:
			if top == nil {
				top = m
			}
		case Never:
		case Union:
			for _, i := range m.items {
				add(i)
			}
		case Literal:
			key = value.AppendCanonicalJSON(key[:0], m.lit)
			if !literals[string(key)] {
				literals[string(key)] = true
				flat = append(flat, m)
			}
		default:
			flat = append(flat, m)
		}
	}
	for _, m := range members {
		add(m)
	}
	if top != nil {
		return top, false
	}
	var bases []*Type // the members that are no literals
	out := make([]*Type, 0, len(flat))
next:
	for _, m := range flat {
		if m.kind == Literal {
			out = append(out, m)
			continue
		}
		for i, o := range bases[:min(len(bases), maxAbsorbing)] {
			keeps, lossy := absorb(o, m)
			if keeps == nil {
				if keeps, lossy = absorb(m, o); keeps == nil {
					continue
				}
			}
			widened = widened || lossy
			out[slices.Index(out, o)] = keeps
			bases[i] = keeps
			continue next
		}
		bases = append(bases, m)
		out = append(out, m)
	}
	if len(literals) > 0 && len(bases) > 0 {
		kept := out[:0]
		for _, m := range out {
			if m.kind != Literal || !held(bases, m, out, &widened) {
				kept = append(kept, m)
			}
		}
		out = kept
	}
	out = joinBools(out)
	switch len(out) {
	case 0:
		return NeverType, widened
	case 1:
		return out[0], widened
	}
	return &Type{kind: Union, items: out}, widened
}

// held reports whether one of the bases holds the literal m; it loses its
// refinement where that does not hold of m.
func held(bases []*Type, m *Type, out []*Type, widened *bool) bool {
	for i, b := range bases[:min(len(bases), maxAbsorbing)] {
		if keeps, lossy := absorb(b, m); keeps != nil {
			if lossy {
				*widened = true
				out[slices.Index(out, b)] = keeps
				bases[i] = keeps
			}
			return true
		}
	}
	return false
}

// absorb returns big, without a refinement that small does not share, where
// every value of small is one of big; else nil. Names are not looked through:
// a union may be built while what they stand for is not known yet.
func absorb(big, small *Type) (keeps *Type, lossy bool) {
	switch {
	case big == small:
		return big, false
	case small.kind == Literal && big.kind != Literal && big.kind != Named:
		if !isBaseOf(big.kind, small.lit) {
			return nil, false
		}
		if big.refine != nil && refinementMismatch(big.refine, small.lit) != "" {
			return big.Refined(nil), true
		}
		return big, false
	case big.kind == Number && small.kind == Integer:
		if big.refine != nil && !big.refine.equal(small.refine) {
			return big.Refined(nil), true
		}
		return big, false
	case big.kind == small.kind && sameAsMade(big, small):
		return loosen(big, small)
	}
	return nil, false
}

// isBaseOf reports whether a literal v belongs to the kind k.
func isBaseOf(k Kind, v value.Value) bool {
	switch v.Kind() {
	case value.Bool:
		return k == Bool
	case value.String:
		return k == String
	case value.Number:
		return k == Number || k == Integer && v.AsNumber().IsInteger()
	}
	return false
}

// loosen returns a, which equals b, without the refinements that differ
// anywhere in the two, and knowing of attributes what is known in both.
func loosen(a, b *Type) (t *Type, lossy bool) {
	a = weaken(a, b)
	switch {
	case sameRefinements(a, b) || !hasRefinements(a):
		return a, false
	case !hasRefinements(b):
		return b, false
	}
	return strip(a), true
}

// hasRefinements reports whether t or a part of it, names aside, is refined.
func hasRefinements(t *Type) bool {
	return contains(t, func(x *Type) bool { return !x.refine.isZero() })
}

// contains reports whether f holds of t or of a part of it. Names are not opened.
func contains(t *Type, f func(*Type) bool) bool {
	seen := map[*Type]bool{}
	var walk func(t *Type) bool
	walk = func(t *Type) bool {
		if f(t) {
			return true
		}
		if seen[t] {
			return false
		}
		seen[t] = true
		found := false
		eachPart(t, func(x *Type) { found = found || walk(x) })
		return found
	}
	return walk(t)
}

// strip returns t without refinements down to, and not into, named types.
func strip(t *Type) *Type { return stripper{}.strip(t) }

// stripper remembers what it did, since parts of a type may be shared.
type stripper map[*Type]*Type

func (s stripper) strip(t *Type) *Type {
	switch t.kind {
	case Named, Any, Never, Literal:
		return t
	}
	if done := s[t]; done != nil {
		return done
	}
	c := *t
	c.refine = nil
	if t.elem != nil {
		c.elem = s.strip(t.elem)
	}
	if t.items != nil {
		c.items = make([]*Type, len(t.items))
		for i, x := range t.items {
			c.items[i] = s.strip(x)
		}
	}
	if t.attrs != nil {
		c.setAttrs(make([]Attr, len(t.attrs)))
		for i, x := range t.attrs {
			x.Type = s.strip(x.Type)
			c.attrs[i] = x
		}
	}
	if t.rest != nil {
		c.rest = s.strip(t.rest)
	}
	s[t] = &c
	return &c
}

// joinBools puts bool in the place of the literals true and false.
func joinBools(ts []*Type) []*Type {
	yes, no := -1, -1
	for i, t := range ts {
		if t.kind == Literal && t.lit.Kind() == value.Bool {
			if t.lit.AsBool() {
				yes = i
			} else {
				no = i
			}
		}
	}
	if yes < 0 || no < 0 {
		return ts
	}
	ts[min(yes, no)] = BoolType
	last := max(yes, no)
	return append(ts[:last], ts[last+1:]...)
}

// NullableOf returns the union of t and null; any stays any.
func NullableOf(t *Type) *Type {
	if t.kind == Null || t.Nullable() {
		return t
	}
	return UnionOf(t, NullType)
}

// EnumOf returns the union of the literal types of vals, which must be null,
// bools, numbers or strings.
func EnumOf(vals ...value.Value) *Type {
	members := make([]*Type, len(vals))
	for i, v := range vals {
		if v.IsNull() {
			members[i] = NullType
		} else {
			members[i] = LiteralOf(v)
		}
	}
	return UnionOf(members...)
}

// Nullable reports whether null is a value of t. It is false for any, of which
// nothing is known.
func (t *Type) Nullable() bool {
	t = t.Underlying()
	switch t.kind {
	case Null:
		return true
	case Union:
		for _, m := range t.items {
			if m.Nullable() {
				return true
			}
		}
	}
	return false
}

// WithoutNull returns the type of the values of t but null: [NeverType] for
// null itself. any stays any.
func WithoutNull(t *Type) *Type {
	if !t.Nullable() {
		return t
	}
	u := t.Underlying()
	if u.kind == Null {
		return NeverType
	}
	members := make([]*Type, 0, len(u.items))
	for _, m := range u.items {
		members = append(members, WithoutNull(m))
	}
	return UnionOf(members...)
}

// Widen returns t with literal types, at its top and among the members of a
// union, replaced by their base types: string, bool, integer, or number for a
// number with a fraction.
func Widen(t *Type) *Type {
	switch t.kind {
	case Literal:
		return baseOf(t.lit)
	case Union:
		members := make([]*Type, len(t.items))
		for i, m := range t.items {
			members[i] = Widen(m)
		}
		return UnionOf(members...)
	}
	return t
}

// baseOf returns the smallest type without literals that holds a bool, number or string.
func baseOf(v value.Value) *Type {
	switch v.Kind() {
	case value.Bool:
		return BoolType
	case value.String:
		return StringType
	case value.Number:
		if v.AsNumber().IsInteger() {
			return IntegerType
		}
		return NumberType
	}
	return NullType
}

// members returns the members of a union, of a name for one, or t alone.
// Members that are names for unions are opened.
func members(t *Type) []*Type {
	u := t.Underlying()
	if u.kind != Union {
		return []*Type{t}
	}
	named := false
	for _, m := range u.items {
		named = named || m.kind == Named
	}
	if !named {
		return u.items
	}
	var out []*Type
	for _, m := range u.items {
		out = append(out, members(m)...)
	}
	return out
}

// HasAny reports whether t is any or has an any in it, through names too: what
// the checker cannot judge before the value exists.
func HasAny(t *Type) bool {
	seen := map[*Type]bool{}
	var walk func(t *Type) bool
	walk = func(t *Type) bool {
		t = t.Underlying()
		if t.kind == Any {
			return true
		}
		if seen[t] {
			return false
		}
		seen[t] = true
		found := false
		eachPart(t, func(x *Type) { found = found || walk(x) })
		return found
	}
	return walk(t)
}
