// Package project finds a project, reads and parses its files, and finds
// things in it by name. It only reads: it starts nothing and connects nowhere.
//
// Its central type is [Project]. It may import lang.
package project

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Options say how a project is loaded. The zero Options are the usual ones.
type Options struct {
	// Root is the project's root folder; "" finds it (the nearest wfc.hcl upward).
	Root string
	// Overlay replaces or adds files, by absolute path: what an editor has and
	// has not saved. It is not to be changed afterwards.
	Overlay map[string][]byte
	// Version is the version of wfc that requires_wfc is compared with; "" is [Version].
	Version string
}

// Project is a loaded project. It is immutable and safe for concurrent use.
type Project struct {
	Root     string         // absolute; "" for one without a folder (see [NewLoader])
	Files    []*syntax.File // sorted by name; without wfc.hcl
	Settings *syntax.File   // wfc.hcl; nil if there is none

	InterfaceFiles []*iface.File // *.wfi, sorted by name
	Interfaces     *iface.Set    // of all of them; never nil

	// Diagnostics is what is wrong with the files and their syntax, and names
	// that are defined twice; sorted. The checker adds its own.
	Diagnostics diag.List

	// The definitions by name, connections by id. Of two definitions of one
	// name, the first in file order is here. Connections have what their provider
	// and the defaults of wfc.hcl say merged in.
	Workflows   map[string]*syntax.Workflow
	Providers   map[string]*syntax.Provider
	Connections map[string]*syntax.Connection
	Secrets     map[string]*syntax.Secret
	Deployments map[string]*syntax.Deployment

	// Inputs changes from one state of a project to the next (see [Loader]) where a
	// snapshot or a file that an expression reads has changed.
	Inputs int

	ofInterfaces diag.List // what is wrong with the interfaces, apart from their syntax

	named   string // what Load was asked for, absolute
	overlay map[string][]byte
	sources map[string][]byte // by name, wfc.hcl and unparsed files included

	// Of a closed project (see Closed); nil in others. of has the snapshots.
	of      *Project
	content func(name string) (string, error)

	alone bool // there is no folder: nothing is read from disk

	mu        sync.Mutex
	snapshots map[string]*snapshot // by connection id
	reads     map[string]looked    // what expressions have read, by name
}

// snapshot is a snapshot that is read once.
type snapshot struct {
	once sync.Once
	done atomic.Bool
	at   looked
	snap *catalog.Snapshot
	src  []byte
	err  error
}

// Source returns the bytes of a file by its name (relative to the root,
// forward slashes), as diagnostics name it; nil if the project has none of that name.
func (p *Project) Source(file string) []byte {
	if src, ok := p.sources[file]; ok {
		return src
	}
	if p.of != nil {
		return p.of.Source(file)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, s := range p.snapshots {
		if SnapshotFile(id) == file {
			return s.src
		}
	}
	return nil
}

// FileNames returns the names of Files and InterfaceFiles, sorted.
func (p *Project) FileNames() []string {
	out := make([]string, 0, len(p.Files)+len(p.InterfaceFiles))
	for _, f := range p.Files {
		out = append(out, f.Name)
	}
	for _, f := range p.InterfaceFiles {
		out = append(out, f.Name)
	}
	slices.Sort(out)
	return out
}

// WorkflowNames returns the names of all workflows, sorted.
func (p *Project) WorkflowNames() []string { return sortedKeys(p.Workflows) }

// DeploymentNames returns the names of all deployments, sorted.
func (p *Project) DeploymentNames() []string { return sortedKeys(p.Deployments) }

// ConnectionIDs returns the ids of all connections, sorted.
func (p *Project) ConnectionIDs() []string { return sortedKeys(p.Connections) }

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
