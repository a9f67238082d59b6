package expr

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/value"
)

// text returns the source between two offsets; nil where the range is not in
// the source, which trees of erroneous files may have.
func (e Expr) text(start, end int) []byte {
	if start < 0 || end < start || end > len(e.Source) {
		return nil
	}
	return e.Source[start:end]
}

// bytes returns the source of a range.
func (e Expr) bytes(r hcl.Range) []byte { return e.text(r.Start.Byte, r.End.Byte) }

// Number returns the number that lit is, with its text. The error wraps
// [value.ErrNumber]: the number is beyond the limits, or lit is no number.
func (e Expr) Number(lit *hclsyntax.LiteralValueExpr) (value.Decimal, error) {
	return parseNumber(e.bytes(lit.SrcRange))
}

// parseNumber reads a number as HCL writes it: leading zeros are allowed.
func parseNumber(src []byte) (value.Decimal, error) {
	text := string(src)
	for len(text) > 1 && text[0] == '0' && '0' <= text[1] && text[1] <= '9' {
		text = text[1:]
	}
	return value.ParseDecimal(text)
}

// Literal returns the value of a literal that is no part of a template: null, a
// bool or a number. The error wraps [value.ErrNumber]. ok is false for what the
// parser leaves in the place of an expression that could not be read.
func (e Expr) Literal(lit *hclsyntax.LiteralValueExpr) (v value.Value, ok bool, err error) {
	switch {
	case lit.Val.IsNull():
		return value.NullValue, true, nil
	case lit.Val.Type() == cty.Bool && lit.Val.IsKnown():
		return value.OfBool(lit.Val.True()), true, nil
	case lit.Val.Type() == cty.Number:
		d, err := e.Number(lit)
		return value.OfNumber(d), true, err
	case lit.Val.Type() == cty.String && lit.Val.IsKnown():
		// Text of a template, asked for outside of it (see TemplateParts).
		return value.OfString(lit.Val.AsString()), true, nil
	default:
		return value.NullValue, false, nil
	}
}

// IndexKey returns the constant that is written in the brackets of a traversal
// step: a string, a number, a bool or null. The error wraps [value.ErrNumber].
func (e Expr) IndexKey(step hcl.TraverseIndex) (value.Value, error) {
	src := e.bytes(step.SrcRange)
	if len(src) > 1 && src[0] == '.' { // xs.0, the older form of xs[0]
		d, err := parseNumber(bytes.TrimSpace(src[1:]))
		return value.OfNumber(d), err
	}
	if len(src) >= 4 && src[0] == '[' && src[1] == '"' && src[len(src)-2] == '"' {
		if s, ok := plain(src[2 : len(src)-2]); ok {
			return value.OfString(s), nil
		}
	}
	if len(src) >= 2 {
		inner := src[1 : len(src)-1]
		node, diags := hclsyntax.ParseExpression(inner, step.SrcRange.Filename, hcl.InitialPos)
		if !diags.HasErrors() {
			key := Expr{Node: node, Source: inner}
			switch node := node.(type) {
			case *hclsyntax.LiteralValueExpr:
				v, _, err := key.Literal(node)
				return v, err
			case *hclsyntax.TemplateExpr:
				if s, ok := key.constantText(node); ok {
					return value.OfString(s), nil
				}
			}
		}
	}
	// The tree is of an erroneous file.
	if step.Key.Type() == cty.String && step.Key.IsKnown() && !step.Key.IsNull() {
		return value.OfString(step.Key.AsString()), nil
	}
	return value.NullValue, nil
}

// IndexName returns the key of a traversal step that is a string in brackets.
func (e Expr) IndexName(step hcl.TraverseIndex) (string, bool) {
	if !step.Key.IsKnown() || step.Key.IsNull() || step.Key.Type() != cty.String {
		return "", false
	}
	v, err := e.IndexKey(step)
	if err != nil || v.Kind() != value.String {
		return "", false
	}
	return v.AsString(), true
}

// ObjectKey returns the attribute name that an object's key is where it is
// written as such: a bare name or a text without sequences. Else ok is false, and the
// name is computed from k.Wrapped when the expression runs.
func (e Expr) ObjectKey(k *hclsyntax.ObjectConsKeyExpr) (name string, ok bool) {
	if k.ForceNonLiteral {
		return "", false
	}
	switch key := k.Wrapped.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		if len(key.Traversal) == 1 {
			return key.Traversal.RootName(), true
		}
	case *hclsyntax.LiteralValueExpr: // true, false and null are names here
		return hcl.ExprAsKeyword(key), hcl.ExprAsKeyword(key) != ""
	case *hclsyntax.TemplateExpr:
		return e.constantText(key)
	}
	return "", false
}

// Text returns the text of a node that is a text without sequences.
func (e Expr) Text() (string, bool) {
	if t, ok := e.Node.(*hclsyntax.TemplateExpr); ok {
		return e.constantText(t)
	}
	return "", false
}

func (e Expr) constantText(t *hclsyntax.TemplateExpr) (string, bool) {
	if len(t.Parts) == 1 {
		if src := e.bytes(t.SrcRange); len(src) >= 2 && src[0] == '"' && src[len(src)-1] == '"' {
			if s, ok := plain(src[1 : len(src)-1]); ok {
				return s, true
			}
		}
	}
	for _, p := range t.Parts {
		if !isText(p) {
			return "", false
		}
	}
	var b strings.Builder
	for _, p := range e.TemplateParts(t) {
		if !p.IsText() {
			return "", false
		}
		b.WriteString(p.Text)
	}
	return b.String(), true
}

// isText reports whether a part of a template's tree is literal text.
func isText(node hclsyntax.Expression) bool {
	lit, ok := node.(*hclsyntax.LiteralValueExpr)
	return ok && lit.Val.Type() == cty.String
}

// plain returns the text between quotes where it stands for itself.
func plain(src []byte) (string, bool) {
	for _, c := range src {
		if c == '\\' || c == '$' || c == '%' || c == '"' || c == '\n' {
			return "", false
		}
	}
	return string(src), true
}

// unquote decodes the literal part of a text in quotes. ok is false where it
// must be read token by token: after $$ or %%, it depends on the tokens where
// an escape begins.
func unquote(src []byte) (string, bool) {
	if s, ok := plain(src); ok {
		return s, true
	}
	buf := make([]byte, 0, len(src))
	for i := 0; i < len(src); {
		c := src[i]
		if (c == '$' || c == '%') && i+1 < len(src) && src[i+1] == c {
			return "", false
		}
		if c != '\\' {
			buf = append(buf, c)
			i++
			continue
		}
		if i+1 >= len(src) {
			return "", false
		}
		digits := 0
		switch src[i+1] {
		case 'n':
			buf = append(buf, '\n')
		case 'r':
			buf = append(buf, '\r')
		case 't':
			buf = append(buf, '\t')
		case '"', '\\':
			buf = append(buf, src[i+1])
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			return "", false
		}
		i += 2
		if digits > 0 {
			if i+digits > len(src) {
				return "", false
			}
			n, err := strconv.ParseUint(string(src[i:i+digits]), 16, 32)
			if err != nil || !utf8.ValidRune(rune(n)) {
				return "", false
			}
			buf = utf8.AppendRune(buf, rune(n))
			i += digits
		}
	}
	return string(buf), true
}
