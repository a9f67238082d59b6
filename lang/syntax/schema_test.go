package syntax_test

import (
	"testing"

	"github.com/lda-wf/wfc/lang/syntax"
)

func TestEveryBlockAndAttributeIsDocumented(t *testing.T) {
	seen := map[*syntax.BlockSchema]bool{}
	var walk func(b *syntax.BlockSchema)
	walk = func(b *syntax.BlockSchema) {
		if seen[b] {
			return
		}
		seen[b] = true
		if b.Type != "" && b.Doc == "" {
			t.Errorf("the block %s says nothing of itself", b.Type)
		}
		for _, a := range b.Attributes {
			if a.Doc == "" {
				t.Errorf("%s.%s says nothing of itself", b.Type, a.Name)
			}
		}
		for _, n := range b.Blocks {
			walk(n.BlockSchema)
		}
	}
	for _, file := range []string{"a.wf.hcl", "a.wftest.hcl", "wfc.hcl"} {
		walk(syntax.Schema(file))
	}
	step := syntax.Schema("a.wf.hcl").Block("workflow").Block("step")
	if a := step.Attribute("decode"); a == nil || a.Form != syntax.Choice || len(a.Choices) == 0 {
		t.Errorf("step.decode is %+v", a)
	}
}
