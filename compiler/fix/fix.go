// Package fix applies the certain fixes of a project's findings. It changes
// texts in memory; writing them is the caller's.
//
// Its central function is [Project]. It may import lang, compiler/project and
// compiler/check.
package fix

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/format"
)

// Applied is a fix that was applied, with the finding that it mends, whose
// places are those before the fix.
type Applied struct {
	Finding diag.Diagnostic
	Fix     diag.Fix
}

// Result is what became of a project.
type Result struct {
	Applied []Applied         // in the order of files and places, round by round
	Files   map[string][]byte // the new texts of the files that changed, by name relative to the root
	Project *project.Project  // as it is with them
	Left    diag.List         // its findings
}

// maxRounds bounds how often findings are looked for and fixed: a fix may show
// what was hidden before, but hardly ever more than once or twice.
const maxRounds = 10

// Project applies the certain fixes of the findings about p until there are no
// more. o are the options that p was loaded with. Only files that wanted accepts,
// by name relative to the root, are changed. Of fixes that overlap the first is
// applied, and the other one in a later round if it is still called for. A file
// that can be parsed still can afterwards, and one that cannot has no more
// syntax errors than before.
func Project(p *project.Project, o project.Options, wanted func(file string) bool) (*Result, error) {
	r := &Result{Files: map[string][]byte{}, Project: p, Left: check.Project(p)}
	seen := map[[sha256.Size]byte]bool{state(r.Files): true}
	for range maxRounds {
		s := selection{source: r.Project.Source, wanted: wanted}
		texts := s.apply(r.Left)
		if len(texts) == 0 {
			return r, nil
		}
		files := maps.Clone(r.Files)
		maps.Copy(files, texts)
		if at := state(files); seen[at] {
			return r, nil // fixes that undo each other
		} else {
			seen[at] = true
		}
		overlay := maps.Clone(o.Overlay)
		if overlay == nil {
			overlay = map[string][]byte{}
		}
		for name, text := range files {
			overlay[filepath.Join(p.Root, filepath.FromSlash(name))] = text
		}
		next := o
		next.Root, next.Overlay = p.Root, overlay
		mended, err := project.Load(p.Root, next)
		if err != nil {
			return nil, err
		}
		r.Files, r.Project = files, mended
		r.Applied = append(r.Applied, s.applied...)
		r.Left = check.Project(mended)
	}
	return r, nil
}

// state tells the texts of files apart.
func state(files map[string][]byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %q\n", name, files[name])
	}
	h.Sum(sum[:0])
	return sum
}

// selection is the fixes that are applied in one round.
type selection struct {
	source  func(file string) []byte
	wanted  func(file string) bool
	applied []Applied
	edits   []diag.Edit
}

// apply selects fixes and returns the texts that they change.
func (s *selection) apply(found diag.List) map[string][]byte {
	for _, d := range found {
		for _, f := range d.Fixes {
			if f.Certain && s.fits(f) {
				s.take(d, f)
				break
			}
		}
	}
	texts := s.texts()
	if s.parse(texts) {
		return texts
	}
	// Some fix breaks a file. Each is tried on top of those before it.
	all := s.applied
	s.applied, s.edits = nil, nil
	for _, a := range all {
		before := *s
		s.take(a.Finding, a.Fix)
		if !s.parse(s.texts()) {
			*s = before
		}
	}
	return s.texts()
}

func (s *selection) take(d diag.Diagnostic, f diag.Fix) {
	s.applied = append(slices.Clip(s.applied), Applied{d, f})
	s.edits = slices.Clip(s.edits)
	for _, e := range f.Edits {
		if !slices.Contains(s.edits, e) { // the same mistake may have several findings
			s.edits = append(s.edits, e)
		}
	}
}

// fits reports whether a fix changes files that may be changed, and overlaps none that is taken.
func (s *selection) fits(f diag.Fix) bool {
	for _, e := range f.Edits {
		src := s.source(e.Range.File)
		if src == nil || !s.wanted(e.Range.File) || !source(e.Range.File) {
			return false
		}
		if from, to := e.Range.Start.Byte, e.Range.End.Byte; from < 0 || from > to || to > len(src) {
			return false
		}
		for _, other := range s.edits {
			if e != other && overlap(e.Range, other.Range) {
				return false
			}
		}
	}
	return len(f.Edits) > 0
}

// source reports whether a file is one that people write: a snapshot is not mended.
func source(file string) bool { return filepath.Ext(file) != ".json" }

// overlap reports whether two ranges of one file share a byte, or a place where
// both insert something, in which case it is not known what comes first.
func overlap(a, b diag.Range) bool {
	if a.File != b.File {
		return false
	}
	if a.Start.Byte == b.Start.Byte {
		return true
	}
	if a.Start.Byte > b.Start.Byte {
		a, b = b, a
	}
	return a.End.Byte > b.Start.Byte
}

// texts returns the files that the selected edits change, as they are then.
func (s *selection) texts() map[string][]byte {
	byFile := map[string][]diag.Edit{}
	for _, e := range s.edits {
		byFile[e.Range.File] = append(byFile[e.Range.File], e)
	}
	out := map[string][]byte{}
	for file, edits := range byFile {
		slices.SortFunc(edits, func(a, b diag.Edit) int { return a.Range.Start.Byte - b.Range.Start.Byte })
		src := s.source(file)
		var text []byte
		at := 0
		for _, e := range edits {
			text = append(append(text, src[at:e.Range.Start.Byte]...), e.Text...)
			at = e.Range.End.Byte
		}
		if text = append(text, src[at:]...); !bytes.Equal(text, src) {
			out[file] = text
		}
	}
	return out
}

// parse reports whether files have no more syntax errors than they had.
func (s *selection) parse(texts map[string][]byte) bool {
	for file, text := range texts {
		if mistakes(file, text) > mistakes(file, s.source(file)) {
			return false
		}
	}
	return true
}

// mistakes counts the syntax errors of a file.
func mistakes(file string, src []byte) int {
	_, found := format.Source(file, src)
	return len(found)
}
