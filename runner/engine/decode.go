package engine

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// decode gives the output of a success before fail_if and result see it:
// `decode` reads the text; without it the structured content is the output,
// else the text.
func (n *node) decode(a *Answer) (value.Value, *Failure) {
	switch {
	case n.spec.Decode == "blob":
		return n.onlyBlob(a.Content)
	case n.spec.Decode != "":
		if n.connection == "" && a.Structured != nil {
			return value.Value{}, n.decodeFailure("`decode` reads text; the value is " + a.Structured.Summary(80) + ".")
		}
		v, err := decodeText(n.spec.Decode, a.Text)
		if err != nil {
			return value.Value{}, n.decodeFailure(err.Error())
		}
		return v, nil
	case a.Structured == nil:
		if n.outSchema != nil {
			return value.Value{}, n.brokenPromise("it has no structured content, which the tool's output schema promises")
		}
		return n.typed(value.OfString(a.Text))
	}
	if n.outSchema == nil {
		return n.typed(*a.Structured)
	}
	s, err := n.outSchema.compile()
	if err != nil {
		return value.Value{}, n.decodeFailure("the tool's output schema cannot be read: " + err.Error())
	}
	if err := s.Validate(*a.Structured); err != nil {
		return value.Value{}, n.brokenPromise("it violates the tool's output schema: " + err.Error())
	}
	return *a.Structured, nil
}

// typed checks v where the result's type says all that a schema would: the plan
// has no schema then. With `result` or `returns` the type is of something else.
func (n *node) typed(v value.Value) (value.Value, *Failure) {
	if n.connection == "" || n.resultType == nil || n.returns != nil || n.contract != nil || !n.result.IsZero() {
		return v, nil
	}
	if m := types.Conforms(n.resultType, v); m != nil {
		return value.Value{}, n.brokenPromise("it is not what the tool's output schema says: " + m.Error())
	}
	return v, nil
}

// brokenPromise is the failure of an answer that the snapshot does not allow.
func (n *node) brokenPromise(why string) *Failure {
	return n.decodeFailure(strings.TrimSuffix(why, ".") + ". If the server was updated, take its snapshot anew:\n    wfc catalog refresh " + n.connection)
}

func (n *node) decodeFailure(why string) *Failure {
	if n.connection == "" {
		return &Failure{Kind: KindDecode, Message: why}
	}
	return &Failure{Kind: KindDecode, Message: fmt.Sprintf("The answer of %s cannot be used: %s", n.what(), why)}
}

// decodeText reads text in one of the text formats of `decode`. A leading BOM is
// not part of the text. The error ends a sentence.
func decodeText(format, text string) (value.Value, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	switch format {
	case "text":
		return value.OfString(text), nil
	case "lines":
		return value.OfList(lines(text)), nil
	case "json":
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			return value.Value{}, fmt.Errorf("the text %s. It begins %s", value.NotTaken(err), value.OfString(text).Summary(60))
		}
		return v, nil
	case "jsonl":
		return jsonLines(text)
	case "yaml", "csv":
		f := funcs.Lookup(format + "decode")
		v, err := f.Call([]value.Value{value.OfString(text)})
		if err != nil {
			verdict := fmt.Sprintf("the text is no %s: ", strings.ToUpper(format))
			why := err.Error()
			why = strings.ToLower(why[:1]) + why[1:] // it goes on the sentence
			return value.Value{}, errors.New(verdict + strings.TrimPrefix(why, verdict))
		}
		return v, nil
	}
	return value.Value{}, fmt.Errorf("this version of wfc cannot decode %q", format)
}

// lines splits text at line feeds, with or without a carriage return before
// them. The end of the last line begins no further one.
func lines(text string) []value.Value {
	if text == "" {
		return nil
	}
	parts := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	out := make([]value.Value, len(parts))
	for i, p := range parts {
		out[i] = value.OfString(strings.TrimSuffix(p, "\r"))
	}
	return out
}

// jsonLines reads one JSON value a line; blank lines are none.
func jsonLines(text string) (value.Value, error) {
	var out []value.Value
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.TrimSpace(line) == "" {
			continue
		}
		v, err := value.ParseJSON([]byte(line))
		if err != nil {
			return value.Value{}, fmt.Errorf("line %d %s", number, value.NotTaken(err))
		}
		out = append(out, v)
	}
	return value.OfList(out), nil
}

// onlyBlob finds the one binary part of an answer.
func (n *node) onlyBlob(content []value.Value) (value.Value, *Failure) {
	var blobs []value.Value
	kinds := map[string]int{}
	for _, part := range content {
		if part.Kind() != value.Object {
			continue
		}
		if b, ok := part.AsObject().Get("blob"); ok && b.Kind() == value.Blob {
			blobs = append(blobs, b)
		}
		if t, ok := part.AsObject().Get("type"); ok && t.Kind() == value.String {
			kinds[t.AsString()]++
		}
	}
	if len(blobs) == 1 {
		return blobs[0], nil
	}
	names := make([]string, 0, len(kinds))
	for k, count := range kinds {
		names = append(names, fmt.Sprintf("%d %s", count, k))
	}
	sort.Strings(names)
	found := "no parts"
	if len(names) > 0 {
		found = "these parts: " + strings.Join(names, ", ")
	}
	return value.Value{}, n.decodeFailure(fmt.Sprintf("`decode = \"blob\"` wants exactly one binary part and there are %d. It has %s.", len(blobs), found))
}
