package types

import (
	"strings"
	"testing"
)

func TestPrintClosedNeedsNoInterfaceFiles(t *testing.T) {
	node, define := Declare("interface.tree.node")
	define(ObjectOf([]Attr{req("value", StringType), opt("next", node)}, nil))
	for text, want := range map[string]string{
		"list(interface.tree.node)":                                    "defs({ node = object({ value = string, next = optional(node) }) }, list(node))",
		"object({ a = interface.tree.leaf, b = interface.tree.leaf })": "object({ a = integer, b = integer })",
	} {
		typ, problems := Parse(text, "type", func(path []string) (*Type, string) {
			if path[2] == "node" {
				return node, ""
			}
			return NamedOf(strings.Join(path, "."), func() *Type { return IntegerType }), ""
		})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got := Print(typ); got != text {
			t.Errorf("Print gives %s", got)
		}
		if got := PrintClosed(typ); got != want {
			t.Errorf("PrintClosed gives %s, want %s", got, want)
		}
		if again := MustParse(want); !Equal(typ, again) {
			t.Errorf("%s reads as another type", want)
		}
	}
}

func TestADeclaredTypeCanBeReferredToBeforeItIsDefined(t *testing.T) {
	node, define := Declare("node")
	list := UnionOf(ListOf(node), NullType)
	define(ObjectOf([]Attr{req("children", list)}, nil))
	if m := Assignable(node, MustParse("object({ children = tuple([object({ children = null })]) })")); m != nil {
		t.Error(m.Error())
	}
}

// Names and texts of schemas are a server's words.
func TestWhatSteersATerminalIsEscaped(t *testing.T) {
	typ := EnumOf(str("a\u009b31m"), str("b\u202ec"), str("é"), str("\x1b[0m"))
	const want = `enum("a\u009b31m", "b\u202ec", "é", "\u001b[0m")`
	if got := Print(typ); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !Equal(typ, MustParse(want)) {
		t.Error("it reads as another type")
	}
}
