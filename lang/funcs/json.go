package funcs

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

const bom = "\ufeff"

func init() {
	register(Encodings,
		&Func{
			Name:   "jsonencode",
			Params: []Param{{"value", types.AnyType}},
			Result: types.StringType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				if holdsBlob(args[0].Type, 0) {
					return types.StringType, "The value holds a blob, which has no JSON. Take the attributes that are wanted of it, or its bytes with base64encode().", 0
				}
				return ok(types.StringType)
			},
			Call: func(args []value.Value) (value.Value, error) {
				s, err := jsonText(args[0])
				return value.OfString(s), err
			},
			Doc:     "Writes a value as compact JSON: attributes in their order, numbers in their own digits, nothing escaped that JSON does not require.",
			Example: `jsonencode({ b = "<&>", a = [1.50, null] })`,
			Gives:   `"{\"b\":\"<&>\",\"a\":[1.50,null]}"`,
		},
		&Func{
			Name:   "jsondecode",
			Params: []Param{{"text", types.StringType}},
			Result: types.AnyType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				return inferDecoded(args[0], jsonDecode)
			},
			Call: func(args []value.Value) (value.Value, error) {
				v, err := jsonDecode(args[0].AsString())
				if err != nil {
					return v, &ArgError{0, err.Error()}
				}
				return v, nil
			},
			Doc:     "Reads JSON exactly: numbers keep their digits, objects their order. A byte order mark before it is ignored; of a key that comes twice the last value counts. It fails, with line and column, on what is no JSON.",
			Example: `jsondecode("{\"id\": 9007199254740993, \"price\": 1.50}")`,
			Gives:   `{"id":9007199254740993,"price":1.50}`,
		},
		&Func{
			Name:   "jsonset",
			Params: []Param{{"text", types.StringType}, {"path", types.StringType}, {"value", types.AnyType}},
			Result: types.StringType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				if path, constant := constText(args[1]); constant {
					if _, err := splitPointer(path); err != nil {
						return types.StringType, err.Error(), 1
					}
				}
				if holdsBlob(args[2].Type, 0) {
					return types.StringType, "The value holds a blob, which has no JSON.", 2
				}
				return ok(types.StringType)
			},
			Call: callJSONSet,
			Doc: "Puts a value at a JSON pointer into JSON text and leaves every other byte as it is: order, digits, spacing, line ends. A key that is not there is added at the object's end, in the spacing of the one before; " +
				"the index `-`, or a list's length, adds to a list. What leads there must exist.",
			Example: `jsonset("{\"b\": 1.0, \"a\": [1,2]}", "/a/0", 9)`,
			Gives:   `"{\"b\": 1.0, \"a\": [9,2]}"`,
		},
	)
}

// holdsBlob reports whether values of the type hold blobs for certain places of
// it. Recursive types are followed a little way only.
func holdsBlob(t *types.Type, depth int) bool {
	if depth > 8 {
		return false
	}
	switch t = t.Underlying(); t.Kind() {
	case types.Blob:
		return true
	case types.List, types.Map:
		return holdsBlob(t.Elem(), depth+1)
	case types.Tuple, types.Union:
		for _, m := range t.Items() {
			if holdsBlob(m, depth+1) {
				return true
			}
		}
	case types.Object:
		for _, a := range t.Attrs() {
			if holdsBlob(a.Type, depth+1) {
				return true
			}
		}
	}
	return false
}

// inferDecoded gives the exact type of a constant text's content, else any.
func inferDecoded(text Arg, decode func(string) (value.Value, error)) (*types.Type, string, int) {
	s, constant := constText(text)
	if !constant {
		return ok(types.AnyType)
	}
	v, err := decode(s)
	if err != nil {
		return types.AnyType, err.Error(), 0
	}
	return ok(typeOf(v))
}

// jsonText writes v as JSON. Blobs have none.
func jsonText(v value.Value) (string, error) {
	if err := roomForJSON(v); err != nil {
		return "", err
	}
	if containsBlob(v) {
		return "", fail("The value holds a blob, which has no JSON. Take the attributes that are wanted of it, or its bytes with base64encode().")
	}
	s := string(value.AppendJSON(nil, v))
	return s, roomForText(len(s))
}

func containsBlob(v value.Value) bool {
	switch v.Kind() {
	case value.Blob:
		return true
	case value.List:
		for _, e := range v.AsList() {
			if containsBlob(e) {
				return true
			}
		}
	case value.Object:
		for _, e := range v.AsObject().All() {
			if containsBlob(e) {
				return true
			}
		}
	}
	return false
}

// roomForJSON refuses values whose JSON is longer than maxText. A value may
// hold one part many times, so that a small one has endless JSON; measuring
// stops at the limit.
func roomForJSON(vs ...value.Value) error {
	budget := maxText
	for _, v := range vs {
		if budget -= measure(v, budget); budget < 0 {
			return fail("The value is more than %d bytes of JSON, which is more than this function takes.", maxText)
		}
	}
	return nil
}

// measure returns about the length of v's JSON, and more than budget once it
// passes it. A list or object counts as eight bytes at least, which is nearer to
// its cost than two brackets.
func measure(v value.Value, budget int) int {
	n := 2
	switch v.Kind() {
	case value.String:
		n += len(v.AsString())
	case value.List:
		n = 8
		for _, e := range v.AsList() {
			if n > budget {
				break
			}
			n += measure(e, budget-n)
		}
	case value.Object:
		n = 8
		for k, e := range v.AsObject().All() {
			if n > budget {
				break
			}
			n += len(k) + 3 + measure(e, budget-n-len(k))
		}
	}
	return n
}

// jsonDecode reads JSON. An error is a full sentence with line and column.
func jsonDecode(text string) (value.Value, error) {
	body, marked := strings.CutPrefix(text, bom)
	v, err := value.ParseJSON([]byte(body))
	if err == nil {
		return v, nil
	}
	var e *value.JSONError
	if !errors.As(err, &e) {
		return value.Value{}, fail("The text is no JSON: %v.", err)
	}
	offset := e.Offset
	if marked {
		offset += len(bom)
	}
	return value.Value{}, fail("The text %s: at %s %s.", e.Verdict(), placeOf(text, offset), e.Reason)
}

// placeOf names a place of a text: "line 2, column 5", columns in code points.
func placeOf(text string, offset int) string {
	offset = min(offset, len(text))
	line := 1 + strings.Count(text[:offset], "\n")
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	return fmt.Sprintf("line %d, column %d,", line, 1+utf8.RuneCountInString(text[start:offset]))
}
