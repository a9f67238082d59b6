package iface

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar is LL(1), so that the parser needs no lookahead and a mistake is
// where the parser stops: with lookahead, participle blames another place. A
// comma is optional between items everywhere, because "items until no item
// begins" needs no lookahead and "comma, then item" does; separators are
// judged afterwards.

// header is what begins an interface.
type header struct {
	Prefix []*prefix `parser:"@@*"`
	Name   *name     `parser:"'interface':Ident @@ '{'"`
}

// member is a declaration of an interface.
type member struct {
	Prefix   []*prefix     `parser:"@@*"`
	Type     *typeSyntax   `parser:"( @@"`
	Tool     *toolSyntax   `parser:"| @@"`
	Resource *resource     `parser:"| @@"`
	Prompt   *promptSyntax `parser:"| @@ )"`
}

// prefix is a line of documentation or an annotation.
type prefix struct {
	Text       *lexer.Token `parser:"@Text"`
	Annotation *lexer.Token `parser:"| @Annotation"`
}

type typeSyntax struct {
	Name *name `parser:"'type':Ident @@"`
	Type *expr `parser:"'=' @@"`
}

type toolSyntax struct {
	Name   *name    `parser:"'tool':Ident @@"`
	Params []*param `parser:"'(' @@* ')'"`
	Result *expr    `parser:"'->' @@"`
}

type resource struct {
	Name *name        `parser:"'resource':Ident @@"`
	URI  *lexer.Token `parser:"@Text"`
	Type *expr        `parser:"'->' @@"`
}

type promptSyntax struct {
	Name   *name    `parser:"'prompt':Ident @@"`
	Params []*param `parser:"'(' @@* ')'"`
}

// name is bare or in quotes.
type name struct {
	Tok lexer.Token `parser:"@( Ident | Text )"`
}

// param is a parameter; "..." stands for all others.
type param struct {
	Others *lexer.Token `parser:"( @'...'"`
	Of     *expr        `parser:"  ( ':' @@ )?"`
	Name   *name        `parser:"| @@"`
	Type   *expr        `parser:"  ':' @@ )"`
	Comma  *lexer.Token `parser:"@','?"`
}

// expr is a type expression, or a constant in one.
type expr struct {
	Tokens []lexer.Token
	Path   *dotted      `parser:"( @@"`
	Text   *lexer.Token `parser:"| @Text"`
	Number *numeral     `parser:"| @@"`
	Object *braces      `parser:"| @@"`
	List   *brackets    `parser:"| @@"`
	Paren  *expr        `parser:"| '(' @@ ')' )"`
}

// dotted is a name, a name with attributes, or a name that is called.
type dotted struct {
	First lexer.Token    `parser:"@Ident"`
	Steps []*step        `parser:"@@*"`
	Call  *callArguments `parser:"@@?"`
}

type step struct {
	Name lexer.Token `parser:"'.' @Ident"`
}

type callArguments struct {
	Items []*item `parser:"'(' @@* ')'"`
}

type brackets struct {
	Items []*item `parser:"'[' @@* ']'"`
}

type item struct {
	Value *expr        `parser:"@@"`
	Comma *lexer.Token `parser:"@','?"`
}

type braces struct {
	Items []*pair `parser:"'{' @@* '}'"`
}

type pair struct {
	Key   *name        `parser:"@@"`
	Value *expr        `parser:"( '=' | ':' ) @@"`
	Comma *lexer.Token `parser:"@','?"`
}

type numeral struct {
	Minus  *lexer.Token `parser:"@'-'?"`
	Number lexer.Token  `parser:"@Number"`
}

// The token types, as the grammar names them.
var symbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Ident": lexer.TokenType(ident), "Text": lexer.TokenType(text), "Number": lexer.TokenType(number),
	"Annotation": lexer.TokenType(annotation), "Punct": lexer.TokenType(punct), "Bad": lexer.TokenType(bad),
}

// noLexer is the lexer of the grammar. Tokens are read before parsing
// begins (see lex), so that it lexes nothing itself.
type noLexer struct{ lexer.Definition }

func (noLexer) Symbols() map[string]lexer.TokenType { return symbols }

// grammar gives all productions to one parser.
type grammar struct {
	Header  *header   `parser:"@@"`
	Members []*member `parser:"@@* '}'"`
}

// The parsers are built at their first use: most processes meet no interface.
var (
	parser = sync.OnceValue(func() *participle.Parser[grammar] {
		return participle.MustBuild[grammar](participle.Lexer(noLexer{}), participle.UseLookahead(0))
	})
	headerParser = sync.OnceValue(func() *participle.Parser[header] {
		return must(participle.ParserForProduction[header](parser()))
	})
	memberParser = sync.OnceValue(func() *participle.Parser[member] {
		return must(participle.ParserForProduction[member](parser()))
	})
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// feed gives tokens to participle: offsets only, with an end after the last.
type feed struct {
	source *source
	tokens []token
	end    int // where what follows the last token begins
	next   int
}

// Next returns the next token.
func (f *feed) Next() (lexer.Token, error) {
	if f.next == len(f.tokens) {
		return lexer.EOFToken(lexer.Position{Offset: f.end}), nil
	}
	t := f.tokens[f.next]
	f.next++
	// As written: the text "type" in quotes is not the word.
	return lexer.Token{Type: lexer.TokenType(t.kind), Value: string(f.source.src[t.start:t.end]), Pos: lexer.Position{Offset: t.start}}, nil
}

// parse parses tokens as one production. at is the offset where it stopped, -1
// for none.
func parse[P any](p *participle.Parser[P], f *feed) (tree *P, at int, err error) {
	peeking, err := lexer.Upgrade(f)
	if err != nil {
		return nil, f.end, err
	}
	tree, err = p.ParseFromLexer(peeking)
	if err == nil {
		return tree, -1, nil
	}
	at = f.end
	if e, ok := err.(participle.Error); ok {
		at = e.Position().Offset
	}
	return tree, at, err
}
