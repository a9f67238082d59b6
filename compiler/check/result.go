package check

import (
	"strings"

	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// outcomes is a set of outcomes of a step.
type outcomes uint8

// The outcomes.
const (
	outcomeOK outcomes = 1 << iota
	outcomeError
	outcomeSkipped
)

var outcomeNames = []struct {
	bit  outcomes
	name string
}{{outcomeOK, "ok"}, {outcomeError, "error"}, {outcomeSkipped, "skipped"}}

// outcomeTypes are the types of outcome, by what can be.
var outcomeTypes = func() (out [8]*types.Type) {
	for set := range out {
		var names []string
		for _, o := range outcomeNames {
			if outcomes(set)&o.bit != 0 {
				names = append(names, o.name)
			}
		}
		out[set] = enum(names...)
	}
	return out
}()

// result is the type of a step's result (LANGUAGE 5), in the form that its
// outcomes allow.
type result struct {
	step     *step
	t        *types.Type
	output   *types.Type // where it is ok
	each     *types.Type // nil without for_each
	outcomes outcomes
	final    bool // read in a finally block
}

// The parts of a result that are the same for all (LANGUAGE 5).
var (
	partType = types.ObjectOf([]types.Attr{
		{Name: "type", Type: enum("text", "image", "audio", "resource", "resource_link")},
		{Name: "text", Type: types.StringType, Optional: true},
		{Name: "blob", Type: types.BlobType, Optional: true},
		{Name: "mime_type", Type: types.StringType, Optional: true},
		{Name: "uri", Type: types.StringType, Optional: true},
		{Name: "name", Type: types.StringType, Optional: true},
	}, types.AnyType)
	contentType = types.ListOf(partType)
	failureType = types.ObjectOf([]types.Attr{
		{Name: "kind", Type: enum(syntax.Kinds...)},
		{Name: "message", Type: types.StringType},
		{Name: "code", Type: types.IntegerType, Optional: true},
		{Name: "in_doubt", Type: types.BoolType},
	}, types.AnyType)
	nullableFailureType = types.NullableOf(failureType)

	projectType = types.ObjectOf([]types.Attr{
		{Name: "root", Type: types.StringType},
		{Name: "wfc", Type: types.StringType},
	}, nil)
)

func enum(names ...string) *types.Type {
	vals := make([]value.Value, len(names))
	for i, n := range names {
		vals[i] = value.OfString(n)
	}
	return types.EnumOf(vals...)
}

// newResult makes a result type and remembers it, so that its outcome narrows
// its output wherever it is read.
func (c *checker) newResult(s *step, output, each *types.Type, can outcomes) *result {
	out, failure := output, nullableFailureType
	switch {
	case can&outcomeOK == 0:
		out = types.NullType
	case can != outcomeOK:
		out = types.NullableOf(output)
	}
	if can == outcomeError {
		failure = failureType
	}
	attrs := make([]types.Attr, 0, 7)
	attrs = append(attrs,
		types.Attr{Name: "outcome", Type: outcomeTypes[can]},
		types.Attr{Name: "output", Type: out},
		types.Attr{Name: "text", Type: types.StringType},
		types.Attr{Name: "content", Type: contentType},
		types.Attr{Name: "error", Type: failure},
	)
	if each != nil {
		attrs = append(attrs, types.Attr{Name: "each", Type: each})
	}
	attrs = append(attrs, types.Attr{Name: "attempts", Type: types.IntegerType})
	r := &result{step: s, t: types.ExactOf(attrs), output: output, each: each, outcomes: can}
	c.f.results[r.t] = r
	return r
}

// resultOf returns the result that t is the type of, or nil.
func (c *checker) resultOf(t *types.Type) *result {
	if c.f == nil {
		return nil
	}
	return c.f.results[t]
}

// listOfResults returns the result that t is a list of, or nil.
func (c *checker) listOfResults(t *types.Type) *result {
	if t.Kind() != types.List {
		return nil
	}
	return c.resultOf(t.Elem())
}

// narrowResult returns the type of a result read at a path: with the outcomes
// that what is known of the path leaves.
func (c *checker) narrowResult(en *env, path string, r *result) *types.Type {
	can := r.outcomes
	for e := en; e != nil && e.anyFacts; e = e.up {
		for _, f := range e.facts {
			part, ok := strings.CutPrefix(f.path, path+".")
			if !ok {
				continue
			}
			can &= allowedBy(part, f, r)
		}
	}
	if en.anyKnown && can&outcomeSkipped != 0 && !r.final && path == "step."+r.step.name() && c.ran(r.step, en) {
		can &^= outcomeSkipped
	}
	if can == 0 || can == r.outcomes {
		return r.t
	}
	n := c.newResult(r.step, r.output, r.each, can)
	n.final = r.final
	return n.t
}

// allowedBy returns the outcomes that a fact about a part of a result allows.
func allowedBy(part string, f fact, r *result) outcomes {
	const all = outcomeOK | outcomeError | outcomeSkipped
	switch part {
	case "outcome":
		if f.value.Kind() != value.String {
			return all
		}
		var named outcomes
		for _, o := range outcomeNames {
			if o.name == f.value.AsString() {
				named = o.bit
			}
		}
		switch f.rel {
		case isValue:
			return named
		case notValue:
			return all &^ named
		}
	case "output":
		switch {
		case f.rel == notNull || f.rel == isValue:
			return outcomeOK
		case f.rel == isNull && !r.output.Nullable() && !isAny(r.output):
			return all &^ outcomeOK
		}
	case "error":
		switch f.rel {
		case notNull:
			return outcomeError
		case isNull:
			return all &^ outcomeError
		}
	}
	return all
}

// ran reports whether what is known implies that the step's `when` holds: the
// step ran then.
func (c *checker) ran(s *step, en *env) bool {
	w := s.syn.When
	if w == nil || s.whenEach || s.syn.Loop != nil {
		return false
	}
	// Locals are looked through this deep.
	const depth = 8
	return c.follows(w.Expr.Node, w.Expr.Source, true, en, depth)
}
