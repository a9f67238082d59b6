package eval

import (
	"strconv"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/value"
)

// maxText bounds what one template makes, so that no few characters fill the
// memory: as much as the functions make (lang/funcs).
const maxText = 64 << 20

// template makes text of its parts.
type template struct{ parts []part }

func (t *template) eval(m *machine) (Result, *Error) {
	buf, err := appendParts(nil, m, t.parts)
	if err != nil {
		return Result{}, err
	}
	return Result{Value: value.OfString(string(buf))}, nil
}

// part appends its text.
type part interface {
	append(buf []byte, m *machine) ([]byte, *Error)
}

func appendParts(buf []byte, m *machine, parts []part) ([]byte, *Error) {
	var err *Error
	for _, p := range parts {
		if buf, err = p.append(buf, m); err != nil {
			return nil, err
		}
	}
	return buf, nil
}

type literalPart string

func (p literalPart) append(buf []byte, _ *machine) ([]byte, *Error) { return append(buf, p...), nil }

// exprPart is ${ }, the one place where numbers and bools become text by themselves.
type exprPart struct {
	node node
	text string
	at   hcl.Range
}

func (p *exprPart) append(buf []byte, m *machine) ([]byte, *Error) {
	r, err := p.node.eval(m)
	if err != nil {
		return nil, err
	}
	switch v := r.Value; v.Kind() {
	case value.String:
		buf = append(buf, v.AsString()...)
	case value.Number:
		buf = append(buf, v.AsNumber().String()...)
	case value.Bool:
		buf = strconv.AppendBool(buf, v.AsBool())
	case value.Null:
		return nil, fail(p.at, "%s is null and cannot stand in a text. Give a text for that case, as in coalesce(%s, \"none\").", p.text, p.text)
	case value.List:
		return nil, fail(p.at, "%s is a list and cannot stand in a text. Use join(\", \", …) for a list of strings, or jsonencode.", p.text)
	case value.Object:
		return nil, fail(p.at, "%s is an object and cannot stand in a text. Read one of its attributes, or use jsonencode.", p.text)
	default:
		return nil, fail(p.at, "%s is a blob and cannot stand in a text. Use text(…) if it holds text.", p.text)
	}
	if len(buf) > maxText {
		return nil, fail(p.at, "The text becomes longer than %d MiB.", maxText>>20)
	}
	return buf, nil
}

type ifPart struct {
	cond            node
	at              hcl.Range
	then, otherwise []part
}

func (p *ifPart) append(buf []byte, m *machine) ([]byte, *Error) {
	v, err := truth(m, p.cond, p.at, "The condition after if")
	switch {
	case err != nil:
		return nil, err
	case v:
		return appendParts(buf, m, p.then)
	default:
		return appendParts(buf, m, p.otherwise)
	}
}

type forPart struct {
	source     node
	slot       int
	body       []part
	sourceText string
	sourceAt   hcl.Range
}

func (p *forPart) append(buf []byte, m *machine) ([]byte, *Error) {
	r, err := p.source.eval(m)
	if err != nil {
		return nil, err
	}
	err = iterate(m, r, p.slot, p.sourceText, p.sourceAt, func(int) *Error {
		var err *Error
		buf, err = appendParts(buf, m, p.body)
		if err == nil && len(buf) > maxText {
			err = fail(p.sourceAt, "The text becomes longer than %d MiB.", maxText>>20)
		}
		return err
	})
	return buf, err
}
