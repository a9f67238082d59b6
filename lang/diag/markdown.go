package diag

import (
	"fmt"
	"strings"
)

// Markdown returns the documentation of all codes: docs/diagnostics.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

Written from the registry by ` + "`go test ./lang/diag -update`" + `; every example is checked by a test. ` +
		"`wfc explain CODE`" + ` prints the same.

The examples are whole files, beside a connection ` + "`demo.main`" + ` to the server that wfc contains.
`)
	for _, e := range Entries() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s. %s\n", e.Code, e.Summary, strings.ToUpper(e.Severity.String()[:1])+e.Severity.String()[1:], e.Explanation)
		if e.NoExample != "" {
			fmt.Fprintf(&b, "\nThere is no example: %s\n", strings.ToLower(e.NoExample[:1])+e.NoExample[1:])
		}
		markdownExample(&b, "Fails", e.Failing)
		markdownExample(&b, "Mended", e.Mended)
	}
	return b.String()
}

// markdownExample shows an example: a block for each of its files.
func markdownExample(b *strings.Builder, title, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n", title)
	name, body := "", ""
	flush := func() {
		if body == "" {
			return
		}
		if name != "" {
			fmt.Fprintf(b, "`%s`\n\n", name)
		}
		lang := "hcl"
		if strings.HasSuffix(name, ".json") {
			lang = "json"
		}
		fmt.Fprintf(b, "```%s\n%s```\n", lang, body)
	}
	for line := range strings.Lines(text) {
		if file, ok := archiveFile(line); ok {
			flush()
			if body != "" {
				b.WriteByte('\n')
			}
			name, body = file, ""
			continue
		}
		body += clean(strings.TrimRight(line, "\r\n")) + "\n"
	}
	flush()
}

// archiveFile returns the file that a line of a txtar archive begins, if it begins one.
func archiveFile(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "-- ") || !strings.HasSuffix(line, " --") || len(line) < len("-- x --") {
		return "", false
	}
	return line[3 : len(line)-3], true
}
