package iface

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
)

// explain reports a declaration that participle could not read. Of what it
// says only the offset is taken, which with our grammar is that of the first
// token that cannot be; what was wanted there follows from what stands before.
func (p *fileParser) explain(tokens []token, offset int, isHeader bool) {
	if damaged(tokens) {
		return // its text has a diagnostic
	}
	i := 0
	for i < len(tokens) && tokens[i].start < offset {
		i++
	}
	s := stop{fileParser: p, tokens: tokens, i: i, start: 0}
	for s.start < len(tokens) && (tokens[s.start].kind == text || tokens[s.start].kind == annotation) {
		s.start++
	}
	s.findOpen()
	if isHeader {
		s.header()
		return
	}
	s.member()
}

func damaged(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.kind == bad || t.broken })
}

// stop is where parsing a declaration stopped.
type stop struct {
	*fileParser
	tokens []token // of the declaration
	i      int     // the token that cannot be; len(tokens): the declaration ends
	start  int     // where the declaration begins, after its documentation
	open   []int   // the brackets that are open there
}

func (s *stop) findOpen() {
	for i, t := range s.tokens[:s.i] {
		switch {
		case t.is("("), t.is("["), t.is("{"):
			s.open = append(s.open, i)
		case t.is(")"), t.is("]"), t.is("}"):
			if len(s.open) > 0 {
				s.open = s.open[:len(s.open)-1]
			}
		}
	}
}

// ended reports whether there is no further token.
func (s *stop) ended() bool { return s.i == len(s.tokens) }

// next returns the token that cannot be; at the end, one that is none.
func (s *stop) next() token {
	if s.ended() {
		return token{kind: endOfFile}
	}
	return s.tokens[s.i]
}

func (s *stop) before() token {
	if s.i == 0 {
		return token{kind: endOfFile}
	}
	return s.tokens[s.i-1]
}

// found is the token that cannot be, for a message.
func (s *stop) found() string {
	switch t := s.next(); t.kind {
	case endOfFile:
		return "the declaration ends here"
	case text:
		return "here stands a text"
	default:
		return "here stands " + strconv.Quote(t.text)
	}
}

// complain reports the token that cannot be, or where the declaration ends.
func (s *stop) complain(code diag.Code, detail string, args ...any) {
	t := s.next()
	if s.ended() {
		t = s.tokens[s.i-1]
	}
	s.report(code, s.span(t.start, t.end), detail, args...)
}

func (s *stop) header() {
	switch before := s.before(); {
	case before.word("interface") && s.i == s.start+1:
		s.complain(codeSyntax, "After \"interface\" comes its name, then its declarations in braces; %s.", s.found())
	default:
		s.complain(codeSyntax, "After the name of an interface come its declarations in braces: interface NAME { … }; %s.", s.found())
	}
}

func (s *stop) member() {
	if s.i <= s.start {
		s.unknown()
		return
	}
	if s.unclosed() {
		return
	}
	switch before := s.before(); {
	case len(s.open) > 0:
		s.inBrackets(s.tokens[s.open[len(s.open)-1]])
	case s.i == s.start+1:
		s.complain(codeSyntax, "After %q comes the name of what is declared; %s.", before.text, s.found())
	case before.is("->"), before.is("="):
		s.wantsType()
	case before.is("."):
		s.complain(codeSyntax, "After a dot comes a name; %s.", s.found())
	case s.i == s.start+2:
		s.afterName()
	case s.next().kind == ident && s.next().breaks > 0:
		s.unknown()
	default:
		s.afterRest(before)
	}
}

// unclosed reports a bracket that is closed by another one, or by nothing.
func (s *stop) unclosed() bool {
	if len(s.open) == 0 {
		return false
	}
	t := s.tokens[s.open[len(s.open)-1]]
	closes := map[string]string{"(": ")", "[": "]", "{": "}"}[t.text]
	next := s.next()
	if !s.ended() && !next.is("->") && !(next.kind == punct && (next.is(")") || next.is("]") || next.is("}")) && !next.is(closes)) {
		return false
	}
	before := s.before()
	if before.is("=") || before.is(":") || before.is(".") || before.is("-") {
		return false // something else is missing first
	}
	d := diag.New(codeUnclosed, s.span(t.start, t.end), "This bracket is not closed: %s. Write %s before it.", s.found(), closes)
	if s.ended() {
		d.Detail = fmt.Sprintf("This bracket is not closed when the declaration ends. Write %s there.", closes)
	} else {
		d = d.With(s.span(next.start, next.end), "what should come after %s", closes)
	}
	s.diags = append(s.diags, d)
	return true
}

// inBrackets explains a stop inside of the bracket open.
func (s *stop) inBrackets(open token) {
	before := s.before()
	kind := s.tokens[s.start].text
	params := (kind == "tool" || kind == "prompt") && len(s.open) == 1 && s.open[0] == s.start+2
	switch {
	case before.is("="), before.is("->"), before.is(":"):
		s.wantsType()
	case before.is("-"):
		s.complain(codeSyntax, "After a minus comes a number; %s.", s.found())
	case before.is("."):
		s.complain(codeSyntax, "After a dot comes a name; %s.", s.found())
	case params && (before.is("(") || before.is(",")):
		s.complain(codeSyntax, "Here a parameter is wanted, as NAME: TYPE; %s.", s.found())
	case params && s.next().is("="):
		t := s.next()
		s.diags = append(s.diags, diag.New(codeSyntax, s.span(t.start, t.end), "The type of a parameter comes after a colon: NAME: TYPE.").
			Fix("Replace it by a colon", true, diag.Edit{Range: diag.RangeOf(s.span(s.before().end, t.end)), Text: ":"}))
	case params && (before.kind == ident || before.kind == text) && s.isName():
		s.complain(codeSyntax, "After the name of a parameter comes a colon and its type, as NAME: TYPE; %s.", s.found())
	case open.is("{") && (before.is("{") || before.is(",")):
		s.complain(codeSyntax, "Here an attribute is wanted, as NAME = TYPE; %s.", s.found())
	case open.is("{") && (before.kind == ident || before.kind == text) && s.isName():
		s.complain(codeSyntax, "After the name of an attribute comes = and its type, as NAME = TYPE; %s.", s.found())
	case before.is(","), before.is("("), before.is("["):
		s.wantsType()
	default:
		s.complain(codeSyntax, "Here a comma or the closing bracket is wanted; %s.", s.found())
	}
}

// isName reports whether the token before is where a name stands: at the
// beginning of an item.
func (s *stop) isName() bool {
	if s.i < 2 {
		return false
	}
	t := s.tokens[s.i-2]
	return t.is("(") || t.is("{") || t.is(",") || s.before().breaks > 0
}

func (s *stop) wantsType() {
	if s.before().is("...") || s.next().kind == annotation {
		s.complain(codeSyntax, "Here a type is wanted; %s.", s.found())
		return
	}
	s.complain(codeSyntax, "Here a type is wanted, such as string, list(string) or object({ title = string }); %s.", s.found())
}

// afterName explains a stop after the keyword and the name.
func (s *stop) afterName() {
	switch name := strconv.Quote(s.before().text); s.tokens[s.start].text {
	case "type":
		s.complain(codeSyntax, "After the name of the type comes = and what it stands for, as in type id = string; %s.", s.found())
	case "resource":
		s.complain(codeSyntax, "After the name of the resource comes its URI, or URI template, in quotes, as in resource readme \"repo://{owner}/readme\" -> string; %s.", s.found())
	default:
		s.complain(codeSyntax, "After the name %s come its parameters in parentheses, () if it has none; %s.", name, s.found())
	}
}

// afterRest explains a stop after what could be a whole declaration, or lacks
// its result.
func (s *stop) afterRest(before token) {
	switch kind := s.tokens[s.start].text; {
	case kind == "prompt" && s.next().is("->"):
		s.complain(codeSyntax, "A prompt gives messages and has no type of its own. Remove what comes after its parameters.")
	case kind == "tool" && before.is(")") && !s.has("->"):
		s.complain(codeSyntax, "After the parameters of a tool comes what it gives, as -> TYPE; -> any where nothing is known of it; %s.", s.found())
	case kind == "resource" && !s.has("->"):
		s.complain(codeSyntax, "After the URI of a resource comes what it holds, as -> TYPE; %s.", s.found())
	case s.next().is("="), s.next().is(":"):
		s.complain(codeSyntax, "The declaration is complete before this. What a tool may be given stands in its parentheses.")
	default:
		s.complain(codeSyntax, "The declaration is complete before this; %s. The next one begins with type, tool, resource or prompt.", s.found())
	}
}

// has reports whether a sign stands in the declaration before the stop, outside of brackets.
func (s *stop) has(sign string) bool {
	depth := 0
	for _, t := range s.tokens[:s.i] {
		switch {
		case t.is("("), t.is("["), t.is("{"):
			depth++
		case t.is(")"), t.is("]"), t.is("}"):
			depth--
		case depth == 0 && t.is(sign):
			return true
		}
	}
	return false
}

// habits are words of other languages for what an interface declares.
var habits = map[string]string{
	"func": "tool", "function": "tool", "fn": "tool", "def": "tool", "method": "tool", "rpc": "tool", "call": "tool", "operation": "tool",
	"struct": "type", "object": "type", "enum": "type", "typedef": "type", "alias": "type", "record": "type", "message": "type", "class": "type", "schema": "type",
	"template": "resource", "file": "resource", "uri": "resource",
}

// unknown explains a declaration that begins with no keyword.
func (s *stop) unknown() {
	if s.ended() || s.next().kind == endOfFile {
		what := "This documentation belongs"
		if s.tokens[len(s.tokens)-1].kind == annotation {
			what = "This annotation belongs"
		}
		s.complain(codeSyntax, "%s to no declaration: none comes after it.", what)
		return
	}
	t := s.next()
	if t.kind != ident {
		s.complain(codeUnknownDecl, "Here a declaration is wanted: type, tool, resource or prompt, and a name; %s.", s.found())
		return
	}
	word, ok := habits[t.text]
	if !ok {
		word, ok = nearest.Name(t.text, keywords)
	}
	after := token{}
	if s.i+1 < len(s.tokens) {
		after = s.tokens[s.i+1]
	}
	switch {
	case isKeyword(t):
		s.complain(codeSyntax, "After %q comes the name of what is declared.", t.text)
	case after.is("("), after.is("="):
		word = "tool"
		if after.is("=") {
			word = "type"
		}
		s.diags = append(s.diags, diag.New(codeUnknownDecl, s.span(t.start, t.end), "A declaration begins with what it declares. Did you mean %s %s?", word, t.text).
			Fix("Write "+word+" before it", false, diag.Edit{Range: diag.RangeOf(s.span(t.start, t.start)), Text: word + " "}))
	case ok:
		s.diags = append(s.diags, diag.New(codeUnknownDecl, s.span(t.start, t.end), "An interface declares no %q. Did you mean %q?", t.text, word).
			Fix("Change it to "+word, true, diag.Edit{Range: diag.RangeOf(s.span(t.start, t.end)), Text: word}))
	default:
		s.complain(codeUnknownDecl, "An interface declares no %q. It declares type, tool, resource and prompt.", t.text)
	}
}

// stray reports what stands outside of interfaces.
func (p *fileParser) stray(tokens []token) {
	if damaged(tokens) {
		return
	}
	t := tokens[0]
	at := p.span(t.start, t.end)
	switch {
	case t.is("}"):
		p.report(codeUnknownDecl, at, "There is no interface to be closed here. Remove the brace.")
	case isKeyword(t), t.kind == annotation, t.kind == text && len(tokens) > 1:
		p.report(codeUnknownDecl, at, "This stands outside of an interface. Write it inside of one: interface NAME { … }.")
	case t.kind == text:
		p.report(codeUnknownDecl, at, "This documentation belongs to no interface: none comes after it.")
	default:
		if near, ok := nearest.Name(t.text, []string{"interface"}); ok && t.kind == ident || t.word("interface") {
			if t.word("interface") {
				p.report(codeSyntax, at, "After \"interface\" comes its name, then its declarations in braces.")
				return
			}
			p.diags = append(p.diags, diag.New(codeUnknownDecl, at, "An interface file declares interfaces only. Did you mean %q?", near).
				Fix("Change it to "+near, true, diag.Edit{Range: diag.RangeOf(at), Text: near}))
			return
		}
		p.report(codeUnknownDecl, at, "An interface file declares interfaces only, as interface NAME { … }; here stands %s.", strconv.Quote(t.text))
	}
}
