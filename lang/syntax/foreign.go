package syntax

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/lda-wf/wfc/lang/diag"
)

// isForeign reports a file that is a document of another language as a whole:
// that is one mistake, and not one for each of its lines.
func (r *reader) isForeign() bool {
	start, language := foreignDocument(r.src)
	if language == "" {
		return false
	}
	at := r.span(start, lineEnd(r.src, start))
	r.report(diag.New(codeItemExpected, at, "This file is written in %s. Workflow files are HCL: an attribute is written NAME = VALUE, and a block TYPE \"NAME\" { … }, as in workflow \"greet\" { … }.", language))
	return true
}

// yamlLine matches a line that YAML has and HCL has not: `key:`, `key: value`, `- item`.
var yamlLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:-\s+)*(?:"[^"]*"|'[^']*'|[\w./-]+):(?:\s|$)|^\s*-\s|^---\s*$`)
})

// foreignDocument returns the language that a text is written in as a whole, and
// where it begins; "" where it may be HCL. A text that begins as HCL does is HCL.
func foreignDocument(src []byte) (start int, language string) {
	const few = 2 // a slip or two are no other language
	yaml, other := 0, 0
	begun := false
	for at := 0; at < len(src); {
		end := lineEnd(src, at)
		line := bytes.TrimPrefix(src[at:end], byteOrderMark)
		content := bytes.TrimSpace(line)
		if len(content) > 0 && content[0] != '#' && !bytes.HasPrefix(content, []byte("//")) {
			isYAML := yamlLine().Match(line) && !bytes.HasSuffix(content, []byte("{"))
			if !begun {
				start = at
				switch {
				case (content[0] == '{' || content[0] == '[') && jsonStart().Match(bytes.TrimPrefix(src[at:], byteOrderMark)):
					return start, "JSON"
				case !isYAML:
					return 0, ""
				}
			}
			begun = true
			if isYAML {
				yaml++
			} else {
				other++
			}
		}
		at = end + 1
	}
	if yaml > few && yaml > other {
		return start, "YAML"
	}
	return 0, ""
}

// jsonStart matches the beginning of an object or of a list of such.
var jsonStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\[{\s]*"(?:[^"\\\n]|\\.)*"\s*[:,\]]`) })

var byteOrderMark = []byte("\ufeff")

func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}
