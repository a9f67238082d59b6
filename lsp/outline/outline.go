// Package outline reads the layout of an HCL file that is being written: its
// blocks, attributes and brackets, whatever is wrong with it, and where in them a
// place stands. It knows no meaning.
//
// Its central type is [File]. It imports nothing of wfc.
package outline

// File is the layout of a file.
type File struct {
	Source []byte
	Body   *Block // the top level, which has no type
	// Spans are the brackets, heredocs and comments of several lines or parts, in the
	// order of their ends.
	Spans []Span
}

// Block is a block with what stands in it, as far as it is written.
type Block struct {
	Type       Word
	Labels     []Word // without quotes
	Attributes []Attribute
	Blocks     []*Block
	Start, End int  // of the whole; of an open one the end is that of the file
	Body       int  // behind the opening brace
	Closed     bool // it has a closing brace
	Up         *Block
}

// Word is a name or a label with its place.
type Word struct {
	Text       string
	Start, End int
}

// Attribute is an attribute of a block.
type Attribute struct {
	Name       Word
	Start, End int // of the value, without the white space around it
}

// SpanKind is what a span is.
type SpanKind uint8

// The kinds of spans.
const (
	Braces    SpanKind = iota // an object or a block
	Brackets                  // a list or an index
	Parens                    // a call, or an expression in parentheses
	Template                  // ${ } or %{ }
	Quotes                    // a text in quotes
	Heredoc                   // a text of lines
	Comment                   // one comment, or lines of them
	BlockBody                 // the body of a block
)

// Span is a part of the text, delimiters included.
type Span struct {
	Kind       SpanKind
	Start, End int
}

// Place is where a byte offset stands.
type Place struct {
	Block   *Block // the innermost one; of the top level the file's body
	Comment bool   // nothing can be written there but a comment

	// Words are what stands before the place in its line where neither an attribute's
	// value nor a block's body has begun: the type and labels of a block.
	Words []Word
	// InLabel: it stands inside of the quotes of a block's label.
	InLabel bool

	// Attribute is the name of the attribute whose value it stands in; "" without one.
	Attribute Word
	Value     int // where the value begins: behind the equals sign

	Frames []Frame // the brackets and texts around it within the value, outermost first
}

// Frame is an open bracket, text or sequence.
type Frame struct {
	Kind  SpanKind
	Start int
	// Of Parens: the name of the function that is called, "" for none. Of Template in
	// front of a text of lines: nothing.
	Func string
	Args int // commas at this level so far
	// Of Braces: the key in front of the place, where it stands in a value.
	Key     string
	InValue bool
	For     bool // it begins with `for`
	Colon   bool // and a colon came
	Arrow   bool // and => came
	Marker  string
}

// In reports whether the innermost frame is of a kind.
func (p Place) In(kind SpanKind) bool {
	return len(p.Frames) > 0 && p.Frames[len(p.Frames)-1].Kind == kind
}

// Text reports whether the place stands in literal text.
func (p Place) Text() bool { return p.In(Quotes) || p.In(Heredoc) }
