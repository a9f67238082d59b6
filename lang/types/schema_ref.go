package types

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
)

// ref returns the type that a $ref leads to.
func (c *converter) ref(v value.Value, at place) *Type {
	if v.Kind() != value.String {
		c.problem(at, "`$ref` is a string, not %s", describeKind(v))
		return AnyType
	}
	ref := v.AsString()
	target, found := c.locate(ref, at)
	if !found {
		if strings.HasPrefix(ref, "#") {
			c.problem(at, "nothing is at %s, which `$ref` leads to", ref)
		} else {
			c.widened(at, "`$ref` leads out of the schema, to "+ref)
		}
		return AnyType
	}
	if e := c.entries[target.pointer]; e != nil {
		switch {
		case e.named != nil:
			return e.named
		case e.t != nil:
			return e.t
		}
		c.names = true
		e.named = &Type{kind: Named, name: target.pointer,
			resolve: func() *Type { return e.t },
			ready:   func() bool { return e.t != nil }}
		return e.named
	}
	e := &entry{}
	c.entries[target.pointer] = e
	s, _, _ := c.at(target.pointer)
	t := c.convert(s, target)
	if t.name == "" && (t.kind == Object || t.kind == Union || t.kind == Tuple) {
		named := *t
		named.name = target.pointer
		t = &named
	}
	return c.finish(e, t)
}

// locate finds the place of a reference.
func (c *converter) locate(ref string, at place) (place, bool) {
	fragment, local := strings.CutPrefix(ref, "#")
	if local {
		if fragment == "" || fragment[0] == '/' {
			return c.inResource(at.resource, fragment)
		}
		if p, ok := c.index()[at.base+"#"+fragment]; ok {
			return p, true
		}
		p, ok := c.index()["#"+fragment]
		return p, ok
	}
	uri, fragment, _ := strings.Cut(resolveURI(at.base, ref), "#")
	p, ok := c.index()[uri]
	if !ok {
		return place{}, false
	}
	if fragment == "" || fragment[0] == '/' {
		return c.inResource(p.pointer, fragment)
	}
	p, ok = c.index()[uri+"#"+fragment]
	return p, ok
}

// inResource returns the place of a JSON pointer, as a URI fragment has it,
// below the resource's root.
func (c *converter) inResource(resource, fragment string) (place, bool) {
	if f, err := url.PathUnescape(fragment); err == nil {
		fragment = f
	}
	_, p, ok := c.at(resource + fragment)
	return p, ok
}

// at returns the schema at a pointer of the document, and its place: the
// resource and base that hold there.
func (c *converter) at(pointer string) (value.Value, place, bool) {
	v := c.root
	p := place{pointer: "#", resource: "#"}
	if v.Kind() == value.Object {
		p = c.enter(v.AsObject(), p)
	}
	rest := strings.TrimPrefix(pointer, "#")
	if rest == "" {
		return v, p, true
	}
	for _, token := range strings.Split(rest[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		p = p.in(token)
		switch v.Kind() {
		case value.Object:
			next, ok := v.AsObject().Get(token)
			if !ok {
				return v, p, false
			}
			v = next
		case value.List:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.AsList()) {
				return v, p, false
			}
			v = v.AsList()[i]
		default:
			return v, p, false
		}
		if v.Kind() == value.Object {
			p = c.enter(v.AsObject(), p)
		}
	}
	return v, p, true
}

// id returns what a schema object calls itself.
func (c *converter) id(o *value.ObjectValue) (string, bool) {
	key := "$id"
	if c.draft <= 4 {
		key = "id"
	}
	v, ok := o.Get(key)
	if !ok || v.Kind() != value.String || strings.HasPrefix(v.AsString(), "#") {
		return "", false
	}
	return strings.TrimSuffix(v.AsString(), "#"), true
}

// data are the keywords whose values are no schemas.
var data = map[string]bool{"enum": true, "const": true, "default": true, "examples": true, "example": true}

// index finds all names that the document gives to its parts.
func (c *converter) index() map[string]place {
	if c.ids != nil {
		return c.ids
	}
	c.ids = map[string]place{}
	var walk func(v value.Value, at place)
	walk = func(v value.Value, at place) {
		switch v.Kind() {
		case value.List:
			for i, x := range v.AsList() {
				walk(x, at.in(strconv.Itoa(i)))
			}
		case value.Object:
			o := v.AsObject()
			at = c.enter(o, at)
			if _, ok := c.id(o); ok {
				c.ids[at.base] = at
			}
			for _, key := range []string{"$anchor", "$dynamicAnchor", "$id", "id"} {
				a, ok := o.Get(key)
				if !ok || a.Kind() != value.String {
					continue
				}
				name := a.AsString()
				if key == "$id" || key == "id" {
					if name, ok = strings.CutPrefix(name, "#"); !ok {
						continue
					}
				}
				c.ids[at.base+"#"+name] = at
			}
			for k, x := range o.All() {
				if !data[k] {
					walk(x, at.in(k))
				}
			}
		}
	}
	walk(c.root, place{pointer: "#", resource: "#"})
	return c.ids
}

// resolveURI resolves a reference against a base URI.
func resolveURI(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	return b.ResolveReference(r).String()
}
