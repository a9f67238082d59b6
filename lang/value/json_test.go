package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"
)

func parse(t testing.TB, text string) Value {
	t.Helper()
	v, err := ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%.60q: %v", text, err)
	}
	return v
}

func TestJSONComesOutAsItCameIn(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-0`, `1.50`, `1e3`, `9007199254740993`, `""`, `[]`, `{}`,
		`{"b":1,"a":[1,2,{"c":null}],"":""}`,
		"\"<&>\u2028 e\u0301 \ufeff a\x7f 😀 /\"",
		`"\"\\\b\f\n\r\t\u0000\u001f"`,
		`"\ud83d"`, `"\udc00x"`, `"a\ud83d\ud83d"`, `"\udc00\ud83d"`,
		"\"\xff\xc3(\xed\xa0\"",        // not UTF-8
		"\"\xed\xa0\xbd\xed\xb8\x80\"", // both halves of a pair, each as three bytes
		"{\"\xff\":1}", `{"$blob":{"size":1}}`,
	} {
		v := parse(t, text)
		if got := v.JSON(); got != text {
			t.Errorf("%q comes out as %q", text, got)
		}
		if again := parse(t, v.JSON()); !Equal(v, again) {
			t.Errorf("%q is another value when read again", text)
		}
	}
	for text, want := range map[string]string{
		" { \"a\" : [ 1 , 2 ] }\r\n\t": `{"a":[1,2]}`,
		`"\u0041\/\ud83d\ude00\u00e9"`: `"A/😀é"`,
		`{"a":1,"b":2,"a":3}`:          `{"a":3,"b":2}`,
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"c":11}`: `{"a":1,"b":2,"c":11,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}`,
		"\"\xed\xa0\xbd\"": `"\ud83d"`,
	} {
		if got := parse(t, text).JSON(); got != want {
			t.Errorf("%q comes out as %q, want %q", text, got, want)
		}
	}
}

func TestWhatIsNoJSON(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "at byte 0: the text ends where a value is wanted",
		"  ":                            "at byte 2: the text ends",
		"nul":                           "at byte 0: a value begins like null and is not",
		"[1,]":                          "at byte 3: ']' where a value is wanted",
		"[1 2]":                         "at byte 3: '2' where a comma or ] is wanted",
		"{a:1}":                         "at byte 1: 'a' where an object key",
		`{"a" 1}`:                       "at byte 5: '1' where a colon",
		`{"a":1,}`:                      "at byte 7: '}' where an object key",
		`{"a":1`:                        "at byte 6: the text ends where a comma or }",
		`"a`:                            "at byte 2: a string has no closing quote",
		`"a\`:                           "at byte 3: a string has no closing quote",
		`"\x"`:                          `at byte 1: \x is no escape`,
		`"\u12g4"`:                      `at byte 1: \u must be`,
		"\"a\nb\"":                      `at byte 2: the control character '\n' must be written as an escape`,
		"1 2":                           "at byte 2: there is more after the value",
		"01":                            "at byte 0: \"01\" is not a number",
		"[1e401]":                       "at byte 1 the number's exponent is beyond ±400",
		"\ufeff1":                       "at byte 0: '\\ufeff' where a value is wanted",
		strings.Repeat("[", MaxDepth+1): "nest deeper than 10000",
	} {
		_, err := ParseJSON([]byte(text))
		var syntax *JSONError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
	if _, err := ParseJSON([]byte("1e999")); !errors.Is(err, ErrNumber) {
		t.Errorf("%v does not wrap ErrNumber", err)
	}
	parse(t, strings.Repeat("[", MaxDepth)+strings.Repeat("]", MaxDepth))
}

func TestCanonicalJSONIsTheSameForEqualValues(t *testing.T) {
	a := parse(t, `{"b":1.0,"a":[1e2,{"y":"é","x":-0}]}`)
	b := parse(t, `{"a":[100,{"x":0,"y":"\u00e9"}],"b":1}`)
	if !Equal(a, b) {
		t.Fatal("not equal")
	}
	want := `{"a":[100,{"x":0,"y":"é"}],"b":1}`
	if got := string(AppendCanonicalJSON(nil, a)); got != want {
		t.Error(got)
	}
	if got := string(AppendCanonicalJSON(nil, b)); got != want {
		t.Error(got)
	}
}

func TestEqual(t *testing.T) {
	for _, pair := range [][2]string{
		{`1`, `"1"`}, {`null`, `false`}, {`[]`, `{}`}, {`[1,2]`, `[2,1]`}, {`[1]`, `[1,1]`}, {`{"a":null}`, `{}`}, {`{"a":1}`, `{"b":1}`}, {"\"e\u0301\"", `"é"`}, {`0.1`, `0.10000000000000001`},
	} {
		if Equal(parse(t, pair[0]), parse(t, pair[1])) {
			t.Errorf("%s == %s", pair[0], pair[1])
		}
	}
	blob := func(sum string) Value { return OfBlob(&BlobValue{MIMEType: "image/png", Size: 3, SHA256: sum}) }
	if !Equal(blob("aa"), blob("aa")) || Equal(blob("aa"), blob("bb")) {
		t.Error("blobs")
	}
}

func TestStoredFormTellsBlobsFromObjects(t *testing.T) {
	blob := OfBlob(&BlobValue{MIMEType: "image/png", Size: 3, SHA256: "aa"})
	for _, v := range []Value{
		blob, OfList([]Value{blob, NullValue}),
		parse(t, `{"$blob":{"mime_type":"image/png","size":3,"sha256":"aa"}}`),
		parse(t, `{"$$blob":1}`), parse(t, `{"$blob":1,"a":2}`), parse(t, `{"$":1}`), parse(t, `{"blob":1}`), parse(t, `[{"a":{"$blob":{"$$$blob":[]}}}]`),
	} {
		stored := AppendStored(nil, v)
		back, err := ParseStored(stored)
		if err != nil || !Equal(v, back) {
			t.Errorf("%s is stored as %s and read as %s, %v", v, stored, back, err)
		}
	}
	if got := blob.JSON(); got != `{"$blob":{"mime_type":"image/png","size":3,"sha256":"aa"}}` {
		t.Error(got)
	}
	if parse(t, blob.JSON()).Kind() != Object {
		t.Error("what a server sends became a blob")
	}
	if _, err := ParseStored([]byte(`{"$blob":{"size":1}}`)); err == nil {
		t.Error("half a blob was read")
	}
}

func TestSummary(t *testing.T) {
	long := strings.Repeat("é", 1000)
	for text, want := range map[string]string{
		`{"a":[1,"x"],"b":null}`: `{"a": [1, "x"], "b": null}`,
		`"` + long + `"`:         `"éééééééé…"`,
		`["` + long + `"]`:       `["éééééééé…`,
		`[1,2,3,4,5,6,7,8,9]`:    `[1, 2, 3, 4, 5, …`,
	} {
		got := parse(t, text).Summary(24)
		if len(got) > 24 || !utf8.ValidString(got) {
			t.Errorf("%q is %d bytes", got, len(got))
		}
		if strings.HasSuffix(want, "…") && !strings.HasSuffix(got, "…") || !strings.HasPrefix(got, want[:8]) {
			t.Errorf("%.20s: %s, want about %s", text, got, want)
		}
	}
	if got := OfBlob(&BlobValue{MIMEType: "image/png", Size: 3}).String(); got != "blob(image/png, 3 bytes)" {
		t.Error(got)
	}
}

func TestObjectsOfOneShapeStayApart(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":%d,`, i, i)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	for _, n := range []int{2, 20} {
		rows := parse(t, "["+keys(n)+","+keys(n)+","+keys(n)+"]").AsList()
		first := rows[0].AsObject()
		first.Set("more", NullValue)
		for _, row := range rows[1:] {
			o := row.AsObject()
			if _, ok := o.Get("more"); ok || o.Len() != n {
				t.Errorf("%d: another object changed", n)
			}
			o.Set("k1", OfString("new"))
		}
		if v, _ := first.Get("k1"); !Equal(v, OfInt(1)) {
			t.Errorf("%d: k1 is %s", n, v)
		}
		if _, ok := first.Get("more"); !ok {
			t.Errorf("%d: more is missing", n)
		}
	}
}

func TestUseWithEncodingJSON(t *testing.T) {
	var in struct{ V Value }
	if err := json.Unmarshal([]byte(`{"V":{"b":1.50,"a":9007199254740993}}`), &in); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(in)
	if err != nil || string(out) != `{"V":{"b":1.50,"a":9007199254740993}}` {
		t.Errorf("%s, %v", out, err)
	}
}

// FuzzParseJSON compares with encoding/json on what is UTF-8, and checks that what
// is printed reads back as the same.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00",null,true],"b":{}}`, `"\ud800\udc00"`, "\"\xed\xa0\x80\"", `{"a":1,"a":2}`, ` [ ] `, `"\u0000"`, `123456789012345678`, `-0`, `"abcdefgh\"ijklmnop"`, "\"12345678\x1f\"",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseJSON(data)
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		var theirs any
		wrong := decoder.Decode(&theirs)
		if wrong == nil {
			if _, more := decoder.Token(); more != io.EOF {
				wrong = errors.New("more after the value")
			}
		}
		if (err == nil) != (wrong == nil) && !errors.Is(err, ErrNumber) {
			t.Fatalf("%q: we say %v, encoding/json %v", data, err, wrong)
		}
		if err != nil {
			return
		}
		if utf8.Valid(data) && !bytes.Contains(data, []byte(`\u`)) && !agree(v, theirs) {
			t.Fatalf("%q: we read %s, encoding/json %v", data, v, theirs)
		}
		for _, print := range []func([]byte, Value) []byte{AppendJSON, AppendCanonicalJSON} {
			printed := print(nil, v)
			again, err := ParseJSON(printed)
			if err != nil || !Equal(v, again) {
				t.Fatalf("%q prints as %q, which is %s, %v", data, printed, again, err)
			}
			if twice := print(nil, again); !bytes.Equal(printed, twice) {
				t.Fatalf("%q prints as %q, then %q", data, printed, twice)
			}
		}
		stored, err := ParseStored(AppendStored(nil, v))
		if err != nil || !Equal(v, stored) {
			t.Fatalf("%q is stored as %s, %v", data, stored, err)
		}
	})
}

// agree compares with what encoding/json reads.
func agree(v Value, theirs any) bool {
	switch theirs := theirs.(type) {
	case nil:
		return v.IsNull()
	case bool:
		return v.Kind() == Bool && v.AsBool() == theirs
	case string:
		return v.Kind() == String && v.AsString() == theirs
	case json.Number:
		a, ok := new(big.Rat).SetString(v.AsNumber().Canonical())
		b, _ := new(big.Rat).SetString(theirs.String())
		return ok && a.Cmp(b) == 0 && v.AsNumber().String() == theirs.String()
	case []any:
		list := v.AsList()
		if len(list) != len(theirs) {
			return false
		}
		for i := range list {
			if !agree(list[i], theirs[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		o := v.AsObject()
		if o.Len() != len(theirs) {
			return false
		}
		for k, x := range o.All() {
			y, ok := theirs[k]
			if !ok || !agree(x, y) {
				return false
			}
		}
		return true
	}
	return false
}

func BenchmarkJSON(b *testing.B) {
	var rows []string
	for i := range 2000 {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"title":"Fix the thing number %d that broke","done":false,"score":%d.5,"user":{"login":"ada%d","id":%d},"labels":["bug","help wanted"],"url":"https://example.org/issues/%d","a":1,"b":2,"c":null}`, i, i, i, i, i, i))
	}
	data := []byte("[" + strings.Join(rows, ",") + "]")
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for range b.N {
			if _, err := ParseJSON(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for range b.N {
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	v := parse(b, string(data))
	b.Run("print", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		var buf []byte
		for range b.N {
			buf = AppendJSON(buf[:0], v)
		}
	})
}

func TestWhatIsWrongWithATextSaysWhetherItIsJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": x}`:                      `is no JSON: invalid JSON at byte 6: 'x' where a value is wanted`,
		`01`:                            `is no JSON: invalid JSON at byte 0: "01" is not a number`,
		`[1, 1e999]`:                    `is JSON beyond the limits of wfc: at byte 4 the number's exponent is beyond ±400`,
		strings.Repeat("[", MaxDepth+1): `is JSON beyond the limits of wfc: at byte 10000 lists and objects nest deeper than 10000`,
	} {
		_, err := ParseJSON([]byte(text))
		if got := NotTaken(err); got != want {
			t.Errorf("%.20s %s\nwant %s", text, got, want)
		}
	}
	if got := NotTaken(errors.New("it broke")); got != "is no JSON: it broke" {
		t.Errorf("another error: %s", got)
	}
}
