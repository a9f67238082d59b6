package funcs

import (
	"fmt"
	"math/big"

	"github.com/cockroachdb/apd/v3"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func init() {
	number := Param{"number", types.NumberType}
	register(Numbers,
		&Func{
			Name:   "abs",
			Params: []Param{number},
			Result: types.NumberType,
			Infer:  inferNumeric,
			Call: func(args []value.Value) (value.Value, error) {
				if args[0].AsNumber().Sign() >= 0 {
					return args[0], nil
				}
				return value.OfNumber(args[0].AsNumber().Abs()), nil
			},
			Doc:     "Gives the number without its sign.",
			Example: `abs(-1.5)`,
			Gives:   `1.5`,
		},
		rounding("ceil", value.Decimal.Ceil, "Gives the least whole number that is not less than the number.", `ceil(2.1)`, `3`),
		rounding("floor", value.Decimal.Floor, "Gives the greatest whole number that is not greater than the number.", `floor(7 / 2)`, `3`),
		&Func{
			Name:   "signum",
			Params: []Param{number},
			Result: types.IntegerType,
			Call: func(args []value.Value) (value.Value, error) {
				return value.OfInt(int64(args[0].AsNumber().Sign())), nil
			},
			Doc:     "Gives -1, 0 or 1 as the number is negative, zero or positive.",
			Example: `signum(-12)`,
			Gives:   `-1`,
		},
		extreme("max", 1, "Gives the greatest of the numbers. For a list write `max(list...)`.", `max(3, 1.5, 12)`, `12`),
		extreme("min", -1, "Gives the least of the numbers. For a list write `min(list...)`.", `min(3, 1.5, 12)`, `1.5`),
		&Func{
			Name:    "sum",
			Params:  []Param{{"list", numberList}},
			Result:  types.NumberType,
			Infer:   func(args []Arg) (*types.Type, string, int) { return ok(numeric(elemOf(args[0].Type))) },
			Call:    callSum,
			Doc:     "Gives the exact sum of the numbers; that of none is 0.",
			Example: `sum([0.1, 0.2, 1])`,
			Gives:   `1.3`,
		},
		&Func{
			Name:   "pow",
			Params: []Param{{"base", types.NumberType}, {"exponent", types.IntegerType}},
			Result: types.NumberType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				if n, constant := constInt(args[1]); constant && n >= 0 {
					return ok(numeric(args[0].Type))
				}
				return ok(types.NumberType)
			},
			Call:    callPow,
			Doc:     "Gives the base to the power of a whole number, exactly; with a negative exponent to 34 digits where the quotient does not end.",
			Example: `[pow(2, 64), pow(1.1, 2), pow(2, -2)]`,
			Gives:   `[18446744073709551616,1.21,0.25]`,
		},
		&Func{
			Name:    "log",
			Params:  []Param{number, {"base", types.NumberType}},
			Result:  types.NumberType,
			Call:    callLog,
			Doc:     "Gives the logarithm of a number to a base: exactly where it is a whole number, else to 34 digits.",
			Example: `log(1000, 10)`,
			Gives:   `3`,
		},
		&Func{
			Name:    "parseint",
			Params:  []Param{{"text", types.StringType}, {"base", types.IntegerType}},
			Result:  types.IntegerType,
			Call:    callParseInt,
			Doc:     "Reads a whole number written in a base from 2 to 62.",
			Example: `parseint("ff", 16)`,
			Gives:   `255`,
		},
	)
}

// inferNumeric gives integer where all arguments are integers.
func inferNumeric(args []Arg) (*types.Type, string, int) {
	ts := make([]*types.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type
	}
	return ok(numeric(ts...))
}

func rounding(name string, f func(value.Decimal) value.Decimal, doc, example, gives string) *Func {
	return &Func{
		Name: name, Params: []Param{{"number", types.NumberType}}, Result: types.IntegerType,
		Call: func(args []value.Value) (value.Value, error) {
			return value.OfNumber(f(args[0].AsNumber())), nil
		},
		Doc: doc, Example: example, Gives: gives,
	}
}

// extreme makes min (sign -1) or max (sign 1). Of equal numbers the first is
// given, as it was written.
func extreme(name string, sign int, doc, example, gives string) *Func {
	return &Func{
		Name: name, Params: []Param{{"number", types.NumberType}}, Variadic: &Param{"numbers", types.NumberType},
		Result: types.NumberType,
		Infer:  inferNumeric,
		Call: func(args []value.Value) (value.Value, error) {
			best := args[0]
			for _, v := range args[1:] {
				if v.AsNumber().Cmp(best.AsNumber()) == sign {
					best = v
				}
			}
			return best, nil
		},
		Doc: doc, Example: example, Gives: gives,
	}
}

func callSum(args []value.Value) (value.Value, error) {
	var sum value.Decimal
	var err error
	for _, v := range args[0].AsList() {
		if sum, err = sum.Add(v.AsNumber()); err != nil {
			return value.Value{}, outOfRange(err)
		}
	}
	return value.OfNumber(sum), nil
}

// outOfRange makes the sentence of an arithmetic error of lang/value.
func outOfRange(err error) error { return fail("The numbers cannot be computed with: %v.", err) }

func callPow(args []value.Value) (value.Value, error) {
	base, n := args[0].AsNumber(), clamp(args[1])
	negative := n < 0
	if negative {
		if base.Sign() == 0 {
			return value.Value{}, fail("0 has no power with a negative exponent.")
		}
		n = -n
	}
	power := value.DecimalOf(1)
	var err error
	for square := base; n > 0; {
		if n&1 == 1 {
			if power, err = power.Mul(square); err != nil {
				return value.Value{}, outOfRange(err)
			}
		}
		if n >>= 1; n > 0 {
			if square, err = square.Mul(square); err != nil {
				return value.Value{}, outOfRange(err)
			}
		}
	}
	if negative {
		if power, err = value.DecimalOf(1).Div(power); err != nil {
			return value.Value{}, outOfRange(err)
		}
	}
	return value.OfNumber(power), nil
}

func callLog(args []value.Value) (value.Value, error) {
	x, base := args[0].AsNumber(), args[1].AsNumber()
	if x.Sign() <= 0 {
		return value.Value{}, failArg(0, "Only a positive number has a logarithm, and %s is none.", x)
	}
	if base.Sign() <= 0 || base.Cmp(value.DecimalOf(1)) == 0 {
		return value.Value{}, failArg(1, "The base of a logarithm must be positive and not 1, but is %s.", base)
	}
	// Ten digits more than are kept, so that the quotient of two rounded logarithms is right in those.
	c := apd.BaseContext.WithPrecision(value.QuotientDigits + 10)
	c.Rounding = apd.RoundHalfEven
	var a, b, q apd.Decimal
	for _, step := range []func() (apd.Condition, error){
		func() (apd.Condition, error) { return c.Ln(&a, decimalOf(x)) },
		func() (apd.Condition, error) { return c.Ln(&b, decimalOf(base)) },
		func() (apd.Condition, error) { return c.Quo(&q, &a, &b) },
	} {
		if _, err := step(); err != nil {
			return value.Value{}, outOfRange(err)
		}
	}
	if n, exact := wholeLog(&q, base, x); exact {
		return value.OfInt(n), nil
	}
	roundDigits(&q, value.QuotientDigits)
	d, err := value.ParseDecimal(q.Text('G'))
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	return value.OfNumber(d.Plain()), nil
}

// wholeLog returns the whole number nearest to q where base to its power is x exactly.
func wholeLog(q *apd.Decimal, base, x value.Decimal) (int64, bool) {
	var nearest apd.Decimal
	if _, err := apd.BaseContext.WithPrecision(value.QuotientDigits+10).RoundToIntegralValue(&nearest, q); err != nil {
		return 0, false
	}
	n, err := nearest.Int64()
	if err != nil {
		return 0, false
	}
	power, err := callPow([]value.Value{value.OfNumber(base), value.OfInt(n)})
	return n, err == nil && power.AsNumber().Cmp(x) == 0
}

func callParseInt(args []value.Value) (value.Value, error) {
	text, base := args[0].AsString(), clamp(args[1])
	if base < 2 || base > big.MaxBase {
		return value.Value{}, failArg(1, "The base must be from 2 to %d, but is %s.", big.MaxBase, args[1])
	}
	// Four binary digits make at least one decimal digit.
	if len(text) > 4*value.MaxDigits {
		return value.Value{}, failArg(0, "The text has %d characters, which is more than a number can have.", len(text))
	}
	n, good := new(big.Int).SetString(text, base)
	if !good {
		return value.Value{}, failArg(0, "%s is no whole number in base %d.", args[0].Summary(60), base)
	}
	d, err := value.ParseDecimal(n.String())
	if err != nil {
		return value.Value{}, &ArgError{0, fmt.Sprintf("The text is no number that wfc computes with: %v.", err)}
	}
	return value.OfNumber(d), nil
}
