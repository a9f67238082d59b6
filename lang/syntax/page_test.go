package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestBlocksPageIsUpToDate: docs/reference/blocks.md says what the parser's own
// table says.
func TestBlocksPageIsUpToDate(t *testing.T) {
	const file = "../../docs/reference/blocks.md"
	want := blocksPage()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the table of blocks says; rewrite it by: go test ./lang/syntax -update (%v)", file, err)
	}
}

// TestBlocksHaveNamesOfTheirOwn: the page has a heading for each block, by its type.
func TestBlocksHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range shownBlocks() {
		if seen[b.Type] {
			t.Errorf("two kinds of block are called %s", b.Type)
		}
		seen[b.Type] = true
	}
}

// files are the kinds of files, with what they are called on the page.
var files = []struct{ name, shown, title string }{
	{"a.wf.hcl", "*.wf.hcl", "Workflows, connections, deployments"},
	{"wfc.hcl", "wfc.hcl", "The project"},
	{"a.wftest.hcl", "*.wftest.hcl", "Tests"},
}

// shownBlocks returns each kind of block once, those in a block after it.
func shownBlocks() []*BlockSchema {
	var out []*BlockSchema
	var walk func(b *BlockSchema)
	walk = func(b *BlockSchema) {
		for _, n := range b.Blocks {
			if !slices.Contains(out, n.BlockSchema) {
				out = append(out, n.BlockSchema)
				walk(n.BlockSchema)
			}
		}
	}
	for _, f := range files {
		walk(Schema(f.name))
	}
	return out
}

func blocksPage() string {
	var b strings.Builder
	b.WriteString("# Blocks and attributes\n\n" +
		"Written from the parser's table by `go test ./lang/syntax -update`. Editors show the same ([editors](../editors.md)); what it all means\n" +
		"is in [the language](../language.md).\n\n" +
		"| file | may have |\n| --- | --- |\n")
	for _, f := range files {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.shown, links(Schema(f.name).Blocks))
	}
	all := shownBlocks()
	begun := 0
	for _, s := range all {
		if begun < len(files) && s == Schema(files[begun].name).Blocks[0].BlockSchema {
			fmt.Fprintf(&b, "\n## %s\n", files[begun].title)
			begun++
		}
		section(&b, s, all)
	}
	return b.String()
}

// section writes what there is to say of one kind of block.
func section(b *strings.Builder, s *BlockSchema, all []*BlockSchema) {
	fmt.Fprintf(b, "\n### %s\n\n`%s`", s.Type, s.Type)
	for _, label := range s.Labels {
		fmt.Fprintf(b, " `%q`", strings.ToUpper(label))
	}
	fmt.Fprintf(b, ", in %s. %s\n", owners(s, all), s.Doc)
	if s.Free {
		b.WriteString("\nAny names may be set.\n")
	}
	if len(s.Attributes) > 0 {
		b.WriteString("\n| attribute | is | |\n| --- | --- | --- |\n")
		for _, a := range s.Attributes {
			name := "`" + a.Name + "`"
			switch {
			case a.Instead != "":
				name += fmt.Sprintf(" (required, or `%s`)", a.Instead)
			case a.Required:
				name += " (required)"
			}
			fmt.Fprintf(b, "| %s | %s | %s |\n", name, written(a), strings.ReplaceAll(a.Doc, "|", `\|`))
		}
	}
	if s.Type == "auth" {
		b.WriteString("\n| kind | has |\n| --- | --- |\n")
		for _, kind := range AuthKinds() {
			fmt.Fprintf(b, "| `%q` | `%s` |\n", kind, strings.Join(AuthAttributes(kind), "`, `"))
		}
	}
	if len(s.Blocks) > 0 {
		fmt.Fprintf(b, "\nBlocks: %s.\n", links(s.Blocks))
	}
}

// links names blocks, those that may be repeated with a sign.
func links(blocks []NestedSchema) string {
	var out []string
	for _, n := range blocks {
		text := fmt.Sprintf("[%s](#%s)", n.Type, n.Type)
		if n.Repeat {
			text += " …"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// owners says where a kind of block may stand.
func owners(s *BlockSchema, all []*BlockSchema) string {
	var out []string
	holds := func(o *BlockSchema) bool {
		return slices.ContainsFunc(o.Blocks, func(n NestedSchema) bool { return n.BlockSchema == s })
	}
	for _, f := range files {
		if holds(Schema(f.name)) {
			out = append(out, "`"+f.shown+"`")
		}
	}
	for _, o := range all {
		if holds(o) {
			out = append(out, fmt.Sprintf("[%s](#%s)", o.Type, o.Type))
		}
	}
	return strings.Join(out, ", ")
}

// written says how an attribute's value is written.
func written(a AttributeSchema) string {
	choices := func(sep string) string {
		var out []string
		for _, c := range a.Choices {
			out = append(out, fmt.Sprintf("`%q`", c))
		}
		return strings.Join(out, sep)
	}
	switch a.Form {
	case Choice:
		return choices(", ")
	case Choices:
		return "a list of " + choices(", ")
	case OnErrorForm:
		return choices(", ") + ", or a list of kinds"
	}
	return forms[a.Form]
}

// forms say how values are written whose choices are not known beforehand.
var forms = map[Form]string{
	Computed:      "expression",
	TypeForm:      "type",
	ToolRef:       "`SOURCE.TOOL`",
	ReadRef:       "`SOURCE`, `SOURCE.TEMPLATE`",
	PromptRef:     "`SOURCE.PROMPT`",
	WorkflowRef:   "`workflow.NAME`",
	ConnectionRef: "`connection.PROVIDER.ACCOUNT`",
	InterfaceRef:  "`interface.NAME`",
	StepRefs:      "list of `step.NAME`",
	FamilyForm:    "object of connections",
	BindForm:      "object of connections",
	HandedForm:    "object of sources",
	InputName:     "name of an input, in quotes",
	TextForm:      "text",
	TextList:      "list of texts",
	BoolForm:      "`true`, `false`",
	NumberForm:    "whole number",
	DurationForm:  "duration in quotes: `\"30s\"`, `\"10m\"`, `\"72h\"`",
	SizeForm:      "size: `\"10MB\"`, or bytes",
	DeploymentRef: "`deployment.NAME`",
}

// TestEveryFormIsExplained: no attribute is shown without how it is written.
func TestEveryFormIsExplained(t *testing.T) {
	for _, b := range shownBlocks() {
		for _, a := range b.Attributes {
			if written(a) == "" {
				t.Errorf("nobody says how %s.%s is written", b.Type, a.Name)
			}
		}
	}
}

// TestLanguagePageNamesEverything: what can be written is explained in docs/language.md,
// by its name in code.
func TestLanguagePageNamesEverything(t *testing.T) {
	page, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, code := range regexp.MustCompile("`[^`\n]+`").FindAllString(string(page), -1) {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(code, -1) {
			named[name] = true
		}
	}
	for _, b := range shownBlocks() {
		if !named[b.Type] {
			t.Errorf("language.md does not name the block %s", b.Type)
		}
		for _, a := range b.Attributes {
			if !named[a.Name] {
				t.Errorf("language.md does not name %s.%s", b.Type, a.Name)
			}
			for _, choice := range a.Choices {
				if !named[choice] {
					t.Errorf("language.md does not say that %s.%s may be %q", b.Type, a.Name, choice)
				}
			}
		}
	}
}
