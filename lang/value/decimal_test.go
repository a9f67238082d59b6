package value

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

func decimal(t testing.TB, text string) Decimal {
	t.Helper()
	d, err := ParseDecimal(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

func TestNumbersKeepTheirText(t *testing.T) {
	for text, canonical := range map[string]string{
		"0": "0", "-0": "0", "0.00": "0", "0e5": "0", "1": "1", "-1": "-1", "1.50": "1.5", "1.0": "1", "1e3": "1000", "1E+3": "1000", "100e-2": "1",
		"9007199254740993": "9007199254740993", "9223372036854775807": "9223372036854775807", "9223372036854775808": "9223372036854775808",
		"-9223372036854775808": "-9223372036854775808", "-9223372036854775809": "-9223372036854775809",
		"123456789012345678901234567890": "123456789012345678901234567890", "0.1": "0.1", "-0.001500": "-0.0015", "0.0000001": "0.0000001",
		"0.00000001": "1e-8", "0.0000000123": "1.23e-8", "1e20": "100000000000000000000", "1e21": "1e21", "-1.5e30": "-1.5e30", "12e-400": "1.2e-399", "1e400": "1e400", "1e-400": "1e-400",
		"1e0000000000000000000000000001": "10",
	} {
		d := decimal(t, text)
		if d.String() != text || d.Canonical() != canonical || d.Plain().String() != canonical {
			t.Errorf("%s: text %s, canonical %s, want %s", text, d, d.Canonical(), canonical)
		}
		if again := decimal(t, canonical); again.Cmp(d) != 0 || again.Canonical() != canonical || again.IsInteger() != d.IsInteger() {
			t.Errorf("%s: %s is another number", text, canonical)
		}
	}
}

func TestWhatIsNoNumber(t *testing.T) {
	for _, text := range []string{"", "-", "+1", "01", "-01", ".5", "1.", "1.e1", "1e", "1e+", "0x1", "1_000", " 1", "1 ", "NaN", "Infinity", "--1", "1-", "1e1.5", "１", "1" + strings.Repeat("0", 3000) + "x"} {
		if d, err := ParseDecimal(text); !errors.Is(err, ErrNumber) {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
}

func TestNumbersBeyondTheLimitsAreRefusedAtOnce(t *testing.T) {
	start := time.Now()
	for text, want := range map[string]string{
		"1e401": "exponent", "1e-401": "exponent", "10e400": "exponent", "1e100000000": "exponent", "-1e-99999999999999999999": "exponent", "0e401": "exponent", "0.1e-400": "exponent",
		"0." + strings.Repeat("0", 400) + "1": "exponent", strings.Repeat("9", 1001): "digits", strings.Repeat("9", 10_000_000): "digits",
		"1." + strings.Repeat("0", 1000): "digits", "0." + strings.Repeat("0", 1000): "digits",
	} {
		_, err := ParseDecimal(text)
		if !errors.Is(err, ErrNumber) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v", text, err)
		}
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("refusing took %v", took)
	}
	for _, text := range []string{"1e400", "9.99e400", "1e-400", strings.Repeat("9", 401), "0." + strings.Repeat("9", 1000), "1e0000000000000000000000000400"} {
		decimal(t, text)
	}
}

func TestArithmetic(t *testing.T) {
	type op = func(Decimal, Decimal) (Decimal, error)
	add, sub, mul, div, mod := op(Decimal.Add), op(Decimal.Sub), op(Decimal.Mul), op(Decimal.Div), op(Decimal.Mod)
	for _, tt := range []struct {
		name string
		op   op
		x, y string
		want string // "": an error
	}{
		{"+", add, "0.1", "0.2", "0.3"},
		{"+", add, "9007199254740993", "1", "9007199254740994"},
		{"+", add, "9223372036854775807", "1", "9223372036854775808"},
		{"+", add, "-9223372036854775808", "-1", "-9223372036854775809"},
		{"+", add, "9223372036854775808", "-1", "9223372036854775807"},
		{"+", add, "1.50", "1.50", "3"},
		{"+", add, "1e400", "9e400", ""},
		{"-", sub, "1", "9223372036854775807", "-9223372036854775806"},
		{"-", sub, "-9223372036854775808", "1", "-9223372036854775809"},
		{"-", sub, "0.3", "0.1", "0.2"},
		{"*", mul, "9223372036854775807", "2", "18446744073709551614"},
		{"*", mul, "-9223372036854775808", "-1", "9223372036854775808"},
		{"*", mul, "3037000500", "-3037000500", "-9223372037000250000"},
		{"*", mul, "0.5", "2", "1"},
		{"*", mul, "1e300", "1e300", ""},
		{"*", mul, strings.Repeat("9", 390) + ".1", "1e-5", strings.Repeat("9", 385) + ".999991"},
		{"*", mul, "0." + strings.Repeat("3", 900), "0." + strings.Repeat("3", 900), ""},
		{"/", div, "10", "4", "2.5"},
		{"/", div, "1", "3", "0.3333333333333333333333333333333333"},
		{"/", div, "2", "3", "0.6666666666666666666666666666666667"},
		{"/", div, "-1", "8", "-0.125"},
		{"/", div, "1", "1024", "0.0009765625"},
		{"/", div, "1" + strings.Repeat("0", 40) + "1", "2", "5" + strings.Repeat("0", 40) + ".5"},
		{"/", div, "-9223372036854775808", "-1", "9223372036854775808"},
		{"/", div, "1", "0", ""},
		{"/", div, "1e-300", "1e300", ""},
		{"%", mod, "7", "3", "1"},
		{"%", mod, "-7", "3", "-1"},
		{"%", mod, "7", "-3", "1"},
		{"%", mod, "7.5", "2", "1.5"},
		{"%", mod, "1e400", "7", "4"},
		{"%", mod, "-9223372036854775808", "-1", "0"},
		{"%", mod, "1", "0.0", ""},
	} {
		got, err := tt.op(decimal(t, tt.x), decimal(t, tt.y))
		switch {
		case tt.want == "":
			if !errors.Is(err, ErrNumber) {
				t.Errorf("%.20s %s %.20s = %s, %v; want an error", tt.x, tt.name, tt.y, got, err)
			}
		case err != nil || got.String() != tt.want:
			t.Errorf("%.20s %s %.20s = %s, %v; want %s", tt.x, tt.name, tt.y, got, err, tt.want)
		}
	}
}

func TestRounding(t *testing.T) {
	for text, want := range map[string][2]string{
		"1.5": {"1", "2"}, "-1.5": {"-2", "-1"}, "2.0": {"2", "2"}, "-0.1": {"-1", "0"}, "0.1": {"0", "1"},
		"99999999999999999999.5": {"99999999999999999999", "100000000000000000000"}, "1e30": {"1e30", "1e30"},
	} {
		d := decimal(t, text)
		if d.Floor().String() != want[0] || d.Ceil().String() != want[1] {
			t.Errorf("%s: floor %s, ceil %s", text, d.Floor(), d.Ceil())
		}
	}
	if got := decimal(t, "-9223372036854775808").Abs().String(); got != "9223372036854775808" {
		t.Error(got)
	}
	if got := decimal(t, "-9223372036854775808").Neg().Neg().String(); got != "-9223372036854775808" {
		t.Error(got)
	}
}

// texts draws numbers of all forms.
func numberText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		s += rapid.SampledFrom([]string{"0", "7", "12", "9007199254740993", "9223372036854775807", "9223372036854775808", "123456789012345678901234567890"}).Draw(t, "whole")
		s += rapid.SampledFrom([]string{"", "", ".0", ".5", ".125", ".000000000000000000001", ".50"}).Draw(t, "fraction")
		return s + rapid.SampledFrom([]string{"", "", "e0", "e3", "e-3", "E+40", "e-60"}).Draw(t, "exponent")
	})
}

func rat(t *rapid.T, d Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		t.Fatalf("%s is not rational", d)
	}
	return r
}

func TestArithmeticIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, err := ParseDecimal(numberText().Draw(t, "x"))
		if err != nil {
			t.Fatal(err)
		}
		y, err := ParseDecimal(numberText().Draw(t, "y"))
		if err != nil {
			t.Fatal(err)
		}
		a, b := rat(t, x), rat(t, y)
		check := func(name string, got Decimal, err error, want *big.Rat) {
			if err != nil || rat(t, got).Cmp(want) != 0 {
				t.Fatalf("%s %s %s = %s, %v; want %s", x, name, y, got, err, want)
			}
			if again, err := ParseDecimal(got.String()); err != nil || again != got && again.Cmp(got) != 0 || got.String() != got.Canonical() {
				t.Fatalf("%s does not read back: %s, %v", got, again, err)
			}
		}
		sum, err := x.Add(y)
		check("+", sum, err, new(big.Rat).Add(a, b))
		diff, err := x.Sub(y)
		check("-", diff, err, new(big.Rat).Sub(a, b))
		product, err := x.Mul(y)
		check("*", product, err, new(big.Rat).Mul(a, b))
		check("neg", x.Neg(), nil, new(big.Rat).Neg(a))
		if x.Cmp(y) != a.Cmp(b) || x.Sign() != a.Sign() || x.IsInteger() != a.IsInt() {
			t.Fatalf("%s, %s compare wrongly", x, y)
		}
		floor := new(big.Rat).SetInt(new(big.Int).Div(a.Num(), a.Denom()))
		check("floor", x.Floor(), nil, floor)
		if y.Sign() != 0 {
			rest, err := x.Mod(y)
			q := new(big.Rat).Quo(a, b)
			whole := new(big.Int).Quo(q.Num(), q.Denom())
			check("%", rest, err, new(big.Rat).Sub(a, new(big.Rat).Mul(b, new(big.Rat).SetInt(whole))))
			quotient, err := x.Div(y)
			if err != nil {
				t.Fatal(err)
			}
			off := new(big.Rat).Sub(rat(t, quotient), q)
			if off.Sign() != 0 { // within half a unit of the 34th digit
				off.Abs(off).Quo(off, new(big.Rat).Abs(q))
				limit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(QuotientDigits-1), nil))
				if off.Cmp(limit) > 0 {
					t.Fatalf("%s / %s = %s", x, y, quotient)
				}
			}
		}
	})
}
