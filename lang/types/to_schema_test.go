package types

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/value"
)

func TestATypeAsAJSONSchema(t *testing.T) {
	for text, want := range map[string]string{
		`any`:                       `{}`,
		`bool`:                      `{"type":"boolean"}`,
		`enum("a", "b")`:            `{"type":"string","enum":["a","b"]}`,
		`nullable(string)`:          `{"anyOf":[{"type":"string"},{"type":"null"}]}`,
		`list(integer)`:             `{"type":"array","items":{"type":"integer"}}`,
		`map(number)`:               `{"type":"object","additionalProperties":{"type":"number"}}`,
		`object({})`:                `{"type":"object","properties":{},"additionalProperties":false}`,
		`object({ a = bool }, any)`: `{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"],"additionalProperties":{}}`,
		`object({ a = bool, b = optional(string, "x"), c = optional(number) })`: `{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"string","default":"x"},"c":{"type":"number"}},"required":["a"],"additionalProperties":false}`,
	} {
		if got := ToSchema(MustParse(text)).JSON(); got != want {
			t.Errorf("%s is\n     %s\nwant %s", text, got, want)
		}
	}
}

// What a schema says is what the type says: a value that conforms to the one conforms to the other.
func TestPropertyAValueConformsToTheSchemaOfItsType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genType(3, true).Draw(t, "type")
		v, ok := drawValue(t, want, 4)
		if !ok {
			return
		}
		got, report := FromSchemaValue(ToSchema(want))
		if report.Problem != "" {
			t.Fatalf("the schema of %s is broken: %s", Print(want), report.Problem)
		}
		plain, err := value.ParseJSON([]byte(v.JSON())) // as whoever reads the schema sees it
		if err != nil {
			t.Fatal(err)
		}
		if m := Conforms(got, plain); m != nil {
			t.Fatalf("%s conforms to %s, and not to %s read from its schema: %s", v.JSON(), Print(want), Print(got), m)
		}
	})
}
