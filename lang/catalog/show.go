package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/types"
)

// ListingOptions say what a listing shows beside names and effects.
type ListingOptions struct {
	Types    bool // the full types, and what of the schemas they do not say
	Coverage bool // how many arguments and results are any
}

// listingWidth is the width of a listing in characters: what is longer is cut,
// or, with Types, broken into lines.
const listingWidth = 120

// WriteListing writes what the snapshot holds as a table for people.
func (s *Snapshot) WriteListing(w io.Writer, o ListingOptions) error {
	l := lister{options: o, problems: s.Problems()}
	l.header(s)
	if o.Coverage {
		l.coverage(s)
	}
	l.toolList(s)
	l.others("Resources", "resources", s.Resources, "uri", "")
	l.others("Resource templates", "resource_templates", s.ResourceTemplates, "uriTemplate", "")
	l.others("Prompts", "prompts", s.Prompts, "name", "arguments")
	if len(s.Errors) > 0 {
		l.printf("\nLists that the server failed to give\n")
		for _, e := range s.Errors {
			l.printf("  %s: %s\n", strings.ReplaceAll(e.List, "_", " "), oneLine(e.Message))
		}
	}
	// Names and descriptions are a server's.
	_, err := io.WriteString(w, harmless(l.String()))
	return err
}

// harmless returns a text without what steers a terminal; lines stay.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// OneLine returns what a server says as people are shown it: on one line, and
// without what steers a terminal.
func OneLine(s string) string { return harmless(oneLine(s)) }

// oneLine returns s with its line breaks replaced by spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

type lister struct {
	bytes.Buffer
	options  ListingOptions
	problems []Problem
}

func (l *lister) printf(format string, args ...any) { fmt.Fprintf(l, format, args...) }

func (l *lister) header(s *Snapshot) {
	about := strings.TrimSpace(stringField(s.ServerInfo, "name") + " " + stringField(s.ServerInfo, "version"))
	if s.ProtocolVersion != "" {
		about = strings.TrimPrefix(about+", MCP "+s.ProtocolVersion, ", ")
	}
	l.printf("%s", s.Connection)
	if about != "" {
		l.printf(" (%s)", about)
	}
	l.printf("\n")
}

func (l *lister) toolList(s *Snapshot) {
	if len(s.Tools) == 0 {
		return
	}
	l.printf("\nTools\n")
	names := s.ToolNames()
	widest := 0
	for _, n := range names {
		widest = max(widest, len(effectOf(s.Tool(n))))
	}
	for _, n := range names {
		t := s.Tool(n)
		l.printf("  %-*s  ", widest, effectOf(t))
		if l.options.Types {
			l.full(t)
		} else {
			l.printf("%s\n", cut(t.Signature(), listingWidth-widest-4))
		}
		if t.Problem != "" {
			l.printf("    ! %s\n", oneLine(t.Problem))
		}
		if t.TaskRequired {
			l.printf("    ! It can be called as a task only, which wfc does not support.\n")
		}
	}
	for _, p := range l.problems {
		if p.List == "tools" && p.Name == "" {
			l.printf("  ! %s\n", p)
		}
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func effectOf(t *Tool) string {
	if t.Idempotent != nil && *t.Idempotent && t.Effect != Read {
		return t.Effect.String() + ", idempotent"
	}
	return t.Effect.String()
}

// Signature returns the tool on one line as an interface file would declare it:
// search(q: string, per_page: optional(integer, 20)) -> object({ … }). A tool
// without an output schema gives any; "…" after the arguments stands for others.
func (t *Tool) Signature() string {
	var b strings.Builder
	b.WriteString(oneLine(t.Name))
	b.WriteByte('(')
	// An object type prints its attributes as `a = T`; one attribute at a time
	// gives the notation of each, defaults included.
	for i, a := range requiredFirst(t.Args.Attrs()) {
		if i > 0 {
			b.WriteString(", ")
		}
		one := types.Print(types.ObjectOf([]types.Attr{a}, nil))
		name, typ, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(one, "object({ "), " })"), " = ")
		if !ok || !strings.HasPrefix(one, "object({ ") {
			name, typ = a.Name, types.Print(a.Type) // printed with its definitions
		}
		b.WriteString(name + ": " + typ)
	}
	if t.Args.Rest() != nil {
		if len(t.Args.Attrs()) > 0 {
			b.WriteString(", ")
		}
		b.WriteString("…")
		if t.Args.Rest().Kind() != types.Any {
			b.WriteString(": " + types.Print(t.Args.Rest()))
		}
	}
	b.WriteString(") -> ")
	if t.Output == nil {
		b.WriteString("any")
	} else {
		b.WriteString(types.Print(t.Output))
	}
	return b.String()
}

// requiredFirst orders attributes as people read them: files have them by name.
func requiredFirst(attrs []types.Attr) []types.Attr {
	out := slices.Clone(attrs)
	slices.SortStableFunc(out, func(a, b types.Attr) int {
		switch {
		case a.Optional == b.Optional:
			return 0
		case b.Optional:
			return -1
		}
		return 1
	})
	return out
}

// full writes a tool with its whole types and what they do not say.
func (l *lister) full(t *Tool) {
	l.printf("%s\n", oneLine(t.Name))
	if first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n"); first != "" {
		l.printf("    %s\n", cut(first, listingWidth-4))
	}
	show := func(label string, typ *types.Type, report types.Report) {
		text := types.PrintIndented(typ, listingWidth-8-len(label))
		l.printf("    %s %s\n", label, strings.ReplaceAll(text, "\n", "\n    "))
		for _, x := range report.Widened {
			l.printf("      wider than the schema at %s\n", x)
		}
		for _, x := range report.Guarded {
			l.printf("      left to the schema at %s\n", x)
		}
	}
	show("args  ", t.Args, t.ArgsReport)
	if t.Output == nil {
		l.printf("    output any, there is no output schema\n")
	} else {
		show("output", t.Output, t.OutputReport)
	}
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:max(n-1, 0)]) + "…"
}

func (l *lister) others(title, list string, objects []Object, identity, arguments string) {
	if len(objects) == 0 {
		return
	}
	l.printf("\n%s\n", title)
	for _, o := range objects {
		line := stringField(o.Raw, identity)
		if line == "" {
			continue // it is among the problems
		}
		if arguments != "" {
			line += "(" + promptArguments(field(o.Raw, arguments)) + ")"
		}
		if mime := stringField(o.Raw, "mimeType"); mime != "" {
			line += "  " + mime
		}
		about, _, _ := strings.Cut(strings.TrimSpace(stringField(o.Raw, "description")), "\n")
		if about == "" && identity != "name" {
			about = stringField(o.Raw, "name")
		}
		if about != "" {
			line += "  " + about
		}
		l.printf("  %s\n", cut(strings.ReplaceAll(line, "\n", " "), listingWidth-2))
	}
	for _, p := range l.problems {
		if p.List == list {
			l.printf("  ! %s\n", p)
		}
	}
}

// promptArguments lists the arguments of a prompt, which are strings.
func promptArguments(raw []byte) string {
	var args []struct {
		Name     string
		Required bool
	}
	if json.Unmarshal(raw, &args) != nil {
		return "" // a prompt without any
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.Name + ": string"
		if !a.Required {
			texts[i] = a.Name + ": optional(string)"
		}
	}
	return strings.Join(texts, ", ")
}

// Coverage counts what the types of a snapshot leave open.
type Coverage struct {
	Tools        int // that can be called
	Arguments    int // of all tools, as far as they are declared
	AnyArguments int // of these, with an any in their type
	OpenArgs     int // tools that take arguments which they do not declare
	Results      int // tools with an output schema
	AnyResults   int // of these, with an any in their type
	Problems     int // tools that cannot be used as they should
}

// Coverage counts how many arguments and results are any. It converts all tools.
func (s *Snapshot) Coverage() Coverage {
	var c Coverage
	for _, n := range s.ToolNames() {
		t := s.Tool(n)
		c.Tools++
		for _, a := range t.Args.Attrs() {
			c.Arguments++
			if types.HasAny(a.Type) {
				c.AnyArguments++
			}
		}
		if t.Args.Rest() != nil {
			c.OpenArgs++
		}
		if t.Output != nil {
			c.Results++
			if types.HasAny(t.Output) {
				c.AnyResults++
			}
		}
		if t.Problem != "" {
			c.Problems++
		}
	}
	return c
}

func (l *lister) coverage(s *Snapshot) {
	c := s.Coverage()
	l.printf("\nCoverage\n")
	l.printf("  arguments  %d of %d have an any in their type; %s of %d take arguments that they do not declare\n", c.AnyArguments, c.Arguments, plural(c.OpenArgs, "tool"), c.Tools)
	l.printf("  results    %d of %d tools have no output schema, and %d of the other %d have an any in their type\n", c.Tools-c.Results, c.Tools, c.AnyResults, c.Results)
	if c.Problems > 0 {
		l.printf("  problems   %s\n", plural(c.Problems, "tool"))
	}
}
