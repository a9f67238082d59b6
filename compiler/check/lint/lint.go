// Package lint has the rules about what is no mistake and hardly meant: few,
// certain, on by default, all of them warnings (LANGUAGE 8).
//
// A rule is a file beside its test. Its central functions are [Workflow], which
// looks at one workflow that the checker has looked at, [Project], which looks at
// what is between the files, and [Text], which looks at a file's bytes. It may
// import lang and reads nothing else.
package lint

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// The codes of the rules. lang/diag/codes_33_lint.go explains them.
const (
	codeUnusedInput       diag.Code = "WFC3301"
	codeUnusedLocal       diag.Code = "WFC3302"
	codeUnusedSource      diag.Code = "WFC3303"
	codeUnusedConnection  diag.Code = "WFC3304"
	codeUnusedResult      diag.Code = "WFC3305"
	codeUnreadAnswer      diag.Code = "WFC3306"
	codeRedundantOrder    diag.Code = "WFC3307"
	codeUnusedEach        diag.Code = "WFC3308"
	codeIdenticalBranches diag.Code = "WFC3309"
	codeConstantCondition diag.Code = "WFC3310"
	codeEmptyIndex        diag.Code = "WFC3311"
	codeBlindLoop         diag.Code = "WFC3312"
	codeForeignTemplate   diag.Code = "WFC3313"
	codeHardCodedToken    diag.Code = "WFC3314"
)

// Flow is a workflow as the rules see it.
type Flow struct {
	Syntax *syntax.Workflow
	Steps  []Step // in file order, its finally blocks after the others
	// Whole says that everything of the workflow was understood: without it nothing
	// is said of what is not used, because the use may be in what was not.
	Whole bool
	// Child returns the workflow of a name, or nil.
	Child func(name string) *syntax.Workflow
}

// Step is what the checker knows of a step or finally block.
type Step struct {
	Syntax *syntax.Step
	Reads  bool // it calls, reads or prompts, and that has no effect
	OnlyOK bool // "ok" is its only outcome where another step reads it
}

// Workflow returns what the rules find in a workflow.
func Workflow(f *Flow) diag.List {
	p := newPass(f)
	p.walk()
	p.emptyIndexes()
	p.redundantOrder()
	p.blindLoops()
	if f.Whole {
		p.unusedEach()
		p.unusedInputs()
		p.unusedLocals()
		p.unusedSources()
		p.unusedResults()
		p.unreadAnswers()
	}
	return p.found
}

// line returns the range from the beginning of the line of r to the beginning of the
// next line, where nothing else stands on that line; else r.
func line(src []byte, r hcl.Range) hcl.Range {
	start, end := r.Start.Byte, r.End.Byte
	for start > 0 && (src[start-1] == ' ' || src[start-1] == '\t') {
		start--
	}
	for end < len(src) && (src[end] == ' ' || src[end] == '\t' || src[end] == '\r') {
		end++
	}
	if start > 0 && src[start-1] != '\n' || end < len(src) && src[end] != '\n' {
		return r
	}
	r.Start.Column -= r.Start.Byte - start
	r.Start.Byte = start
	if end < len(src) {
		r.End = hcl.Pos{Line: r.End.Line + 1, Column: 1, Byte: end + 1}
	}
	return r
}
