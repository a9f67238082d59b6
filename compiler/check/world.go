package check

import (
	"bytes"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// world is a project's names. Workflows are checked against it at the same
// time, so that it does not change once it is made.
type world struct {
	project *project.Project
	secrets map[string]*syntax.Secret

	connections map[string]*connection // by id

	// unreadable: some file could not be read at all, so that any name may exist.
	unreadable bool
	// broken holds the sources of files with syntax errors, which may have
	// swallowed the definition of a name that stands in them.
	broken map[string][]byte

	// incomplete is whether names that do not exist may nonetheless have been meant to.
	incomplete bool

	strict bool // every any that is trusted is a finding

	webhooks map[string]*syntax.Deployment // by path, the first of each

	cyclic         map[*syntax.Workflow]bool // run themselves
	workflowCycles [][]*syntax.Step
	children       *children

	uses *interfaceUse // of what is being checked
}

// connection is a connection with what its snapshot says.
type connection struct {
	syn   *syntax.Connection // with what its provider and the defaults say
	own   *syntax.Connection // as it is written
	tools map[string]*syntax.ToolOverride

	// load reads the snapshot at its first call. It is nil where none can be used,
	// and the error says why.
	load func() (*catalog.Snapshot, error)
}

func newWorld(p *project.Project) *world {
	w := &world{
		project:     p,
		secrets:     p.Secrets,
		connections: make(map[string]*connection, len(p.Connections)),
		children:    &children{},
		uses:        &interfaceUse{},
	}
	own := make(map[string]*syntax.Connection, len(p.Connections))
	for _, f := range p.Files {
		for _, c := range f.Connections {
			if id := c.ID(); own[id] == nil {
				own[id] = c
			}
		}
	}
	for id, c := range p.Connections {
		tools := make(map[string]*syntax.ToolOverride, len(c.Tools))
		for _, t := range c.Tools {
			if tools[t.Tool.Text] == nil {
				tools[t.Tool.Text] = t
			}
		}
		w.connections[id] = &connection{syn: c, own: own[id], tools: tools, load: sync.OnceValues(func() (*catalog.Snapshot, error) {
			s, err := p.Snapshot(id)
			if err != nil {
				return nil, err
			}
			return s, nil
		})}
	}
	for _, d := range p.Diagnostics {
		switch {
		case d.Severity != diag.Error:
		case swallows(d.Code):
			if w.broken == nil {
				w.broken = map[string][]byte{}
			}
			w.broken[d.Range.File] = p.Source(d.Range.File)
		case strings.HasPrefix(string(d.Code), "WFC11") && p.Source(d.Range.File) == nil:
			w.unreadable = true
		}
	}
	w.incomplete = w.unreadable || w.broken != nil
	for _, d := range allDeployments(p) {
		if d.Webhook != nil && d.Webhook.Path != nil && w.webhooks[d.Webhook.Path.S] == nil {
			if w.webhooks == nil {
				w.webhooks = map[string]*syntax.Deployment{}
			}
			w.webhooks[d.Webhook.Path.S] = d
		}
	}
	w.workflowCycles = w.cyclicWorkflows()
	return w
}

// swallows reports whether an error in reading a file may have hidden a block or
// an attribute: from the parser, or because a block has a word that is none.
func swallows(code diag.Code) bool {
	return code >= "WFC1001" && code <= "WFC1020" || code == "WFC1099"
}

// mayBeLost reports whether a name that is not defined may have been lost in a
// syntax error. file limits it to one file; "" is any.
func (w *world) mayBeLost(name, file string) bool {
	if !w.incomplete {
		return false
	}
	if w.unreadable && file == "" {
		return true
	}
	for f, src := range w.broken {
		if file != "" && f != file {
			continue
		}
		if src == nil || bytes.Contains(src, []byte(`"`+name+`"`)) || definesLocal(src, name) {
			return true
		}
	}
	return false
}

// hasFinding reports whether reading the files found something inside of a block.
func (w *world) hasFinding(block hcl.Range) bool {
	for _, d := range w.project.Diagnostics {
		if d.Range.File == block.Filename && d.Range.Start.Byte >= block.Start.Byte && d.Range.End.Byte <= block.End.Byte {
			return true
		}
	}
	return false
}

// definesLocal reports whether some line of src begins with `name =`.
func definesLocal(src []byte, name string) bool {
	for line := range bytes.Lines(src) {
		if rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(name)); ok && bytes.HasPrefix(bytes.TrimSpace(rest), []byte("=")) {
			return true
		}
	}
	return false
}

// connectionID returns the id that a reference connection.PROVIDER.ACCOUNT
// names, "" where it is not of that form.
func connectionID(r syntax.Ref) string {
	if len(r.Path) != 3 || r.Path[0].Text != "connection" {
		return ""
	}
	return r.Path[1].Text + "." + r.Path[2].Text
}

// open returns the connection's snapshot, or nil.
func (c *connection) open() *catalog.Snapshot {
	s, _ := c.load()
	return s
}

// args returns the type of a tool's arguments, as a `tool` block opens it.
func (c *connection) args(t *catalog.Tool) *types.Type {
	if o := c.tools[t.Name]; o != nil && o.Open != nil && *o.Open {
		u := t.Args.Underlying()
		if u.Kind() == types.Object && u.Rest() == nil {
			return types.ObjectOf(u.Attrs(), types.AnyType)
		}
	}
	return t.Args
}
