package service

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/schema"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/redact"
	"github.com/lda-wf/wfc/runtime/content"
)

// Reply is what came of a direct operation: a canonical result (LANGUAGE 5),
// without the values of secrets.
type Reply struct {
	Output  value.Value // null after most failures
	Text    string
	Content []value.Value
	Failure *Failure // nil: the outcome is ok

	structured bool // Output is structured content
	answered   bool
	blobs      map[string][]byte // by SHA-256; nil: there are none
}

// Failure says why an operation failed.
type Failure struct {
	Kind    engine.Kind
	Message string // full sentences that name the connection
	Code    *int   // a JSON-RPC or HTTP code
	InDoubt bool   // it may have taken effect
}

// kind is that of the failure; "": there is none.
func (r *Reply) kind() engine.Kind {
	if r.Failure == nil {
		return ""
	}
	return r.Failure.Kind
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

// Result returns the reply as an object: outcome, output, text, content and error.
// A blob in it is an object of mime_type, size, sha256 and, with bytes, base64.
func (r *Reply) Result(bytes bool) value.Value {
	o := value.NewObject(5)
	outcome := engine.OutcomeOK
	if r.Failure != nil {
		outcome = engine.OutcomeError
	}
	output, parts := r.Output, value.OfList(r.Content)
	if r.blobs != nil {
		output, parts = r.plain(output, bytes), r.plain(parts, bytes)
	}
	o.Set("outcome", value.OfString(string(outcome)))
	o.Set("output", output)
	o.Set("text", value.OfString(r.Text))
	o.Set("content", parts)
	o.Set("error", r.Failure.value())
	return value.OfObject(o)
}

func (f *Failure) value() value.Value {
	if f == nil {
		return value.NullValue
	}
	o := value.NewObject(4)
	o.Set("kind", value.OfString(string(f.Kind)))
	o.Set("message", value.OfString(f.Message))
	if f.Code != nil {
		o.Set("code", value.OfInt(int64(*f.Code)))
	}
	o.Set("in_doubt", value.OfBool(f.InDoubt))
	return value.OfObject(o)
}

// plain returns v with objects in place of its blobs.
func (r *Reply) plain(v value.Value, bytes bool) value.Value {
	switch v.Kind() {
	case value.List:
		out := slices.Clone(v.AsList())
		for i := range out {
			out[i] = r.plain(out[i], bytes)
		}
		return value.OfList(out)
	case value.Object:
		out := value.NewObject(v.AsObject().Len())
		for name, m := range v.AsObject().All() {
			out.Set(name, r.plain(m, bytes))
		}
		return value.OfObject(out)
	case value.Blob:
		b := v.AsBlob()
		out := value.NewObject(4)
		out.Set("mime_type", value.OfString(b.MIMEType))
		out.Set("size", value.OfInt(b.Size))
		out.Set("sha256", value.OfString(b.SHA256))
		if bytes {
			out.Set("base64", value.OfString(base64.StdEncoding.EncodeToString(r.blobs[b.SHA256])))
		}
		return value.OfObject(out)
	}
	return v
}

// reply is what came of an operation. effect says that it may have one.
func (o *direct) reply(result *content.Result, err error, effect bool) *Reply {
	if err != nil {
		f := o.failure(err, effect)
		return &Reply{Failure: f, answered: f.Kind == engine.KindProtocol}
	}
	r := &Reply{Text: o.secrets.Text(result.Text), Content: slices.Clone(result.Parts), answered: true}
	for _, b := range result.Blobs {
		if r.blobs == nil {
			r.blobs = map[string][]byte{}
		}
		data := cleaned(o.secrets, b)
		r.blobs[b.Meta.SHA256] = data
	}
	for i, p := range r.Content {
		r.Content[i] = o.secrets.Value(p)
	}
	if r.Output, r.structured = value.OfString(r.Text), result.Structured != nil; r.structured {
		r.Output = o.secrets.Value(*result.Structured)
	}
	return r
}

// shown is a server's text in a message: people read that, and the whole text is
// in the result.
func shown(text string) string {
	const most = 2000 // bytes
	switch {
	case text == "":
		return ", without a text."
	case len(text) > most:
		cut := most
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		return ": " + text[:cut] + "…"
	}
	return ": " + text
}

// failure says a failure of the runtime as a run would.
func (o *direct) failure(err error, effect bool) *Failure {
	e := callError(o.target, err)
	f := &Failure{Kind: e.Kind, Message: o.secrets.Text(e.Message), Code: e.Code}
	f.InDoubt = effect && !e.Answered && e.Sent != engine.SentNo
	if late := (timedOut{}); errors.As(err, &late) {
		f.Kind = engine.KindTimeout
		f.Message = fmt.Sprintf("%s had no answer within %s and was cancelled.", o.what, late.limit)
		if e.Meanwhile != "" {
			f.Message += " " + o.secrets.Text(e.Meanwhile)
		}
	}
	return f
}

// cleaned returns the bytes of a blob without secrets, and makes what is known of
// the blob that of these.
func cleaned(secrets *redact.Redactor, b content.Blob) []byte {
	data := secrets.Bytes(b.Bytes)
	if len(data) != len(b.Bytes) || len(data) > 0 && &data[0] != &b.Bytes[0] {
		sum := sha256.Sum256(data)
		b.Meta.Size, b.Meta.SHA256 = int64(len(data)), hex.EncodeToString(sum[:])
	}
	return data
}

// withoutSecrets returns JSON without secrets: as it is where it holds none.
func withoutSecrets(secrets *redact.Redactor, raw json.RawMessage) (json.RawMessage, error) {
	text := string(raw)
	if secrets.Text(text) == text {
		return raw, nil
	}
	v, err := value.ParseJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("the result has a secret in it, and cannot be shown without it: %w", err)
	}
	return value.AppendJSON(nil, secrets.Value(v)), nil
}

// compare holds a reply against the snapshot. A result that violates the tool's
// output schema becomes a failure that says so, beside what the server gave.
func (r *Reply) compare(c *compiler.Reach, tool string, snap *catalog.Snapshot) {
	id, t := c.Connection.ID, snap.Tool(tool)
	switch {
	case t == nil && r.Failure != nil && r.answered:
		r.Failure.Message += "\n" + notInSnapshot(id, tool, snap)
	case t == nil || r.Failure != nil || t.OutputSchema == nil || r.blobs != nil || c.Promises(tool):
	default:
		if why := r.broken(t); why != "" {
			r.Failure = &Failure{Kind: engine.KindDecode, Message: fmt.Sprintf(
				"The answer of %s.%s is not what the snapshot says: %s. If the server was updated, take its snapshot anew:\n    wfc catalog refresh %s\nElse it breaks its own word, and connection %s can say what it returns, in tool %q { returns }.",
				id, tool, why, id, id, tool)}
		}
	}
}

// broken says how a result violates the tool's output schema; "": it does not.
func (r *Reply) broken(t *catalog.Tool) string {
	if !r.structured {
		return "it has no structured content, which the tool's output schema promises"
	}
	v, err := schema.Compile(t.OutputSchema)
	if err != nil {
		return "" // the snapshot's problem, which wfc check says
	}
	if err := v.Validate(r.Output); err != nil {
		return "it violates the tool's output schema: " + err.Error()
	}
	return ""
}

// notInSnapshot says which tool was meant where a server refused one that its
// snapshot does not have.
func notInSnapshot(id, tool string, snap *catalog.Snapshot) string {
	if near, ok := nearest.Name(tool, snap.ToolNames()); ok {
		return fmt.Sprintf("The snapshot has no tool %q either. Did you mean %q?", tool, near)
	}
	return fmt.Sprintf("The snapshot has no tool %q either. It has these:\n    wfc catalog show %s", tool, id)
}
