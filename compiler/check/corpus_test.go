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
// The examples are projects of their own, of the same kind.
const (
	corpus   = "../../testdata/projects/corpus"
	examples = "../../testdata/examples"
)

func TestRealWorkflowsGiveNoFindings(t *testing.T) {
	roots, err := filepath.Glob(filepath.Join(examples, "*"))
	if err != nil {
		t.Fatal(err)
	}
	const least = 40
	n := 0
	for _, root := range append(roots, corpus) {
		p, err := project.Load(root, project.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n += len(p.Workflows)
		if found := check.Project(p); len(found) > 0 {
			t.Errorf("findings:\n%s", show(p, found))
		}
	}
	if n < least {
		t.Errorf("there are %d workflows, and %d are wanted", n, least)
	}
}

// Mistakes that people make in automations of their own: each is found where it is, and
// the message says what was meant.
func TestMistakesInRealWorkflows(t *testing.T) {
	for _, m := range []struct {
		file, old, new string
		want           string // as a rule has it
	}{
		{"link-audit", "files.search_files", "files.search_file", "WFC2002 `search_file` ~ Did you mean \"search_files\"?"},
		{"link-audit", "excludePatterns = [", "excludePattern = [", "WFC2103 `excludePattern` ~ Did you mean \"excludePatterns\"?"},
		{"link-audit", "file.output.content)", "file.output.contents)", "WFC2202 `contents` ~ Did you mean \"content\"?"},
		{"release-notes", "git.git_tag\n", "git.git_tags\n", "WFC2002 `git_tags` ~ Did you mean \"git_tag\"?"},
		{"release-notes", "maxCount =", "max_count =", "WFC2103 `max_count` ~ Did you mean \"maxCount\"?"},
		{"release-notes", "page.output.commits)", "page.output.commit)", "WFC2202 `commit` ~ Did you mean \"commits\"?"},
		{"release-notes", `mode = "list"`, `mode = "ls"`, "WFC2201 `\"ls\"` ~ \"list\""},
		{"cut-release", "git.git_checkout\n", "git.git_chekout\n", "WFC2002 `git_chekout` ~ Did you mean \"git_checkout\"?"},
		{"cut-release", "paths = [", "files = [", "WFC2103 `files` ~ paths"},
		{"cut-release", "branchName = args.target", "branchName = args.path2", "WFC2202 `path2`"},
		{"cut-release", "step.approve.output.note", "step.approve.output.notes", "WFC2202 `notes` ~ Did you mean \"note\"?"},
		{"cut-release", "step.commit.output.commitHash", "step.commit.output.hash", "WFC2202 `hash`"},
		{"stock-import", "offset = loop.index", "offest = loop.index", "WFC2103 `offest` ~ Did you mean \"offset\"?"},
		{"stock-import", "db.read_records", "db.read_record", "WFC2002 `read_record` ~ Did you mean \"read_records\"?"},
		{"stock-import", `file("sql/upsert.sql")`, `file("sql/upsrt.sql")`, "WFC2110 `\"sql/upsrt.sql\"`"},
		{"evidence", `resourceType = "Blob"`, `resourceType = "blob"`, "WFC2201 `\"blob\"` ~ \"Blob\""},
		{"evidence", "item.blob.sha256", "item.blob.sha", "WFC2202 `sha`"},
		{"evidence", "${mdcell(row.mime)}", "${step.image.output}", "WFC2201 `step.image.output` ~ blob"},
		{"digest", "{ city = input.city, state = input.state }", "{ state = input.state }", "WFC2101 `{ state = input.state }` ~ \"city\""},
		{"digest", "{ city = input.city, state = input.state }", "{ city = input.city, stat = input.state }", "WFC2103 `stat` ~ Did you mean \"state\"?"},
		{"digest", `ev["trigger-sampling-request"]`, `ev["simulate-research-query"]`, "WFC2104 `simulate-research-query` ~ can only be called as a task"},
		{"digest", `offers = ["sampling"]`, `offers = ["elicitation"]`, "WFC2408 `[\"elicitation\"]` ~ offered sampling when its snapshot was made"},
		{"digest", `ev["trigger-sampling-request"]`, `ev["trigger-sampling-reqest"]`, "WFC2002 `trigger-sampling-reqest` ~ Did you mean \"trigger-sampling-request\"?"},
		{"digest", `ev["Dynamic Text Resource"]`, `ev["Dynamic Text"]`, "WFC2017 `Dynamic Text` ~ \"Dynamic Text Resource\""},
		{"events", "mem.open_nodes", "mem.open_node", "WFC2002 `open_node` ~ Did you mean \"open_nodes\"?"},
		{"events", "workflow.log_deploy\n    args", "workflow.log_deploys\n    args", "WFC2008 `log_deploys` ~ Did you mean \"log_deploy\"?"},
		{"events", "args = { names = [", "args = { name = [", "WFC2103 `name` ~ Did you mean \"names\"?"},
		{"events", "step.login.output.addresses : []", "step.login.output.adresses : []", "WFC2202 `adresses` ~ Did you mean \"addresses\"?"},
		{"promote", `enum("dev", "staging", "prod")`, `enum("dev", "staging", "prod", "test")`, "WFC2014 `each.value` ~ \"dev\" (env.dev), \"staging\" (env.staging) and \"prod\" (env.prod)"},
		{"promote", `env["prod"].write_file`, `env["prod"].write_files`, "WFC2002 `write_files` ~ Did you mean \"write_file\"?"},
		{"promote", "content = jsonset(", "contents = jsonset(", "WFC2103 `contents` ~ Did you mean \"content\"?"},
		{"promote", `step.approve.outcome == "ok"`, "step.approve.output.ok", "WFC2302 `step.approve.output.ok` ~ skipped or failed"},
		{"promote", "r.output.content)", "r.output.contnt)", "WFC2202 `contnt` ~ Did you mean \"content\"?"},
	} {
		t.Run(m.file+"/"+m.new, func(t *testing.T) {
			root := filepath.Join(examples, m.file)
			if m.file == "events" {
				root = corpus
			}
			path, err := filepath.Abs(filepath.Join(root, m.file+".wf.hcl"))
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
			p, err := project.Load(root, project.Options{Overlay: map[string][]byte{path: []byte(changed)}})
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
