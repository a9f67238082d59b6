package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
)

const (
	workflowSuffix  = ".wf.hcl"
	testSuffix      = syntax.TestSuffix
	interfaceSuffix = ".wfi"
)

// Load loads the project that path (a file or a folder) belongs to. What is
// wrong with its files is in the project's diagnostics; the error is for a path
// that does not exist or cannot be looked at at all, and is a full sentence.
func Load(path string, o Options) (*Project, error) {
	named, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("the path %q cannot be resolved: %w", path, err)
	}
	folder, err := folderOf(named, path, o.Overlay)
	if err != nil {
		return nil, err
	}
	root := folder
	if o.Root != "" {
		if root, err = filepath.Abs(o.Root); err != nil {
			return nil, fmt.Errorf("the path %q cannot be resolved: %w", o.Root, err)
		}
		if root, err = folderOf(root, o.Root, nil); err != nil {
			return nil, err
		}
	} else if marked, ok := MarkedRoot(folder, o.Overlay); ok {
		root = marked
	}

	p := &Project{Root: root, named: named, overlay: o.Overlay, sources: map[string][]byte{}}
	p.parse(p.find(), nil)
	p.complete(o.Version, nil)
	return p, nil
}

// complete makes a project of its parsed files. before is an earlier state of the
// project, of which what is the same is used; nil: there is none.
func (p *Project) complete(version string, before *Project) {
	p.index(before)
	p.checkSettings(version)
	p.Diagnostics.Sort()
}

// folderOf returns the folder that a named path is or stands in.
func folderOf(abs, written string, overlay map[string][]byte) (string, error) {
	if _, ok := overlay[abs]; ok {
		return filepath.Dir(abs), nil
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &missingError{written}
	case err != nil:
		return "", fmt.Errorf("%s cannot be read: %w", written, cause(err))
	case info.IsDir():
		return abs, nil
	}
	return filepath.Dir(abs), nil
}

// missingError says that a path that was written leads nowhere. It is an fs.ErrNotExist.
type missingError struct{ path string }

func (e *missingError) Error() string { return fmt.Sprintf("there is no file or folder %q", e.path) }
func (e *missingError) Unwrap() error { return fs.ErrNotExist }

// cause takes the path off a file error, for messages that name it already.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// MarkedRoot finds the nearest folder upward that has a wfc.hcl, on disk or in the
// overlay. folder is an absolute path.
func MarkedRoot(folder string, overlay map[string][]byte) (string, bool) {
	for {
		settings := filepath.Join(folder, syntax.SettingsName)
		if _, ok := overlay[settings]; ok {
			return folder, true
		}
		if info, err := os.Stat(settings); err == nil && !info.IsDir() {
			return folder, true
		}
		up := filepath.Dir(folder)
		if up == folder {
			return "", false
		}
		folder = up
	}
}

// entry is one file to be read.
type entry struct {
	name string // relative to the root, forward slashes
	path string // absolute
	parsed
}

// parsed is what a file was read as.
type parsed struct {
	file *syntax.File
	wfi  *iface.File
	src  []byte // nil: it could not be read
	bad  diag.List
}

// parse reads and parses all files, as many at once as there are processors.
// known has those that need not be parsed; nil: none.
func (p *Project) parse(entries []*entry, known func(*entry) bool) {
	all(len(entries), func(i int) {
		if known == nil || !known(entries[i]) {
			entries[i].parse(p)
		}
	})

	files := 0
	for _, e := range entries {
		if e.file != nil {
			files++
		}
	}
	p.Files = make([]*syntax.File, 0, files)
	for _, e := range entries {
		p.Diagnostics = append(p.Diagnostics, e.bad...)
		if e.src != nil {
			p.sources[e.name] = e.src
		}
		switch {
		case e.wfi != nil:
			p.InterfaceFiles = append(p.InterfaceFiles, e.wfi)
		case e.file == nil:
		case e.name == syntax.SettingsName:
			p.Settings = e.file
		default:
			p.Files = append(p.Files, e.file)
		}
	}
}

// all calls f for each number below n, on as many processors as there are.
func all(n int, f func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	workers.Wait()
}

func (e *entry) parse(p *Project) {
	src, err := p.read(e.path, maxFileSize)
	if err != nil {
		e.bad = diag.List{unreadable(e.name, err)}
		if strings.HasSuffix(e.name, interfaceSuffix) {
			e.wfi = iface.Unreadable(e.name)
		}
		return
	}
	e.src = src
	switch {
	case strings.HasSuffix(e.name, interfaceSuffix):
		e.wfi, e.bad = iface.Parse(e.name, src)
	default:
		e.file, e.bad = syntax.Parse(e.name, src)
	}
}

// find lists the project's files, sorted by name, and reports what cannot be looked at.
func (p *Project) find() []*entry {
	w := walk{project: p}
	w.folder("")
	has := make(map[string]bool, len(w.found))
	for _, e := range w.found {
		has[e.name] = true
	}
	return p.addOverlay(w.found, has)
}

// addOverlay adds to a list of files those that only the overlay has, and sorts it.
// has are the names of the list.
func (p *Project) addOverlay(found []*entry, has map[string]bool) []*entry {
	for path := range p.overlay {
		rel, err := filepath.Rel(p.Root, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		name := filepath.ToSlash(rel)
		if wanted(name) && !has[name] && !p.skippedParent(name) {
			found = append(found, &entry{name: name, path: path})
		}
	}
	slices.SortFunc(found, func(a, b *entry) int { return strings.Compare(a.name, b.name) })
	return found
}

type walk struct {
	project *Project
	found   []*entry
}

// folder walks one folder; dir is its name relative to the root, "" for the
// root. Links to folders are not followed, so that a walk ends and stays inside.
func (w *walk) folder(dir string) {
	p := w.project
	entries, err := os.ReadDir(filepath.Join(p.Root, filepath.FromSlash(dir)))
	if err != nil {
		p.Diagnostics = append(p.Diagnostics, unreadable(dir, cause(err)))
	}
	if dir != "" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == syntax.SettingsName && !e.IsDir() }) {
		return // another project
	}
	for _, e := range entries {
		name := e.Name()
		if dir != "" {
			name = dir + "/" + name
		}
		switch {
		case e.IsDir():
			if !skipped(name) {
				w.folder(name)
			}
		case wanted(name):
			w.found = append(w.found, &entry{name: name, path: filepath.Join(p.Root, filepath.FromSlash(name))})
		}
	}
}

// wanted reports whether a file of this name belongs to a project.
func wanted(name string) bool {
	if name == syntax.SettingsName {
		return true
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	if strings.HasPrefix(base, ".") { // hidden: also what editors write beside a file
		return false
	}
	return strings.HasSuffix(base, workflowSuffix) || strings.HasSuffix(base, testSuffix) || strings.HasSuffix(base, interfaceSuffix)
}

// skipped reports whether a folder is never looked into.
func skipped(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	return strings.HasPrefix(base, ".") || base == "node_modules" || name == "catalog"
}

// skippedParent reports whether a file stands below a folder that is skipped
// or is another project.
func (p *Project) skippedParent(name string) bool {
	for i, c := range name {
		if c != '/' {
			continue
		}
		if dir := name[:i]; skipped(dir) {
			return true
		} else if _, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(dir), syntax.SettingsName)); err == nil {
			return true
		}
	}
	return false
}
