package eval

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/value"
)

type operands struct {
	lhs, rhs     node
	lhsAt, rhsAt hcl.Range
	symbol       string
}

// truth evaluates a condition. what names it in messages.
func truth(m *machine, n node, at hcl.Range, what string) (bool, *Error) {
	r, err := n.eval(m)
	if err != nil {
		return false, err
	}
	switch r.Value.Kind() {
	case value.Bool:
		return r.Value.AsBool(), nil
	case value.Null:
		return false, fail(at, "%s is null, where true or false is wanted. Say what holds then, for example with coalesce.", what)
	default:
		return false, fail(at, "%s must be true or false, not %s.", what, describe(r.Value))
	}
}

type logical struct {
	operands
	decides bool // the left operand that decides without the right
}

func (b *logical) eval(m *machine) (Result, *Error) {
	v, err := truth(m, b.lhs, b.lhsAt, "The left side of "+b.symbol)
	if err == nil && v != b.decides {
		v, err = truth(m, b.rhs, b.rhsAt, "The right side of "+b.symbol)
	}
	return Result{Value: value.OfBool(v)}, err
}

type equality struct {
	operands
	equal bool
}

func (b *equality) eval(m *machine) (Result, *Error) {
	l, err := b.lhs.eval(m)
	if err != nil {
		return l, err
	}
	r, err := b.rhs.eval(m)
	if err != nil {
		return r, err
	}
	return Result{Value: value.OfBool(value.Equal(l.Value, r.Value) == b.equal)}, nil
}

// numbers evaluates both operands, which must be numbers.
func (b *operands) numbers(m *machine) (x, y value.Decimal, err *Error) {
	if x, err = number(m, b.lhs, b.lhsAt, "left", b.symbol); err == nil {
		y, err = number(m, b.rhs, b.rhsAt, "right", b.symbol)
	}
	return x, y, err
}

func number(m *machine, n node, at hcl.Range, side, symbol string) (value.Decimal, *Error) {
	r, err := n.eval(m)
	if err != nil {
		return value.Decimal{}, err
	}
	switch r.Value.Kind() {
	case value.Number:
		return r.Value.AsNumber(), nil
	case value.Null:
		return value.Decimal{}, fail(at, "The %s side of %s is null, where a number is wanted.", side, symbol)
	case value.String:
		return value.Decimal{}, fail(at, "The %s side of %s must be a number, not %s. Convert it with tonumber.", side, symbol, describe(r.Value))
	default:
		return value.Decimal{}, fail(at, "The %s side of %s must be a number, not %s.", side, symbol, describe(r.Value))
	}
}

type comparison struct {
	operands
	holds func(order int) bool
}

var comparisons = map[*hclsyntax.Operation]func(order int) bool{
	hclsyntax.OpGreaterThan:        func(o int) bool { return o > 0 },
	hclsyntax.OpGreaterThanOrEqual: func(o int) bool { return o >= 0 },
	hclsyntax.OpLessThan:           func(o int) bool { return o < 0 },
	hclsyntax.OpLessThanOrEqual:    func(o int) bool { return o <= 0 },
}

func (b *comparison) eval(m *machine) (Result, *Error) {
	x, y, err := b.numbers(m)
	return Result{Value: value.OfBool(err == nil && b.holds(x.Cmp(y)))}, err
}

type arithmetic struct {
	operands
	compute func(x, y value.Decimal) (value.Decimal, error)
	at      hcl.Range
}

var calculations = map[*hclsyntax.Operation]func(x, y value.Decimal) (value.Decimal, error){
	hclsyntax.OpAdd:      value.Decimal.Add,
	hclsyntax.OpSubtract: value.Decimal.Sub,
	hclsyntax.OpMultiply: value.Decimal.Mul,
	hclsyntax.OpDivide:   value.Decimal.Div,
	hclsyntax.OpModulo:   value.Decimal.Mod,
}

func (b *arithmetic) eval(m *machine) (Result, *Error) {
	x, y, err := b.numbers(m)
	if err != nil {
		return Result{}, err
	}
	z, failed := b.compute(x, y)
	if failed != nil {
		return Result{}, fail(b.at, "%s cannot be computed: %v.", x.String()+" "+b.symbol+" "+y.String(), failed)
	}
	return Result{Value: value.OfNumber(z)}, nil
}

type negation struct {
	operand node
	at      hcl.Range
}

func (u *negation) eval(m *machine) (Result, *Error) {
	r, err := u.operand.eval(m)
	if err != nil {
		return r, err
	}
	if r.Value.Kind() != value.Number {
		return Result{}, fail(u.at, "What follows the minus must be a number, not %s.", describe(r.Value))
	}
	return Result{Value: value.OfNumber(r.Value.AsNumber().Neg())}, nil
}

type inversion struct {
	operand node
	at      hcl.Range
}

func (u *inversion) eval(m *machine) (Result, *Error) {
	v, err := truth(m, u.operand, u.at, "What follows the !")
	return Result{Value: value.OfBool(!v)}, err
}

type conditional struct {
	cond, then, otherwise node
	at                    hcl.Range
}

func (c *conditional) eval(m *machine) (Result, *Error) {
	v, err := truth(m, c.cond, c.at, "The condition")
	switch {
	case err != nil:
		return Result{}, err
	case v:
		return c.then.eval(m)
	default:
		return c.otherwise.eval(m)
	}
}

// describe says what a value is, for messages.
func describe(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "null"
	case value.List:
		return "a list"
	case value.Object:
		return "an object"
	case value.Blob:
		return "a blob"
	default:
		return "the " + v.Kind().String() + " " + v.Summary(40)
	}
}
