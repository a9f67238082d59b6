package plan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func sample() *Plan {
	p := &Plan{
		FormatVersion: FormatVersion,
		Language:      1,
		Functions:     1,
		Workflow:      "w",
		Inputs: []Input{
			{Name: "b", Type: "string", Description: "The second."},
			{Name: "a", Type: "integer", Default: json.RawMessage("1.50")},
		},
		Nodes: []NodeSpec{
			{ID: "x", Kind: ValueNode, Value: `"<&>"`},
			{ID: "y", Kind: ValueNode, Value: "step.x.output", After: []string{"x"}},
		},
		Schemas: map[string]json.RawMessage{},
		Ranges:  map[string]Range{"/nodes/0": {File: "a.wf.hcl", Line: 3, Column: 1}},
	}
	p.Seal()
	return p
}

func TestDecodeReadsWhatEncodeWrote(t *testing.T) {
	p := sample()
	q, err := Decode(p.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(p.Encode(), q.Encode()) {
		t.Errorf("written again it differs:\n%s\n%s", p.Encode(), q.Encode())
	}
	if !strings.Contains(string(p.Encode()), `"value": "\"<&>\""`) {
		t.Errorf("text is escaped more than JSON wants:\n%s", p.Encode())
	}
	if strings.Contains(string((&Plan{}).Encode()), "null") {
		t.Errorf("an empty list is written as null:\n%s", (&Plan{}).Encode())
	}
}

func TestDecodeRefusesADamagedPlan(t *testing.T) {
	for name, src := range map[string]string{
		"not JSON":             "{",
		"another version":      `{"format_version": 99}`,
		"changed by hand":      strings.Replace(string(sample().Encode()), `"workflow": "w"`, `"workflow": "v"`, 1),
		"a field nobody knows": strings.Replace(string(sample().Encode()), `"workflow": "w"`, `"workflow": "w", "x": 1`, 1),
	} {
		if _, err := Decode([]byte(src)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestDigestIsOverMeaningOnly(t *testing.T) {
	base := sample().Digest
	for _, c := range []struct {
		name   string
		change func(*Plan)
		same   bool
	}{
		{"ranges", func(p *Plan) { p.Ranges = nil }, true},
		{"a description", func(p *Plan) { p.Inputs[0].Description = "other" }, true},
		{"the order of inputs", func(p *Plan) { p.Inputs[0], p.Inputs[1] = p.Inputs[1], p.Inputs[0] }, true},
		{"the order of nodes", func(p *Plan) { p.Nodes[0], p.Nodes[1] = p.Nodes[1], p.Nodes[0] }, true},
		{"what a node waits for", func(p *Plan) { p.Nodes[1].After = nil }, false},
		{"an expression", func(p *Plan) { p.Nodes[0].Value = "1" }, false},
		{"the text of a number", func(p *Plan) { p.Inputs[1].Default = json.RawMessage("1.5") }, false},
	} {
		p := sample()
		c.change(p)
		if got := p.ComputeDigest() == base; got != c.same {
			t.Errorf("%s: same digest is %v, want %v", c.name, got, c.same)
		}
	}
}

func TestDigestChangesNoPlan(t *testing.T) {
	p := sample()
	before := string(p.Encode())
	p.ComputeDigest()
	if string(p.Encode()) != before {
		t.Error("ComputeDigest changed the plan")
	}
}

func TestCanonicalJSON(t *testing.T) {
	got, err := CanonicalJSON([]byte("{\"b\": 9007199254740993, \"a\": [\"<\", 1.50]}"))
	if err != nil || string(got) != `{"a":["<",1.50],"b":9007199254740993}` {
		t.Errorf("got %s, %v", got, err)
	}
}
