package eval

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/value"
)

// variable is a name bound by a `for` or the element of a splat.
type variable struct{ slot int }

func (v variable) eval(m *machine) (Result, *Error) { return Result{Value: m.vars[v.slot]}, nil }

// root is a root name, with its first member where one is read by name.
type root struct {
	name     string
	at       hcl.Range
	member   string
	memberAt hcl.Range
	step     step // reads the member from the whole root

	hasMember bool
}

func (r *root) eval(m *machine) (Result, *Error) {
	if m.scope == nil {
		return Result{}, fail(r.at, "There is no name %q here.", r.name)
	}
	if r.hasMember {
		v, ok, err := m.scope.Member(r.name, r.member)
		if err != nil {
			return Result{}, fromScope(err, r.memberAt)
		}
		if ok {
			return Result{Value: v}, nil
		}
	}
	v, err := m.scope.Root(r.name)
	if err != nil {
		return Result{}, fromScope(err, r.at)
	}
	if r.hasMember {
		return r.step.apply(Result{Value: v})
	}
	return Result{Value: v}, nil
}

// traversal reads from a value step by step.
type traversal struct {
	source node
	steps  []step
}

func (t *traversal) eval(m *machine) (Result, *Error) {
	r, err := t.source.eval(m)
	for i := range t.steps {
		if err != nil {
			return Result{}, err
		}
		r, err = t.steps[i].apply(r)
	}
	return r, err
}

// step is .attr or [key] with a constant key.
type step struct {
	attr    string
	key     value.Value
	isIndex bool
	strict  bool      // reading an absent attribute fails
	of      string    // text of what is read from
	at      hcl.Range // of that and the step
	broken  *Error
}

func (s *step) apply(r Result) (Result, *Error) {
	switch {
	case s.broken != nil:
		return Result{}, s.broken
	case s.isIndex:
		return element(r, s.key, s.of, s.at, s.at)
	}
	switch v := r.Value; v.Kind() {
	case value.Object:
		if got, ok := v.AsObject().Get(s.attr); ok {
			return Result{Value: got}, nil
		}
		if s.strict {
			return Result{}, fail(s.at, "%s has no attribute %q.", s.of, s.attr)
		}
		return Result{Absent: true}, nil
	case value.Blob:
		if got, ok := blobAttr(v.AsBlob(), s.attr); ok {
			return Result{Value: got}, nil
		}
		return Result{}, fail(s.at, "%s is a blob, which has the attributes mime_type, size and sha256 only.", s.of)
	case value.Null:
		return Result{}, nullError(r, s.of, fmt.Sprintf("its attribute %q", s.attr), s.at)
	case value.List:
		return Result{}, fail(s.at, "%s is a list, which has no attribute %q. Read from one element, as in %s[0].%s, or from all, as in %s[*].%s.",
			s.of, s.attr, s.of, s.attr, s.of, s.attr)
	default:
		return Result{}, fail(s.at, "%s is %s, which has no attribute %q.", s.of, describe(v), s.attr)
	}
}

func blobAttr(b *value.BlobValue, name string) (value.Value, bool) {
	switch name {
	case "mime_type":
		return value.OfString(b.MIMEType), true
	case "size":
		return value.OfInt(b.Size), true
	case "sha256":
		return value.OfString(b.SHA256), true
	}
	return value.NullValue, false
}

func nullError(r Result, of, what string, at hcl.Range) *Error {
	if strings.Contains(of, "[*]") || strings.Contains(of, ".*") {
		return fail(at, "An element of %s is null, so that %s cannot be read. Leave such elements out with a for expression and its if.", of, what)
	}
	if r.Absent {
		return fail(at, "%s is absent, so that %s cannot be read. Ask can(%s) first, or use try.", of, what, of)
	}
	return fail(at, "%s is null, so that %s cannot be read. Ask %s != null first.", of, what, of)
}

// index is [key] with a key that is computed.
type index struct {
	source, key node
	text        string
	at, keyAt   hcl.Range
}

func (x *index) eval(m *machine) (Result, *Error) {
	r, err := x.source.eval(m)
	if err != nil {
		return r, err
	}
	key, err := x.key.eval(m)
	if err != nil {
		return key, err
	}
	return element(r, key.Value, x.text, x.at, x.keyAt)
}

// element returns the element of r, which is written as of.
func element(r Result, key value.Value, of string, at, keyAt hcl.Range) (Result, *Error) {
	switch v := r.Value; v.Kind() {
	case value.List:
		if key.Kind() != value.Number {
			return Result{}, fail(keyAt, "%s is a list, whose index must be a whole number, not %s.", of, describe(key))
		}
		elems := v.AsList()
		i, ok := key.AsNumber().Int64()
		if !ok || i < 0 || i >= int64(len(elems)) {
			return Result{}, fail(at, "The index %s is out of range: %s has %s.", key.AsNumber(), of, count(len(elems), "element"))
		}
		return Result{Value: elems[i]}, nil
	case value.Object:
		if key.Kind() != value.String {
			return Result{}, fail(keyAt, "%s is a map or object, whose key must be a string, not %s.", of, describe(key))
		}
		o := v.AsObject()
		got, ok := o.Get(key.AsString())
		if !ok {
			return Result{}, fail(at, "%s has no key %q.%s", of, key.AsString(), suggestion(key.AsString(), o.Keys()))
		}
		return Result{Value: got}, nil
	case value.Blob:
		if key.Kind() == value.String {
			if got, ok := blobAttr(v.AsBlob(), key.AsString()); ok {
				return Result{Value: got}, nil
			}
		}
		return Result{}, fail(at, "%s is a blob, which has the attributes mime_type, size and sha256 only.", of)
	case value.Null:
		return Result{}, nullError(r, of, "an element of it", at)
	default:
		return Result{}, fail(at, "%s is %s, which has no elements.", of, describe(v))
	}
}

// suggestion names the key that was probably meant. Among very many keys it
// does not look: a try in a loop must not pay for a message that nobody reads.
func suggestion(name string, names []string) string {
	if len(names) > 100 {
		return ""
	}
	if near, ok := nearest.Name(name, names); ok {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return ""
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
