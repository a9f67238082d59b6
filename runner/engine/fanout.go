package engine

import (
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
)

// defaultParallel is how many elements are in flight without max_parallel (LANGUAGE 4).
const defaultParallel = 10

// fanOut is the state of a node with for_each whose elements are known.
type fanOut struct {
	source value.Value   // list or object
	keyed  bool          // results are a map
	keys   []value.Value // of a list with `key`, texts; else nil
	find   map[string]int
	insts  []instance

	max     int // elements in flight at once
	next    int // no element before it is pending
	running int
	left    int      // elements that have not ended
	failed  *Failure // of the first element that fails the step
	failure Instance // that element
	cut     bool     // elements were given up before they started, because the run stops
	queued  bool     // in Core.fill
}

// element is what `each` is.
type element struct {
	index      int
	key, value value.Value
}

// element returns the i-th element.
func (f *fanOut) element(i int) element {
	if f.source.Kind() == value.Object {
		k, v := f.source.AsObject().At(i)
		return element{i, value.OfString(k), v}
	}
	e := element{index: i, value: f.source.AsList()[i]}
	if f.keys != nil {
		e.key = f.keys[i]
	} else {
		e.key = value.OfInt(int64(i))
	}
	return e
}

// openFanOut evaluates for_each, the keys and max_parallel. It changes nothing
// when it fails. It depends on ended steps only, so it gives the same whenever
// it is called.
func (c *Core) openFanOut(fr *frame, i int) *Failure {
	n := &fr.prog.nodes[i]
	source, failure := c.eval("for_each", n.forEach, &scope{core: c, frame: fr})
	if failure != nil {
		return failure
	}
	f := &fanOut{source: source}
	switch source.Kind() {
	case value.List:
		f.insts = make([]instance, len(source.AsList()))
		if !n.key.IsZero() {
			if failure := c.keys(fr, n, f); failure != nil {
				return failure
			}
		}
	case value.Object:
		f.insts = make([]instance, source.AsObject().Len())
		f.keyed = true
		if !n.key.IsZero() {
			return expressionFailure("`key` names the elements of a list, but `for_each` goes over a map, whose keys name them.")
		}
	default:
		return expressionFailure("`for_each` must be a list, a map or an object; it is %s.", source.Summary(80))
	}
	if f.max, failure = c.count("max_parallel", n.maxParallel, defaultParallel, &scope{core: c, frame: fr}); failure != nil {
		return failure
	}
	f.left = len(f.insts)
	fr.nodes[i].fan = f
	return nil
}

func (c *Core) keys(fr *frame, n *node, f *fanOut) *Failure {
	f.keyed = true
	f.keys = make([]value.Value, len(f.insts))
	f.find = make(map[string]int, len(f.insts))
	for i := range f.keys {
		e := element{index: i, key: value.OfInt(int64(i)), value: f.source.AsList()[i]}
		k, failure := c.eval("key", n.key, &scope{core: c, frame: fr, each: &e})
		if failure != nil {
			failure.Message = fmt.Sprintf("Element %d has no key. %s", i, failure.Message)
			return failure
		}
		if k.Kind() != value.String {
			return expressionFailure("`key` must be a string; of element %d it is %s. tostring(…) makes a number one.", i, k.Summary(80))
		}
		if first, twice := f.find[k.AsString()]; twice {
			return expressionFailure("The elements %d and %d have the same `key`, %s. A key must tell the elements apart.", first, i, k.Summary(80))
		}
		f.find[k.AsString()], f.keys[i] = i, k
	}
	return nil
}

// fillUp starts elements while there is room.
func (c *Core) fillUp(fr *frame, i int) {
	f := fr.nodes[i].fan
	f.queued = false
	for f.next < len(f.insts) && f.running < f.max && !fr.stopping() && f.failed == nil {
		if f.insts[f.next].state == StatePending {
			c.start(&fr.prog.nodes[i], Addr{Frame: fr.id, Node: i, Elem: f.next})
		}
		f.next++
	}
}

// closeFanOuts ends the fan-outs that are over and reports whether there were any.
func (c *Core) closeFanOuts(fr *frame) bool {
	closed := false
	for len(fr.closing) > 0 {
		i := fr.closing[0]
		fr.closing = fr.closing[1:]
		n := &fr.nodes[i]
		whole := Addr{Frame: fr.id, Node: i, Elem: Whole}
		switch {
		case n.state.ended():
		case n.fan.failed != nil:
			// The other elements in flight end first; the last one queues the node again.
			if n.fan.running == 0 {
				c.record(NodeEnded{At: whole, Outcome: OutcomeError, Failure: n.fan.failed})
				closed = true
			}
		case n.fan.left == 0 && n.fan.cut:
			c.record(NodeEnded{At: whole, Outcome: OutcomeSkipped})
			closed = true
		case n.fan.left == 0:
			c.record(NodeEnded{At: whole, Outcome: OutcomeOK})
			closed = true
		}
	}
	return closed
}

// elementIndex finds the element that text, a key or index as JSON, names.
func (f *fanOut) elementIndex(text string) (int, bool) {
	v, err := value.ParseJSON([]byte(text))
	switch {
	case err != nil:
		return 0, false
	case f.keyed && v.Kind() == value.String && f.keys == nil:
		return f.objectIndex(v.AsString())
	case f.keyed && v.Kind() == value.String:
		i, ok := f.find[v.AsString()]
		return i, ok
	case !f.keyed && v.Kind() == value.Number:
		i, ok := v.AsNumber().Int64()
		return int(i), ok && i >= 0 && i < int64(len(f.insts))
	}
	return 0, false
}

// objectIndex finds a key's place among the keys of the object that for_each
// goes over, by a table that is made when history is read.
func (f *fanOut) objectIndex(key string) (int, bool) {
	if f.find == nil {
		keys := f.source.AsObject().Keys()
		f.find = make(map[string]int, len(keys))
		for i, k := range keys {
			f.find[k] = i
		}
	}
	i, ok := f.find[key]
	return i, ok
}

func expressionFailure(format string, args ...any) *Failure {
	return &Failure{Kind: KindExpression, Message: fmt.Sprintf(format, args...)}
}
