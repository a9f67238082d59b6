package syntax

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
)

// unreadable reports whether the expression has a syntax error, which has a diagnostic.
func unreadable(e hclsyntax.Expression) bool {
	_, bad := e.(*hclsyntax.ExprSyntaxError)
	return bad
}

// text reads a constant string attribute; nil if it is not written or none.
func (r *reader) text(body *hclsyntax.Body, name string) *Text {
	at := body.Attributes[name]
	if at == nil {
		return nil
	}
	s, ok := r.constantText(at.Expr)
	if !ok {
		r.notConstant(at, "a text in quotes")
		return nil
	}
	return &Text{S: s, Range: at.Expr.Range()}
}

// choice reads a constant string attribute that must be one of options. A slip of
// one of them is taken for what is meant, so that nothing follows from it.
func (r *reader) choice(body *hclsyntax.Body, name string, options ...string) *Text {
	t := r.text(body, name)
	if t == nil {
		return nil
	}
	if r.oneOf(name, t, options) {
		return t
	}
	if meant, ok := nearest.Name(t.S, options); ok {
		return &Text{S: meant, Range: t.Range}
	}
	return nil
}

// oneOf reports a text of the attribute name that is none of options.
func (r *reader) oneOf(name string, t *Text, options []string) bool {
	if slices.Contains(options, t.S) {
		return true
	}
	d := diag.New(codeInvalidChoice, t.Range, "%q cannot be %q. It is one of %s.", name, t.S, quoted(options))
	if near, ok := nearest.Name(t.S, options); ok {
		d = d.Fix("Change it to "+quote(near), false, diag.Edit{Range: diag.RangeOf(t.Range), Text: quote(near)})
	}
	r.report(d)
	return false
}

func quote(s string) string { return `"` + s + `"` }

// quoted lists options: `"a", "b" and "c"`.
func quoted(options []string) string {
	var s strings.Builder
	for i, o := range options {
		switch {
		case i == 0:
		case i == len(options)-1:
			s.WriteString(" and ")
		default:
			s.WriteString(", ")
		}
		s.WriteString(quote(o))
	}
	return s.String()
}

// boolean reads a constant true or false; nil if it is not written or neither.
func (r *reader) boolean(body *hclsyntax.Body, name string) *bool {
	if b := r.truth(body, name); b != nil {
		return &b.B
	}
	return nil
}

// truth is boolean with its place.
func (r *reader) truth(body *hclsyntax.Body, name string) *Bool {
	at := body.Attributes[name]
	if at == nil {
		return nil
	}
	if lit, ok := unparen(at.Expr).(*hclsyntax.LiteralValueExpr); ok && lit.Val.Type() == cty.Bool && !lit.Val.IsNull() && lit.Val.IsKnown() {
		return &Bool{B: lit.Val.True(), Range: at.Expr.Range()}
	}
	r.notConstant(at, "true or false")
	return nil
}

// list reads a constant list of texts; nil if it is not written or none.
func (r *reader) list(body *hclsyntax.Body, name, want string) *List {
	at := body.Attributes[name]
	if at == nil {
		return nil
	}
	cons, ok := unparen(at.Expr).(*hclsyntax.TupleConsExpr)
	if !ok {
		r.notConstant(at, want)
		return nil
	}
	out := &List{Range: at.Expr.Range()}
	for _, x := range cons.Exprs {
		s, ok := r.constantText(x)
		if !ok {
			r.notConstant(&hclsyntax.Attribute{Name: name, Expr: x}, want)
			continue
		}
		out.Items = append(out.Items, Text{S: s, Range: x.Range()})
	}
	return out
}

// choices reads a constant list of texts that must be of options, each once.
func (r *reader) choices(body *hclsyntax.Body, name string, options ...string) *List {
	l := r.list(body, name, "a list of "+quoted(options))
	if l == nil {
		return nil
	}
	seen := map[string]bool{}
	l.Items = slices.DeleteFunc(l.Items, func(t Text) bool {
		again := seen[t.S]
		seen[t.S] = true
		return again || !r.oneOf(name, &t, options)
	})
	return l
}

// bytesIn are the units of a size.
var bytesIn = map[string]int64{"": 1, "B": 1, "KB": 1000, "MB": 1000_000, "GB": 1000_000_000, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

// size reads a constant size: a whole number of bytes, or a text such as "10MB".
func (r *reader) size(body *hclsyntax.Body, name string) *Size {
	at := body.Attributes[name]
	if at == nil {
		return nil
	}
	e := unparen(at.Expr)
	if lit, ok := e.(*hclsyntax.LiteralValueExpr); ok && lit.Val.Type() == cty.Number {
		if n := r.integer(body, name, 1); n != nil {
			return &Size{Bytes: int64(n.N), Range: n.Range}
		}
		return nil
	}
	const want = `a size, such as "10MB", "512KiB" or a number of bytes`
	s, ok := r.constantText(e)
	if !ok {
		r.notConstant(at, want)
		return nil
	}
	number := strings.TrimRightFunc(s, func(c rune) bool { return c < '0' || c > '9' })
	unit, known := bytesIn[strings.TrimSpace(s[len(number):])]
	n, err := strconv.ParseInt(number, 10, 64)
	if !known || err != nil || n < 1 || n > math.MaxInt64/unit {
		r.report(diag.New(codeWrongConstant, at.Expr.Range(), "%q must be %s.", name, want))
		return nil
	}
	return &Size{Bytes: n * unit, Range: at.Expr.Range()}
}

// integer reads a constant whole number of at least least.
func (r *reader) integer(body *hclsyntax.Body, name string, least int) *Int {
	at := body.Attributes[name]
	if at == nil {
		return nil
	}
	if lit, ok := unparen(at.Expr).(*hclsyntax.LiteralValueExpr); ok && lit.Val.Type() == cty.Number && !lit.Val.IsNull() && lit.Val.IsKnown() {
		if f := lit.Val.AsBigFloat(); f.IsInt() {
			n, _ := f.Int64()
			if n >= int64(least) && n <= math.MaxInt32 {
				return &Int{N: int(n), Range: at.Expr.Range()}
			}
		}
		r.report(diag.New(codeWrongConstant, at.Expr.Range(), "%q must be a whole number from %d to %d.", name, least, math.MaxInt32))
		return nil
	}
	r.notConstant(at, fmt.Sprintf("a whole number of at least %d", least))
	return nil
}

// duration reads a constant duration of at least least.
func (r *reader) duration(body *hclsyntax.Body, name string, positive bool) *Duration {
	at := body.Attributes[name]
	if at == nil {
		return nil
	}
	s, ok := r.constantText(at.Expr)
	if !ok {
		r.notConstant(at, `a duration in quotes, such as "30s" or "1h30m"`)
		return nil
	}
	d, err := ParseDuration(s)
	switch {
	case err != nil:
		r.report(diag.New(codeInvalidDuration, at.Expr.Range(), "%q is no duration: %s.", s, err))
		return nil
	case positive && d == 0:
		r.report(diag.New(codeInvalidDuration, at.Expr.Range(), "%q must be longer than nothing.", name))
		return nil
	}
	return &Duration{D: d, Range: at.Expr.Range()}
}

// notConstant reports that a static attribute is something else than wanted
// or is no constant at all.
func (r *reader) notConstant(at *hclsyntax.Attribute, want string) {
	e := unparen(at.Expr)
	switch {
	case unreadable(e):
	case isConstant(e):
		r.report(diag.New(codeWrongConstant, e.Range(), "%q must be %s.", at.Name, want))
	default:
		r.report(diag.New(codeNotConstant, e.Range(),
			"%q is read before anything runs, so it cannot be computed. Write %s.", at.Name, want))
	}
}

// isConstant reports whether e is a literal.
func isConstant(e hclsyntax.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.UnaryOpExpr:
		return isConstant(e.Val)
	case *hclsyntax.TemplateExpr:
		for _, p := range e.Parts {
			if _, ok := p.(*hclsyntax.LiteralValueExpr); !ok {
				return false
			}
		}
		return true
	case *hclsyntax.TupleConsExpr:
		for _, x := range e.Exprs {
			if !isConstant(x) {
				return false
			}
		}
		return true
	case *hclsyntax.ObjectConsExpr:
		for _, x := range e.Items {
			if !isConstant(x.ValueExpr) {
				return false
			}
		}
		return true
	}
	return false
}

func unparen(e hclsyntax.Expression) hclsyntax.Expression {
	for {
		p, ok := e.(*hclsyntax.ParenthesesExpr)
		if !ok {
			return e
		}
		e = p.Expression
	}
}

// constantText returns the text of a string without expressions.
func (r *reader) constantText(e hclsyntax.Expression) (string, bool) {
	return r.expr(unparen(e)).Text()
}

// reference reads a static reference: a name, attributes, and indexes that are
// literal strings. ok is false for anything else.
func (r *reader) reference(e hclsyntax.Expression) (Ref, bool) {
	e = unparen(e)
	segments, ok := r.expr(e).StaticPath()
	if !ok {
		return Ref{}, false
	}
	ref := Ref{Range: e.Range(), Path: make([]Label, len(segments))}
	for i, s := range segments {
		ref.Path[i] = Label{Text: s.Text, Range: s.Range}
	}
	return ref, true
}
