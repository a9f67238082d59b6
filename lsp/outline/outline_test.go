package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lsp/outline"
)

// nests says that a step stands in a workflow, and a workflow at the top.
func nests(outer, inner string) bool {
	return outer+">"+inner == ">workflow" || outer == "workflow" && (inner == "step" || inner == "output")
}

func TestAPlaceIsWhereItStands(t *testing.T) {
	for _, x := range []struct{ name, src, want string }{
		{"the top level", "‸", "block= attr= frames="},
		{"the beginning of a word", "wor‸", "block= attr= frames="},
		{"the header of a block", "step fo‸o", "block= words=step attr= frames="},
		{"a label", "step \"fo‸o\" {", "block= words=step label attr= frames=Q"},
		{"a body", "workflow \"w\" {\n  ‸\n}\n", "block=workflow attr= frames="},
		{"a value", "a = ‸", "block= attr=a frames="},
		{"the end of a value", "a = b‸", "block= attr=a frames="},
		{"behind a line", "a = b\n‸", "block= attr= frames="},
		{"a text", "a = \"x‸\"", "block= attr=a frames=Q"},
		{"a sequence", "a = \"x ${‸}\"", "block= attr=a frames=QT"},
		{"behind a doubled opener", "a = \"x $${‸}\"", "block= attr=a frames=Q"},
		{"a call", "a = f(b, ‸)", "block= attr=a frames=P(f 1)"},
		{"a key", "a = { b = 1, ‸ }", "block= attr=a frames={"},
		{"the value of a key", "a = { b = ‸ }", "block= attr=a frames={b="},
		{"a key in quotes", "a = { \"b c\" = ‸ }", "block= attr=a frames={b c="},
		{"a list", "a = [1, ‸]", "block= attr=a frames=["},
		{"a text of lines", "a = <<-EOT\n  x ‸\n  EOT\n", "block= attr=a frames=H"},
		{"behind a text of lines", "a = <<-EOT\n  x\n  EOT\n‸", "block= attr= frames="},
		{"a comment", "# x‸", "block= attr= frames= comment"},
		{"a comparison", "a = b == ‸", "block= attr=a frames="},
		{"behind a text that is not closed", "a = \"x\nb = ‸", "block= attr=b frames="},
		{"behind a sequence that is not closed", "a = \"x ${y\nb = ‸", "block= attr=b frames="},
		{"behind a bracket that is not closed", "workflow \"w\" {\n  a = f(\n  step \"s\" {\n    ‸", "block=step attr= frames="},
		{"behind a block that is not closed", "workflow \"w\" {\n  step \"a\" {\n    x = 1\n  step \"b\" {\n    ‸", "block=step up=workflow attr= frames="},
	} {
		t.Run(x.name, func(t *testing.T) {
			at := strings.Index(x.src, "‸")
			_, p := outline.Scan([]byte(strings.Replace(x.src, "‸", "", 1)), at, nests)
			if got := describe(p); !covers(got, x.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// covers reports whether all that is wanted is said.
func covers(got, want string) bool {
	for w := range strings.SplitSeq(want, " ") {
		if !strings.Contains(got+" ", w) {
			return false
		}
	}
	return strings.HasSuffix(got, want[strings.LastIndex(want, "frames="):])
}

func describe(p outline.Place) string {
	var s strings.Builder
	fmt.Fprintf(&s, "block=%s ", p.Block.Type.Text)
	if p.Block.Up != nil {
		fmt.Fprintf(&s, "up=%s ", p.Block.Up.Type.Text)
	}
	for _, w := range p.Words {
		fmt.Fprintf(&s, "words=%s ", w.Text)
	}
	if p.InLabel {
		s.WriteString("label ")
	}
	fmt.Fprintf(&s, "attr=%s frames=", p.Attribute.Text)
	for _, f := range p.Frames {
		switch f.Kind {
		case outline.Braces:
			s.WriteString("{" + f.Key)
			if f.InValue {
				s.WriteString("=")
			}
		case outline.Brackets:
			s.WriteString("[")
		case outline.Parens:
			fmt.Fprintf(&s, "P(%s %d)", f.Func, f.Args)
		case outline.Template:
			s.WriteString("T")
		case outline.Quotes:
			s.WriteString("Q")
		case outline.Heredoc:
			s.WriteString("H")
		}
	}
	if p.Comment {
		s.WriteString(" comment")
	}
	return s.String()
}

func parses(src []byte) bool {
	_, found := hclsyntax.ParseConfig(src, "", hcl.InitialPos)
	return !found.HasErrors()
}

func TestMendLeavesOutWhatCannotBeRead(t *testing.T) {
	src := "workflow \"w\" {\n  step \"a\" {\n    x = f(\n  }\n  step \"b\" {\n    y = \n  }\n  output \"c\" {\n    z = 1\n  }\n}\n"
	at := strings.Index(src, "y = ") + 4
	f, _ := outline.Scan([]byte(src), at, nests)
	got := string(outline.Mend(f, at, parses))
	if len(got) != len(src) || strings.Contains(got, "f(") || !strings.Contains(got, `step "a" {}`) || !strings.Contains(got, "y = ") || !strings.Contains(got, "z = 1") {
		t.Errorf("got\n%s", got)
	}
}

func TestBracketsWithoutEndTakeLittleTime(t *testing.T) {
	src := []byte("a = " + strings.Repeat("[", 100_000) + strings.Repeat(")", 100_000))
	if f, _ := outline.Scan(src, len(src), nil); len(f.Body.Attributes) != 1 {
		t.Errorf("got %d attributes", len(f.Body.Attributes))
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"", "a = 1", "workflow \"w\" {\n  a = \"${x}\" # c\n}\n", "a = <<EOT\n${\nEOT\n", "/*", "\"", "a = {[(", "}])", "å = \"😀${"} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, src []byte, at int) {
		file, p := outline.Scan(src, at, nests)
		if at >= 0 && at <= len(src) && p.Block == nil {
			t.Errorf("%d of %q is nowhere", at, src)
		}
		for _, s := range file.Spans {
			if s.Start < 0 || s.End > len(src) || s.Start > s.End {
				t.Errorf("%q has a span %+v", src, s)
			}
		}
		if got := outline.Mend(file, at, func([]byte) bool { return len(src)%2 == 0 }); len(got) != len(src) {
			t.Errorf("%q is mended to %q", src, got)
		}
	})
}
