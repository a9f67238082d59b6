package syntax

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// TestSuffix is the end of the names of files with tests.
const TestSuffix = ".wftest.hcl"

func (r *reader) tests(f *File, body *hclsyntax.Body) {
	r.examine(testFile, body, nil)
	for _, b := range body.Blocks {
		if b.Type == "test" {
			f.Tests = append(f.Tests, r.test(b))
		}
	}
}

func (r *reader) test(b *hclsyntax.Block) *Test {
	r.examine(testShape, b.Body, b)
	t := &Test{
		Block:    block(b),
		Name:     r.labels(testShape, b)[0],
		Workflow: r.workflowRef(b.Body.Attributes["workflow"]),
		Inputs:   r.attribute(b.Body, "inputs"),
		Previous: r.attribute(b.Body, "previous"),
	}
	for _, c := range b.Body.Blocks {
		switch {
		case c.Type == "mock":
			t.Mocks = append(t.Mocks, r.mock(c))
		case c.Type == "answer":
			t.Answers = append(t.Answers, r.answer(c))
		case c.Type == "expect" && t.Expect == nil: // a second one has its diagnostic
			t.Expect = r.expect(c)
		case c.Type == "assert":
			t.Asserts = append(t.Asserts, r.condition(assertShape, c))
		}
	}
	workflow, deployment := b.Body.Attributes["workflow"], b.Body.Attributes["deployment"]
	switch {
	case deployment == nil:
	case workflow == nil:
		t.Deployment = r.rooted(deployment.Expr, "deployment", 2, "a deployment, as deployment.NAME")
	default:
		r.report(diag.New(codeMisfit, deployment.NameRange,
			"%s has \"workflow\" and \"deployment\", but a test runs one of them. Keep one of them: a deployment has its workflow.", capital(describe(b))).
			With(workflow.NameRange, "the workflow"))
	}
	return t
}

func (r *reader) mock(b *hclsyntax.Block) *Mock {
	labels := r.labels(mockShape, b)
	r.examine(mockShape, b.Body, b)
	return &Mock{
		Block:   block(b),
		Source:  labels[0],
		Tool:    labels[1],
		When:    r.attribute(b.Body, "when"),
		Output:  r.attribute(b.Body, "output"),
		Text:    r.attribute(b.Body, "text"),
		Content: r.attribute(b.Body, "content"),
		Error:   r.attribute(b.Body, "error"),
		Delay:   r.duration(b.Body, "delay", false),
		Times:   r.integer(b.Body, "times", 1),
	}
}

func (r *reader) answer(b *hclsyntax.Block) *TestAnswer {
	step := r.labels(answerShape, b)[0]
	r.examine(answerShape, b.Body, b)
	return &TestAnswer{
		Block:   block(b),
		Step:    step,
		When:    r.attribute(b.Body, "when"),
		Data:    r.attribute(b.Body, "data"),
		Decline: r.truth(b.Body, "decline"),
		As:      r.text(b.Body, "as"),
		Delay:   r.duration(b.Body, "delay", false),
		Times:   r.integer(b.Body, "times", 1),
	}
}

func (r *reader) expect(b *hclsyntax.Block) *Expect {
	r.labels(expectShape, b)
	r.examine(expectShape, b.Body, b)
	return &Expect{
		Block:   block(b),
		Outcome: r.choice(b.Body, "outcome", "ok", "error", "cancelled", "waiting"),
		Outputs: r.attribute(b.Body, "outputs"),
		Error:   r.choice(b.Body, "error", Kinds...),
	}
}

// condition reads a validation or an assert block.
func (r *reader) condition(s *shape, b *hclsyntax.Block) *Condition {
	r.labels(s, b)
	r.examine(s, b.Body, b)
	return &Condition{
		Block:        block(b),
		Condition:    r.value(b.Body, "condition"),
		ErrorMessage: r.value(b.Body, "error_message"),
	}
}
