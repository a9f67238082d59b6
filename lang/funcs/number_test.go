package funcs

import "testing"

func TestNumbers(t *testing.T) {
	run(t, []call{
		{name: "abs", args: `[1.50]`, gives: `1.50`},
		{name: "abs", args: `[-9007199254740993]`, gives: `9007199254740993`},
		{name: "floor", args: `[-0.5]`, gives: `-1`},
		{name: "ceil", args: `[-0.5]`, gives: `0`},
		{name: "ceil", args: `[12345678901234567890.1]`, gives: `12345678901234567891`},
		{name: "signum", args: `[0.0]`, gives: `0`},
		{name: "max", args: `[1, 1.0]`, gives: `1`},
		{name: "min", args: `[2.50, 3]`, gives: `2.50`},
		{name: "max", args: `[9007199254740992, 9007199254740993]`, gives: `9007199254740993`},
		{name: "sum", args: `[[]]`, gives: `0`},
		{name: "sum", args: `[[0.1, 0.2]]`, gives: `0.3`},
		{name: "sum", args: `[[9223372036854775807, 1]]`, gives: `9223372036854775808`},
		{name: "sum", args: `[[9e400, 9e400]]`, fails: `exponent is beyond`},
		{name: "pow", args: `[10, 400]`, gives: `1e400`},
		{name: "pow", args: `[-2, 3]`, gives: `-8`},
		{name: "pow", args: `[0, 0]`, gives: `1`},
		{name: "pow", args: `[3, -1]`, gives: `0.3333333333333333333333333333333333`},
		{name: "pow", args: `[0, -1]`, fails: `0 has no power with a negative exponent.`},
		{name: "pow", args: `[10, 1000000000000]`, fails: `exponent is beyond`},
		{name: "pow", args: `[1.0000000001, 1000000]`, fails: `more than 1000 digits`},
		{name: "pow", args: `[2, 0.5]`, fails: `must be a whole number`},
		{name: "log", args: `[8, 2]`, gives: `3`},
		{name: "log", args: `[0.001, 10]`, gives: `-3`},
		{name: "log", args: `[2, 10]`, gives: `0.301029995663981195213738894724493`},
		{name: "log", args: `[0, 10]`, fails: `Only a positive number has a logarithm`},
		{name: "log", args: `[2, 1]`, fails: `must be positive and not 1`},
		{name: "parseint", args: `["-zz", 36]`, gives: `-1295`},
		{name: "parseint", args: `["ffffffffffffffffffff", 16]`, gives: `1208925819614629174706175`},
		{name: "parseint", args: `["12x", 10]`, fails: `"12x" is no whole number in base 10.`},
		{name: "parseint", args: `["1", 1]`, fails: `from 2 to 62`},
		{name: "parseint", args: `["1_000", 10]`, fails: `is no whole number`},
	})
}

func TestConversions(t *testing.T) {
	run(t, []call{
		{name: "tostring", args: `[1e3]`, gives: `"1e3"`},
		{name: "tostring", args: `[9007199254740993123]`, gives: `"9007199254740993123"`},
		{name: "tostring", args: `[null]`, fails: `is null`},
		{name: "tonumber", args: `["9007199254740993123"]`, gives: `9007199254740993123`},
		{name: "tonumber", args: `["+1.50"]`, gives: `1.50`},
		{name: "tonumber", args: `["-.5e3"]`, gives: `-0.5e3`},
		{name: "tonumber", args: `["-007"]`, gives: `-7`},
		{name: "tonumber", args: `["000"]`, gives: `0`},
		{name: "tonumber", args: `[""]`, fails: `"" is no number.`},
		{name: "tonumber", args: `[" 1"]`, fails: `is no number`},
		{name: "tonumber", args: `["1,5"]`, fails: `is no number`},
		{name: "tonumber", args: `["0x10"]`, fails: `is no number`},
		{name: "tonumber", args: `["NaN"]`, fails: `is no number`},
		{name: "tonumber", args: `["1e100000000"]`, fails: `exponent is beyond`},
		{name: "toint", args: `["1.0"]`, gives: `1`},
		{name: "toint", args: `["x"]`, fails: `"x" is no number.`},
		{name: "toint", args: `["1.5"]`, fails: `is no whole number. Round it`},
		{name: "toint", args: `[1e3]`, gives: `1000`},
		{name: "tobool", args: `["TRUE"]`, fails: `neither "true" nor "false"`},
		{name: "jsonnull", args: `[]`, gives: `null`},
		{name: "jsonnull", args: `[null]`, gives: `null`},
	})
}
