package project

import (
	"bytes"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/syntax"
)

// needed tells which files of a project those of some names need, as far as that shows
// without parsing: all that define something else than workflows and tests, the
// workflows that they run, directly or through others, and those that run theirs.
func needed(entries []*entry, texts [][]byte, names []string) []bool {
	out := make([]bool, len(entries))
	defines := map[string][]int{} // files, by the name of a workflow
	named := make([][]string, len(entries))
	theirs := map[string]bool{} // workflows that the files define
	var todo []int
	need := func(i int) {
		if !out[i] {
			out[i] = true
			todo = append(todo, i)
		}
	}
	for i, e := range entries {
		own := slices.Contains(names, e.name)
		if own || e.name == syntax.SettingsName || strings.HasSuffix(e.name, interfaceSuffix) || definesMore(texts[i]) {
			need(i)
		}
		named[i] = wordsAfter(texts[i], "workflow.")
		for _, name := range wordsAfter(texts[i], `workflow "`) {
			defines[name] = append(defines[name], i)
			theirs[name] = theirs[name] || own
		}
	}
	for i := range entries {
		if slices.ContainsFunc(named[i], func(name string) bool { return theirs[name] }) {
			need(i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, name := range named[i] {
			for _, k := range defines[name] {
				need(k)
			}
		}
	}
	return out
}

// definesMore reports whether a file may define what others name, beside workflows.
func definesMore(src []byte) bool {
	for _, begin := range []string{`connection "`, `provider "`, `secret "`, `deployment "`} {
		if bytes.Contains(src, []byte(begin)) {
			return true
		}
	}
	return false
}

// wordsAfter returns the names that follow a text wherever it stands.
func wordsAfter(src []byte, begin string) (out []string) {
	for {
		i := bytes.Index(src, []byte(begin))
		if i < 0 {
			return out
		}
		src = src[i+len(begin):]
		n := bytes.IndexFunc(src, func(c rune) bool {
			return c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80
		})
		if n > 0 {
			out = append(out, string(src[:n]))
		}
	}
}
