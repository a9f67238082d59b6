// Package value holds values as JSON and blobs have them: null, bool, exact
// decimal numbers, text as bytes, lists, ordered objects, and blobs.
//
// Its central type is [Value]. It imports nothing of wfc. go-cty is not used
// because it normalises text to NFC and loses a number's text (LANGUAGE 2).
package value

import "github.com/cockroachdb/apd/v3"

// Kind is the kind of a [Value].
type Kind uint8

// The kinds. There is no separate tuple, map or integer: at run time list and
// tuple are one thing, and so are map and object (LANGUAGE 2).
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
	Blob
)

// String returns the kind as diagnostics name it: "null", "bool", "number",
// "string", "list", "object", "blob".
func (k Kind) String() string {
	return [...]string{"null", "bool", "number", "string", "list", "object", "blob"}[k]
}

// Value is an immutable value. The zero Value is null. Values are compared with
// [Equal]; the == of Go does not compile.
type Value struct {
	_    [0]func() // forbids ==
	kind Kind
	num  int64  // Bool: 0 or 1; Number: Decimal.small
	str  string // String: the text; Number: Decimal.text
	ref  any    // Number: *apd.Decimal or nil; List: *[]Value; Object: *ObjectValue; Blob: *BlobValue
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == Null }

// NullValue is null.
var NullValue = Value{}

// OfBool returns b as a value.
func OfBool(b bool) Value {
	if b {
		return Value{kind: Bool, num: 1}
	}
	return Value{kind: Bool}
}

// OfString returns s as a value. Its bytes are kept as they are.
func OfString(s string) Value { return Value{kind: String, str: s} }

// OfNumber returns d as a value.
func OfNumber(d Decimal) Value {
	v := Value{kind: Number, num: d.small, str: d.text}
	if d.big != nil {
		v.ref = d.big
	}
	return v
}

// OfInt returns n as a number.
func OfInt(n int64) Value { return Value{kind: Number, num: n} }

// OfList returns a list. It takes ownership of elems; nil is the empty list.
func OfList(elems []Value) Value { return Value{kind: List, ref: &elems} }

// OfObject returns an object value. It takes ownership of o; nil is the empty object.
func OfObject(o *ObjectValue) Value {
	if o == nil {
		o = &ObjectValue{}
	}
	return Value{kind: Object, ref: o}
}

// OfBlob returns a blob value. b must not be nil.
func OfBlob(b *BlobValue) Value { return Value{kind: Blob, ref: b} }

// AsBool returns the bool; v must be of kind Bool, else it panics.
func (v Value) AsBool() bool { v.must(Bool); return v.num != 0 }

// AsString returns the text; v must be of kind String, else it panics.
func (v Value) AsString() string { v.must(String); return v.str }

// AsNumber returns the number; v must be of kind Number, else it panics.
func (v Value) AsNumber() Decimal {
	v.must(Number)
	d := Decimal{small: v.num, text: v.str}
	if v.ref != nil {
		d.big = v.ref.(*apd.Decimal)
	}
	return d
}

// AsList returns the elements, not to be changed; v must be of kind List, else it panics.
func (v Value) AsList() []Value { v.must(List); return *v.ref.(*[]Value) }

// AsObject returns the object, not to be changed, never nil; v must be of kind Object, else it panics.
func (v Value) AsObject() *ObjectValue { v.must(Object); return v.ref.(*ObjectValue) }

// AsBlob returns the blob, never nil; v must be of kind Blob, else it panics.
func (v Value) AsBlob() *BlobValue { v.must(Blob); return v.ref.(*BlobValue) }

func (v Value) must(k Kind) {
	if v.kind != k {
		v.misused(k)
	}
}

// misused stays out of must so that the accessors are inlined.
func (v Value) misused(k Kind) {
	panic("value: " + v.kind.String() + " used as " + k.String() + " (this is a bug in wfc)")
}

// BlobValue describes binary content by reference. Its bytes live in a store
// addressed by SHA256, never in the value.
type BlobValue struct {
	MIMEType string // as the server said it; may be empty
	Size     int64  // bytes
	SHA256   string // lower-case hex of the content
}
