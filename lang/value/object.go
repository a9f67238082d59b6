package value

import "maps"

// ObjectValue is an ordered object: attributes keep the order in which they
// were first set, which is the order of printing. Order does not take part in
// equality. The zero ObjectValue is empty and ready to use.
type ObjectValue struct {
	keys  []string
	vals  []Value
	index map[string]int // nil while the object is small; then linear search is faster
	// shared: other objects have the same keys (full to capacity) and index.
	shared bool
}

// indexAbove is the size at which a map beats linear search.
const indexAbove = 8

// NewObject returns an empty object with room for n attributes.
func NewObject(n int) *ObjectValue {
	return &ObjectValue{keys: make([]string, 0, n), vals: make([]Value, 0, n)}
}

func (o *ObjectValue) find(key string) int {
	if o.index != nil {
		if i, ok := o.index[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range o.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// Set gives key the value v; a key that is there already keeps its place.
// Only the builder of an object may call it, before the object is shared.
func (o *ObjectValue) Set(key string, v Value) {
	if i := o.find(key); i >= 0 {
		o.vals[i] = v
		return
	}
	if o.shared {
		o.index = maps.Clone(o.index)
		o.shared = false
	}
	o.keys = append(o.keys, key)
	o.vals = append(o.vals, v)
	if o.index != nil {
		o.index[key] = len(o.keys) - 1
	} else if len(o.keys) > indexAbove {
		o.index = make(map[string]int, 2*len(o.keys))
		for i, k := range o.keys {
			o.index[k] = i
		}
	}
}

// Get returns the value of key and whether it is there.
func (o *ObjectValue) Get(key string) (Value, bool) {
	if i := o.find(key); i >= 0 {
		return o.vals[i], true
	}
	return Value{}, false
}

// Len returns the number of attributes.
func (o *ObjectValue) Len() int { return len(o.keys) }

// At returns the i-th attribute in order.
func (o *ObjectValue) At(i int) (string, Value) { return o.keys[i], o.vals[i] }

// Keys returns the attribute names in order, not to be changed.
func (o *ObjectValue) Keys() []string { return o.keys }

// All iterates over the attributes in order.
func (o *ObjectValue) All() func(yield func(string, Value) bool) {
	return func(yield func(string, Value) bool) {
		for i, k := range o.keys {
			if !yield(k, o.vals[i]) {
				return
			}
		}
	}
}

// fill gives o the keys, copied, and reports false where one comes twice.
func (o *ObjectValue) fill(keys []string) bool {
	if len(keys) > indexAbove {
		o.index = make(map[string]int, len(keys))
		for i, k := range keys {
			o.index[k] = i
		}
		if len(o.index) < len(keys) {
			return false
		}
	} else {
		for i, k := range keys {
			for _, earlier := range keys[:i] {
				if k == earlier {
					return false
				}
			}
		}
	}
	o.keys = append(make([]string, 0, len(keys)), keys...)
	return true
}

// sibling returns an object with o's keys and other values. Both share the
// keys and the index from then on.
func (o *ObjectValue) sibling(vals []Value) *ObjectValue {
	o.shared = true
	return &ObjectValue{keys: o.keys, vals: vals, index: o.index, shared: true}
}
