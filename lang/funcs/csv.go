package funcs

import (
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// maxCells bounds a table: 64 MiB of commas would otherwise fill gigabytes.
const maxCells = 5_000_000

var (
	csvRows  = types.ListOf(types.MapOf(types.StringType))
	csvLines = types.ListOf(types.ExactOf([]types.Attr{
		{Name: "line", Type: types.IntegerType},
		{Name: "cells", Type: stringList},
	}))
)

func init() {
	text := []Param{{"text", types.StringType}}
	register(Encodings,
		&Func{
			Name:   "csvdecode",
			Params: text,
			Result: csvRows,
			Infer: func(args []Arg) (*types.Type, string, int) {
				t, problem, arg := inferDecoded(args[0], csvDecode)
				if t.Kind() == types.Any {
					t = csvRows
				}
				return t, problem, arg
			},
			Call: func(args []value.Value) (value.Value, error) {
				v, err := csvDecode(args[0].AsString())
				if err != nil {
					return v, &ArgError{0, err.Error()}
				}
				return v, nil
			},
			Doc: "Reads comma-separated text (RFC 4180) whose first row names the columns, and gives a map of strings for each other row. A byte order mark is dropped, empty lines are skipped, line breaks within quotes are kept as they are. " +
				"It fails, with the line, on a stray quote, a row with more or fewer cells than columns, and a column named twice. To keep the good rows of a file with bad ones, use `csvlines`.",
			Example: `csvdecode("\ufeffsku,name\r\nA-1,\"6\"\" pipe\"\r\n")`,
			Gives:   `[{"sku":"A-1","name":"6\" pipe"}]`,
		},
		&Func{
			Name:   "csvlines",
			Params: text,
			Result: csvLines,
			Call: func(args []value.Value) (value.Value, error) {
				rows, err := readCSV(args[0].AsString())
				if err != nil {
					return value.Value{}, &ArgError{0, err.Error()}
				}
				out := make([]value.Value, len(rows))
				for i, row := range rows {
					o := value.NewObject(2)
					o.Set("line", value.OfInt(int64(row.line)))
					o.Set("cells", stringsOf(row.cells))
					out[i] = value.OfObject(o)
				}
				return value.OfList(out), nil
			},
			Doc: "Reads comma-separated text like `csvdecode`, but gives every row, the one with the columns' names too, as its cells and the number of the line on which it begins (from 1). Rows may differ in their number of cells, " +
				"so that bad ones can be told and named. Only a stray or missing quote fails.",
			Example: `csvlines("sku,qty\n\nA-1,\"1\n2\"\nA-2")`,
			Gives:   `[{"line":1,"cells":["sku","qty"]},{"line":3,"cells":["A-1","1\n2"]},{"line":5,"cells":["A-2"]}]`,
		},
	)
}

// csvRow is one row of a table.
type csvRow struct {
	line  int // on which it begins, from 1
	cells []string
}

// readCSV reads all rows. Not encoding/csv, which turns CRLF in cells into LF
// and does not tell where a row begins. An error is a full sentence.
func readCSV(text string) ([]csvRow, error) {
	r := csvReader{text: strings.TrimPrefix(text, bom), line: 1}
	var rows []csvRow
	cells := 0
	for r.pos < len(r.text) {
		if r.lineEnd() {
			continue // an empty line
		}
		row, err := r.row()
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
		if cells += len(row.cells); cells > maxCells {
			return nil, fail("The text has more than %d cells.", maxCells)
		}
		if err := roomForElements(len(rows)); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

type csvReader struct {
	text string
	pos  int
	line int
}

// lineEnd moves behind the line end at pos, if there is one. A carriage return
// is one before a line feed and at the very end.
func (r *csvReader) lineEnd() bool {
	switch rest := r.text[r.pos:]; {
	case rest == "":
		return false
	case rest[0] == '\n':
		r.pos++
	case rest == "\r":
		r.pos++
		return true
	case strings.HasPrefix(rest, "\r\n"):
		r.pos += 2
	default:
		return false
	}
	r.line++
	return true
}

func (r *csvReader) row() (csvRow, error) {
	row := csvRow{line: r.line}
	for {
		cell, err := r.cell()
		if err != nil {
			return row, err
		}
		row.cells = append(row.cells, cell)
		if r.pos < len(r.text) && r.text[r.pos] == ',' {
			r.pos++
			continue
		}
		r.lineEnd()
		return row, nil
	}
}

// cell reads one cell; pos is at a comma, a line end or the text's end then.
func (r *csvReader) cell() (string, error) {
	if r.pos < len(r.text) && r.text[r.pos] == '"' {
		return r.quoted()
	}
	start := r.pos
	for ; r.pos < len(r.text); r.pos++ {
		switch r.text[r.pos] {
		case '"':
			return "", fail("On line %d a quote stands within a cell that does not begin with one. The whole cell must be in quotes, and a quote in it doubled.", r.line)
		case ',', '\n':
			return strings.TrimSuffix(r.text[start:r.pos], r.carriageReturn()), nil
		}
	}
	return strings.TrimSuffix(r.text[start:], "\r"), nil
}

// carriageReturn returns "\r" where pos is at a line feed: there it belongs to the line end.
func (r *csvReader) carriageReturn() string {
	if r.text[r.pos] == '\n' {
		return "\r"
	}
	return ""
}

func (r *csvReader) quoted() (string, error) {
	opening := r.line
	r.pos++
	var cell strings.Builder
	for {
		end := strings.IndexByte(r.text[r.pos:], '"')
		if end < 0 {
			return "", fail("The quote that begins a cell on line %d is never closed.", opening)
		}
		part := r.text[r.pos : r.pos+end]
		cell.WriteString(part)
		r.line += strings.Count(part, "\n")
		r.pos += end + 1
		if r.pos < len(r.text) && r.text[r.pos] == '"' {
			cell.WriteByte('"')
			r.pos++
			continue
		}
		break
	}
	rest := r.text[r.pos:]
	if rest != "" && rest != "\r" && rest[0] != ',' && rest[0] != '\n' && !strings.HasPrefix(rest, "\r\n") {
		return "", fail("On line %d something follows a cell's closing quote. A quote within a cell must be doubled.", r.line)
	}
	return cell.String(), nil
}

// csvDecode reads a table with a header. An error is a full sentence.
func csvDecode(text string) (value.Value, error) {
	rows, err := readCSV(text)
	if err != nil {
		return value.Value{}, err
	}
	if len(rows) == 0 {
		return value.Value{}, fail("The text has no first row that names the columns.")
	}
	header := rows[0]
	seen := map[string]bool{}
	for _, name := range header.cells {
		if seen[name] {
			return value.Value{}, fail("On line %d the column %q is named twice.", header.line, name)
		}
		seen[name] = true
	}
	out := make([]value.Value, len(rows)-1)
	for i, row := range rows[1:] {
		if len(row.cells) != len(header.cells) {
			return value.Value{}, fail("The row on line %d has %s, but there are %s.",
				row.line, count(len(row.cells), "cell"), count(len(header.cells), "column"))
		}
		o := value.NewObject(len(header.cells))
		for j, cell := range row.cells {
			o.Set(header.cells[j], value.OfString(cell))
		}
		out[i] = value.OfObject(o)
	}
	return value.OfList(out), nil
}

// count returns "1 cell", "2 cells".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
