package service

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
)

// Whatever a server offers, a draft of it is a valid workflow, if only the server says
// how it can be used.
func TestADraftOfAnyCapabilityIsValid(t *testing.T) {
	files, err := filepath.Glob("../../testdata/catalogs/*.json")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("there are no catalogs")
	}
	project := map[string]string{"wfc.hcl": ""}
	for _, file := range files {
		src, err := os.ReadFile(file)
		must(t, err)
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		id := "real." + name
		snap, err := catalog.Import(id, src)
		must(t, err)
		project["catalog/"+id+".json"] = string(snap.Encode())
		project[name+".wf.hcl"] = "connection \"real\" \"" + name + "\" {\n  stdio {\n    command = \"nothing\"\n  }\n}\n"
	}
	h := newHostTest(t, project, HostOptions{})
	all, _, err := h.Capabilities(t.Context(), CapabilityFilter{})
	must(t, err)
	anything := 0
	for _, c := range all {
		source, err := h.now().oneStep(&c, "", "")
		must(t, err)
		j := h.now().judge("draft.wf.hcl", []byte(source))
		task := slices.ContainsFunc(j.found, func(d diag.Diagnostic) bool { return d.Code == "WFC2104" }) // which wfc cannot call
		if c.Problem == "" && j.found.HasErrors() && !task {
			t.Errorf("%s: %v\n%s", c.Name, j.found, source)
		}
		if c.Kind == ToolCapability && strings.Contains(source, "type = any") {
			anything++
		}
	}
	if len(all) < 500 {
		t.Errorf("the catalogs have %d capabilities", len(all))
	}
	t.Logf("%d capabilities; %d drafts have an input that is any", len(all), anything)
	if !slices.ContainsFunc(all, func(c Capability) bool { return c.Kind == ToolCapability }) {
		t.Error("there is no tool")
	}
}
