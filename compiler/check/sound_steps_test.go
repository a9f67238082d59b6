package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// accept checks a workflow with the inputs and steps of the soundness property
// and a block besides, and returns it where nothing is found, trusted values included.
func accept(rt *rapid.T, root, block string) *checker {
	var b strings.Builder
	b.WriteString("workflow \"w\" {\n")
	for _, in := range soundInputs {
		fmt.Fprintf(&b, "  input %q {\n    type = %s\n  }\n", in.name, in.typ)
	}
	b.WriteString(soundSteps + block + "}\n")
	p, err := projectOf(root, b.String())
	if err != nil || p.Diagnostics.HasErrors() {
		rt.Fatalf("%s: %v %v", block, err, p.Diagnostics)
	}
	c := &checker{w: newWorld(p)}
	c.w.strict = true
	c.newFlow(p.Workflows["w"], nil)
	c.checkFlow()
	if len(c.diags) > 0 {
		return nil
	}
	return c
}

func marked(t *testing.T) string {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "wfc.hcl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func (c *checker) drawInputs(rt *rapid.T) *value.ObjectValue {
	in := value.NewObject(len(soundInputs))
	for _, i := range c.f.inputList {
		if !i.optional || rapid.Bool().Draw(rt, "given") {
			in.Set(i.syn.Name.Text, valueOf(rt, i.typ))
		}
	}
	return in
}

// gives evaluates an accepted expression, whose value must be of its type.
func gives(rt *rapid.T, e expr.Expr, t *types.Type, in scope) value.Value {
	r, err := eval.Eval(e, in)
	with := func() string {
		var s strings.Builder
		fmt.Fprintf(&s, " of\n%s\n", e.Source)
		for root, v := range in {
			fmt.Fprintf(&s, "\n%s = %s", root, value.OfObject(v).JSON())
		}
		return s.String()
	}
	if err != nil {
		rt.Fatalf("%s\nof %s\nfails: %v\nwith%s", expr.Print(e), types.Print(t), err, with())
	}
	if m := types.Conforms(t, r.Value); m != nil {
		rt.Fatalf("%s\ngives %s\nwhich is not %s: %v\nwith%s", expr.Print(e), r.Value.JSON(), types.Print(t), m, with())
	}
	return r.Value
}

// several draws many workflows in one try, since most are refused.
func several(t *testing.T, least int, one func(*rapid.T) bool) {
	accepted, total := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		for range 20 {
			total++
			if one(rt) {
				accepted++
			}
		}
	})
	if accepted*least < total {
		t.Errorf("only %d of %d were accepted: the property says little", accepted, total)
	}
}

// What a loop computes of the round before never fails either: `while` says of
// loop.previous what it says.
func TestAcceptedLoopsDoNotFail(t *testing.T) {
	root := marked(t)
	several(t, 150, func(rt *rapid.T) bool {
		g := &gen{t: rt, paths: []string{
			"loop.previous", "loop.index", "loop.previous.output", "loop.previous.output.a", "loop.previous.outcome", "loop.previous.output.n.b",
		}, conds: []string{"loop.previous == null", "loop.previous != null", "loop.index == 0"}}
		val := g.expr(3)
		if rapid.Bool().Draw(rt, "begins") {
			val = "loop.previous == null ? " + (&gen{t: rt}).expr(2) + " : " + val
		}
		while := (&gen{t: rt, paths: []string{"self.output", "self.output.a", "self.output.n"}, conds: []string{
			"self.output != null", "self.output.a != null", "can(self.output.a)", "self.output.n != null", `self.output == "x"`, "loop.index < 2",
		}}).cond(2)
		c := accept(rt, root, fmt.Sprintf("  step \"rounds\" {\n    value = %s\n    loop {\n      while = %s\n      max   = 4\n    }\n  }\n", val, while))
		if c == nil {
			return false
		}
		s := c.f.steps["rounds"]
		for range 3 {
			inputs := c.drawInputs(rt)
			steps := resultsOf(rt, inputs)
			previous := value.NullValue
			for round := range 4 {
				loop := value.NewObject(2)
				loop.Set("index", value.OfInt(int64(round)))
				loop.Set("previous", previous)
				in := scope{"input": inputs, "step": steps, "loop": loop}
				out := gives(rt, s.syn.Value.Expr, s.one.output, in)
				previous = resultValue("ok", out, -1)
				in["self"] = previous.AsObject()
				if !gives(rt, s.syn.Loop.While.Expr, types.BoolType, in).AsBool() {
					break
				}
			}
		}
		return true
	})
}

// Nor does a finally block, however the run ended before.
func TestAcceptedFinallyBlocksDoNotFail(t *testing.T) {
	root := marked(t)
	several(t, 150, func(rt *rapid.T) bool {
		g := &gen{t: rt, paths: []string{
			"run.outcome", "run.error", "run.error.message", "local.l", "step.skip.output", "step.fail.output", "step.each",
		}, conds: []string{`run.outcome == "ok"`, `run.outcome == "error"`, `run.outcome != "cancelled"`, "run.error != null", `step.skip.outcome == "ok"`, "input.b"}}
		local := (&gen{t: rt}).expr(2)
		c := accept(rt, root, fmt.Sprintf("  locals {\n    l = %s\n  }\n  finally \"last\" {\n    value = %s\n  }\n", local, g.expr(3)))
		if c == nil {
			return false
		}
		s := c.f.steps["last"]
		for range 3 {
			inputs := c.drawInputs(rt)
			steps := cutOff(rt, resultsOf(rt, inputs))
			in := scope{"input": inputs, "step": steps, "run": endedRun(rt)}
			// A local is evaluated where it is used; what fails there may not be used.
			if r, err := eval.Eval(c.f.locals["l"].syn.Expr, in); err == nil {
				locals := value.NewObject(1)
				locals.Set("l", r.Value)
				in["local"] = locals
			}
			if in["local"] == nil && mentionsRoot(s.syn.Value.Expr.Node, "local") {
				rt.Fatalf("the local %s fails in a finally block", local)
			}
			gives(rt, s.syn.Value.Expr, s.one.output, in)
		}
		return true
	})
}

// cutOff returns results of a run that ended somewhere: any step may not have begun.
func cutOff(rt *rapid.T, steps *value.ObjectValue) *value.ObjectValue {
	out := value.NewObject(4)
	skipped := false
	for _, name := range []string{"skip", "then", "fail"} {
		v, _ := steps.Get(name)
		if rapid.Bool().Draw(rt, "reached") {
			outcome := rapid.SampledFrom([]string{"ok", "error", "skipped"}).Draw(rt, "outcome")
			if was, _ := v.AsObject().Get("outcome"); outcome == "ok" && was.AsString() != "ok" {
				outcome = "skipped"
			}
			if name == "then" && skipped {
				outcome = "skipped" // it never begins without the other
			}
			o, _ := v.AsObject().Get("output")
			v = resultValue(outcome, o, -1)
		} else {
			v = resultValue("skipped", value.NullValue, -1)
		}
		was, _ := v.AsObject().Get("outcome")
		skipped = was.AsString() != "ok"
		out.Set(name, v)
	}
	each, _ := steps.Get("each")
	if !rapid.Bool().Draw(rt, "reached") {
		each = value.OfList(nil)
	}
	out.Set("each", each)
	return out
}

// endedRun is what run reads as in a finally block.
func endedRun(rt *rapid.T) *value.ObjectValue {
	run := value.NewObject(7)
	run.Set("id", value.OfString("r"))
	run.Set("started_at", value.OfString("2026-01-02T03:04:05Z"))
	run.Set("deployment", value.NullValue)
	run.Set("previous", value.NullValue)
	failure := value.NewObject(4)
	failure.Set("step", value.OfString("fail"))
	failure.Set("key", value.NullValue)
	failure.Set("kind", value.OfString("tool"))
	failure.Set("message", value.OfString("no"))
	outcome := rapid.SampledFrom([]string{"ok", "error", "cancelled"}).Draw(rt, "ended")
	run.Set("outcome", value.OfString(outcome))
	if outcome == "error" || outcome == "cancelled" && rapid.Bool().Draw(rt, "failed") {
		run.Set("error", value.OfObject(failure))
	} else {
		run.Set("error", value.NullValue)
	}
	run.Set("errors", value.OfList([]value.Value{value.OfObject(failure)}))
	return run
}
