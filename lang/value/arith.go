package value

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/cockroachdb/apd/v3"
)

// exact computes without rounding; operands are within the limits, so that its
// intermediate results stay small.
var exact = func() *apd.Context {
	c := apd.BaseContext
	c.Precision = 0
	return &c
}()

// quotient rounds what does not end.
var quotient = func() *apd.Context {
	c := apd.BaseContext
	c.Precision = QuotientDigits
	c.Rounding = apd.RoundHalfEven
	return &c
}()

func (d Decimal) apd() *apd.Decimal {
	if d.big != nil {
		return d.big
	}
	return apd.New(d.small, 0)
}

// result checks a computed number against the limits. It takes ownership of d.
func result(d *apd.Decimal, err error) (Decimal, error) {
	if err != nil {
		return Decimal{}, numberErrorf("the result is no number: %v", err)
	}
	d.Reduce(d)
	if d.IsZero() {
		return Decimal{}, nil
	}
	digits := d.NumDigits()
	if digits > MaxDigits {
		return Decimal{}, numberErrorf("the result has more than %d digits", MaxDigits)
	}
	if checkExponent(int(digits), int(d.Exponent)) != nil {
		return Decimal{}, numberErrorf("the result's exponent is beyond ±%d", MaxExponent)
	}
	return ofBig(d), nil
}

// Cmp compares the values of two numbers: -1, 0 or 1. Their texts play no part.
func (d Decimal) Cmp(e Decimal) int {
	if d.big == nil && e.big == nil {
		return cmp.Compare(d.small, e.small)
	}
	return d.apd().Cmp(e.apd())
}

// Sign returns -1, 0 or 1.
func (d Decimal) Sign() int {
	if d.big == nil {
		return cmp.Compare(d.small, 0)
	}
	return d.big.Sign()
}

// Add returns d + e, exactly. It fails beyond the limits.
func (d Decimal) Add(e Decimal) (Decimal, error) {
	if d.big == nil && e.big == nil {
		if sum := d.small + e.small; (sum > d.small) == (e.small > 0) {
			return Decimal{small: sum}, nil
		}
	}
	r := new(apd.Decimal)
	_, err := exact.Add(r, d.apd(), e.apd())
	return result(r, err)
}

// Sub returns d - e, exactly. It fails beyond the limits.
func (d Decimal) Sub(e Decimal) (Decimal, error) {
	if d.big == nil && e.big == nil {
		if diff := d.small - e.small; (diff < d.small) == (e.small > 0) {
			return Decimal{small: diff}, nil
		}
	}
	r := new(apd.Decimal)
	_, err := exact.Sub(r, d.apd(), e.apd())
	return result(r, err)
}

// Mul returns d * e, exactly. It fails beyond the limits.
func (d Decimal) Mul(e Decimal) (Decimal, error) {
	if d.big == nil && e.big == nil && d.small > -math.MaxInt64 && e.small > -math.MaxInt64 {
		hi, lo := bits.Mul64(magnitude(d.small), magnitude(e.small))
		if hi == 0 && lo <= math.MaxInt64 {
			n := int64(lo)
			if (d.small < 0) != (e.small < 0) {
				n = -n
			}
			return Decimal{small: n}, nil
		}
	}
	r := new(apd.Decimal)
	_, err := exact.Mul(r, d.apd(), e.apd())
	return result(r, err)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

// Neg returns -d.
func (d Decimal) Neg() Decimal {
	if d.big == nil && d.small != math.MinInt64 {
		return Decimal{small: -d.small}
	}
	return ofBig(new(apd.Decimal).Neg(d.apd()))
}

// Abs returns d without its sign.
func (d Decimal) Abs() Decimal {
	if d.Sign() < 0 {
		return d.Neg()
	}
	return d.Plain()
}

// Div returns d / e: exact where the quotient ends within the limit of
// digits, else rounded to [QuotientDigits] digits, half to even. It fails when
// e is zero and beyond the limits.
func (d Decimal) Div(e Decimal) (Decimal, error) {
	if e.Sign() == 0 {
		return Decimal{}, numberErrorf("division by zero")
	}
	if d.big == nil && e.big == nil && d.small != math.MinInt64 && d.small%e.small == 0 {
		return Decimal{small: d.small / e.small}, nil
	}
	if q, ok := exactQuotient(d.apd(), e.apd()); ok {
		return result(q, nil)
	}
	r := new(apd.Decimal)
	_, err := quotient.Quo(r, d.apd(), e.apd())
	return result(r, err)
}

// exactQuotient returns x / y where it ends within the limit of digits: where
// the denominator in lowest terms has no prime factors but 2 and 5.
func exactQuotient(x, y *apd.Decimal) (*apd.Decimal, bool) {
	var num, den, gcd, rest apd.BigInt
	gcd.GCD(nil, nil, &x.Coeff, &y.Coeff)
	num.Quo(&x.Coeff, &gcd)
	den.Quo(&y.Coeff, &gcd)
	two, five := apd.NewBigInt(2), apd.NewBigInt(5)
	strip := func(factor *apd.BigInt) (n int) {
		for {
			var q apd.BigInt
			q.QuoRem(&den, factor, &rest)
			if rest.Sign() != 0 {
				return n
			}
			den.Set(&q)
			n++
		}
	}
	twos, fives := strip(two), strip(five)
	if den.Cmp(apd.NewBigInt(1)) != 0 {
		return nil, false
	}
	places := max(twos, fives)
	var scale apd.BigInt
	num.Mul(&num, scale.Exp(two, apd.NewBigInt(int64(places-twos)), nil))
	num.Mul(&num, scale.Exp(five, apd.NewBigInt(int64(places-fives)), nil))
	q := apd.NewWithBigInt(&num, x.Exponent-y.Exponent-int32(places))
	q.Negative = x.Negative != y.Negative
	q.Reduce(q)
	return q, q.NumDigits() <= MaxDigits
}

// Mod returns the remainder of d / e with the sign of d, exactly, as
// Terraform's % does. It fails when e is zero.
func (d Decimal) Mod(e Decimal) (Decimal, error) {
	if e.Sign() == 0 {
		return Decimal{}, numberErrorf("division by zero")
	}
	if d.big == nil && e.big == nil {
		if e.small == -1 {
			return Decimal{}, nil
		}
		return Decimal{small: d.small % e.small}, nil
	}
	x, y := d.apd(), e.apd()
	exponent := min(x.Exponent, y.Exponent)
	var a, b apd.BigInt
	r := apd.NewWithBigInt(new(apd.BigInt).Rem(aligned(&a, x, exponent), aligned(&b, y, exponent)), exponent)
	r.Negative = x.Negative
	return result(r, nil)
}

// aligned sets dst to the coefficient of |x| at a smaller exponent.
func aligned(dst *apd.BigInt, x *apd.Decimal, exponent int32) *apd.BigInt {
	dst.Exp(apd.NewBigInt(10), apd.NewBigInt(int64(x.Exponent-exponent)), nil)
	return dst.Mul(dst, &x.Coeff)
}

// IsInteger reports whether d is a whole number.
func (d Decimal) IsInteger() bool { return d.big == nil || d.big.Exponent >= 0 }

// Floor returns the greatest whole number that is not greater than d.
func (d Decimal) Floor() Decimal { return d.whole(false) }

// Ceil returns the least whole number that is not less than d.
func (d Decimal) Ceil() Decimal { return d.whole(true) }

func (d Decimal) whole(up bool) Decimal {
	if d.IsInteger() {
		return d.Plain()
	}
	whole := new(apd.Decimal)
	d.big.Modf(whole, nil)
	if d.big.Negative == up {
		return ofBig(whole)
	}
	step := apd.New(1, 0)
	step.Negative = d.big.Negative
	// A fraction has at most 1,000 digits, so that its whole part and one more stay within the limits.
	if _, err := exact.Add(whole, whole, step); err != nil {
		panic("value: rounding a number within the limits failed (this is a bug in wfc): " + err.Error())
	}
	return ofBig(whole)
}
