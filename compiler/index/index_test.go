package index_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/compiler/project"
)

func TestEveryNameOfTheCorpusIsWhereItIsSaidToBe(t *testing.T) {
	p, err := project.Load(filepath.Join("..", "..", "testdata", "projects", "corpus"), project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defined := map[index.Symbol]bool{}
	var all []index.Occurrence
	for _, f := range p.Files {
		all = append(all, index.File(p, f)...)
	}
	for _, f := range p.InterfaceFiles {
		all = append(all, index.InterfaceFile(f)...)
	}
	for _, o := range all {
		defined[o.Symbol] = defined[o.Symbol] || o.Definition
		name := o.Symbol.Name
		if o.Symbol.Kind == index.Connection {
			_, name, _ = strings.Cut(name, ".")
		}
		if got := string(o.Range.SliceBytes(p.Source(o.Range.Filename))); got != name {
			t.Errorf("%s:%d: %s %q is %q", o.Range.Filename, o.Range.Start.Line, o.Symbol.Kind, name, got)
		}
	}
	for _, o := range all {
		if o.Definition || o.Symbol.Kind == index.Provider || o.Symbol.Kind == index.Capability {
			continue // a provider needs no block, and tools are defined in snapshots
		}
		if !defined[o.Symbol] {
			t.Errorf("%s:%d: %s %q of %q is defined nowhere", o.Range.Filename, o.Range.Start.Line, o.Symbol.Kind, o.Symbol.Name, o.Symbol.Owner)
		}
	}
}
