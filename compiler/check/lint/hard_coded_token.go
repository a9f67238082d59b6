package lint

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
)

// tokens matches the credentials that are known by their looks. It is compiled at its first use.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^A-Za-z0-9_-])(` + strings.Join([]string{
		`gh[pousr]_[A-Za-z0-9]{30,}`,                           // GitHub
		`github_pat_[A-Za-z0-9_]{30,}`,                         //
		`glpat-[A-Za-z0-9_-]{20,}`,                             // GitLab
		`sk-[A-Za-z0-9_-]{20,}`,                                // OpenAI, Anthropic and others
		`xox[abprs]-[A-Za-z0-9-]{20,}`,                         // Slack
		`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[\w-]*`, // a JSON Web Token
		`AKIA[0-9A-Z]{16}`,                                     // AWS
	}, "|") + `)`)
})

// shortest is the length of the shortest token that is looked for.
const shortest = 20

// tokenByte has the bytes that tokens consist of.
var tokenByte = func() (is [256]bool) {
	for c := range is {
		is[c] = c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	return is
}()

// Text returns what the rules find in the bytes of a file: tokens, also in
// comments, since what is committed is known to everybody who has the repository.
func Text(name string, src []byte) diag.List {
	var found diag.List
	// A run of 20 bytes has one at every twentieth place: most of the text is never looked at.
	for i := shortest - 1; i < len(src); i += shortest {
		if !tokenByte[src[i]] {
			continue
		}
		start, end := i, i+1
		for start > 0 && tokenByte[src[start-1]] {
			start--
		}
		for end < len(src) && tokenByte[src[end]] {
			end++
		}
		if end-start >= shortest && mayBeToken(src[start:end]) {
			found = append(found, tokensIn(name, src, start, end)...)
		}
		for i+shortest < end {
			i += shortest
		}
	}
	return found
}

// mayBeToken is a first, cheap look.
func mayBeToken(run []byte) bool {
	for _, begin := range [...]string{"gh", "glpat-", "sk-", "xox", "eyJ", "AKIA"} {
		if bytes.Contains(run, []byte(begin)) {
			return true
		}
	}
	return false
}

func tokensIn(name string, src []byte, start, end int) diag.List {
	var found diag.List
	for _, m := range tokens().FindAllSubmatchIndex(src[start:end], -1) {
		at, to := start+m[2], start+m[3]
		token := src[at:to]
		if !looksDrawn(token) {
			continue
		}
		kind, _, _ := bytes.Cut(token[:4], []byte("-"))
		r := hcl.Range{Filename: name, Start: position(src, at), End: position(src, to)}
		found = append(found, diag.New(codeHardCodedToken, r, "This looks like a token (%s…), and everybody who can read this file can use it. Take it back where it was given out, and name a new one with a secret block: secret \"NAME\" { env = \"VARIABLE\" }.", kind))
	}
	return found
}

// looksDrawn reports whether text looks drawn at random: names have few digits, and
// those few no capitals beside them.
func looksDrawn(token []byte) bool {
	var digits, capitals int
	for _, c := range token {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z':
			capitals++
		}
	}
	return digits > 0 && capitals > 1 || digits > 4
}

func position(src []byte, at int) hcl.Pos {
	before := src[:at]
	return hcl.Pos{Line: bytes.Count(before, []byte("\n")) + 1, Column: at - bytes.LastIndexByte(before, '\n'), Byte: at}
}
