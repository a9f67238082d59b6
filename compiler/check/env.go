package check

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// env is what is known at one place of an expression: the variables of `for`
// that are bound there, and what conditions around it say. It is a chain of
// frames, the innermost first, and never changes: a nil *env knows nothing.
type env struct {
	up *env

	// A frame is one of: a bound variable, facts, a condition, or the marks below.
	name string // of the variable
	id   int    // tells variables of the same name apart
	typ  *types.Type
	// elements is what the variable goes through; nil: it is not known.
	elements hclsyntax.Expression
	facts    []fact
	known    hclsyntax.Expression // a condition that holds (or, with holds false, does not)
	source   []byte               // of known
	holds    bool

	anon   *hclsyntax.AnonSymbolExpr // the element of a splat, of type typ
	strict bool                      // inside try or can: reading an absent attribute fails
	caught bool                      // and that a failure here is caught
	asked  bool                      // on one side of a condition, whatever it says
	doubt  bool                      // of a condition that has a mistake: what it was to say is not known

	// These are true where some frame of the chain has facts, conditions or a mark.
	anyFacts, anyKnown, anyStrict, anyCaught, anyAsked, anyDoubt bool
}

// frame returns an empty frame on top of e.
func (e *env) frame() *env {
	f := &env{up: e}
	if e != nil {
		f.anyFacts, f.anyKnown = e.anyFacts, e.anyKnown
		f.anyStrict, f.anyCaught, f.anyAsked, f.anyDoubt = e.anyStrict, e.anyCaught, e.anyAsked, e.anyDoubt
	}
	return f
}

// bind returns e with a variable, a key or an element of what elements is.
func (c *checker) bind(e *env, name string, t *types.Type, elements hclsyntax.Expression) *env {
	f := e.frame()
	c.bound++
	f.name, f.id, f.typ, f.elements = name, c.bound, t, elements
	return f
}

// element returns e with the element of a splat.
func (e *env) element(sym *hclsyntax.AnonSymbolExpr, t *types.Type) *env {
	f := e.frame()
	f.anon, f.typ = sym, t
	return f
}

// inTry returns e inside try or can; caught says that a failure there is
// caught, as it is everywhere but in the last argument of try.
func (e *env) inTry(caught bool) *env {
	f := e.frame()
	f.strict, f.anyStrict = true, true
	if caught {
		f.caught, f.anyCaught = true, true
	}
	return f
}

// assuming returns e with facts.
func (e *env) assuming(facts ...fact) *env {
	if len(facts) == 0 {
		return e
	}
	f := e.frame()
	f.facts, f.anyFacts = facts, true
	return f
}

// knowing returns e with a condition that holds or does not.
func (e *env) knowing(cond hclsyntax.Expression, source []byte, holds bool) *env {
	f := e.frame()
	f.known, f.source, f.holds, f.anyKnown = cond, source, holds, true
	return f
}

// onASide returns e on one side of a condition.
func (e *env) onASide() *env {
	if e != nil && e.anyAsked {
		return e
	}
	f := e.frame()
	f.asked, f.anyAsked = true, true
	return f
}

// unless returns e where a condition before it has a mistake and so may say anything.
func (e *env) unless(mistaken bool) *env {
	if !mistaken {
		return e
	}
	f := e.frame()
	f.doubt, f.anyDoubt = true, true
	return f
}

// forgives reports whether null does no harm at this place: its failure is caught,
// or nobody knows what the condition around it was to say.
func (e *env) forgives() bool { return e != nil && (e.anyCaught || e.anyDoubt) }

// inDoubt reports whether a condition around this place has a mistake.
func (e *env) inDoubt() bool { return e != nil && e.anyDoubt }

// isSure reports whether what fails at this place fails the whole expression: no
// condition may keep it from being evaluated, and nothing catches it.
func (e *env) isSure() bool { return e == nil || !e.anyCaught && !e.anyAsked }

// isThere reports whether reading a path is known not to fail.
func (e *env) isThere(path string) bool {
	if path == "" {
		return false
	}
	for ; e != nil && e.anyFacts; e = e.up {
		for _, f := range e.facts {
			if f.path == path && f.rel == isThere {
				return true
			}
		}
	}
	return false
}

// variable returns the frame that binds name, or nil.
func (e *env) variable(name string) *env {
	for ; e != nil; e = e.up {
		if e.name == name {
			return e
		}
	}
	return nil
}

// symbol returns the type of a splat's element, or nil.
func (e *env) symbol(sym *hclsyntax.AnonSymbolExpr) *types.Type {
	for ; e != nil; e = e.up {
		if e.anon == sym {
			return e.typ
		}
	}
	return nil
}

// isCaught reports whether a failure at this place is caught by try or can.
func (e *env) isCaught() bool { return e != nil && e.anyCaught }

// isStrict reports whether reading an absent attribute fails at this place.
func (e *env) isStrict() bool { return e != nil && e.anyStrict }

// hasFacts reports whether anything is known of any path.
func (e *env) hasFacts() bool { return e != nil && (e.anyFacts || e.anyKnown) }

// relation is what a fact says of its path.
type relation uint8

const (
	isNull relation = iota
	notNull
	isValue // equals the fact's value
	notValue
	isThere // reading it did not fail: an optional attribute is present
)

// fact is something known of a path: a root with attributes and indexes (see
// checker.pathOf), written so that equal paths are equal strings.
type fact struct {
	path  string
	rel   relation
	value value.Value
}

// withoutFacts returns e with its variables and marks only.
func (e *env) withoutFacts() *env {
	if e == nil {
		return nil
	}
	up := e.up.withoutFacts()
	f := &env{up: up, name: e.name, id: e.id, typ: e.typ, elements: e.elements, anon: e.anon, strict: e.strict, caught: e.caught, asked: e.asked, doubt: e.doubt}
	f.anyStrict = e.strict || up.isStrict()
	f.anyCaught = e.caught || up.isCaught()
	f.anyAsked = e.asked || up != nil && up.anyAsked
	f.anyDoubt = e.doubt || up != nil && up.anyDoubt
	return f
}

// shadowsRoot reports whether a variable has the name of a root, so that text
// with that name means something else here than elsewhere.
func (e *env) shadowsRoot() bool {
	for ; e != nil; e = e.up {
		if _, ok := rootNames[e.name]; ok && e.name != "" {
			return true
		}
	}
	return false
}
