package eval

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/value"
)

type list struct{ elems []node }

func (l *list) eval(m *machine) (Result, *Error) {
	elems := make([]value.Value, len(l.elems))
	for i, n := range l.elems {
		r, err := n.eval(m)
		if err != nil {
			return Result{}, err
		}
		elems[i] = r.Value
	}
	return Result{Value: value.OfList(elems)}, nil
}

type object struct{ attrs []attribute }

type attribute struct {
	name  string
	key   node // computes the name; nil: name holds
	value node
	at    hcl.Range // of the key
}

func (o *object) eval(m *machine) (Result, *Error) {
	out := value.NewObject(len(o.attrs))
	// Keys whose values are left out count as written, too.
	var absent map[string]bool
	for i := range o.attrs {
		a := &o.attrs[i]
		name := a.name
		if a.key != nil {
			var err *Error
			if name, err = objectKey(m, a.key, a.at); err != nil {
				return Result{}, err
			}
		}
		r, err := a.value.eval(m)
		if err != nil {
			return Result{}, err
		}
		if _, twice := out.Get(name); twice || absent[name] {
			return Result{}, fail(a.at, "The object has the key %q already. Use merge to let one object's attributes replace those of another.", name)
		}
		if r.Absent {
			if absent == nil {
				absent = map[string]bool{}
			}
			absent[name] = true
			continue
		}
		out.Set(name, r.Value)
	}
	return Result{Value: value.OfObject(out)}, nil
}

// objectKey evaluates a computed key.
func objectKey(m *machine, n node, at hcl.Range) (string, *Error) {
	r, err := n.eval(m)
	if err != nil {
		return "", err
	}
	switch r.Value.Kind() {
	case value.String:
		return r.Value.AsString(), nil
	case value.Number, value.Bool:
		return "", fail(at, "A key of an object must be a string, not %s. Convert it with tostring.", describe(r.Value))
	default:
		return "", fail(at, "A key of an object must be a string, not %s.", describe(r.Value))
	}
}

// loop is a `for` expression.
type loop struct {
	source           node
	key, value, cond node // key nil: a list; cond nil: all
	group            bool
	slot             int // of the key; the value has the next
	sourceText       string
	sourceAt         hcl.Range
	keyAt, condAt    hcl.Range
}

func (l *loop) eval(m *machine) (Result, *Error) {
	r, err := l.source.eval(m)
	if err != nil {
		return r, err
	}
	if l.key == nil {
		return l.list(m, r)
	}
	return l.object(m, r)
}

func (l *loop) list(m *machine, source Result) (Result, *Error) {
	out := []value.Value{}
	err := iterate(m, source, l.slot, l.sourceText, l.sourceAt, func(n int) *Error {
		if include, err := l.includes(m); err != nil || !include {
			return err
		}
		r, err := l.value.eval(m)
		if err != nil {
			return err
		}
		if len(out) == 0 {
			out = make([]value.Value, 0, n)
		}
		out = append(out, r.Value)
		return nil
	})
	return Result{Value: value.OfList(out)}, err
}

func (l *loop) object(m *machine, source Result) (Result, *Error) {
	out := value.NewObject(0)
	groups := map[string][]value.Value{}
	err := iterate(m, source, l.slot, l.sourceText, l.sourceAt, func(int) *Error {
		if include, err := l.includes(m); err != nil || !include {
			return err
		}
		key, err := objectKey(m, l.key, l.keyAt)
		if err != nil {
			return err
		}
		r, err := l.value.eval(m)
		if err != nil {
			return err
		}
		if l.group {
			if _, known := groups[key]; !known {
				out.Set(key, value.NullValue) // keeps the place
			}
			groups[key] = append(groups[key], r.Value)
			return nil
		}
		if _, twice := out.Get(key); twice {
			return fail(l.keyAt, "Two elements have the key %q. Write ... after the value to get a list of the values of each key.", key)
		}
		out.Set(key, r.Value)
		return nil
	})
	for key, values := range groups {
		out.Set(key, value.OfList(values))
	}
	return Result{Value: value.OfObject(out)}, err
}

func (l *loop) includes(m *machine) (bool, *Error) {
	if l.cond == nil {
		return true, nil
	}
	return truth(m, l.cond, l.condAt, "The condition after if")
}

// iterate binds the key and value of each element of a list, map or object to
// two slots and calls each with the number of elements.
func iterate(m *machine, source Result, slot int, text string, at hcl.Range, each func(n int) *Error) *Error {
	switch v := source.Value; v.Kind() {
	case value.List:
		elems := v.AsList()
		for i, e := range elems {
			m.vars[slot], m.vars[slot+1] = value.OfInt(int64(i)), e
			if err := each(len(elems)); err != nil {
				return err
			}
		}
		return nil
	case value.Object:
		o := v.AsObject()
		keys := o.Keys()
		if !slices.IsSorted(keys) {
			keys = slices.Clone(keys)
			slices.SortFunc(keys, strings.Compare)
		}
		for _, k := range keys {
			e, _ := o.Get(k)
			m.vars[slot], m.vars[slot+1] = value.OfString(k), e
			if err := each(len(keys)); err != nil {
				return err
			}
		}
		return nil
	case value.Null:
		return nullError(source, text, "its elements", at)
	default:
		return fail(at, "%s is %s. A for goes over a list, a map or an object.", text, describe(v))
	}
}

// splat is source[*] with what follows it.
type splat struct {
	source node
	each   node
	slot   int
}

func (s *splat) eval(m *machine) (Result, *Error) {
	r, err := s.source.eval(m)
	if err != nil {
		return r, err
	}
	elems := []value.Value{r.Value}
	switch r.Value.Kind() {
	case value.List:
		elems = r.Value.AsList()
	case value.Null:
		elems = nil
	}
	out := make([]value.Value, len(elems))
	for i, e := range elems {
		m.vars[s.slot] = e
		r, err := s.each.eval(m)
		if err != nil {
			return r, err
		}
		out[i] = r.Value
	}
	return Result{Value: value.OfList(out)}, nil
}
