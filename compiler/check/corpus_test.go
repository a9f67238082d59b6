package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
)

// corpus is a project of workflows as people write them, over snapshots of real servers.
const corpus = "../../testdata/projects/corpus"

func TestRealWorkflowsGiveNoFindings(t *testing.T) {
	p, err := project.Load(corpus, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const least = 40
	if n := len(p.Workflows); n < least {
		t.Errorf("the corpus has %d workflows, and %d are wanted", n, least)
	}
	if found := check.Project(p); len(found) > 0 {
		t.Errorf("findings:\n%s", show(p, found))
	}
}

// Mistakes that the acceptance cases name: each is found where it is, and the
// message says what was meant.
func TestMistakesInRealWorkflows(t *testing.T) {
	for _, m := range []struct {
		file, old, new string
		want           string // as a rule has it
	}{
		{"a1_link_audit", "files.search_files", "files.search_file", "WFC2002 `search_file` ~ Did you mean \"search_files\"?"},
		{"a1_link_audit", "excludePatterns = [", "excludePattern = [", "WFC2103 `excludePattern` ~ Did you mean \"excludePatterns\"?"},
		{"a1_link_audit", "file.output.content)", "file.output.contents)", "WFC2202 `contents` ~ Did you mean \"content\"?"},
		{"a2_release_notes", "git.git_tag\n", "git.git_tags\n", "WFC2002 `git_tags` ~ Did you mean \"git_tag\"?"},
		{"a2_release_notes", "maxCount =", "max_count =", "WFC2103 `max_count` ~ Did you mean \"maxCount\"?"},
		{"a2_release_notes", "page.output.commits]", "page.output.commit]", "WFC2202 `commit` ~ Did you mean \"commits\"?"},
		{"a2_release_notes", `mode = "list"`, `mode = "ls"`, "WFC2201 `\"ls\"` ~ \"list\""},
		{"a3_cut_release", "paths = [", "files = [", "WFC2103 `files` ~ paths"},
		{"a3_cut_release", "branchName = args.target", "branchName = args.path2", "WFC2202 `path2`"},
		{"a3_cut_release", "!self.output.approve", "!self.output.aprove", "WFC2202 `aprove` ~ Did you mean \"approve\"?"},
		{"a3_cut_release", "step.commit.output.commitHash", "step.commit.output.hash", "WFC2202 `hash`"},
		{"a4_stock_import", "offset = loop.index", "offest = loop.index", "WFC2103 `offest` ~ Did you mean \"offset\"?"},
		{"a4_stock_import", "db.read_records", "db.read_record", "WFC2002 `read_record` ~ Did you mean \"read_records\"?"},
		{"a4_stock_import", `file("sql/upsert.sql")`, `file("sql/upsrt.sql")`, "WFC2110 `\"sql/upsrt.sql\"`"},
		{"a7_evidence", `resourceType = "Blob"`, `resourceType = "blob"`, "WFC2201 `\"blob\"` ~ \"Blob\""},
		{"a7_evidence", "i.blob.sha256", "i.blob.sha", "WFC2202 `sha`"},
		{"a7_evidence", "| ${t.mime}", "| ${step.image.output}", "WFC2201 `step.image.output` ~ blob"},
		{"a8_digest", "{ city = input.city, state = input.state }", "{ state = input.state }", "WFC2101 `{ state = input.state }` ~ \"city\""},
		{"a8_digest", `ev["trigger-sampling-request"]`, `ev["simulate-research-query"]`, "WFC2104 `simulate-research-query` ~ can only be called as a task"},
		{"a8_digest", "source \"ev\" {\n    bind = connection.everything.main", "source \"ev\" {\n    bind = connection.everything.bare", "WFC2108 `trigger-sampling-request` ~ exists only for clients that offer sampling"},
		{"a8_digest", `ev["Dynamic Text Resource"]`, `ev["Dynamic Text"]`, "WFC2017 `Dynamic Text` ~ \"Dynamic Text Resource\""},
		{"a9_event_router", "workflow.log_deploy\n    args", "workflow.log_deploys\n    args", "WFC2008 `log_deploys` ~ Did you mean \"log_deploy\"?"},
		{"a9_event_router", "args = { names = [", "args = { name = [", "WFC2103 `name` ~ Did you mean \"names\"?"},
		{"a9_event_router", "step.login.output.addresses : []", "step.login.output.adresses : []", "WFC2202 `adresses` ~ Did you mean \"addresses\"?"},
		{"a11_promote", `enum("dev", "staging", "prod")`, `enum("dev", "staging", "prod", "test")`, "WFC2014 `each.value` ~ \"dev\" (env.dev), \"staging\" (env.staging) and \"prod\" (env.prod)"},
		{"a11_promote", "step.approve.outcome == \"ok\" && step.approve.output.ok", "step.approve.output.ok", "WFC2302 `step.approve.output.ok` ~ skipped or failed"},
		{"a11_promote", "r.output.content)", "r.output.contnt)", "WFC2202 `contnt` ~ Did you mean \"content\"?"},
	} {
		t.Run(m.file+"/"+m.new, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join(corpus, "acceptance", m.file+".wf.hcl"))
			if err != nil {
				t.Fatal(err)
			}
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(src), m.old, m.new, 1)
			if changed == string(src) {
				t.Fatalf("%s has no %q", m.file, m.old)
			}
			p, err := project.Load(corpus, project.Options{Overlay: map[string][]byte{path: []byte(changed)}})
			if err != nil {
				t.Fatal(err)
			}
			where, detail, _ := strings.Cut(m.want, " ~ ")
			found := findings(p)
			for _, d := range found {
				text := string(p.Source(d.Range.File)[d.Range.Start.Byte:d.Range.End.Byte])
				if fmt.Sprintf("%s `%s`", d.Code, text) == where && strings.Contains(d.Detail, detail) && len(found) == 1 {
					return
				}
			}
			t.Errorf("want only %s, got:\n%s", m.want, show(p, found))
		})
	}
}

func TestAllOfTheLanguageIsAccepted(t *testing.T) {
	var files strings.Builder
	for _, name := range []string{"surface.wf.hcl", "surface.wftest.hcl"} {
		src, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&files, "-- %s --\n%s", name, src)
	}
	files.WriteString(`-- catalog/lab.main.json --
{
  "format_version": 1,
  "connection": "lab.main",
  "tools": [
    {"digest": "", "object": {"name": "measure", "inputSchema": {"type": "object", "properties": {"deep": {"type": "boolean"}}}}},
    {"digest": "", "object": {"name": "burn", "inputSchema": {"type": "object"}}}
  ],
  "resources": [], "resource_templates": [], "prompts": []
}
`)
	p := load(t, files.String())
	if found := findings(p); len(found) > 0 {
		t.Errorf("findings:\n%s", show(p, found))
	}
	for name, wf := range p.Workflows {
		_, found := check.Target(p, wf, nil, map[string]string{"demo": "demo.main"})
		for _, d := range found {
			if d.Code != "WFC1091" && !strings.HasPrefix(string(d.Code), "WFC30") {
				t.Errorf("compiling %s gives %s", name, show(p, found))
				break
			}
		}
	}
}
