package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page is a Markdown file: its lines and the fenced blocks among them.
type page struct {
	file   string // its path
	lines  []string
	blocks []*block
}

// block is a fenced block of a page.
type block struct {
	lang  string
	line  int               // of the opening fence, from 1
	text  string            // what stands between the fences
	marks map[string]string // the comments before it: "<!-- name -->" or "<!-- name: value -->"
}

var mark = regexp.MustCompile(`^<!-- ([a-z ]+?)(?:: (.*?))? -->$`)

func readPage(t *testing.T, file string) *page {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{file: file, lines: strings.Split(string(src), "\n")}
	marks := map[string]string{}
	for i := 0; i < len(p.lines); i++ {
		line := p.lines[i]
		if m := mark.FindStringSubmatch(line); m != nil {
			marks[m[1]] = m[2]
			continue
		}
		if fence := strings.TrimLeft(line, "`"); len(line)-len(fence) >= 3 {
			end := i + 1
			for end < len(p.lines) && p.lines[end] != line[:len(line)-len(fence)] {
				end++
			}
			if end == len(p.lines) {
				t.Fatalf("%s:%d: the block has no end", file, i+1)
			}
			b := &block{lang: fence, line: i + 1, marks: marks}
			for _, l := range p.lines[i+1 : end] {
				b.text += l + "\n"
			}
			p.blocks = append(p.blocks, b)
			i = end
		}
		if strings.TrimSpace(line) != "" {
			marks = map[string]string{}
		}
	}
	return p
}

// replace writes the page with other texts in its blocks.
func (p *page) replace(texts map[*block]string) error {
	var out []string
	next := 0
	for _, b := range p.blocks {
		text, ok := texts[b]
		if !ok {
			continue
		}
		out = append(out, p.lines[next:b.line]...)
		out = append(out, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
		next = b.line + strings.Count(b.text, "\n")
	}
	out = append(out, p.lines[next:]...)
	return os.WriteFile(p.file, []byte(strings.Join(out, "\n")), 0o644)
}

// prose returns the page's lines outside of blocks, with their numbers from 1.
func (p *page) prose() map[int]string {
	out := map[int]string{}
	for i, l := range p.lines {
		out[i+1] = l
	}
	for _, b := range p.blocks {
		for i := b.line; i <= b.line+strings.Count(b.text, "\n")+1; i++ {
			delete(out, i)
		}
	}
	return out
}

// anchors returns the names by which the headings of the page can be linked to.
func (p *page) anchors() map[string]bool {
	out := map[string]bool{}
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, l := range p.prose() {
		if title := strings.TrimLeft(l, "#"); title != l && strings.HasPrefix(title, " ") {
			out[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")] = true
		}
	}
	return out
}

// documents returns README.md and the pages of docs, with its folders.
func documents(t *testing.T) []string {
	t.Helper()
	files := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("there are no documents %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	return files
}

var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// TestDocumentLinks follows the links of the documents that lead to files of the
// repository, and to headings in them.
func TestDocumentLinks(t *testing.T) {
	for _, file := range documents(t) {
		p := readPage(t, file)
		for line, text := range p.prose() {
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				to, anchor, _ := strings.Cut(m[1], "#")
				target := p
				if to != "" {
					name := filepath.Join(filepath.Dir(file), filepath.FromSlash(to))
					if _, err := os.Stat(name); err != nil {
						t.Errorf("%s:%d: there is no %s", file, line, m[1])
						continue
					}
					if filepath.Ext(name) == ".md" {
						target = readPage(t, name)
					}
				}
				if anchor != "" && !target.anchors()[anchor] {
					t.Errorf("%s:%d: there is no heading %s", file, line, m[1])
				}
			}
		}
	}
}

// TestEveryPageCanBeReached: from README.md, by links, however many.
func TestEveryPageCanBeReached(t *testing.T) {
	reached := map[string]bool{}
	for next := []string{filepath.Clean("../../README.md")}; len(next) > 0; {
		file := next[0]
		next = next[1:]
		if reached[file] {
			continue
		}
		reached[file] = true
		for _, text := range readPage(t, file).prose() {
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				to, _, _ := strings.Cut(m[1], "#")
				if !strings.Contains(to, "://") && strings.HasSuffix(to, ".md") {
					next = append(next, filepath.Join(filepath.Dir(file), filepath.FromSlash(to)))
				}
			}
		}
	}
	for _, file := range documents(t) {
		if !reached[filepath.Clean(file)] {
			t.Errorf("no link leads from README.md to %s", file)
		}
	}
}
