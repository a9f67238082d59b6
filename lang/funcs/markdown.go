package funcs

import (
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func init() {
	register(Text,
		text1("mdcell", mdcell, "Makes text fit for a cell of a Markdown table: `|` is escaped, and line breaks become `<br>`. All other Markdown in it stays.", `mdcell("a|b\r\nc")`, `"a\\|b<br>c"`),
		&Func{
			Name:   "section",
			Params: []Param{{"text", types.StringType}, {"heading", types.StringType}},
			Result: types.StringType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				if h, constant := constText(args[1]); constant {
					if level, _ := heading(h); level == 0 {
						return types.StringType, notAHeading(h), 1
					}
				}
				return ok(types.StringType)
			},
			Call: func(args []value.Value) (value.Value, error) {
				level, title := heading(args[1].AsString())
				if level == 0 {
					return value.Value{}, &ArgError{1, notAHeading(args[1].AsString())}
				}
				s, found := section(args[0].AsString(), level, title)
				if !found {
					return value.Value{}, failArg(0, "The text has no heading %s.", args[1].Summary(60))
				}
				return value.OfString(s), nil
			},
			Doc: "Gives what a Markdown text has under a heading, up to the next heading of the same or a higher level, without the empty lines around it. The heading is written with its `#` signs; the first that has this level and text counts, " +
				"and lines within code fences are no headings. It fails where there is none.",
			Example: `section("### Result\n{\"a\": 1}\n### Code\n...", "### Result")`,
			Gives:   `"{\"a\": 1}"`,
		},
	)
}

// mdcell escapes the two things that end a cell. Backslashes before a bar or at
// the end are doubled, as they would take the escape away or escape the bar
// that follows the cell.
func mdcell(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	slashes := 0
	for i := range len(s) {
		c := s[i]
		if c == '\\' {
			slashes++
			b.WriteByte(c)
			continue
		}
		switch c {
		case '|':
			b.WriteString(strings.Repeat(`\`, slashes+1))
			b.WriteByte('|')
		case '\n', '\r':
			b.WriteString("<br>")
		default:
			b.WriteByte(c)
		}
		slashes = 0
	}
	b.WriteString(strings.Repeat(`\`, slashes))
	return b.String()
}

func notAHeading(s string) string {
	return fmt.Sprintf("A heading is written with its level, as \"### Result\", but this one is %s.", value.OfString(s).Summary(60))
}

// heading returns the level and the text of a line that is a Markdown heading
// of the ATX kind; level 0: it is none.
func heading(line string) (level int, title string) {
	line = strings.TrimRight(line, " \t\r\n")
	indent := len(line) - len(strings.TrimLeft(line, " "))
	line = line[indent:]
	level = len(line) - len(strings.TrimLeft(line, "#"))
	if indent > 3 || level < 1 || level > 6 {
		return 0, ""
	}
	title = line[level:]
	if title != "" && title[0] != ' ' && title[0] != '\t' {
		return 0, ""
	}
	title = strings.Trim(title, " \t")
	// A row of # after a space closes a heading and is not part of its text.
	if open := strings.TrimRight(title, "#"); open == "" || open != title && strings.HasSuffix(open, " ") {
		title = strings.TrimRight(open, " \t")
	}
	return level, title
}

// section returns what is under the first heading of a level and text.
func section(text string, level int, title string) (string, bool) {
	start := -1
	fence := ""
	for pos := 0; pos < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		line := text[pos:end]
		if pos == 0 {
			line = strings.TrimPrefix(line, bom)
		}
		switch mark := fenceOf(line); {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.Trim(line, " \t\r\n"+mark[:1]) == "" {
				fence = ""
			}
		case mark != "":
			fence = mark
		default:
			l, t := heading(line)
			if start >= 0 && l > 0 && l <= level {
				return trimEmptyLines(text[start:pos]), true
			}
			if start < 0 && l == level && t == title {
				start = end
			}
		}
		pos = end
	}
	if start < 0 {
		return "", false
	}
	return trimEmptyLines(text[start:]), true
}

// fenceOf returns the row of ` or ~ that begins a line which opens or closes a
// code fence, else nothing.
func fenceOf(line string) string {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 || trimmed == "" || trimmed[0] != '`' && trimmed[0] != '~' {
		return ""
	}
	mark := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
	if len(mark) < 3 || mark[0] == '`' && strings.Contains(trimmed[len(mark):], "`") {
		return ""
	}
	return mark
}

// trimEmptyLines removes empty lines from both ends, and the last line's end.
func trimEmptyLines(s string) string {
	for {
		line, rest, found := strings.Cut(s, "\n")
		if strings.TrimSpace(line) != "" {
			break
		}
		if !found {
			return ""
		}
		s = rest
	}
	for {
		i := strings.LastIndexByte(s, '\n')
		if i < 0 || strings.TrimSpace(s[i:]) != "" {
			return strings.TrimSuffix(s, "\r")
		}
		s = s[:i]
	}
}
