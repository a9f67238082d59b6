package syntax

import "testing"

// A document of another language is one mistake; a file of HCL with slips is none such.
func TestDocumentsOfOtherLanguages(t *testing.T) {
	for _, c := range []struct{ name, src, language string }{
		{"a list of servers", "{\n  \"mcpServers\": {\n    \"github\": {\"command\": \"npx\"}\n  }\n}\n", "JSON"},
		{"a list", `["a", "b"]`, "JSON"},
		{"after a byte order mark", "\ufeff{\"a\": 1}", "JSON"},
		{"a workflow of a forge", "# ci\nname: ci\non: [push]\njobs:\n  build:\n    steps:\n      - run: make\n", "YAML"},
		{"with its marker", "---\nsteps:\n  - a\n  - b\n", "YAML"},
		{"a list of it", "- a: 1\n- b: 2\n- c: 3\n", "YAML"},
		{"HCL", "workflow \"w\" {\n}\n", ""},
		{"colons within a block", "workflow \"w\" {\n  a: 1\n  b: 2\n  c: 3\n  d: 4\n}\n", ""},
		{"a block with a colon", "project: {\n  name = \"x\"\n}\n", ""},
		{"a slip at the top", "name: \"x\"\nworkflow \"w\" {\n  a = 1\n}\n", ""},
		{"a bracket that is too much", "}\nworkflow \"w\" {\n}\n", ""},
		{"a brace that is too much", "{\nworkflow \"w\" {\n}\n}\n", ""},
		{"nothing", "", ""},
		{"comments", "# a: b\n// c: d\n", ""},
	} {
		if _, got := foreignDocument([]byte(c.src)); got != c.language {
			t.Errorf("%s: %q, want %q", c.name, got, c.language)
		}
		if _, diags := Parse("a.wf.hcl", []byte(c.src)); c.language != "" && len(diags) != 1 {
			t.Errorf("%s: %v", c.name, diags)
		}
	}
}
