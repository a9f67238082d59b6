package project

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/lda-wf/wfc/lang/diag"
)

// Loader loads the states of one project one after the other, as an editor makes
// them. What has not changed is not parsed again: a file that is the same in two
// states is the same pointer in both, and so is a snapshot. It is safe for
// concurrent use; one state is loaded at a time.
type Loader struct {
	root    string // "": there is no folder, and the overlay has all files
	version string

	mu     sync.Mutex
	before *Project         // the last state; nil: none yet
	files  map[string]known // by path, of the last state
	names  []string         // of the files on disk, sorted; nil: to be looked for
	walked diag.List        // what could not be looked at then
	rumour rumour           // taken from told, and not settled by a state

	// Who tells what has changed does not wait for a state.
	telling sync.Mutex
	told    rumour
}

// rumour is what may have changed on disk.
type rumour struct {
	all   bool
	paths map[string]bool
	names bool // which files there are
}

func (r *rumour) add(paths ...string) {
	r.all = r.all || len(paths) == 0
	r.names = r.names || len(paths) == 0
	for _, path := range paths {
		if r.paths == nil {
			r.paths = map[string]bool{}
		}
		r.paths[path] = true
		r.names = r.names || Belongs(path) || filepath.Ext(path) == "" // perhaps a folder
	}
}

func (r *rumour) of(path string) bool { return r.all || r.paths[path] }

// hear takes what was told since the last state; l.mu is held.
func (l *Loader) hear() {
	l.telling.Lock()
	told := l.told
	l.told = rumour{}
	l.telling.Unlock()
	l.rumour.all = l.rumour.all || told.all
	for path := range told.paths {
		l.rumour.add(path)
	}
	if told.names || l.rumour.names {
		l.names, l.rumour.names = nil, false
	}
}

// known is a file as it was parsed.
type known struct {
	parsed
	stamp stamp // of the disk; zero: the overlay had it
}

// stamp tells states of a file on disk apart.
type stamp struct {
	size     int64
	modified time.Time
	mode     fs.FileMode
	exists   bool
}

// NewLoader returns a loader of the project with the given root, an absolute
// path. With an empty root the project has the files of the overlay only, and
// nothing is read from disk. version is as in [Options].
func NewLoader(root, version string) *Loader {
	return &Loader{root: root, version: version, files: map[string]known{}}
}

// Root finds the root of the project that a file would belong to (an absolute
// path; it need not exist): the nearest folder upwards with a wfc.hcl, on disk or
// in the overlay, else the file's own folder.
func Root(path string, overlay map[string][]byte) string {
	folder := filepath.Dir(path)
	if root, ok := MarkedRoot(folder, overlay); ok {
		return root
	}
	return folder
}

// Belongs reports whether a file of this name is read as one of a project, rather
// than looked at by others.
func Belongs(path string) bool { return wanted(filepath.Base(path)) }

// Changed tells the loader that files on disk may have changed, by their absolute paths;
// without any, that all may have.
func (l *Loader) Changed(paths ...string) {
	l.telling.Lock()
	defer l.telling.Unlock()
	l.told.add(paths...)
}

// Files returns how many files on disk the project had when somebody looked last.
func (l *Loader) Files() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.names)
}

// Load returns the project with the files of the overlay in place of those on
// disk, by absolute path. The overlay is not to be changed afterwards. The error
// is that of the context.
func (l *Loader) Load(ctx context.Context, overlay map[string][]byte) (*Project, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.hear()
	p := &Project{Root: l.root, named: l.root, overlay: overlay, sources: map[string][]byte{}, alone: l.root == ""}
	entries := l.find(p)
	stamps := make([]stamp, len(entries))
	at := make(map[*entry]int, len(entries))
	for i, e := range entries {
		at[e] = i
	}
	p.parse(entries, func(e *entry) bool {
		if ctx.Err() != nil {
			return true // what comes of it is dropped
		}
		was, has := l.files[e.path]
		if src, ok := overlay[e.path]; ok {
			if has && was.src != nil && bytes.Equal(src, was.src) {
				e.parsed = was.parsed
				return true
			}
			return false
		}
		trusted := has && was.stamp != (stamp{}) && !l.rumour.of(e.path)
		if trusted {
			stamps[at[e]] = was.stamp
		} else {
			stamps[at[e]] = stampOf(e.path)
		}
		if has && was.stamp == stamps[at[e]] && was.stamp.exists {
			e.parsed = was.parsed
			return true
		}
		return false
	})
	if err := ctx.Err(); err != nil {
		for i, e := range entries { // what is done already is not done again
			if e.src != nil {
				l.files[e.path] = known{e.parsed, stamps[i]}
			}
		}
		return nil, err
	}
	files := make(map[string]known, len(entries))
	for i, e := range entries {
		files[e.path] = known{e.parsed, stamps[i]}
	}
	l.files = files
	p.complete(l.version, l.before)
	l.inherit(p)
	l.before, l.rumour = p, rumour{}
	return p, nil
}

// Part returns the project with some of its files, by name, and those that have what
// these name, as far as that shows without parsing: soon there where a project of many
// files is loaded the first time. Of one that was loaded it is all. The error is the context's.
func (l *Loader) Part(ctx context.Context, overlay map[string][]byte, names []string) (*Project, error) {
	l.mu.Lock()
	loaded := l.before != nil
	l.mu.Unlock()
	if loaded || l.root == "" {
		return l.Load(ctx, overlay)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hear()
	p := &Project{Root: l.root, named: l.root, overlay: overlay, sources: map[string][]byte{}}
	entries := l.find(p)
	texts := make([][]byte, len(entries))
	all(len(entries), func(i int) {
		if ctx.Err() == nil {
			texts[i], _ = p.read(entries[i].path, maxFileSize) // what cannot be read is reported by Load
		}
	})
	needed := needed(entries, texts, names)
	var of []*entry
	for i, e := range entries {
		if needed[i] && texts[i] != nil {
			of = append(of, e)
		}
	}
	p.parse(of, func(*entry) bool { return ctx.Err() != nil })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.complete(l.version, nil)
	return p, nil
}

// find lists the files of a state as Project.find does, looking at folders only
// where something may have changed.
func (l *Loader) find(p *Project) []*entry {
	if p.alone {
		var out []*entry
		for _, path := range slices.Sorted(maps.Keys(p.overlay)) {
			out = append(out, &entry{name: filepath.ToSlash(path), path: path})
		}
		return out
	}
	if l.names == nil {
		w := walk{project: p}
		w.folder("")
		l.names, l.walked = []string{}, p.Diagnostics
		for _, e := range w.found {
			l.names = append(l.names, e.name)
		}
		p.Diagnostics = nil
	}
	p.Diagnostics = slices.Clone(l.walked)
	out := make([]*entry, 0, len(l.names))
	has := make(map[string]bool, len(l.names))
	for _, name := range l.names {
		has[name] = true
		out = append(out, &entry{name: name, path: filepath.Join(p.Root, filepath.FromSlash(name))})
	}
	return p.addOverlay(out, has)
}

// stampOf looks at a file on disk.
func stampOf(path string) stamp {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		// Of a link it is what it leads to that counts.
		target, err := os.Stat(path)
		if err != nil {
			return stamp{}
		}
		return stamp{target.Size(), target.ModTime(), info.Mode(), true}
	}
	return stamp{info.Size(), info.ModTime(), info.Mode(), true}
}

// inherit gives a state what the one before it has read and has not changed
// since, and a new number where something has.
func (l *Loader) inherit(p *Project) {
	before := l.before
	if before == nil {
		return
	}
	before.mu.Lock()
	defer before.mu.Unlock()
	p.Inputs = before.Inputs
	same := func(path string, was looked) bool {
		src, over := p.overlay[path]
		old, wasOver := before.overlay[path]
		switch {
		case over != wasOver:
			return false
		case over:
			return bytes.Equal(src, old)
		}
		return !l.rumour.of(path) || stampOf(path) == was.stamp
	}
	changed := false
	for id, s := range before.snapshots {
		if !s.done.Load() {
			continue // it is being read; the next state reads it anew
		}
		if same(s.at.path, s.at) {
			if p.snapshots == nil {
				p.snapshots = map[string]*snapshot{}
			}
			p.snapshots[id] = s
		} else {
			changed = true
		}
	}
	for name, at := range before.reads {
		if !same(at.path, at) {
			changed = true
			continue
		}
		if p.reads == nil {
			p.reads = map[string]looked{}
		}
		p.reads[name] = at
	}
	if changed {
		p.Inputs++
	}
}

// looked is a file that was looked at, and what it was like then.
type looked struct {
	path  string
	stamp stamp
}

// errAlone is the error of reading in a project that has no folder.
var errAlone = errors.New("the file that it is in was not saved yet, so that there is no folder to look in")
