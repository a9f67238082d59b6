package check

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check/lint"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
)

// ignoreWord begins a comment that silences a finding on the next line:
// "# wfc:ignore WFC3301 why". Comments that begin with its first part are
// nobody else's, so that a slip in the rest is noticed.
const (
	commentPrefix = "wfc:"
	ignoreWord    = "wfc:ignore"
)

// ignore is a comment that silences a code on a line.
type ignore struct {
	code diag.Code
	at   hcl.Range // the comment
	line int       // that it is about; 0: none
	used bool
}

// withoutIgnored takes the findings out of a list that a comment silences. In
// the findings of a whole project it reports comments that are wrong, and those
// that silence nothing.
func (w *world) withoutIgnored(found diag.List, whole bool) diag.List {
	kept, wrong := w.ignored(found, whole)
	return append(kept, wrong...)
}

// ignored does what withoutIgnored does, and returns what is wrong with the comments
// by itself.
func (w *world) ignored(found diag.List, whole bool) (kept, wrong diag.List) {
	p := w.project
	var ignores []*ignore
	look := func(f *syntax.File) {
		if !bytes.Contains(f.Source, []byte(commentPrefix)) {
			return
		}
		s := ignoreScan{file: f.Name, src: f.Source}
		s.scan()
		wrong = append(wrong, s.wrong...)
		ignores = append(ignores, s.found...)
	}
	for _, f := range p.Files {
		look(f)
	}
	if p.Settings != nil {
		look(p.Settings)
	}
	for _, f := range p.InterfaceFiles { // whose comments are HCL's
		look(&syntax.File{Name: f.Name, Source: f.Source})
	}
	if len(ignores) > 0 {
		first := make(map[silence]*ignore, len(ignores)) // the first of each place
		for _, i := range ignores {
			if k := (silence{i.at.Filename, i.line, i.code}); first[k] == nil {
				first[k] = i
			}
		}
		for _, d := range found {
			// An error is not silenced: what has one cannot be run.
			i := first[silence{d.Range.File, d.Range.Start.Line, d.Code}]
			if i == nil || d.Severity == diag.Error {
				kept = append(kept, d)
			} else {
				i.used = true
			}
		}
		found = kept
	}
	if !whole {
		return found, nil
	}
	if !found.HasErrors() {
		// What has errors is not checked all through, and what is missing then
		// may be found later.
		for _, i := range ignores {
			if !i.used && (w.strict || i.code != codeTrusted) { // which only Strict finds
				wrong = append(wrong, unusedIgnore(p.Source(i.at.Filename), i))
			}
		}
	}
	return found, wrong
}

// silence is what a comment silences: a code on a line of a file.
type silence struct {
	file string
	line int
	code diag.Code
}

func unusedIgnore(src []byte, i *ignore) diag.Diagnostic {
	return diag.New(codeUnusedIgnore, i.at, "There is no finding of the code %s on the next line that this comment could silence. Remove it.", i.code).
		Fix("Remove the comment", true, edit(wholeLine(src, i.at), ""))
}

// wholeLine is the line of a comment that stands alone on it, with its line break.
func wholeLine(src []byte, at hcl.Range) hcl.Range {
	start := bytes.LastIndexByte(src[:at.Start.Byte], '\n') + 1
	end := len(src)
	if n := bytes.IndexByte(src[at.Start.Byte:], '\n'); n >= 0 {
		end = at.Start.Byte + n + 1
	}
	at.Start.Byte, at.End.Byte = start, end
	at.Start.Column = 1
	if end < len(src) || src[end-1] == '\n' {
		at.End.Line, at.End.Column = at.Start.Line+1, 1
	}
	return at
}

// ignoreScan finds the comments of one file.
type ignoreScan struct {
	file  string
	src   []byte
	found []*ignore
	wrong diag.List
}

func (s *ignoreScan) scan() {
	tokens, _ := hclsyntax.LexConfig(s.src, s.file, hcl.InitialPos)
	about := 0 // the line that a comment here is about: that of the first token that follows, comments aside
	defer func() { slices.Reverse(s.found) }()
	for i, t := range slices.Backward(tokens) {
		switch t.Type {
		case hclsyntax.TokenComment:
		case hclsyntax.TokenNewline, hclsyntax.TokenEOF: // a blank line ends it
			about = 0
			continue
		default:
			about = t.Range.Start.Line
			continue
		}
		text, multiline := commentText(t.Bytes)
		if !strings.HasPrefix(text, commentPrefix) {
			continue
		}
		at := t.Range
		at.End.Byte = at.Start.Byte + len(bytes.TrimRight(t.Bytes, "\r\n"))
		at.End.Line, at.End.Column = at.Start.Line, at.Start.Column+1 // the column is computed later
		switch {
		case multiline:
			s.report(codeInvalidIgnore, at, "Write this comment with #, on the line above the one that it is about.")
		case i > 0 && tokens[i-1].Range.End.Line == at.Start.Line && tokens[i-1].Range.End.Byte > lineStart(s.src, at.Start.Byte):
			s.report(codeInvalidIgnore, at, "A comment that silences a finding stands on the line above it, not behind it.")
		default:
			if x := s.read(text, at); x != nil {
				x.line = about
				s.found = append(s.found, x)
			}
		}
	}
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// commentText returns what a comment says, and whether it is one of /* */.
func commentText(token []byte) (text string, multiline bool) {
	t := string(token)
	if rest, ok := strings.CutPrefix(t, "/*"); ok {
		return strings.TrimSpace(strings.TrimSuffix(rest, "*/")), true
	}
	t = strings.TrimPrefix(strings.TrimPrefix(t, "#"), "//")
	return strings.TrimSpace(t), false
}

// read reads a comment and reports what is wrong with it. It returns nil where
// it is not known what is to be silenced.
func (s *ignoreScan) read(text string, at hcl.Range) *ignore {
	words := strings.Fields(text)
	if words[0] != ignoreWord {
		d := diag.New(codeInvalidIgnore, at, "wfc knows no comment %q. To silence a finding of the next line, write: # %s CODE REASON", words[0], ignoreWord)
		if _, ok := nearest.Name(words[0], []string{ignoreWord}); ok {
			d = d.Fix("Change it to "+ignoreWord, true, edit(s.word(at, words[0]), ignoreWord))
		}
		s.wrong = append(s.wrong, d)
		return nil
	}
	if len(words) == 1 {
		s.report(codeInvalidIgnore, at, "The comment does not say what to silence. Write: # %s CODE REASON", ignoreWord)
		return nil
	}
	e, known := diag.Lookup(words[1])
	code := s.word(at, words[1])
	rule, isRule := lint.Rules[words[1]]
	switch {
	case isRule:
		s.wrong = append(s.wrong, diag.New(codeInvalidIgnore, code, "A finding is silenced by its code, and that of the rule %s is %s.", words[1], rule).
			Fix("Change it to "+string(rule), true, edit(code, string(rule))))
		return &ignore{code: rule, at: at}
	case !known:
		s.report(codeInvalidIgnore, code, "There is no code %q. Write: # %s CODE REASON", words[1], ignoreWord)
		return nil
	case string(e.Code) != words[1]:
		s.wrong = append(s.wrong, diag.New(codeInvalidIgnore, code, "Codes are written as %s.", e.Code).
			Fix("Change it to "+string(e.Code), true, edit(code, string(e.Code))))
	case e.Severity == diag.Error:
		s.report(codeIgnoredError, code, "%s (%s) is an error, and what has errors cannot be run. Only warnings and remarks can be silenced: mend what it says.", e.Code, e.Summary)
		return nil
	case len(words) == 2:
		s.report(codeIgnoreWithoutReason, at, "Say after the code why the finding does not matter here, for whoever reads this next.")
	default:
		if other, ok := diag.Lookup(words[2]); ok && string(other.Code) == words[2] {
			s.report(codeInvalidIgnore, at, "A comment silences one code. Write one for each, on lines of their own.")
		}
	}
	return &ignore{code: e.Code, at: at}
}

// word is the place of a word of a comment.
func (s *ignoreScan) word(at hcl.Range, word string) hcl.Range {
	n := bytes.Index(s.src[at.Start.Byte:at.End.Byte], []byte(word))
	at.Start.Byte += n
	at.End.Byte = at.Start.Byte + len(word)
	return at
}

func (s *ignoreScan) report(code diag.Code, at hcl.Range, detail string, args ...any) {
	s.wrong = append(s.wrong, diag.New(code, at, detail, args...))
}
