package service

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// maxSource bounds a text that comes from outside. The longest workflow that people
// write has a tenth of it; checking needs some hundred times its size in memory.
const maxSource = 256 << 10

// The codes of this package.
const (
	codeForeign     diag.Code = "WFC1110"
	codeOneWorkflow diag.Code = "WFC1111"
	codeStale       diag.Code = "WFC1112"
)

// foreign returns what a text from outside may not say. A name is found as it is
// written, wherever it stands: what only looks like one costs its writer another name.
func foreign(name string, src []byte) diag.List {
	f, _ := syntax.Parse(name, src)
	var out diag.List
	block := func(what string, at hcl.Range) {
		out = append(out, diag.New(codeForeign, at, "A text from outside may not declare a %s: it holds workflows only. Use what the project declares.", what))
	}
	for _, x := range f.Connections {
		block("connection", x.Header)
	}
	for _, x := range f.Providers {
		block("provider", x.Header)
	}
	for _, x := range f.Secrets {
		block("secret", x.Header)
	}
	for _, x := range f.Deployments {
		block("deployment", x.Header)
	}
	for _, x := range f.Tests {
		block("test", x.Header)
	}
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	tokens = slices.DeleteFunc(tokens, func(t hclsyntax.Token) bool {
		return t.Type == hclsyntax.TokenComment || t.Type == hclsyntax.TokenNewline
	})
	for i, t := range tokens {
		if t.Type != hclsyntax.TokenIdent || i > 0 && tokens[i-1].Type == hclsyntax.TokenDot || i+1 == len(tokens) {
			continue
		}
		next := tokens[i+1].Type
		switch word := string(t.Bytes); {
		case word == "secret" && (next == hclsyntax.TokenDot || next == hclsyntax.TokenOBrack):
			out = append(out, diag.New(codeForeign, t.Range, "A text from outside may not name a secret: a connection of the project uses what it needs."))
		case (word == "file" || word == "env") && next == hclsyntax.TokenOParen:
			out = append(out, diag.New(codeForeign, t.Range, "A text from outside may not read %s. Write what it needs into the text, or make it an input.",
				map[string]string{"file": "files of the project", "env": "the environment"}[word]))
		}
	}
	return out
}

// mainWorkflow returns the one workflow of a file that no other one of it runs; nil
// where there is not exactly one, which the diagnostic says.
func mainWorkflow(f *syntax.File) (*syntax.Workflow, diag.List) {
	run := map[string]bool{}
	for _, w := range f.Workflows {
		for _, s := range slices.Concat(w.Steps, w.Finally) {
			if name := childOf(s); name != "" && name != w.Name.Text {
				run[name] = true
			}
		}
	}
	var roots []*syntax.Workflow
	for _, w := range f.Workflows {
		if !run[w.Name.Text] {
			roots = append(roots, w)
		}
	}
	at := hcl.Range{Filename: f.Name, Start: hcl.InitialPos, End: hcl.InitialPos}
	switch {
	case len(roots) == 1:
		return roots[0], nil
	case len(f.Workflows) == 0:
		return nil, diag.List{diag.New(codeOneWorkflow, at, "There is no workflow in this text. Write one: a block that begins with workflow \"NAME\".")}
	case len(roots) == 0:
		return nil, diag.List{diag.New(codeOneWorkflow, at, "The workflows of this text run each other, so that none of them is the one that it stands for.")}
	}
	d := diag.New(codeOneWorkflow, roots[1].Header, "There are %d workflows in this text that no other one runs. Keep one of them, and those that it runs.", len(roots))
	return nil, diag.List{d.With(roots[0].Header, "the first one")}
}

// childOf returns the name of the workflow that a step runs; "" for none.
func childOf(s *syntax.Step) string {
	if s.Run == nil || len(s.Run.Path) != 2 {
		return ""
	}
	return s.Run.Path[1].Text
}

// tooLong is the error of a text beyond maxSource; nil: it is within.
func tooLong(what string, n int) error {
	if n <= maxSource {
		return nil
	}
	return refuse(Invalid, "%s has %d bytes; more than %d are not taken.", what, n, maxSource)
}
