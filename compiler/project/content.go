package project

import (
	"errors"
	"path/filepath"
	"unicode/utf8"
)

// maxContentSize bounds a file that an expression reads with file(): it is
// stored in every plan.
const maxContentSize = 1 << 20

// Content returns the text of a file of the project, as file("name") in an
// expression gives it. name is relative to the project's root, with forward
// slashes. The error says what is wrong, as the second half of a sentence.
func (p *Project) Content(name string) (string, error) {
	if p.content != nil {
		return p.content(name)
	}
	local := filepath.FromSlash(name)
	if name == "" || !filepath.IsLocal(local) {
		return "", errors.New("it is not inside of the project: write a path that begins at the project's root, with forward slashes")
	}
	if p.alone {
		return "", errAlone
	}
	path := filepath.Join(p.Root, local)
	at := p.look(path)
	p.mu.Lock()
	if p.reads == nil {
		p.reads = map[string]looked{}
	}
	p.reads[name] = at
	p.mu.Unlock()
	if _, ok := p.overlay[path]; !ok {
		root, err := filepath.EvalSymlinks(p.Root)
		if err != nil {
			return "", cause(err)
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", cause(err)
		}
		if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) {
			return "", errOutside
		}
	}
	src, err := p.read(path, maxContentSize)
	if err != nil {
		return "", cause(err)
	}
	if !utf8.Valid(src) {
		return "", errors.New("it is no text (it is not UTF-8)")
	}
	return string(src), nil
}

// Reads returns the names of the files that were read with Content so far, or looked for,
// sorted.
func (p *Project) Reads() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return sortedKeys(p.reads)
}
