package value

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep lists and objects may nest in JSON, as in encoding/json.
const MaxDepth = 10000

// JSONError says where a text stops being JSON that wfc accepts.
type JSONError struct {
	Offset int    // bytes before the place
	Reason string // "an object key must be a string"
	Err    error  // the number's error, or nil
	Limit  bool   // it may be JSON, but is beyond wfc's limits
}

func (e *JSONError) Error() string {
	if e.Limit {
		return fmt.Sprintf("at byte %d %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

// Verdict returns what a text with this error is: "is no JSON", or "is JSON beyond the limits of wfc".
func (e *JSONError) Verdict() string {
	if e.Limit {
		return "is JSON beyond the limits of wfc"
	}
	return "is no JSON"
}

// NotTaken returns the rest of a sentence about a text for which [ParseJSON] gave
// err: "is no JSON: invalid JSON at byte 3: …".
func NotTaken(err error) string {
	verdict := "is no JSON"
	if e := (*JSONError)(nil); errors.As(err, &e) {
		verdict = e.Verdict()
	}
	return verdict + ": " + err.Error()
}

func (e *JSONError) Unwrap() error { return e.Err }

// ParseJSON reads one JSON text (RFC 8259) with white space around it. The
// error is a *[JSONError].
//
// Numbers keep their text, objects their order. A key that comes twice keeps
// its first place and gets its last value. Text is kept byte for byte, also
// where it is not UTF-8, which [AppendJSON] writes as it was. Half of a
// surrogate pair (\ud83d alone), which UTF-8 cannot hold, becomes the three
// bytes that UTF-8 would have for it, and AppendJSON writes the escape again.
// An object with the single key $blob is an object: what a server sends never
// becomes a blob (see [ParseStored]).
//
// The value shares the memory of one copy of data.
func ParseJSON(data []byte) (Value, error) { return parseJSON(data, false) }

// ParseStored reads what [AppendStored] wrote.
func ParseStored(data []byte) (Value, error) { return parseJSON(data, true) }

// UnmarshalJSON implements json.Unmarshaler as [ParseJSON].
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := ParseJSON(data)
	if err == nil {
		*v = parsed
	}
	return err
}

func parseJSON(data []byte, stored bool) (Value, error) {
	p := parser{data: data, text: string(data), stored: stored}
	v, err := p.document()
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

// parser reads data; text is the same bytes, which values take their parts of.
// Elements wait on vals and keys until their list or object ends, so that each
// gets one slice of the right size.
type parser struct {
	data   []byte
	text   string
	pos    int
	depth  int
	stored bool
	vals   []Value
	keys   []string
	shapes [32]*ObjectValue // objects that ended lately: rows of a table share their keys
}

func (p *parser) document() (Value, error) {
	v, err := p.value()
	if err != nil {
		return v, err
	}
	if p.space(); p.pos < len(p.data) {
		return v, p.errorf("there is more after the value")
	}
	return v, nil
}

func (p *parser) errorf(format string, args ...any) error {
	return &JSONError{Offset: p.pos, Reason: fmt.Sprintf(format, args...)}
}

// unexpected is the error of a byte that cannot be here.
func (p *parser) unexpected(wanted string) error {
	if p.pos >= len(p.data) {
		return p.errorf("the text ends where %s is wanted", wanted)
	}
	r, _ := utf8.DecodeRune(p.data[p.pos:])
	return p.errorf("%s where %s is wanted", strconv.QuoteRune(r), wanted)
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\n', '\r', '\t':
			p.pos++
		default:
			return
		}
	}
}

// next skips white space and returns the byte there, 0 at the end.
func (p *parser) next() byte {
	p.space()
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *parser) value() (Value, error) {
	switch c := p.next(); c {
	case '{':
		return p.object()
	case '[':
		return p.list()
	case '"':
		s, err := p.string()
		return OfString(s), err
	case 't':
		return p.word("true", OfBool(true))
	case 'f':
		return p.word("false", OfBool(false))
	case 'n':
		return p.word("null", NullValue)
	default:
		if c == '-' || c-'0' <= 9 {
			return p.number()
		}
		return Value{}, p.unexpected("a value")
	}
}

func (p *parser) word(word string, v Value) (Value, error) {
	if len(p.text)-p.pos < len(word) || p.text[p.pos:p.pos+len(word)] != word {
		return v, p.errorf("a value begins like %s and is not", word)
	}
	p.pos += len(word)
	return v, nil
}

func (p *parser) number() (Value, error) {
	start := p.pos
	for p.pos < len(p.data) && inNumber[p.data[p.pos]] {
		p.pos++
	}
	d, err := ParseDecimal(p.text[start:p.pos])
	if err != nil {
		return Value{}, &JSONError{Offset: start, Reason: err.Error(), Err: err, Limit: err == errDigits || err == errExponent}
	}
	return OfNumber(d), nil
}

// inNumber has the bytes that a number's text consists of.
var inNumber = func() (t [256]bool) {
	for _, c := range "+-.eE0123456789" {
		t[c] = true
	}
	return t
}()

func (p *parser) enter() error {
	if p.depth++; p.depth > MaxDepth {
		return &JSONError{Offset: p.pos, Reason: fmt.Sprintf("lists and objects nest deeper than %d", MaxDepth), Limit: true}
	}
	return nil
}

func (p *parser) list() (Value, error) {
	if err := p.enter(); err != nil {
		return Value{}, err
	}
	p.pos++
	base := len(p.vals)
	if p.next() == ']' {
		p.pos++
		p.depth--
		return OfList([]Value{}), nil
	}
	for {
		v, err := p.value()
		if err != nil {
			return v, err
		}
		p.vals = append(p.vals, v)
		switch p.next() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			p.depth--
			return OfList(p.take(base)), nil
		default:
			return v, p.unexpected("a comma or ]")
		}
	}
}

// take removes and returns the values that wait since base.
func (p *parser) take(base int) []Value {
	elems := make([]Value, len(p.vals)-base)
	copy(elems, p.vals[base:])
	clear(p.vals[base:])
	p.vals = p.vals[:base]
	return elems
}

func (p *parser) object() (Value, error) {
	if err := p.enter(); err != nil {
		return Value{}, err
	}
	p.pos++
	base, keys := len(p.vals), len(p.keys)
	if p.next() == '}' {
		p.pos++
		p.depth--
		return OfObject(nil), nil
	}
	for {
		if p.next() != '"' {
			return Value{}, p.unexpected("an object key in double quotes")
		}
		key, err := p.string()
		if err != nil {
			return Value{}, err
		}
		if p.next() != ':' {
			return Value{}, p.unexpected("a colon")
		}
		p.pos++
		v, err := p.value()
		if err != nil {
			return v, err
		}
		p.keys = append(p.keys, key)
		p.vals = append(p.vals, v)
		switch p.next() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			p.depth--
			return p.endObject(base, keys)
		default:
			return v, p.unexpected("a comma or }")
		}
	}
}

// endObject builds the object of the keys and values that wait.
func (p *parser) endObject(base, keysBase int) (Value, error) {
	keys := p.keys[keysBase:]
	p.keys = p.keys[:keysBase]
	if p.stored && len(keys) == 1 && strings.HasPrefix(keys[0], "$") {
		v := p.vals[base]
		p.vals = p.vals[:base]
		return p.storedObject(keys[0], v)
	}
	like := &p.shapes[(p.depth*7+len(keys))%len(p.shapes)]
	if *like != nil && slices.Equal((*like).keys, keys) {
		return OfObject((*like).sibling(p.take(base))), nil
	}
	o := &ObjectValue{}
	if o.fill(keys) {
		o.vals = p.take(base)
		*like = o
		return OfObject(o), nil
	}
	// A key comes twice.
	o = NewObject(len(keys))
	for i, v := range p.take(base) {
		o.Set(keys[i], v)
	}
	return OfObject(o), nil
}

// string reads a string, whose first quote is at pos.
func (p *parser) string() (string, error) {
	p.pos++
	start := p.pos
	p.pos = plainEnd(p.data, p.pos)
	if p.pos < len(p.data) && p.data[p.pos] == '"' {
		s := p.text[start:p.pos]
		p.pos++
		return s, nil
	}
	buf := append(make([]byte, 0, p.pos-start+64), p.data[start:p.pos]...)
	for {
		if p.pos >= len(p.data) {
			return "", p.errorf("a string has no closing quote")
		}
		switch c := p.data[p.pos]; {
		case c == '"':
			p.pos++
			return string(buf), nil
		case c == '\\':
			var err error
			if buf, err = p.escape(buf); err != nil {
				return "", err
			}
		default:
			return "", p.errorf("the control character %s must be written as an escape in a string", strconv.QuoteRune(rune(c)))
		}
		start = p.pos
		p.pos = plainEnd(p.data, p.pos)
		buf = append(buf, p.data[start:p.pos]...)
	}
}

// plainEnd returns the index from i of the first byte of data that is a quote,
// a backslash or a control character, or len(data).
func plainEnd(data []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// Only the lowest bit set is exact, and only that is used.
		found := ((w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(data); i++ {
		if c := data[i]; c < 0x20 || c == '"' || c == '\\' {
			return i
		}
	}
	return i
}

// escape reads the escape at pos and appends what it stands for.
func (p *parser) escape(buf []byte) ([]byte, error) {
	if p.pos+1 >= len(p.data) {
		p.pos = len(p.data)
		return nil, p.errorf("a string has no closing quote")
	}
	c := p.data[p.pos+1]
	if c != 'u' {
		plain := escapes[c]
		if plain == 0 {
			return nil, p.errorf(`\%c is no escape`, c)
		}
		p.pos += 2
		return append(buf, plain), nil
	}
	r, ok := p.hex4(p.pos)
	if !ok {
		return nil, p.errorf(`\u must be followed by four hexadecimal digits`)
	}
	p.pos += 6
	if 0xD800 <= r && r < 0xE000 {
		if low, ok := p.hex4(p.pos); ok && r < 0xDC00 && 0xDC00 <= low && low < 0xE000 {
			p.pos += 6
			return utf8.AppendRune(buf, (r-0xD800)<<10|(low-0xDC00)+0x10000), nil
		}
		return append(buf, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F), nil
	}
	return utf8.AppendRune(buf, r), nil
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hex4 reads \uXXXX at i.
func (p *parser) hex4(i int) (r rune, ok bool) {
	if i+6 > len(p.data) || p.data[i] != '\\' || p.data[i+1] != 'u' {
		return 0, false
	}
	for _, c := range p.data[i+2 : i+6] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
