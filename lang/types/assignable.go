package types

import (
	"strconv"

	"github.com/lda-wf/wfc/lang/value"
)

// Assignable reports, with nil, that every value of got is one of want. It is
// gradual: any passes either way, nested too, and so does what an any inside
// leaves open (an attribute of an open object, the length of a list of any).
// Refinements of want are judged where got is a literal, and lengths where it
// is a tuple.
//
// Attributes that got does not declare are taken to be absent: a value that
// arrives may have them all the same, see [ObjectOf].
func Assignable(want, got *Type) *Mismatch {
	var j judge
	return j.assign(want, got)
}

// judge answers one question of assignability.
type judge struct {
	// trail has the pairs of named types that are assumed to fit, because the
	// question whether they do is open or was answered. Assumptions made while
	// trying what failed are taken back.
	trail []pair
	seen  map[pair]bool
	// splits bounds how many variants of objects are tried against unions.
	splits int
}

func (j *judge) assume(p pair) bool {
	if j.seen[p] {
		return true
	}
	if j.seen == nil {
		j.seen = map[pair]bool{}
	}
	j.seen[p] = true
	j.trail = append(j.trail, p)
	return false
}

func (j *judge) takeBack(mark int) {
	for _, p := range j.trail[mark:] {
		delete(j.seen, p)
	}
	j.trail = j.trail[:mark]
}

// assign is Assignable; where it fails, no assumption made on the way remains.
func (j *judge) assign(want, got *Type) *Mismatch {
	if want == got {
		return nil
	}
	mark := len(j.trail)
	m := j.assignNamed(want, got)
	if m != nil {
		j.takeBack(mark)
	}
	return m
}

func (j *judge) assignNamed(want, got *Type) *Mismatch {
	w, g := want, got
	if want.kind == Named || got.kind == Named || want.name != "" && got.name != "" {
		w, g = want.Underlying(), got.Underlying()
		if w == g || j.assume(pair{w, g}) {
			return nil
		}
	}
	switch {
	case w.kind == Any, g.kind == Any, g.kind == Never:
		return nil
	case w.kind == Never:
		return &Mismatch{Want: want, Got: got, Reason: Describe(got) + " where nothing may be"}
	case g.kind == Union:
		return j.fromUnion(want, got)
	case w.kind == Union:
		return j.toUnion(want, got)
	case g.kind == Null && w.kind != Null:
		return &Mismatch{Want: want, Got: got, Reason: "null where " + Describe(want) + " is wanted", Cause: MayBeNull}
	case g.kind == Literal:
		return fromLiteral(w, g)
	}
	switch w.kind {
	case Number:
		if g.kind == Number || g.kind == Integer {
			return nil
		}
	case List:
		switch g.kind {
		case List:
			if m := j.assign(w.elem, g.elem); m != nil {
				return m.in(every)
			}
			return nil
		case Tuple:
			for i, x := range g.items {
				if m := j.assign(w.elem, x); m != nil {
					return m.in(indexStep(i))
				}
			}
			if s := w.refine.ofLength(len(g.items)); s != "" {
				return &Mismatch{Want: want, Got: got, Reason: s, Cause: Refined}
			}
			return nil
		}
	case Tuple:
		switch g.kind {
		case Tuple:
			return j.tuple(w, g)
		case List:
			if g.elem.Underlying().kind == Any {
				return nil
			}
			return &Mismatch{Want: want, Got: got, Reason: "a list of unknown length where " + Describe(w) + " is wanted", Cause: Length}
		}
	case Map:
		switch g.kind {
		case Map:
			if m := j.assign(w.elem, g.elem); m != nil {
				return m.in(every)
			}
			return nil
		case Object:
			for i := range g.attrs {
				if m := j.assign(w.elem, g.attrs[i].Type); m != nil {
					return m.in(attrStep(g.attrs[i].Name))
				}
			}
			if g.rest != nil {
				if m := j.assign(w.elem, g.rest); m != nil {
					return m.in(every)
				}
			}
			return nil
		}
	case Object:
		switch g.kind {
		case Object:
			return j.object(w, g)
		case Map:
			return j.objectFromMap(w, g)
		}
	default:
		if w.kind == g.kind {
			return nil
		}
	}
	return wrongType(want, got)
}

// fromLiteral judges a literal against what is neither any nor a union.
func fromLiteral(want, got *Type) *Mismatch {
	switch {
	case want.kind == Literal:
		if value.Equal(want.lit, got.lit) {
			return nil
		}
		if want.lit.Kind() == got.lit.Kind() {
			m := notMember(want, got.lit)
			m.Got = got
			return m
		}
	case isBaseOf(want.kind, got.lit):
		if s := refinementMismatch(want.refine, got.lit); s != "" {
			v := got.lit
			return &Mismatch{Want: want, Got: got, Value: &v, Reason: s, Cause: Refined}
		}
		return nil
	}
	return wrongType(want, got)
}

func (j *judge) tuple(w, g *Type) *Mismatch {
	if len(w.items) != len(g.items) {
		return &Mismatch{Want: w, Got: g, Reason: lengthReason(len(g.items), len(w.items)), Cause: Length}
	}
	for i := range w.items {
		if m := j.assign(w.items[i], g.items[i]); m != nil {
			return m.in(indexStep(i))
		}
	}
	return nil
}

func lengthReason(got, want int) string {
	return count(got, "element") + " where " + strconv.Itoa(want) + " " + isAre(want) + " wanted"
}

func (j *judge) object(w, g *Type) *Mismatch {
	has := g.Attr
	for i := range w.attrs {
		a := &w.attrs[i]
		b := has(a.Name)
		switch {
		case b != nil:
			if m := j.assign(a.Type, b.Type); m != nil {
				return m.in(attrStep(a.Name))
			}
			if b.Optional && !a.Optional {
				return mayBeAbsent(a, b.Type)
			}
		case g.rest != nil && g.rest.Underlying().kind == Any:
			// What an open object may hold is found out at run time.
		case g.rest != nil:
			if m := j.assign(a.Type, g.rest); m != nil {
				return m.in(attrStep(a.Name))
			}
			if !a.Optional {
				return mayBeAbsent(a, g.rest)
			}
		case !a.Optional:
			return missing(a)
		}
	}
	declared := w.Attr
	for i := range g.attrs {
		b := &g.attrs[i]
		if declared(b.Name) != nil {
			continue
		}
		if w.rest == nil {
			return undeclared(w, b.Name, b.Type)
		}
		if m := j.assign(w.rest, b.Type); m != nil {
			return m.in(attrStep(b.Name))
		}
	}
	if w.rest != nil && g.rest != nil {
		if m := j.assign(w.rest, g.rest); m != nil {
			return m.in(every)
		}
	}
	return nil
}

func (j *judge) objectFromMap(w, g *Type) *Mismatch {
	if g.elem.Underlying().kind == Any {
		return nil
	}
	for i := range w.attrs {
		a := &w.attrs[i]
		if m := j.assign(a.Type, g.elem); m != nil {
			return m.in(attrStep(a.Name))
		}
		if !a.Optional {
			return mayBeAbsent(a, g.elem)
		}
	}
	if w.rest != nil {
		if m := j.assign(w.rest, g.elem); m != nil {
			return m.in(every)
		}
	}
	return nil
}

// fromUnion judges each member of got. What fails is reported as a possibility.
func (j *judge) fromUnion(want, got *Type) *Mismatch {
	var first *Mismatch
	null, whole, fitting := false, true, false
	for _, g := range members(got) {
		m := j.assign(want, g)
		switch {
		case m == nil:
			fitting = true
		case g.Underlying().kind == Null:
			null = true
		default:
			if m.Path != "" || m.Cause == NotMember || m.Cause == Refined {
				whole = false
			}
			if first == nil {
				first = m
			}
		}
	}
	switch {
	case first == nil && null:
		return &Mismatch{Want: want, Got: got, Reason: "may be null where " + Describe(want) + " is wanted", Cause: MayBeNull}
	case first == nil:
		return nil
	case whole && !fitting:
		return &Mismatch{Want: want, Got: got, Reason: Describe(got) + " where " + Describe(want) + " is wanted"}
	}
	if first.Path == "" && fitting {
		first.Reason = "may be " + first.Reason
	}
	return first
}

// toUnion judges got, which is no union, against each member of want.
func (j *judge) toUnion(want, got *Type) *Mismatch {
	ms := members(want)
	tried := make([]tried, 0, len(ms))
	for _, w := range ms {
		m := j.assign(w, got)
		if m == nil {
			return nil
		}
		tried = append(tried, triedMember(w, m))
	}
	g := got.Underlying()
	if g.kind == Object && j.anyVariant(ms, want, g) {
		return nil
	}
	if m := bestOf(tried); m != nil {
		return m
	}
	if g.kind == Literal {
		for _, w := range ms {
			if u := w.Underlying(); u.kind == Literal && u.lit.Kind() == g.lit.Kind() {
				m := notMember(want, g.lit)
				m.Got = got
				return m
			}
		}
	}
	if g.kind == Null {
		return &Mismatch{Want: want, Got: got, Reason: "null where " + Describe(want) + " is wanted", Cause: MayBeNull}
	}
	return wrongType(want, got)
}

// maxSplits bounds the variants of one object that are tried against a union:
// discriminators are one or two attributes of a handful of literals.
const maxSplits = 256

// anyVariant reports whether each variant of the object got, one for each
// member of the type of an attribute that tells the members of the union
// apart, fits some member: { type = enum("a", "b") } fits a union of
// { type = "a" } and { type = "b" }.
func (j *judge) anyVariant(ms []*Type, want, got *Type) bool {
	for i := range got.attrs {
		a := &got.attrs[i]
		parts := variants(a.Type)
		if len(parts) < 2 && !a.Optional || !tellsApart(ms, a.Name) {
			continue
		}
		all := true
		for _, p := range parts {
			if j.splits++; j.splits > maxSplits {
				return false
			}
			one := *got
			one.setAttrs(append([]Attr(nil), got.attrs...))
			one.attrs[i].Type, one.attrs[i].Optional = p, false
			if j.assign(want, &one) != nil {
				all = false
				break
			}
		}
		if all && a.Optional {
			without := *got
			without.setAttrs(append(append([]Attr(nil), got.attrs[:i]...), got.attrs[i+1:]...))
			all = j.assign(want, &without) == nil
		}
		return all
	}
	return false
}

func variants(t *Type) []*Type {
	if u := t.Underlying(); u.kind == Bool {
		return []*Type{LiteralOf(value.OfBool(true)), LiteralOf(value.OfBool(false))}
	}
	return members(t)
}

// tellsApart reports whether an attribute has a literal type in one of the
// objects, or is required in one and not declared in another.
func tellsApart(ms []*Type, name string) bool {
	for _, m := range ms {
		u := m.Underlying()
		if u.kind != Object {
			continue
		}
		if a := u.Attr(name); a != nil {
			for _, x := range members(a.Type) {
				if x.Underlying().kind == Literal || x.Underlying().kind == Null {
					return true
				}
			}
		}
	}
	return false
}

// tried is a member of a union that did not fit, and how near it came.
type tried struct {
	m     *Mismatch
	score int
}

// triedMember scores a mismatch against the member w of a union: a mismatch
// inside is nearer than one at the top, and nearest is one where the literals
// that tell members apart fitted.
func triedMember(w *Type, m *Mismatch) tried {
	switch {
	case m.Path == "" && (m.Cause == Refined || m.Cause == Length):
		return tried{m, 2}
	case m.Path == "":
		return tried{m, 0}
	case m.Cause == NotMember, m.Want != nil && m.Want.Underlying().kind == Literal:
		return tried{m, 1}
	}
	s := 2
	if u := w.Underlying(); u.kind == Object {
		for i := range u.attrs {
			if u.attrs[i].Type.Underlying().kind == Literal && !u.attrs[i].Optional {
				s++
			}
		}
	}
	return tried{m, s}
}

// bestOf returns the mismatch of the one member that came nearest, or nil
// where none came near or several did equally.
func bestOf(ts []tried) *Mismatch {
	best, tie := tried{}, false
	for _, t := range ts {
		if t.score > best.score {
			best, tie = t, false
		} else if t.score == best.score && (best.m == nil || t.m.Error() != best.m.Error()) {
			tie = true
		}
	}
	if best.score == 0 || tie {
		return nil
	}
	return best.m
}
