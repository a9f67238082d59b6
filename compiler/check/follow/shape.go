package follow

import (
	"sort"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/types"
)

// shape says which parts of a value are marked. nil is a value without marks.
// Shapes do not change once they are made.
type shape struct {
	marks []mark            // of the whole, and so of each part
	attrs map[string]*shape // of the parts that are known by name, or by index ("0")
	rest  *shape            // of all other parts
	size  int               // of parts; bounded, see limit
}

// mark is one reason to follow a value, with the way it came.
type mark struct {
	kind   Kind
	origin string // what it comes from: "input.token", "step.search"
	conn   string // the connection that it comes from, "" for none
	step   string // the step that it comes from, "" for none
	way    *hop
	at     hcl.Range // where the expression in hand reads it
}

// hop is a place on the way of a value.
type hop struct {
	at   hcl.Range
	name string // as the way is written in one line
	text string // a sentence
	from *hop   // nil: it begins here
	head *hop   // where it begins; nil: here
}

// then returns the way h with one more place; h may be nil.
func (h *hop) then(at hcl.Range, name, text string) *hop {
	next := &hop{at: at, name: name, text: text, from: h}
	if h != nil {
		if next.head = h.head; next.head == nil {
			next.head = h
		}
	}
	return next
}

// Values with more parts, or that more origins mark, are marked as a whole.
const (
	maxParts = 256
	maxMarks = 8
)

func whole(marks []mark) *shape {
	if len(marks) == 0 {
		return nil
	}
	return &shape{marks: marks, size: 1}
}

// compose makes a shape of its parts, without those that have no marks.
func compose(marks []mark, attrs map[string]*shape, rest *shape) *shape {
	s := &shape{marks: marks, rest: rest, size: 1}
	if rest != nil {
		s.size += rest.size
	}
	for name, p := range attrs {
		if p == nil && rest == nil {
			delete(attrs, name)
			continue
		}
		s.size++
		if p != nil {
			s.size += p.size
		}
	}
	if len(attrs) > 0 {
		s.attrs = attrs
	}
	if len(s.marks) == 0 && s.attrs == nil && rest == nil {
		return nil
	}
	if s.size > maxParts {
		return whole(s.all())
	}
	return s
}

// with returns s with marks of the whole added.
func (s *shape) with(marks []mark) *shape {
	if len(marks) == 0 {
		return s
	}
	if s == nil {
		return whole(marks)
	}
	c := *s
	c.marks = union(s.marks, marks)
	return &c
}

// all returns the marks of the value and its parts.
func (s *shape) all() []mark {
	if s == nil {
		return nil
	}
	out := s.marks
	for _, name := range s.names() {
		out = union(out, s.attrs[name].all())
	}
	return union(out, s.rest.all())
}

// names returns the names of the known parts, sorted, so that what is found does
// not depend on the order of a map.
func (s *shape) names() []string {
	out := make([]string, 0, len(s.attrs))
	for name := range s.attrs {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// union returns the marks of both, one for each kind and origin.
func union(x, y []mark) []mark {
	if len(x) == 0 {
		return y
	}
	out := x
next:
	for _, m := range y {
		for _, o := range out {
			if o.kind == m.kind && o.origin == m.origin {
				continue next
			}
		}
		if len(out) == maxMarks {
			break
		}
		out = append(out[:len(out):len(out)], m)
	}
	return out
}

// join returns the shape of a value that is either of two.
func join(x, y *shape) *shape {
	switch {
	case x == nil || x == y:
		return y
	case y == nil:
		return x
	}
	attrs := map[string]*shape{}
	for name, p := range x.attrs {
		attrs[name] = join(p, y.attr(name))
	}
	for name, p := range y.attrs {
		if _, both := x.attrs[name]; !both {
			attrs[name] = join(p, x.rest)
		}
	}
	return compose(union(x.marks, y.marks), attrs, join(x.rest, y.rest))
}

// attr returns the part of a name without the marks of the whole.
func (s *shape) attr(name string) *shape {
	if s == nil {
		return nil
	}
	if p, ok := s.attrs[name]; ok {
		return p
	}
	return s.rest
}

// part returns the part of a name.
func (s *shape) part(name string) *shape {
	if s == nil {
		return nil
	}
	return s.attr(name).with(s.marks)
}

// element returns any part: what going through the value gives.
func (s *shape) element() *shape {
	if s == nil {
		return nil
	}
	out := s.rest
	for _, name := range s.names() {
		out = join(out, s.attrs[name])
	}
	return out.with(s.marks)
}

// list returns the shape of a list of such elements.
func list(elem *shape) *shape {
	if elem == nil {
		return nil
	}
	return compose(nil, nil, elem)
}

// mapped returns s with every mark replaced.
func (s *shape) mapped(f func(mark) mark) *shape {
	if s == nil {
		return nil
	}
	c := &shape{size: s.size, rest: s.rest.mapped(f)}
	for _, m := range s.marks {
		c.marks = append(c.marks, f(m))
	}
	if s.attrs != nil {
		c.attrs = make(map[string]*shape, len(s.attrs))
		for name, p := range s.attrs {
			c.attrs[name] = p.mapped(f)
		}
	}
	return c
}

// read returns s as it is read at a place.
func (s *shape) read(at hcl.Range) *shape {
	return s.mapped(func(m mark) mark { m.at = at; return m })
}

// through returns s with a hop added: a thing with a name is made from it.
func (s *shape) through(name, text string) *shape {
	return s.mapped(func(m mark) mark {
		m.way = m.way.then(m.at, name, text)
		return m
	})
}

// first returns the first mark of a kind in the value or a part of it that keep
// holds of. t is the value's type, nil where it is not known.
func (s *shape) first(kind Kind, t *types.Type, keep func(mark, *types.Type) bool) *mark {
	if s == nil {
		return nil
	}
	for i := range s.marks {
		if m := &s.marks[i]; m.kind == kind && keep(*m, t) {
			return m
		}
	}
	for _, name := range s.names() {
		if m := s.attrs[name].first(kind, partType(t, name), keep); m != nil {
			return m
		}
	}
	return s.rest.first(kind, restType(t), keep)
}

// partType returns the type of a part, nil where it is not known.
func partType(t *types.Type, name string) *types.Type {
	if t == nil {
		return nil
	}
	switch u := t.Underlying(); u.Kind() {
	case types.Object:
		if a := u.Attr(name); a != nil {
			return a.Type
		}
	case types.Map, types.List:
		return u.Elem()
	}
	return nil
}

func restType(t *types.Type) *types.Type {
	if t == nil {
		return nil
	}
	switch u := t.Underlying(); u.Kind() {
	case types.Map, types.List:
		return u.Elem()
	}
	return nil
}
