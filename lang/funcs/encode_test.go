package funcs

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/value"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// list returns the elements of a JSON list.
func list(t testing.TB, json string) []value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(json))
	if err != nil {
		t.Fatal(err)
	}
	return v.AsList()
}

func TestEncodings(t *testing.T) {
	run(t, []call{
		{name: "base64encode", args: `[""]`, gives: `""`},
		{name: "base64decode", args: `["aGVs\r\nbG8="]`, gives: `"hello"`},
		{name: "base64decode", args: `["aGVsbG8"]`, fails: `The text is no base64`},
		{name: "base64decode", args: `["/w=="]`, fails: `no UTF-8 text`},
		{name: "urlencode", args: `["a+b c&d=é~"]`, gives: `"a%2Bb%20c%26d%3D%C3%A9~"`},
		{name: "urldecode", args: `["%2B%20+%C3%A9"]`, gives: `"+ +é"`},
		{name: "urldecode", args: `["100%"]`, fails: `but there is "%"`},
		{name: "urldecode", args: `["%zz"]`, fails: `but there is "%zz"`},
		{name: "urldecode", args: `["%ff"]`, fails: `no UTF-8 text`},

		{name: "jsonencode", args: `["<&>\u2028\u0000\"é"]`, gives: `"\"<&>` + "\u2028" + `\\u0000\\\"é\""`},
		{name: "jsonencode", args: `[{"b": 1.50, "a": [9007199254740993, null, 1e5]}]`, gives: `"{\"b\":1.50,\"a\":[9007199254740993,null,1e5]}"`},
		{name: "jsondecode", args: `["\ufeff {\"b\":1.0,\"a\":1E2} \r\n"]`, gives: `{"b":1.0,"a":1E2}`},
		{name: "jsondecode", args: `["{\n  \"é\": 1,\n}"]`, fails: `The text is no JSON: at line 3, column 1, `},
		{name: "jsondecode", args: `[""]`, fails: `at line 1, column 1, `},
		{name: "jsondecode", args: `["{\"id\": 1"]`, fails: `at line 1, column 9, `},
		{name: "jsondecode", args: `["NaN"]`, fails: `The text is no JSON`},
		{name: "jsondecode", args: `["[1,\n 1e999]"]`, fails: `The text is JSON beyond the limits of wfc: at line 2, column 2, the number's exponent is beyond ±400.`},
	})
}

func TestJSONSet(t *testing.T) {
	run(t, []call{
		{name: "jsonset", args: `["{\"b\": 1.0, \"a\": [1,2]}", "/a/0", {"x": "<é>"}]`, gives: `"{\"b\": 1.0, \"a\": [{\"x\":\"<é>\"},2]}"`},
		{name: "jsonset", args: `["\ufeff {\"a\" : 1}\r\n", "/a", null]`, gives: "\"\ufeff {\\\"a\\\" : null}\\r\\n\""},
		{name: "jsonset", args: `[" 1 ", "", [2]]`, gives: `" [2] "`},
		// A new key looks like the one before.
		{name: "jsonset", args: `["{\n  \"a\": 1,\n  \"b\": 2\n}\n", "/c", 3]`, gives: `"{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n"`},
		{name: "jsonset", args: `["{\n  \"a\": 1\n}", "/c", 3]`, gives: `"{\n  \"a\": 1,\n  \"c\": 3\n}"`},
		{name: "jsonset", args: `["{\"a\":1}", "/c", 3]`, gives: `"{\"a\":1,\"c\":3}"`},
		{name: "jsonset", args: `["{\"a\": 1}", "/c", 3]`, gives: `"{\"a\": 1, \"c\": 3}"`},
		{name: "jsonset", args: `["{\"a\": 1 , \"b\": 2}", "/c", 3]`, gives: `"{\"a\": 1 , \"b\": 2, \"c\": 3}"`},
		{name: "jsonset", args: `["{ }", "/c", 3]`, gives: `"{\"c\": 3}"`},
		{name: "jsonset", args: `["[]", "/-", 3]`, gives: `"[3]"`},
		{name: "jsonset", args: `["[1, 2]", "/2", 3]`, gives: `"[1, 2, 3]"`},
		{name: "jsonset", args: `["[1]", "/-", [2]]`, gives: `"[1,[2]]"`},
		// The last of a key that comes twice counts, as in jsondecode.
		{name: "jsonset", args: `["{\"a\":1,\"a\":2}", "/a", 3]`, gives: `"{\"a\":1,\"a\":3}"`},
		{name: "jsonset", args: `["{\"a~b\":{\"x/y\":[{}]}}", "/a~0b/x~1y/0/k", true]`, gives: `"{\"a~b\":{\"x/y\":[{\"k\": true}]}}"`},
		{name: "jsonset", args: `["{\"\\u0061\\\"]\":[\"}\"]}", "/a\"]/0", 0]`, gives: `"{\"\\u0061\\\"]\":[0]}"`},

		{name: "jsonset", args: `["{}", "/a/b", 1]`, fails: `There is nothing at "/a" in the text: the object there has no key "a".`},
		{name: "jsonset", args: `["[1]", "/3", 1]`, fails: `the list there has 1 elements`},
		{name: "jsonset", args: `["[1]", "/-/a", 1]`, fails: `entered by an index`},
		{name: "jsonset", args: `["[1]", "/0/a", 1]`, fails: `what is before it is "1"`},
		{name: "jsonset", args: `["{", "/a", 1]`, fails: `The text is no JSON: at line 1, column 2, `},
		{name: "jsonset", args: `["{}", "a", 1]`, fails: `begins with a slash`},
	})
}

// After jsonset the pointer gives the value, and everything else is as before.
func FuzzJSONSet(f *testing.F) {
	f.Add(`{"b": 1.0, "a": [1, {"c": null}], "a": 2}`, "/a/1/c", `{"x":1}`)
	f.Add("[ ]", "/-", "1")
	f.Add(`{"é": "\u00e9\\"}`, "/é", `"x"`)
	f.Fuzz(func(t *testing.T, text, path, val string) {
		v, err := value.ParseJSON([]byte(val))
		if err != nil {
			return
		}
		got, err := Lookup("jsonset").Apply([]value.Value{value.OfString(text), value.OfString(path), v})
		if err != nil {
			notABug(t, err)
			return
		}
		decoded, err := Lookup("jsondecode").Apply([]value.Value{got})
		if err != nil {
			t.Fatalf("jsonset made %q: %v", got.AsString(), err)
		}
		if at, err := Lookup("pointer").Apply([]value.Value{decoded, value.OfString(path)}); err == nil && !value.Equal(at, v) {
			t.Fatalf("jsonset made %q, where %q leads to %v, not %v", got.AsString(), path, at, v)
		} else if err != nil && !strings.HasSuffix(path, "/-") && len(path) > 0 {
			t.Fatalf("jsonset made %q, where %q leads nowhere: %v", got.AsString(), path, err)
		}
		again, err := Lookup("jsonset").Apply([]value.Value{got, value.OfString(path), v})
		if err == nil && !strings.HasSuffix(path, "-") && again.AsString() != got.AsString() {
			t.Fatalf("setting the same again changed %q to %q", got.AsString(), again.AsString())
		}
	})
}

func TestYAML(t *testing.T) {
	run(t, []call{
		{name: "yamldecode", args: `[""]`, gives: `null`},
		{name: "yamldecode", args: `["# only a comment\n"]`, gives: `null`},
		{name: "yamldecode", args: `["---\na: [1, 1.50, 9007199254740993, -.5, 5., +1, 007, 0x1F, 0o17, 1e3]\n"]`, gives: `{"a":[1,1.50,9007199254740993,-0.5,5,1,7,31,15,1e3]}`},
		{name: "yamldecode", args: `["[~, null, Null, '', no, on, Yes, true, True, 2026-01-02, 12:30, 1_000]"]`, gives: `[null,null,null,"","no","on","Yes",true,true,"2026-01-02","12:30","1_000"]`},
		{name: "yamldecode", args: `["[!!str 1, !!int 1, !!float 1.5, \"1\", '1']"]`, gives: `["1",1,1.5,"1","1"]`},
		{name: "yamldecode", args: `["1: a\ntrue: b\n"]`, gives: `{"1":"a","true":"b"}`},
		{name: "yamldecode", args: `["a: |\n  x\n  y\nb: >-\n  x\n  y\n"]`, gives: `{"a":"x\ny\n","b":"x y"}`},
		{name: "yamldecode", args: `["a: &x {k: 1}\nb: *x\nc: {<<: *x, l: 2}\nd: {k: 3, <<: [*x, {m: 4}]}\n"]`, gives: `{"a":{"k":1},"b":{"k":1},"c":{"k":1,"l":2},"d":{"k":3,"m":4}}`},
		{name: "yamldecode", args: `["cafe\u0301: <&>"]`, gives: "{\"cafe\u0301\":\"<&>\"}"},

		{name: "yamldecode", args: `["a: 1\na: 2"]`, fails: `At line 2 the key "a" comes a second time.`},
		{name: "yamldecode", args: `["a: [1"]`, fails: `The text is no YAML: line 1`},
		{name: "yamldecode", args: `["a: .inf"]`, fails: `At line 1 .inf is no number`},
		{name: "yamldecode", args: `["a: !secret x"]`, fails: `At line 1 the tag !secret means nothing here.`},
		{name: "yamldecode", args: `["a: !!int x"]`, fails: `is not what its tag !!int says`},
		{name: "yamldecode", args: `["? [1]\n: 2"]`, fails: `At line 1 a key is a list or mapping`},
		{name: "yamldecode", args: `["a: 1\n---\nb: 2"]`, fails: `more than one YAML document`},
		{name: "yamldecode", args: `["a: &x [*x]"]`, fails: `is part of what it stands for`},
		{name: "yamldecode", args: `["a: *nope"]`, fails: `unknown anchor`},
		{name: "yamldecode", args: `["a: 1e100000000"]`, fails: `exponent is beyond`},
	})
	laughs := "a0: &a0 [x, x]\n"
	for i, c := range "123456789abcdefghijklmnopqrstuv" {
		prev := "a" + string("0123456789abcdefghijklmnopqrstuv"[i])
		laughs += "a" + string(c) + ": &a" + string(c) + " [*" + prev + ", *" + prev + "]\n"
	}
	if _, err := yamlDecode(laughs); err == nil || !strings.Contains(err.Error(), "aliases of aliases") {
		t.Errorf("a billion laughs: %v", err)
	}
}

func FuzzYAMLDecode(f *testing.F) {
	f.Add("a: &x {k: 1.50}\nb: *x\n? c\n: |\n  d\n<<: *x")
	f.Add("- !!binary aGVsbG8=\n- 0x1f\n- .nan")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Lookup("yamldecode").Apply([]value.Value{value.OfString(text)})
		if err != nil {
			notABug(t, err)
			return
		}
		again, err := value.ParseJSON([]byte(v.JSON()))
		if err != nil || !value.Equal(v, again) {
			t.Fatalf("%v is no JSON value: %v", v, err)
		}
	})
}

func TestCSV(t *testing.T) {
	run(t, []call{
		{name: "csvdecode", args: `["a,b\n1,2\n\n3,\n"]`, gives: `[{"a":"1","b":"2"},{"a":"3","b":""}]`},
		{name: "csvdecode", args: `["a\r\n\"x\r\ny\"\r\n"]`, gives: `[{"a":"x\r\ny"}]`},
		{name: "csvdecode", args: `["b,a\n"]`, gives: `[]`},
		{name: "csvdecode", args: `["a, b\n \"1,2"]`, fails: `On line 2 a quote stands within a cell`},
		{name: "csvdecode", args: `["a,b\n1, 2 \r"]`, gives: `[{"a":"1","b":" 2 "}]`},
		{name: "csvdecode", args: `["a\n'); DROP TABLE"]`, gives: `[{"a":"'); DROP TABLE"}]`},
		{name: "csvdecode", args: `["a,b\n\"\r\n\",1\n1,2,3\n"]`, fails: `The row on line 4 has 3 cells, but there are 2 columns.`},
		{name: "csvdecode", args: `["a\n\"b"]`, fails: `The quote that begins a cell on line 2 is never closed.`},
		{name: "csvdecode", args: `["a\n\"b\"c"]`, fails: `On line 2 something follows a cell's closing quote.`},
		{name: "csvdecode", args: `["a,a\n"]`, fails: `On line 1 the column "a" is named twice.`},
		{name: "csvdecode", args: `[""]`, fails: `no first row that names the columns`},
		{name: "csvlines", args: `[""]`, gives: `[]`},
		{name: "csvlines", args: `["\ufeff\r\n\"\"\r\na,\n,"]`, gives: `[{"line":2,"cells":[""]},{"line":3,"cells":["a",""]},{"line":4,"cells":["",""]}]`},
	})
}

// What encoding/csv writes and reads, csvlines reads the same, but for the
// line breaks in cells, which it does not change.
func TestCSVAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringOfN(rapid.RuneFrom([]rune{'a', ',', '"', '\n', ' ', 'é'}), 0, 5, -1)
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, 2, 3), 0, 4).Draw(t, "rows")
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.UseCRLF = false
		if err := w.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		got, err := readCSV(b.String())
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(rows) {
			t.Fatalf("%d rows of %d in %q", len(got), len(rows), b.String())
		}
		for i := range rows {
			if !reflect.DeepEqual(got[i].cells, rows[i]) {
				t.Fatalf("%q in %q, want %q", got[i].cells, b.String(), rows[i])
			}
		}
	})
}

func FuzzCSVDecode(f *testing.F) {
	f.Add("\ufeffa,b\r\n1,\"x\r\ny\"\r\n")
	f.Add("a\n\"b\"\"c\"\r")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Lookup("csvdecode").Apply([]value.Value{value.OfString(text)})
		if err != nil {
			notABug(t, err)
			return
		}
		rows, err := readCSV(text)
		if err != nil || len(rows) != len(v.AsList())+1 {
			t.Fatalf("%d rows, %d with the header: %v", len(v.AsList()), len(rows), err)
		}
	})
}
