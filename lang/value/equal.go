package value

// Equal reports whether a and b have the same content: numbers by value, text
// by bytes, lists in order, objects without regard to order, blobs by their bytes
// and media type. A value never equals one of another kind.
func Equal(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case Null:
		return true
	case Bool:
		return a.num == b.num
	case Number:
		return a.AsNumber().Cmp(b.AsNumber()) == 0
	case String:
		return a.str == b.str
	case List:
		x, y := a.AsList(), b.AsList()
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !Equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case Object:
		return equalObjects(a.AsObject(), b.AsObject())
	default:
		x, y := a.AsBlob(), b.AsBlob()
		return x.SHA256 == y.SHA256 && x.Size == y.Size && x.MIMEType == y.MIMEType
	}
}

func equalObjects(x, y *ObjectValue) bool {
	if len(x.keys) != len(y.keys) {
		return false
	}
	for i, k := range x.keys {
		// Objects of one origin have one order: the same index is tried first.
		j := i
		if y.keys[i] != k {
			if j = y.find(k); j < 0 {
				return false
			}
		}
		if !Equal(x.vals[i], y.vals[j]) {
			return false
		}
	}
	return true
}
