package feature

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// target is the file that a request is about, in its project.
type target struct {
	*workspace.File
	project *project.Project
	src     []byte
}

// targetOf returns the file of a request, or nil where wfc knows nothing of it. The
// error is the context's.
func targetOf(ctx context.Context, s *workspace.Snapshot, uri protocol.DocumentURI) (*target, error) {
	f, err := s.File(ctx, uri)
	if f == nil || err != nil {
		return nil, err
	}
	p, err := f.Project.Load(ctx)
	if err != nil {
		return nil, err
	}
	return &target{f, p, f.Text.Bytes()}, nil
}

// isInterface reports whether the file is a *.wfi.
func (t *target) isInterface() bool { return strings.HasSuffix(t.Name, ".wfi") }

// isWorkflows reports whether the file is one of HCL: workflows, tests or settings.
func (t *target) isWorkflows() bool {
	return strings.HasSuffix(t.Name, ".hcl")
}

// syntax returns the parsed file, or nil where it is none of HCL.
func (t *target) syntax() *syntax.File { return syntaxOf(t.project, t.Name) }

func syntaxOf(p *project.Project, name string) *syntax.File {
	if p.Settings != nil && p.Settings.Name == name {
		return p.Settings
	}
	for _, f := range p.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// interfaces returns the parsed *.wfi file, or nil.
func (t *target) interfaces() *iface.File {
	for _, f := range t.project.InterfaceFiles {
		if f.Name == t.Name {
			return f
		}
	}
	return nil
}

// rangeOf returns a range of the file as the protocol has it.
func (t *target) rangeOf(r hcl.Range) protocol.Range { return t.Text.Range(r.Start.Byte, r.End.Byte) }

// outlined is the key of a file's outline in the memory of a state of its project.
type outlined struct{ name string }

// outline returns the layout of the file.
func (t *target) outline() *outline.File {
	return workspace.Memo(t.Project, outlined{t.Name}, func() *outline.File {
		f, _ := outline.Scan(t.src, -1, nests)
		return f
	})
}

// indexKey is the key of the names in a project's files, which all states of it share.
type indexKey struct{}

// indexCache has the names in the files of a project, of each as it was last. A file
// that is the same in two states of a project is the same pointer.
type indexCache struct {
	mu    sync.Mutex
	files map[string]indexedFile
}

// indexedFile is a parsed file, an *syntax.File or an *iface.File, and the names in it.
type indexedFile struct {
	parsed any
	names  []index.Occurrence
}

func (t *target) index() *indexCache {
	return workspace.Keep(t.Project, indexKey{}, func() *indexCache { return &indexCache{files: map[string]indexedFile{}} })
}

// of returns the names in a file of p; c.mu is held.
func (c *indexCache) of(p *project.Project, name string, parsed any) []index.Occurrence {
	if known := c.files[name]; known.parsed == parsed && !testsDeployments(parsed) {
		return known.names
	}
	x := indexedFile{parsed: parsed}
	switch f := parsed.(type) {
	case *syntax.File:
		x.names = index.File(p, f)
	case *iface.File:
		x.names = index.InterfaceFile(f)
	}
	c.files[name] = x
	return x.names
}

// all returns the names in all files of the project.
func (t *target) all() [][]index.Occurrence {
	c := t.index()
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([][]index.Occurrence, 0, len(t.project.Files)+len(t.project.InterfaceFiles)+1)
	has := make(map[string]bool, cap(out))
	add := func(name string, parsed any) {
		has[name] = true
		out = append(out, c.of(t.project, name, parsed))
	}
	if f := t.project.Settings; f != nil {
		add(f.Name, f)
	}
	for _, f := range t.project.Files {
		add(f.Name, f)
	}
	for _, f := range t.project.InterfaceFiles {
		add(f.Name, f)
	}
	if len(c.files) > len(has) { // of files that are gone
		maps.DeleteFunc(c.files, func(name string, _ indexedFile) bool { return !has[name] })
	}
	return out
}

// own returns the names in the file itself.
func (t *target) own() []index.Occurrence {
	c := t.index()
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := t.interfaces(); f != nil {
		return c.of(t.project, f.Name, f)
	}
	if f := t.syntax(); f != nil {
		return c.of(t.project, f.Name, f)
	}
	return nil
}

// testsDeployments reports whether a file has tests of deployments, so that its names
// are of workflows that other files say.
func testsDeployments(parsed any) bool {
	f, ok := parsed.(*syntax.File)
	return ok && slices.ContainsFunc(f.Tests, func(t *syntax.Test) bool { return t.Deployment != nil })
}

// named returns the names that stand at an offset: of a family several.
func (t *target) named(offset int) []index.Occurrence {
	var out []index.Occurrence
	for _, o := range t.own() {
		if o.Range.Start.Byte <= offset && offset <= o.Range.End.Byte {
			out = append(out, o)
		}
	}
	// Between two names that touch, the one that begins there is meant.
	for i := len(out) - 1; i > 0; i-- {
		if out[i].Range.Start.Byte == offset && out[i].Range != out[0].Range {
			return out[i:]
		}
	}
	return out
}

// meant is as named is, and of what a name begins with, such as the input of input.title,
// it returns the name.
func (t *target) meant(offset int) []index.Occurrence {
	if names := t.named(offset); len(names) > 0 || !t.isWorkflows() {
		return names
	}
	start, end := wordAround(t.src, offset)
	switch string(t.src[start:end]) {
	case "input", "local", "step", "secret", "workflow", "deployment", "connection", "interface":
		if end < len(t.src) && t.src[end] == '.' {
			return t.named(end + 1)
		}
	}
	return nil
}

// location returns a place of a file of the project. The error is the context's.
func (t *target) location(ctx context.Context, r hcl.Range) (protocol.Location, error) {
	l, _, err := t.Project.Location(ctx, diag.RangeOf(r))
	return l, err
}

// markdown returns markup as the client can show it.
func markdown(kinds []protocol.MarkupKind, text string) *protocol.MarkupContent {
	for _, k := range kinds {
		if k == protocol.Markdown {
			return &protocol.MarkupContent{Kind: protocol.Markdown, Value: text}
		}
	}
	if len(kinds) == 0 {
		return &protocol.MarkupContent{Kind: protocol.Markdown, Value: text}
	}
	return &protocol.MarkupContent{Kind: protocol.PlainText, Value: plain(text)}
}

// plain returns Markdown as it is read without it.
func plain(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "```") || line == "---" {
			continue
		}
		out = append(out, line)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// nests reports whether a type of block may stand in another, "" being the top level.
func nests(outer, inner string) bool { return nesting()[[2]string{outer, inner}] }

var nesting = sync.OnceValue(func() map[[2]string]bool {
	out := map[[2]string]bool{}
	var walk func(*syntax.BlockSchema)
	walk = func(b *syntax.BlockSchema) {
		for _, n := range b.Blocks {
			if pair := [2]string{b.Type, n.Type}; !out[pair] {
				out[pair] = true
				walk(n.BlockSchema)
			}
		}
	}
	for _, name := range []string{"a.wf.hcl", "a" + syntax.TestSuffix, syntax.SettingsName} {
		walk(syntax.Schema(name))
	}
	return out
})
