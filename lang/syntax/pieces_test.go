package syntax

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/expr"
)

// different says where two bodies differ, "" if they do not. The places of bodies do not count.
func different(a, b *hclsyntax.Body) string {
	if names := slices.Sorted(maps.Keys(a.Attributes)); !slices.Equal(names, slices.Sorted(maps.Keys(b.Attributes))) {
		return fmt.Sprint("the attributes are ", names)
	}
	for name := range a.Attributes {
		if !reflect.DeepEqual(a.Attributes[name], b.Attributes[name]) {
			return fmt.Sprintf("attribute %s: %#v, %#v", name, a.Attributes[name], b.Attributes[name])
		}
	}
	if len(a.Blocks) != len(b.Blocks) {
		return fmt.Sprintf("%d blocks, %d blocks", len(a.Blocks), len(b.Blocks))
	}
	for i, x := range a.Blocks {
		y := b.Blocks[i]
		if in := different(x.Body, y.Body); in != "" {
			return x.Type + ": " + in
		}
		here, there := *x, *y
		here.Body, there.Body = nil, nil
		if !reflect.DeepEqual(here, there) {
			return fmt.Sprintf("%#v, %#v", here, there)
		}
	}
	return ""
}

// samePieces checks that a text is the same in pieces as as a whole, with and without its long texts.
func samePieces(t *testing.T, src []byte) {
	t.Helper()
	outline, refused := expr.Scan(src, "f", true)
	if len(refused) > 0 {
		return
	}
	whole, errs := hclsyntax.ParseConfig(src, "f", hcl.InitialPos)
	for _, size := range []int{1, 50} {
		body, ok := inPieces(src, "f", outline.Gaps, size)
		switch {
		case ok && len(errs) > 0:
			t.Fatalf("in pieces of %d bytes there is no error, and there is: %v\n%q", size, errs, src)
		case !ok && len(errs) == 0 && bytes.Count(src, []byte("\ufeff")) == 0:
			t.Fatalf("in pieces of %d bytes there are errors, and there are none\n%q", size, src)
		case ok:
			if d := different(whole.Body.(*hclsyntax.Body), body); d != "" {
				t.Fatalf("in pieces of %d bytes: %s\n%q", size, d, src)
			}
		}
	}
}

var piecesSeeds = []string{
	"",
	"a = 1",
	"\ufeffa = 1\nb = 2\n",
	"a = 1\n\ufeffb = 2\n",
	"# c\n\n// d\na = 1 # e\n/* f\n */ b = 2 // g\n\n",
	"a {\n}\n",
	"a {\n  b = 1\n  c {\n    d = 2\n  }\n  e = <<EOT\n}\n{\nEOT\n} # f\ng = 3\n",
	"a {\n  b = 1\n  b = 2\n}\n",
	"a = 1\nb {\n c = 1\n}\na = 2\n",
	"a {\n  b = 1 }\nc = 1\n",
	"a {\n  b = 1\n} c = 1\n",
	"a \"b\" \"c\" { d = {\n  e = 1\n  f = [\n  ]\n} }\n",
	"a = {\n  b = 1\n\n  # c\n  d = 2\n}\n",
	"a {\r\n\r\n  b = 1\r\n\r\n  c = 2\r\n}\r\n",
	"a {\n  b = \"${{\n x = 1 }}\"\n\n  c = 1\n}\n",
	"a {\n}\n}\n",
	"a {\n  b = 1\n}\r",
	"a {\n  b = 1\n}\r\r\n",
	"a {\n\n  b = 1\n",
	"a {\n  b = 1\n  /* c */ }\n",
	"a {\n b = 1\n }\nö = \"ä\n",
}

func TestATextIsTheSameInPieces(t *testing.T) {
	for _, src := range piecesSeeds {
		samePieces(t, []byte(src))
	}
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		if src, err := os.ReadFile(file); err == nil {
			samePieces(t, src)
		}
	}
}

func FuzzPieces(f *testing.F) {
	for _, s := range piecesSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(samePieces)
}

func TestALongFileIsReadWhole(t *testing.T) {
	var b strings.Builder
	b.WriteString("workflow \"long\" {\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "  step \"s%d\" {\n    value = %d\n  }\n\n", i, i)
	}
	b.WriteString("}\n")
	f, diags := Parse("long.wf.hcl", []byte(b.String()))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	steps := f.Workflows[0].Steps
	if len(steps) != 2000 {
		t.Fatalf("there are %d steps", len(steps))
	}
	last := steps[1999]
	if at := last.Name.Range; at.Start.Line != 2+4*1999 || at.Start.Column != 9 || string(at.SliceBytes([]byte(b.String()))) != "s1999" {
		t.Errorf("the last step is %q at %v", last.Name.Text, at)
	}
	if at := f.Workflows[0].Range; at.End.Byte != b.Len()-1 {
		t.Errorf("the workflow is at %v of %d bytes", at, b.Len())
	}
}
