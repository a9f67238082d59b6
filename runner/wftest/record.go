package wftest

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

// Server makes calls for real, as the service does for a run.
type Server interface {
	// Call makes a call. An error is a *engine.CallError.
	Call(ctx context.Context, c engine.StartCall) (*engine.Answer, error)
	// Secret gives the value of a secret of the plan.
	Secret(name string) (string, error)
	// Text and Value return what they are given without the values of secrets.
	Text(s string) string
	Value(v value.Value) value.Value
	// Blob gives the bytes of binary content that a call brought.
	Blob(b *value.BlobValue) ([]byte, error)
}

// Recording is what came of recording mocks.
type Recording struct {
	Files map[string][]byte // the test files that change, by name
	Tests []RecordedTest    // in the order of the tests
	// Results are the tests that could not be recorded, which stay as they are.
	Results []Result
}

// RecordedTest says how many mocks a test was given, new ones or in place of others.
type RecordedTest struct {
	Name  string
	At    diag.Range
	Mocks int
}

// recordedFrom begins the comment of a mock that was recorded, by which the next
// recording knows that it may replace it.
const recordedFrom = "recorded from "

// Record runs tests one after the other. Calls that a mock answers are answered by it;
// all others, and those of mocks that were recorded before, are made for real, and
// become mocks in the test's file. open gives what makes the calls of a plan; it is
// called once for each. Nothing is written. The error says why nothing could be tried.
func Record(ctx context.Context, p *project.Project, s *Selection, open func(context.Context, *plan.Plan) (Server, error)) (*Recording, error) {
	out := &Recording{Files: map[string][]byte{}}
	common := &shared{}
	servers := map[*plan.Plan]Server{}
	edits := map[string][]edit{}
	tests := s.Tests(p)
	for i := range tests {
		t := &tests[i]
		rec := &recording{test: t, source: p.Source(t.Syntax.Range.Filename)}
		if t.Plan != nil {
			if servers[t.Plan] == nil {
				server, err := open(ctx, reachable(t.Plan))
				if err != nil {
					return nil, err
				}
				servers[t.Plan] = server
			}
			rec.server = servers[t.Plan]
		}
		r := one(ctx, t, common, rec)
		if r.Status == Broken || len(rec.problems) > 0 || len(r.stopped) > 0 {
			r.Status = cmpStatus(r.Status)
			r.Failures = append(rec.problems, r.stopped...)
			out.Results = append(out.Results, r)
			continue
		}
		file := t.Syntax.Range.Filename
		changes, mocks := rec.edits()
		edits[file] = append(edits[file], changes...)
		if mocks > 0 {
			out.Tests = append(out.Tests, RecordedTest{r.Name, r.At, mocks})
		}
	}
	for file, list := range edits {
		if src := apply(p.Source(file), list); !bytes.Equal(src, p.Source(file)) {
			out.Files[file] = src
		}
	}
	return out, nil
}

// reachable is a plan without what is no connection, so that the others can be opened.
func reachable(p *plan.Plan) *plan.Plan {
	out := *p
	out.Connections = slices.DeleteFunc(slices.Clone(p.Connections), func(c plan.Connection) bool { return c.StandsIn() })
	return &out
}

func cmpStatus(s Status) Status {
	if s == Broken {
		return Broken
	}
	return Failed
}

// recording records the calls of one test.
type recording struct {
	test     *compiler.Test
	source   []byte // of the test's file
	server   Server
	taken    []taken
	problems []Failure
}

// taken is a call that was made for real, as a mock's block.
type taken struct {
	block
	args string // canonical, to tell calls apart
	says string // the answer's lines
}

// replaces reports whether a mock was recorded, so that it is recorded anew.
func (r *recording) replaces(m *syntax.Mock) bool {
	return recordedMark().Match(r.source[m.Range.Start.Byte:m.Range.End.Byte])
}

var recordedMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[ \t\r]*\n[ \t]*# ` + recordedFrom) })

// secretReference is how a plan's arguments name a secret where its value must not be.
var secretReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{(secret\.[A-Za-z0-9_-]+)\}`) })

// call makes a call and notes it.
func (r *recording) call(ctx context.Context, c call) (*engine.Answer, *engine.CallError) {
	answer, err := r.server.Call(ctx, c.StartCall)
	if err != nil {
		failed := &engine.CallError{Kind: engine.KindTransport, Message: err.Error(), Sent: engine.SentMaybe}
		if e := (*engine.CallError)(nil); errors.As(err, &e) {
			failed = e
		}
		failed.Message = r.server.Text(failed.Message)
		r.failed(&c, failed)
		return nil, failed
	}
	clean := *answer
	if !c.Verbatim {
		clean.Text = r.server.Text(answer.Text)
		clean.Content = r.server.Value(value.OfList(answer.Content)).AsList()
		if answer.Structured != nil {
			v := r.server.Value(*answer.Structured)
			clean.Structured = &v
		}
	}
	r.answered(&c, &clean)
	return &clean, nil
}

// begin is the block of a call without its answer.
func (r *recording) begin(c *call) taken {
	t := taken{block: block{source: c.source, tool: c.Tool, comment: recordedFrom + c.connection}}
	if c.Do == plan.Read {
		return t
	}
	args := c.args
	if len(r.test.Plan.Secrets) > 0 {
		// As a test sees it, where secrets have no values.
		text := secretReference().ReplaceAll(c.Digested, []byte("$1"))
		if v, err := value.ParseJSON(text); err == nil {
			args = v
		}
	}
	t.args = string(value.AppendCanonicalJSON(nil, args))
	if args.Kind() == value.Object && args.AsObject().Len() > 0 {
		t.when = "args == " + expression(args, 2)
	}
	return t
}

func (r *recording) answered(c *call, a *engine.Answer) {
	t := r.begin(c)
	text := a.Text
	structured := a.Structured
	if c.Sensitive {
		t.comment += "; what is sensitive is not"
		text = masked
		if structured != nil {
			v := withoutTexts(*structured)
			structured = &v
		}
	}
	var binary *value.Value
	if hasBlob(a.Content) && !c.Sensitive {
		if v, err := r.encoded(a.Content); err == nil {
			binary = &v
		}
	}
	if hasBlob(a.Content) && binary == nil {
		t.comment += "; binary content is not"
	}
	switch {
	case a.IsError:
		t.add("error", literal(text))
	case binary != nil:
		t.add("content", expression(*binary, 2))
	case structured != nil:
		t.add("output", expression(*structured, 2))
		// Servers that have structured content give its JSON as text, too.
		if v, err := value.ParseJSON([]byte(a.Text)); c.Do == plan.Call && text != "" && (err != nil || !value.Equal(v, *a.Structured)) {
			t.add("text", literal(text))
		}
	default:
		t.add("text", literal(text))
	}
	r.note(t)
}

// mostRecorded is how much binary content is written into a test, whose file people read.
const mostRecorded = 64 << 10

func hasBlob(parts []value.Value) bool {
	return slices.ContainsFunc(parts, func(p value.Value) bool {
		b, ok := p.AsObject().Get("blob")
		return ok && b.Kind() == value.Blob
	})
}

// encoded is content with what is binary in base64. It fails where that is too much.
func (r *recording) encoded(parts []value.Value) (value.Value, error) {
	out := make([]value.Value, len(parts))
	size := 0
	for i, p := range parts {
		o := value.NewObject(p.AsObject().Len())
		for name, v := range p.AsObject().All() {
			if v.Kind() == value.Blob {
				data, err := r.server.Blob(v.AsBlob())
				if err != nil {
					return value.NullValue, err
				}
				if size += len(data); size > mostRecorded {
					return value.NullValue, errors.New("it is too large for a test")
				}
				v = value.OfString(base64.StdEncoding.EncodeToString(data))
			}
			o.Set(name, v)
		}
		out[i] = value.OfObject(o)
	}
	return value.OfList(out), nil
}

// failed notes a call that got no answer. What only says that the server cannot be
// reached is no mock.
func (r *recording) failed(c *call, e *engine.CallError) {
	switch e.Kind {
	case engine.KindProtocol, engine.KindRateLimit, engine.KindLimit, engine.KindDeclined:
	default:
		r.problems = append(r.problems, Failure{At: diag.RangeOf(r.test.Syntax.Header), Message: fmt.Sprintf("The call of %s by step %s cannot be recorded. %s", c.name(), c.step, sentence(e.Message))})
		return
	}
	t := r.begin(c)
	o := value.NewObject(3)
	o.Set("kind", value.OfString(string(e.Kind)))
	o.Set("message", value.OfString(e.Message))
	if e.Code != nil {
		o.Set("code", value.OfInt(int64(*e.Code)))
	}
	t.add("error", expression(value.OfObject(o), 2))
	r.note(t)
}

func (r *recording) note(t taken) {
	t.says = strings.Join(t.lines, "\n")
	r.taken = append(r.taken, t)
}

// withoutTexts is a value with a sign in place of its texts.
func withoutTexts(v value.Value) value.Value {
	switch v.Kind() {
	case value.String:
		return value.OfString(masked)
	case value.List:
		items := slices.Clone(v.AsList())
		for i := range items {
			items[i] = withoutTexts(items[i])
		}
		return value.OfList(items)
	case value.Object:
		o := value.NewObject(v.AsObject().Len())
		for name, e := range v.AsObject().All() {
			o.Set(name, withoutTexts(e))
		}
		return value.OfObject(o)
	}
	return v
}

// blocks are the mocks of what was recorded: one for each call of the same tool with the
// same arguments and answer. Where the same call was answered otherwise later, each
// answer is for as many calls as it was given to, and the last for all others.
func (r *recording) blocks() []string {
	type group struct {
		taken
		times int
		last  bool
	}
	var groups []group
	for _, t := range r.taken {
		same := func(g group) bool { return g.source == t.source && g.tool == t.tool && g.args == t.args }
		last := -1
		for i := range groups {
			if same(groups[i]) && groups[i].last {
				last = i
			}
		}
		switch {
		case last >= 0 && groups[last].says == t.says:
			groups[last].times++
			continue
		case last >= 0:
			groups[last].last = false
		}
		groups = append(groups, group{t, 1, true})
	}
	var out []string
	for _, g := range groups {
		if !g.last {
			g.lines = append([]string{fmt.Sprintf("times = %d", g.times)}, g.lines...)
		}
		out = append(out, g.text())
	}
	return out
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// edits are the changes of the file: mocks that were recorded before go, and new ones
// come behind the last mock that stays, or before the first other block.
func (r *recording) edits() (out []edit, mocks int) {
	y := r.test.Syntax
	at := -1 // where a line begins
	for _, m := range y.Mocks {
		if !r.replaces(m) {
			at = r.lineEnd(m.Range.End.Byte)
			continue
		}
		start, end := r.lineStart(m.Range.Start.Byte), r.lineEnd(m.Range.End.Byte)
		if above := r.lineStart(max(start-1, 0)); above < start && len(bytes.TrimSpace(r.source[above:start])) == 0 {
			start = above
		}
		out = append(out, edit{start: start, end: end})
	}
	blocks := r.blocks()
	if len(blocks) == 0 {
		return out, 0
	}
	text := strings.Join(blocks, "\n")
	switch next := r.firstOther(); {
	case at >= 0:
		text = "\n" + text
	case next >= 0:
		at = r.lineStart(next)
		text += "\n"
		if above := r.source[r.lineStart(max(at-1, 0)):at]; len(bytes.TrimSpace(above)) > 0 {
			text = "\n" + text
		}
	case r.lineStart(y.Range.Start.Byte) == r.lineStart(y.Range.End.Byte-1):
		// A block on one line has one attribute and nothing else.
		if brace := bytes.IndexByte(r.source[y.Header.End.Byte:], '{'); brace >= 0 {
			at = y.Header.End.Byte + brace + 1
			out = append(out, edit{at, at, "\n "})
		}
		at, text = y.Range.End.Byte-1, "\n\n"+text
	default:
		at = r.lineStart(y.Range.End.Byte - 1)
		text = "\n" + text
	}
	if bytes.Contains(r.source, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return append(out, edit{at, at, text}), len(blocks)
}

// firstOther is where the first block of the test that is no mock begins, with the
// comments above it; -1: there is none.
func (r *recording) firstOther() int {
	y := r.test.Syntax
	first := -1
	note := func(b syntax.Block) {
		if first < 0 || b.Range.Start.Byte < first {
			first = b.Range.Start.Byte
		}
	}
	for _, a := range y.Answers {
		note(a.Block)
	}
	if y.Expect != nil {
		note(y.Expect.Block)
	}
	for _, a := range y.Asserts {
		note(a.Block)
	}
	for first > 0 {
		start := r.lineStart(first)
		above := r.lineStart(max(start-1, 0))
		if start == 0 || !bytes.HasPrefix(bytes.TrimSpace(r.source[above:start]), []byte("#")) {
			break
		}
		first = above
	}
	return first
}

func (r *recording) lineStart(at int) int { return bytes.LastIndexByte(r.source[:at], '\n') + 1 }

// lineEnd is behind the line end of the line that at is in.
func (r *recording) lineEnd(at int) int {
	if i := bytes.IndexByte(r.source[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(r.source)
}

// apply makes edits that do not overlap.
func apply(src []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, src[at:max(e.start, at)]...)
		out = append(out, e.text...)
		at = max(e.end, at)
	}
	return append(out, src[at:]...)
}
