package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestCommandsPageIsUpToDate: docs/reference/cli.md says what the commands say of
// themselves with --help.
func TestCommandsPageIsUpToDate(t *testing.T) {
	const file = "../../docs/reference/cli.md"
	want := commandsPage()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the commands say; rewrite it by: go test ./cmd/wfc -run TestCommandsPage -update (%v)", file, err)
	}
}

// TestReadmeNamesEveryCommand: what wfc can do is seen from the README.
func TestReadmeNamesEveryCommand(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n| command | does |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	group := ""
	named := map[string]bool{"version": true, "demo-server": true} // which need no advertisement
	for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(table, -1) {
		words := strings.Fields(strings.Trim(code, "`"))
		if words[0] == "wfc" && len(words) > 1 {
			named[strings.Join(words[1:], " ")] = true
			group = ""
			if len(words) > 2 {
				group = words[1] + " "
			}
			continue
		}
		named[group+words[0]] = true
	}
	for _, c := range walkCommands(newRoot(streams{})) {
		name := strings.TrimPrefix(c.CommandPath(), "wfc ")
		top, _, below := strings.Cut(name, " ")
		if !c.HasSubCommands() && !named[name] && !(below && named[top]) {
			t.Errorf("README.md does not name %s", c.CommandPath())
		}
	}
}

func commandsPage() string {
	root := newRoot(streams{})
	var b strings.Builder
	b.WriteString("# Commands\n\n" +
		"Written from the commands' own help by `go test ./cmd/wfc -run TestCommandsPage -update`; `wfc COMMAND --help` prints the same. What they\n" +
		"print for programs, and their exit codes, are in [the command line](../cli.md).\n\n")
	commands := walkCommands(root)
	for _, c := range commands {
		if c.Runnable() && !c.HasSubCommands() {
			fmt.Fprintf(&b, "- [`%s`](#%s): %s\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), lowerFirst(c.Short))
		}
	}
	b.WriteString("\nEvery command has\n\n")
	writeFlags(&b, root.PersistentFlags())
	for _, c := range commands {
		writeCommand(&b, c)
	}
	return b.String()
}

// walkCommands returns all commands below one, each before those below it.
func walkCommands(c *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			out = append(append(out, sub), walkCommands(sub)...)
		}
	}
	return out
}

// writeCommand writes the section of a command.
func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n", c.CommandPath())
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	if strings.Contains(text, "\n  ") || strings.Contains(text, "{") { // it has indented lines, or what Markdown would take for something
		fmt.Fprintf(b, "```\n%s\n```\n", text)
	} else {
		fmt.Fprintf(b, "%s\n", text)
	}
	if c.Runnable() {
		fmt.Fprintf(b, "\n```\n%s\n```\n", c.UseLine())
	}
	if c.Example != "" {
		b.WriteString("\nFor example:\n\n```sh\n")
		for line := range strings.Lines(c.Example) {
			b.WriteString(strings.TrimPrefix(line, "  "))
		}
		b.WriteString("\n```\n")
	}
	if flags := c.LocalFlags(); flags.HasAvailableFlags() {
		b.WriteString("\n")
		writeFlags(b, flags)
	}
}

// writeFlags writes the table of some flags.
func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| flag | |\n| --- | --- |\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "`--" + f.Name
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		if value != "" {
			name += " " + value
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" && f.Name != "help" {
			usage += fmt.Sprintf(" (default `%s`)", f.DefValue)
		}
		fmt.Fprintf(b, "| %s` | %s |\n", strings.ReplaceAll(name, "|", `\|`), strings.ReplaceAll(usage, "|", `\|`))
	})
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
