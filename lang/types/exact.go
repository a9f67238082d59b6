package types

import "slices"

// weaken returns a, which is made as b is, knowing of the attributes of objects
// what both know: that there are no others, and what an undeclared one may be.
func weaken(a, b *Type) *Type {
	if a == b || a.kind == Named || b.kind != a.kind {
		return a
	}
	switch a.kind {
	case List, Map:
		if e := weaken(a.elem, b.elem); e != a.elem {
			c := *a
			c.elem = e
			return &c
		}
	case Tuple:
		return a.weakenedItems(func(i int) *Type { return b.items[i] })
	case Union:
		return a.weakenedItems(func(i int) *Type {
			for _, m := range b.items {
				if sameAsMade(a.items[i], m) {
					return m
				}
			}
			return a.items[i]
		})
	case Object:
		return weakenObject(a, b)
	}
	return a
}

func (t *Type) weakenedItems(of func(i int) *Type) *Type {
	items := t.items
	for i, x := range t.items {
		y := weaken(x, of(i))
		if y == x {
			continue
		}
		if &items[0] == &t.items[0] {
			items = slices.Clone(items)
		}
		items[i] = y
	}
	if len(items) == 0 || &items[0] == &t.items[0] {
		return t
	}
	c := *t
	c.items = items
	return &c
}

func weakenObject(a, b *Type) *Type {
	c := *a
	c.exact = a.exact && b.exact
	changed := c.exact != a.exact
	index := b.Attr
	for i := range a.attrs {
		x := a.attrs[i]
		y := index(x.Name)
		if y == nil {
			continue
		}
		t := weaken(x.Type, y.Type)
		if t == x.Type && (x.Unsure || !y.Unsure) {
			continue
		}
		if len(c.attrs) > 0 && &c.attrs[0] == &a.attrs[0] {
			c.setAttrs(slices.Clone(a.attrs))
		}
		c.attrs[i].Type, c.attrs[i].Unsure = t, x.Unsure || y.Unsure
		changed = true
	}
	if a.rest != nil && b.rest != nil {
		if r := weaken(a.rest, b.rest); r != a.rest {
			c.rest, changed = r, true
		}
	}
	if !changed {
		return a
	}
	return &c
}
