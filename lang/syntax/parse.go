package syntax

import (
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// SettingsName is the name of a project's root marker and settings file.
const SettingsName = "wfc.hcl"

// Parse parses one *.wf.hcl, *.wftest.hcl or wfc.hcl file. name is relative to the project's
// root, with forward slashes. The file is never nil: what could be read of it
// is in it, and the diagnostics say the rest. An attribute whose value could
// not be read has an *hclsyntax.ExprSyntaxError as its node; that is reported
// already. Diagnostics are in file order, with lines and columns as
// [diag.List.Locate] makes them. Parse never panics.
func Parse(name string, src []byte) (f *File, diags diag.List) {
	f = &File{Name: name, Source: src}
	r := &reader{name: name, src: src}
	defer func() {
		if fault := recover(); fault != nil {
			r.report(diag.New(codeFault, hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos},
				"This is a bug in wfc: reading the file failed (%v). Please report it with the file and these lines:\n\n%s", fault, traceback()))
			diags = r.diags
		}
	}()
	body := r.parse()
	switch {
	case body == nil && r.isSettings():
		f.Project = &Project{}
	case body == nil:
	case r.isSettings():
		r.settings(f, body)
	case r.isTests():
		r.tests(f, body)
	default:
		r.file(f, body)
	}
	if len(r.diags) > 0 {
		r.dropFollowers()
		for i := range r.diags {
			r.clamp(&r.diags[i])
		}
		r.diags.Locate(func(file string) []byte {
			if file == name {
				return src
			}
			return nil
		})
		r.diags.Sort()
	}
	return f, r.diags
}

// traceback is the place of a fault: the innermost functions, without addresses.
func traceback() string {
	var out []string
	for line := range strings.SplitSeq(string(debug.Stack()), "\n") {
		if strings.HasPrefix(line, "\t") && !strings.Contains(line, "runtime/") {
			out = append(out, "    "+path.Base(strings.Fields(line)[0]))
		}
	}
	return strings.Join(out[:min(len(out), 8)], "\n")
}

// dropFollowers drops "not built yet" where something is wrong with the same
// attribute or block anyway, and what a block lacks that should not be there.
func (r *reader) dropFollowers() {
	others, misfits := map[diag.Pos]bool{}, map[diag.Pos]bool{}
	for _, d := range r.diags {
		if d.Code != codeNotBuilt {
			others[d.Range.Start] = true
		}
		if d.Code == codeMisfit {
			misfits[d.Range.Start] = true
		}
	}
	r.diags = slices.DeleteFunc(r.diags, func(d diag.Diagnostic) bool {
		return d.Code == codeNotBuilt && others[d.Range.Start] || d.Code == codeMissingAttribute && misfits[d.Range.Start]
	})
}

// clamp keeps the places of d inside of the file: HCL's tokens at the end of a
// file may be longer than what is there.
func (r *reader) clamp(d *diag.Diagnostic) {
	within := func(at *diag.Range) {
		at.Start.Byte = min(at.Start.Byte, len(r.src))
		at.End.Byte = max(at.Start.Byte, min(at.End.Byte, len(r.src)))
	}
	within(&d.Range)
	for i := range d.Related {
		within(&d.Related[i].Range)
	}
	for i := range d.Fixes {
		for j := range d.Fixes[i].Edits {
			within(&d.Fixes[i].Edits[j].Range)
		}
	}
}

// isSettings reports whether the file is wfc.hcl.
func (r *reader) isSettings() bool { return path.Base(r.name) == SettingsName }

// isTests reports whether the file is a *.wftest.hcl.
func (r *reader) isTests() bool { return strings.HasSuffix(r.name, TestSuffix) }

// top is the shape of the file's top level.
func (r *reader) top() *shape {
	switch {
	case r.isSettings():
		return settingsFile
	case r.isTests():
		return testFile
	}
	return workflowFile
}

// start is the place of what concerns the whole file.
func (r *reader) start() hcl.Range {
	return hcl.Range{Filename: r.name, Start: hcl.InitialPos, End: hcl.InitialPos}
}

func (r *reader) file(f *File, body *hclsyntax.Body) {
	r.examine(workflowFile, body, nil)
	for _, b := range body.Blocks {
		switch b.Type {
		case "provider":
			f.Providers = append(f.Providers, r.provider(b))
		case "workflow":
			f.Workflows = append(f.Workflows, r.workflow(b))
		case "connection":
			f.Connections = append(f.Connections, r.connection(b))
		case "secret":
			f.Secrets = append(f.Secrets, r.secret(b))
		case "deployment":
			f.Deployments = append(f.Deployments, r.deployment(b))
		}
	}
}

func sortedNames(m map[string]status) []string {
	out := make([]string, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}
