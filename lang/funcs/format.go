package funcs

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// maxWidth bounds a verb's width and precision: beyond every number's digits
// and every table's column.
const maxWidth = 10_000

func init() {
	register(Text,
		&Func{
			Name:     "format",
			Params:   []Param{{"format", types.StringType}},
			Variadic: &Param{"values", types.AnyType},
			Result:   types.StringType,
			Infer:    inferFormat,
			Call: func(args []value.Value) (value.Value, error) {
				segments, err := parseFormat(args[0].AsString())
				if err != nil {
					return value.Value{}, &ArgError{0, err.Error()}
				}
				return formatText(segments, args[1:])
			},
			Doc: "Writes values by a format's verbs: `%s` text, number or bool as a template does, `%q` the same as a JSON string, `%d` a whole number, `%b %o %x %X` the same in another base (`%x` also the bytes of text), " +
				"`%f %e %g` a number (rounded half to even; `%f` has 6 decimals unless `%.2f` says otherwise; `%g` without precision is exact), `%t` a bool, `%v` anything (lists and objects as JSON), `%#v` anything as JSON, `%%` a percent sign. " +
				"Flags are `-` (left), `+`, space, `0` and `#`, then width and precision; `%[2]s` takes the second value. Every value must be used.",
			Example: `format("%s-%03d: %.2f %5s|%-5s| %v", "a", 7, 2.345, "r", "l", [1, true])`,
			Gives:   `"a-007: 2.34     r|l    | [1,true]"`,
		},
		&Func{
			Name:     "formatlist",
			Params:   []Param{{"format", types.StringType}},
			Variadic: &Param{"values", types.AnyType},
			Result:   stringList,
			Infer:    inferFormatList,
			Call:     callFormatList,
			Doc:      "Writes one string for each element of the lists among the values, which must have one length; other values are the same in each.",
			Example:  `formatlist("%s/%s", "docs", ["a.md", "b.md"])`,
			Gives:    `["docs/a.md","docs/b.md"]`,
		},
	)
}

// verb is one % of a format, or the text between two.
type verb struct {
	text  string // literal text where kind is 0
	kind  byte   // the letter
	index int    // of the value, from 0
	width int    // -1: none
	prec  int    // -1: none

	minus, plus, sharp, space, zero bool
}

// parseFormat reads a format. An error is a full sentence.
func parseFormat(format string) ([]verb, error) {
	var out []verb
	next := 0
	for rest := format; rest != ""; {
		at := strings.IndexByte(rest, '%')
		if at < 0 {
			out = append(out, verb{text: rest})
			break
		}
		if at > 0 {
			out = append(out, verb{text: rest[:at]})
		}
		rest = rest[at+1:]
		if strings.HasPrefix(rest, "%") {
			out = append(out, verb{text: "%"})
			rest = rest[1:]
			continue
		}
		v, after, err := parseVerb(rest)
		if err != nil {
			return nil, err
		}
		rest = after
		if v.index < 0 {
			v.index = next
		}
		next = v.index + 1
		out = append(out, v)
	}
	return out, nil
}

// parseVerb reads one verb after its percent sign.
func parseVerb(s string) (v verb, rest string, err error) {
	v = verb{index: -1, width: -1, prec: -1}
	i := 0
flags:
	for ; i < len(s); i++ {
		switch s[i] {
		case '-':
			v.minus = true
		case '+':
			v.plus = true
		case '#':
			v.sharp = true
		case ' ':
			v.space = true
		case '0':
			v.zero = true
		default:
			break flags
		}
	}
	number := func() (int, error) {
		start := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		n, err := strconv.Atoi(s[start:i])
		if err != nil && i > start || n > maxWidth {
			return 0, fail("The format's number %s is too large; at most %d is possible.", s[start:i], maxWidth)
		}
		return n, nil
	}
	index := func() error {
		if i >= len(s) || s[i] != '[' {
			return nil
		}
		i++
		n, err := number()
		if err != nil {
			return err
		}
		if n < 1 || i >= len(s) || s[i] != ']' {
			return fail("A value's index in a format is written %%[1]s, from 1 on.")
		}
		i++
		v.index = n - 1
		return nil
	}
	if err := index(); err != nil {
		return v, "", err
	}
	if i < len(s) && '1' <= s[i] && s[i] <= '9' {
		if v.width, err = number(); err != nil {
			return v, "", err
		}
	}
	if i < len(s) && s[i] == '.' {
		i++
		if v.prec, err = number(); err != nil {
			return v, "", err
		}
	}
	if err := index(); err != nil {
		return v, "", err
	}
	if i >= len(s) {
		return v, "", fail("The format ends within a verb; a percent sign itself is written %%%%.")
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if !strings.ContainsRune("sqvtdboxXeEfFgG", r) {
		return v, "", fail("The format has no verb %%%c. The verbs are %%s %%q %%v %%t %%d %%b %%o %%x %%f %%e and %%g; a percent sign itself is written %%%%.", r)
	}
	v.kind = s[i]
	return v, s[i+size:], nil
}

// wants returns the type of the values that the verb writes.
func (v verb) wants() *types.Type {
	switch v.kind {
	case 's', 'q':
		return scalar
	case 't':
		return types.BoolType
	case 'd', 'b', 'o':
		return types.IntegerType
	case 'e', 'E', 'f', 'F', 'g', 'G':
		return types.NumberType
	case 'x', 'X':
		return types.UnionOf(types.StringType, types.IntegerType)
	default:
		return types.AnyType
	}
}

// remedy says how a value becomes what the verb writes, in a sentence after a space.
func (v verb) remedy(val value.Value) string {
	if want := v.wants(); want.Kind() != types.Union || val.Kind() != value.Number {
		return remedy(want, val)
	}
	return remedy(types.IntegerType, val)
}

// inferFormat checks the values against a constant format.
func inferFormat(args []Arg) (*types.Type, string, int) {
	problem, arg := formatProblem(args)
	return types.StringType, problem, arg
}

// inferFormatList is inferFormat with the elements of lists for values.
func inferFormatList(args []Arg) (*types.Type, string, int) {
	elems := slices.Clone(args)
	for i, a := range elems[1:] {
		if only(a.Type, anyList) && a.Type.Underlying().Kind() != types.Any {
			elems[i+1] = Arg{Type: elemOf(a.Type), Rest: a.Rest}
		}
	}
	problem, arg := formatProblem(elems)
	return stringList, problem, arg
}

func formatProblem(args []Arg) (problem string, arg int) {
	format, constant := constText(args[0])
	if !constant {
		return "", -1
	}
	verbs, err := parseFormat(format)
	if err != nil {
		return err.Error(), 0
	}
	rest := args[len(args)-1].Rest // then their number is not known
	if problem := countProblem(verbs, len(args)-1); problem != "" && !rest {
		return problem, 0
	}
	for _, v := range verbs {
		if v.kind == 0 || v.kind == 'v' {
			continue
		}
		if t := args[min(v.index+1, len(args)-1)].Type; !only(t, v.wants()) {
			problem = fmt.Sprintf("The verb %%%c of the format writes %s, but value %d is %s.", v.kind, describe(v.wants()), v.index+1, types.Describe(t))
			if only(t, types.UnionOf(types.StringType, types.NumberType)) && !only(t, types.StringType) {
				problem += " Round it with floor() or ceil(), or write any number as it is with %s."
			}
			return problem, v.index + 1
		}
	}
	return "", -1
}

// countProblem says whether the verbs and the number of values fit.
func countProblem(verbs []verb, values int) string {
	used := 0
	seen := map[int]bool{}
	for _, v := range verbs {
		if v.kind != 0 {
			used = max(used, v.index+1)
			seen[v.index] = true
		}
	}
	switch {
	case used > values:
		return fmt.Sprintf("The format writes %d values, but %d are given.", used, values)
	case len(seen) < values:
		return fmt.Sprintf("The format writes %d of the %d values given; every value must be used.", len(seen), values)
	}
	return ""
}

func formatText(verbs []verb, vals []value.Value) (value.Value, error) {
	if problem := countProblem(verbs, len(vals)); problem != "" {
		return value.Value{}, &ArgError{0, problem}
	}
	var b strings.Builder
	for _, v := range verbs {
		if v.kind == 0 {
			b.WriteString(v.text)
		} else {
			s, err := v.render(vals[v.index])
			if err != nil {
				return value.Value{}, &ArgError{v.index + 1, err.Error()}
			}
			b.WriteString(s)
		}
		if err := roomForText(b.Len()); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfString(b.String()), nil
}

// render writes one value.
func (v verb) render(val value.Value) (string, error) {
	if v.kind == 'v' {
		if v.sharp {
			s, err := jsonText(val)
			return v.pad(s, false), err
		}
		s, err := plainText(val)
		return v.pad(s, false), err
	}
	if !fits(v.wants(), val) {
		return "", fail("The verb %%%c writes %s, but value %d is %s.%s", v.kind, describe(v.wants()), v.index+1, show(val), v.remedy(val))
	}
	switch v.kind {
	case 's', 'q':
		s, err := plainText(val)
		if v.prec >= 0 {
			s = s[:byteOffset(s, v.prec)]
		}
		if v.kind == 'q' {
			s = string(value.AppendString(nil, s))
		}
		return v.pad(s, false), err
	case 't':
		return v.pad(strconv.FormatBool(val.AsBool()), false), nil
	case 'd', 'b', 'o', 'x', 'X':
		return v.renderWhole(val)
	}
	return v.pad(v.renderDecimal(val.AsNumber()), true), nil
}

// plainText renders a value as a template does, lists and objects as JSON.
func plainText(v value.Value) (string, error) {
	if v.Kind() == value.String {
		return v.AsString(), nil
	}
	return jsonText(v)
}

func (v verb) renderWhole(val value.Value) (string, error) {
	if val.Kind() == value.String {
		s := fmt.Sprintf("%x", val.AsString())
		if v.kind == 'X' {
			s = strings.ToUpper(s)
		}
		return v.pad(s, false), nil
	}
	d := val.AsNumber()
	base, prefix := 10, ""
	switch v.kind {
	case 'b':
		base, prefix = 2, "0b"
	case 'o':
		base, prefix = 8, "0"
	case 'x', 'X':
		base, prefix = 16, "0"+string(v.kind)
	}
	n := bigInt(d)
	digits := new(big.Int).Abs(n).Text(base)
	if v.kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	for len(digits) < v.prec {
		digits = strings.Repeat("0", v.prec-len(digits)) + digits
	}
	if v.sharp && base != 10 {
		digits = prefix + digits
	}
	return v.pad(v.sign(n.Sign() < 0)+digits, true), nil
}

// bigInt returns a whole number as one of math/big.
func bigInt(d value.Decimal) *big.Int {
	if n, ok := d.Int64(); ok {
		return big.NewInt(n)
	}
	x := decimalOf(d)
	n, _ := new(big.Int).SetString(x.Text('f'), 10)
	return n
}

// decimalOf returns d as a number of package apd, for what lang/value does not compute.
func decimalOf(d value.Decimal) *apd.Decimal {
	x, _, err := apd.NewFromString(d.Canonical())
	if err != nil {
		panic(err) // Canonical is a number
	}
	return x
}

func (v verb) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case v.plus:
		return "+"
	case v.space:
		return " "
	}
	return ""
}

// renderDecimal writes a number by %e, %f or %g.
func (v verb) renderDecimal(d value.Decimal) string {
	prec := v.prec
	upper := v.kind < 'a'
	x := decimalOf(d)
	var digits string
	switch v.kind {
	case 'f', 'F':
		if prec < 0 {
			prec = 6
		}
		// Wide enough for all digits before the point, so that Quantize never refuses.
		roundTo(x, uint32(x.NumDigits())+uint32(max(x.Exponent, 0))+uint32(prec)+1, int32(-prec))
		digits = new(apd.Decimal).Abs(x).Text('f')
	case 'e', 'E':
		if prec < 0 {
			prec = 6
		}
		digits = scientific(x, prec)
	default:
		if prec < 0 {
			return v.sign(d.Sign() < 0) + d.Abs().Canonical()
		}
		roundDigits(x, max(prec, 1))
		if short, err := value.ParseDecimal(x.Text('G')); err == nil {
			digits = short.Abs().Canonical()
		} else { // rounded up beyond the largest exponent
			digits = scientific(x, max(prec, 1)-1)
		}
	}
	if upper {
		digits = strings.ToUpper(digits)
	}
	return v.sign(x.Sign() < 0) + digits
}

// roundTo rounds x, half to even, to a multiple of 10^exponent.
func roundTo(x *apd.Decimal, precision uint32, exponent int32) {
	c := apd.BaseContext.WithPrecision(precision)
	c.Rounding = apd.RoundHalfEven
	if _, err := c.Quantize(x, x, exponent); err != nil {
		panic(err)
	}
	if x.IsZero() {
		x.Negative = false
	}
}

// roundDigits rounds x, half to even, to n significant digits.
func roundDigits(x *apd.Decimal, n int) {
	c := apd.BaseContext.WithPrecision(uint32(n))
	c.Rounding = apd.RoundHalfEven
	if _, err := c.Round(x, x); err != nil {
		panic(err)
	}
}

// scientific writes |x| with prec digits after the point, and an exponent of at
// least two digits. It rounds x.
func scientific(x *apd.Decimal, prec int) string {
	roundDigits(x, prec+1)
	digits := x.Coeff.String()
	exponent := int(x.Exponent) + len(digits) - 1
	if x.IsZero() {
		exponent = 0
	}
	if len(digits) < prec+1 {
		digits += strings.Repeat("0", prec+1-len(digits))
	}
	s := digits[:1]
	if prec > 0 {
		s += "." + digits[1:prec+1]
	}
	return s + fmt.Sprintf("e%+03d", exponent)
}

// pad fills s to the verb's width; zeros go between a number's sign and digits.
func (v verb) pad(s string, number bool) string {
	missing := v.width - utf8.RuneCountInString(s)
	switch {
	case missing <= 0:
		return s
	case v.minus:
		return s + strings.Repeat(" ", missing)
	case v.zero && number:
		sign := ""
		if s != "" && strings.ContainsRune("+- ", rune(s[0])) {
			sign, s = s[:1], s[1:]
		}
		return sign + strings.Repeat("0", missing) + s
	}
	return strings.Repeat(" ", missing) + s
}

func callFormatList(args []value.Value) (value.Value, error) {
	verbs, err := parseFormat(args[0].AsString())
	if err != nil {
		return value.Value{}, &ArgError{0, err.Error()}
	}
	n := -1
	for i, arg := range args[1:] {
		if arg.Kind() != value.List {
			continue
		}
		if n >= 0 && n != len(arg.AsList()) {
			return value.Value{}, failArg(i+1, "Its lists must have one length, but one has %d elements and another %d.", n, len(arg.AsList()))
		}
		n = len(arg.AsList())
	}
	if n < 0 {
		n = 1
	}
	total := 0
	out := make([]value.Value, n)
	row := make([]value.Value, len(args)-1)
	for i := range out {
		for j, arg := range args[1:] {
			row[j] = arg
			if arg.Kind() == value.List {
				row[j] = arg.AsList()[i]
			}
		}
		if out[i], err = formatText(verbs, row); err != nil {
			return value.Value{}, err
		}
		total += len(out[i].AsString())
		if err := roomForText(total); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfList(out), nil
}
