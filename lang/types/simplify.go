package types

// simplifier makes a type anew once all names are defined, so that only those
// names remain that a type needs to be written down: what stood for a part
// that was being made is put in its place, and unions are put in order again.
type simplifier struct {
	done  map[*Type]*Type
	named map[*Type]*Type // names under way, by what they stand for
	used  map[*Type]bool  // of these: those that were needed
	// widened reports that a union dropped a refinement.
	widened bool
}

func newSimplifier() *simplifier {
	return &simplifier{done: map[*Type]*Type{}, named: map[*Type]*Type{}, used: map[*Type]bool{}}
}

func (s *simplifier) simplify(t *Type) *Type {
	if t.kind == Named && isPath(t.name) {
		return t
	}
	if t.kind != Named {
		return s.parts(t)
	}
	u := t.Underlying()
	if d := s.done[u]; d != nil {
		return d
	}
	if n := s.named[u]; n != nil {
		s.used[n] = true
		return n
	}
	var definition *Type
	n := &Type{kind: Named, name: t.name, resolve: func() *Type { return definition }, ready: func() bool { return definition != nil }}
	s.named[u] = n
	d := s.parts(u)
	delete(s.named, u)
	if s.used[n] {
		definition = d
		if loops(d, n) {
			definition = AnyType
		}
		d = n
	}
	s.done[u] = d
	return d
}

// parts makes anew what t is made of.
func (s *simplifier) parts(t *Type) *Type {
	if t.elem == nil && t.items == nil && t.attrs == nil && t.rest == nil {
		return t
	}
	if d := s.done[t]; d != nil {
		return d
	}
	c := *t
	if t.elem != nil {
		c.elem = s.simplify(t.elem)
	}
	if t.items != nil {
		c.items = make([]*Type, len(t.items))
		for i, x := range t.items {
			c.items[i] = s.simplify(x)
		}
	}
	if t.attrs != nil {
		c.setAttrs(make([]Attr, len(t.attrs)))
		for i, a := range t.attrs {
			a.Type = s.simplify(a.Type)
			c.attrs[i] = a
		}
	}
	if t.rest != nil {
		if c.rest = s.simplify(t.rest); c.rest.kind == Never {
			c.rest = nil
		}
	}
	made := &c
	if t.kind == Union {
		u, lossy := unionOf(c.items)
		s.widened = s.widened || lossy
		if made = u; u.kind == Union && u.name != t.name {
			named := *u
			named.name = t.name
			made = &named
		}
	}
	s.done[t] = made
	return made
}
