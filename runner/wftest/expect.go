package wftest

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/redact"
)

// ending is how the run of a test ended.
type ending struct {
	outcome string           // "ok", "error", "cancelled" or "waiting"
	outputs value.Value      // null unless ok
	err     *engine.RunError // nil if ok
}

// judge holds the run against what the test expects. wrong is why it did not begin;
// nil: it did.
func (s *simulation) judge(wrong *engine.InputError) []Failure {
	j := &judge{simulation: s, end: s.ending(wrong), redact: s.hiding()}
	want := "ok"
	at := s.header()
	e := s.test.Syntax.Expect
	if e != nil {
		at = diag.RangeOf(e.Header)
		switch {
		case e.Outcome != nil:
			want, at = e.Outcome.S, diag.RangeOf(e.Outcome.Range)
		case e.Error != nil:
			want, at = "error", diag.RangeOf(e.Error.Range)
		}
	}
	if j.end.outcome != want {
		j.fail(at, j.otherwise(want))
		if j.end.outcome == "waiting" {
			_, j.failures[0].Mock = j.unanswered()
		}
		return j.failures // what is asserted is of a run that ended so
	}
	if e != nil && e.Error != nil && j.end.err != nil && string(j.end.err.Kind) != e.Error.S {
		j.fail(diag.RangeOf(e.Error.Range), fmt.Sprintf("The run failed, and the kind of the failure is %q, not %q. %s", j.end.err.Kind, e.Error.S, sentence(j.end.err.Message)))
	}
	if e != nil && e.Outputs != nil {
		j.outputs()
	}
	for i, a := range s.test.Syntax.Asserts {
		j.assert(a, s.test.Asserts[i].Condition, s.test.Asserts[i].Message)
	}
	return j.failures
}

func (s *simulation) ending(wrong *engine.InputError) ending {
	if wrong != nil {
		return ending{outcome: "error", err: &engine.RunError{Kind: engine.KindAssert, Message: strings.TrimSpace(wrong.Error())}}
	}
	end := s.core.Ended()
	if end == nil {
		return ending{outcome: "waiting"}
	}
	switch end.Status {
	case engine.StatusCompleted:
		return ending{outcome: "ok", outputs: end.Outputs}
	case engine.StatusCancelled:
		return ending{outcome: "cancelled", err: end.Err}
	}
	return ending{outcome: "error", err: end.Err}
}

type judge struct {
	*simulation
	end      ending
	redact   *redact.Redactor
	failures []Failure
}

func (j *judge) fail(at diag.Range, message string) {
	j.failures = append(j.failures, Failure{At: at, Message: j.redact.Text(message)})
}

// otherwise says that the run ended in another way than is expected.
func (j *judge) otherwise(want string) string {
	switch j.end.outcome {
	case "ok":
		return fmt.Sprintf("The run completed, and %q is expected.", want)
	case "waiting":
		message, _ := j.unanswered()
		return fmt.Sprintf("The run waits for a person, and %q is expected.%s", want, message)
	}
	failed := "failed"
	if j.end.outcome == "cancelled" {
		failed = "was cancelled"
	}
	return fmt.Sprintf("The run %s, and %q is expected. %s", failed, want, sentence(j.end.err.Message))
}

// outputs compares the outputs that are expected, one by one.
func (j *judge) outputs() {
	r, err := eval.Eval(j.test.Outputs, eval.MapScope{"input": j.inputs})
	if err != nil {
		j.fail(where(j.test.Syntax.Expect.Outputs.Expr, j.test.Outputs, err), fmt.Sprintf("The outputs that are expected cannot be computed: %s", err))
		return
	}
	if r.Value.Kind() != value.Object || j.end.outputs.Kind() != value.Object {
		return // a failed run has none, which the check says
	}
	places := places(j.test.Syntax.Expect.Outputs.Expr)
	for name, want := range r.Value.AsObject().All() {
		at, ok := places[name]
		if !ok {
			at = j.test.Syntax.Expect.Outputs.Expr.Range()
		}
		got, there := j.end.outputs.AsObject().Get(name)
		if !there {
			j.fail(diag.RangeOf(at), fmt.Sprintf("The run gave no output %q.", name))
			continue
		}
		found := differences(want, got)
		if len(found) == 0 {
			continue
		}
		for i := range found {
			switch path := found[i].Path; {
			case path == "":
			case path[0] == '[':
				found[i].Path = name + path
			default:
				found[i].Path = name + "." + path
			}
			if j.hides("outputs", name) {
				found[i].Want, found[i].Got = masked, masked
			} else {
				found[i].Want, found[i].Got = j.redact.Text(found[i].Want), j.redact.Text(found[i].Got)
			}
		}
		j.failures = append(j.failures, Failure{
			At: diag.RangeOf(at), Message: fmt.Sprintf("The output %q is not what is expected.", name), Differences: found,
		})
	}
}

// assert holds the run against a condition.
func (j *judge) assert(a *syntax.Condition, condition, message expr.Expr) {
	scope := &testScope{j}
	holds, err := boolean(condition, scope)
	if err == nil && holds {
		return
	}
	f := Failure{At: where(a.Condition, condition, err), Values: j.parts(condition, scope)}
	if err != nil {
		f.Message = fmt.Sprintf("What is asserted cannot be decided: %s", err)
		j.failures = append(j.failures, j.clean(f))
		return
	}
	r, err := eval.Eval(message, scope)
	switch {
	case err != nil:
		f.Message = fmt.Sprintf("What is asserted does not hold, and its message cannot be told: %s", err)
	case r.Value.Kind() == value.String:
		f.Message = r.Value.AsString()
	default:
		f.Message = r.Value.Summary(200)
	}
	j.failures = append(j.failures, j.clean(f))
}

func (j *judge) clean(f Failure) Failure {
	f.Message = j.redact.Text(f.Message)
	return f
}

// parts are what a condition reads, with what that is.
func (j *judge) parts(e expr.Expr, scope eval.Scope) (out []Named) {
	seen := map[string]bool{}
	for _, ref := range e.Refs() {
		name := string(e.Source[ref.Range.Start.Byte:ref.Range.End.Byte])
		if seen[name] || ref.Root == "calls" && len(ref.Node.Traversal) == 1 {
			continue
		}
		seen[name] = true
		r, err := eval.Eval(e.Sub(ref.Node), scope)
		if err != nil {
			continue
		}
		text := j.redact.Text(r.Value.Summary(200))
		if j.hidesReference(ref) {
			text = masked
		}
		out = append(out, Named{name, text})
	}
	return out
}

// masked stands for a value that is declared sensitive.
const masked = "(sensitive)"

// hidesReference reports whether a reference leads into something sensitive.
func (j *judge) hidesReference(ref expr.Reference) bool {
	switch ref.Root {
	case "input":
		return j.hides("inputs", ref.Name)
	case "step":
		n := j.test.Plan.Node(ref.Name)
		return n != nil && n.Sensitive
	case "run":
		t := ref.Node.Traversal
		if len(t) > 2 && ref.Name == "outputs" {
			if a, ok := t[2].(hcl.TraverseAttr); ok {
				return j.hides("outputs", a.Name)
			}
		}
	}
	return false
}

// hides reports whether an input or an output is declared sensitive.
func (j *judge) hides(what, name string) bool {
	if what == "inputs" {
		for _, in := range j.test.Plan.Inputs {
			if in.Name == name {
				return in.Sensitive
			}
		}
		return false
	}
	for _, o := range j.test.Plan.Outputs {
		if o.Name == name {
			return o.Sensitive
		}
	}
	return false
}

// hiding takes out of messages the texts of what is declared sensitive.
func (s *simulation) hiding() *redact.Redactor {
	var out []redact.Secret
	var collect func(name string, v value.Value)
	collect = func(name string, v value.Value) {
		switch v.Kind() {
		case value.String:
			out = append(out, redact.Secret{Name: name, Value: v.AsString()})
		case value.List:
			for _, e := range v.AsList() {
				collect(name, e)
			}
		case value.Object:
			for _, e := range v.AsObject().All() {
				collect(name, e)
			}
		}
	}
	for _, in := range s.test.Plan.Inputs {
		if v, ok := s.inputs.AsObject().Get(in.Name); ok && in.Sensitive {
			collect("input."+in.Name, v)
		}
	}
	for _, n := range s.test.Plan.Nodes {
		if v, ok := s.core.Result(n.ID); ok && n.Sensitive {
			collect("step."+n.ID, v)
		}
	}
	return redact.New(out)
}

// testScope has what the asserts of a test may name.
type testScope struct{ *judge }

// Root implements eval.Scope.
func (s *testScope) Root(name string) (value.Value, error) {
	switch name {
	case "input":
		return s.inputs, nil
	case "calls":
		return s.callValues(), nil
	case "step":
		o := value.NewObject(len(s.test.Plan.Nodes))
		for _, n := range s.test.Plan.Nodes {
			v, _ := s.core.Result(n.ID)
			o.Set(n.ID, v)
		}
		return value.OfObject(o), nil
	case "run":
		o := value.NewObject(8)
		for _, attr := range []string{"id", "started_at", "deployment", "previous", "errors", "outcome", "error", "outputs"} {
			v, _, err := s.Member("run", attr)
			if err != nil {
				return v, err
			}
			o.Set(attr, v)
		}
		return value.OfObject(o), nil
	}
	return value.NullValue, fmt.Errorf("%s is not known here", name)
}

// Member implements eval.Scope.
func (s *testScope) Member(root, name string) (value.Value, bool, error) {
	switch root {
	case "step":
		v, ok := s.core.Result(name)
		return v, ok, nil
	case "run":
		switch name {
		case "id":
			return value.OfString(runID), true, nil
		case "started_at":
			return value.OfString(epoch.Format("2006-01-02T15:04:05Z")), true, nil
		case "deployment":
			return value.NullValue, true, nil
		case "previous":
			return s.previous, true, nil
		case "outcome":
			return value.OfString(s.end.outcome), true, nil
		case "outputs":
			return s.end.outputs, true, nil
		case "error":
			return errorValue(s.end.err), true, nil
		case "errors":
			v, _, err := s.core.Scope().Member("run", "errors")
			return v, true, err
		}
	}
	return value.NullValue, false, nil
}

// errorValue is run.error.
func errorValue(e *engine.RunError) value.Value {
	if e == nil {
		return value.NullValue
	}
	o := value.NewObject(4)
	o.Set("step", value.OfString(e.At.Step))
	o.Set("key", e.At.Key)
	o.Set("kind", value.OfString(string(cmp.Or(e.Kind, engine.KindCancelled))))
	o.Set("message", value.OfString(e.Message))
	return value.OfObject(o)
}

// callValues is what calls reads as: the attempts that the run made, in order.
func (s *simulation) callValues() value.Value {
	list := make([]value.Value, len(s.calls))
	for i, c := range s.calls {
		o := value.NewObject(8)
		o.Set("step", value.OfString(c.step.Path()))
		o.Set("key", c.step.Key)
		o.Set("source", value.OfString(c.source))
		o.Set("connection", value.OfString(c.connection))
		o.Set("tool", value.OfString(c.Tool))
		o.Set("args", c.args)
		o.Set("attempt", value.OfInt(int64(c.Attempt)))
		o.Set("undo", value.OfBool(c.At.Undo > 0))
		list[i] = value.OfObject(o)
	}
	return value.OfList(list)
}

// places are where the attributes of an object are written, by name.
func places(e expr.Expr) map[string]hcl.Range {
	out := map[string]hcl.Range{}
	lit, ok := e.Node.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return out
	}
	for _, item := range lit.Items {
		key, ok := item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr)
		if !ok {
			continue
		}
		if name, ok := e.Sub(key).ObjectKey(key); ok {
			out[name] = item.ValueExpr.Range()
		}
	}
	return out
}
