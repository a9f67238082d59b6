package journal

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lda-wf/wfc/lang/value"
)

// Names in the folder of an exported run.
const (
	exportRun     = "run.json"
	exportPlan    = "plan.json"
	exportEvents  = "events.ndjson"
	exportOutputs = "outputs.json"
	exportError   = "error.json"
	exportBlobs   = "blobs"
)

// ExportOptions of [Store.Export].
type ExportOptions struct {
	// Sensitive: what is encrypted is written in the clear; else "(sensitive)" stands in its place.
	Sensitive bool
}

// Export writes a run into the folder dir, which must not be there and is there
// whole or not at all: run.json (what `wfc runs show --json` prints), plan.json,
// events.ndjson (the history, one JSON object a line), outputs.json of a completed
// run or error.json of a failed one, and the blobs that any of them names, as files
// with the endings of their media types. A blob's handle in them has the
// attribute "file", its path within dir. The files are their owner's alone: 0600.
func (s *Store) Export(ctx context.Context, id RunID, dir string, opts ExportOptions) error {
	if _, err := os.Lstat(dir); err == nil {
		return failure(ErrMisplaced, nil, "%s is there already. Name a folder that is not, or remove it.", dir)
	}
	rec, err := s.Run(ctx, string(id))
	if err != nil {
		return err
	}
	return s.exportInto(dir, func(tmp string) error {
		e := &exporter{s: s, ctx: ctx, dir: tmp, opts: opts, files: map[string]string{}}
		return e.export(rec)
	})
}

// Folder returns the folder of a run that has ended, runs/ID beside the journal, and
// makes it where it is not there: with outputs.json or error.json, and the blobs
// that the outputs have, as [Store.Export] writes them. What is sensitive is not in it.
// [Store.Prune] removes it with the run.
func (s *Store) Folder(ctx context.Context, id RunID) (dir string, err error) {
	if !isID(string(id)) {
		return "", s.notFound(string(id))
	}
	dir = s.folder(id)
	if _, err := os.Lstat(dir); err == nil {
		return dir, nil
	}
	ended, err := s.endOf(ctx, id)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", exportFailure(dir, err)
	}
	err = s.exportInto(dir, func(tmp string) error {
		e := &exporter{s: s, ctx: ctx, dir: tmp, files: map[string]string{}}
		p, _ := ended.Data.(RunFinished)
		var outputs json.RawMessage
		if p.Status == Completed {
			if outputs, err = e.plain(shown(ended, p.Outputs)); err != nil {
				return err
			}
		}
		return e.ends(outputs, p.Error)
	})
	if errors.Is(err, fs.ErrExist) {
		err = nil // another process was faster
	}
	return dir, err
}

// noteEnd keeps the last event of a run that was committed, if it is among k. To
// read it again takes a connection of its own, which a short run has no other use for.
func (s *Store) noteEnd(k work) {
	for _, r := range k.records {
		if _, ends := r.event.Data.(RunFinished); !ends || k.run == nil {
			continue
		}
		k.run.finished.Store(true)
		if !r.event.Sensitive {
			s.mu.Lock()
			s.lastEnd = &ending{k.run.id, r.event}
			s.mu.Unlock()
		}
	}
}

// ending is how a run ended.
type ending struct {
	run   RunID
	event Event
}

// endOf returns the last event of a run.
func (s *Store) endOf(ctx context.Context, id RunID) (ended Event, err error) {
	s.mu.Lock()
	last := s.lastEnd
	s.mu.Unlock()
	if last != nil && last.run == id {
		return last.event, nil
	}
	err = s.snapshot(ctx, func(q querier) error {
		var seq sql.NullInt64
		err := q.QueryRowContext(ctx, `SELECT finished_seq FROM runs WHERE id = ?`, string(id)).Scan(&seq)
		switch {
		case err == sql.ErrNoRows:
			return s.notFound(string(id))
		case err != nil:
			return err
		case !seq.Valid:
			return failure(ErrNotFound, nil, "The run %s has not ended, so it has no folder yet.", id)
		}
		ended, err = s.event(ctx, q, `seq = ?`, seq.Int64)
		return err
	})
	return ended, err
}

// folder is where the folder of a run is.
func (s *Store) folder(id RunID) string { return filepath.Join(s.dir, runsName, string(id)) }

// exportInto makes the folder dir of what fill writes into another one, wholly or not at all.
func (s *Store) exportInto(dir string, fill func(tmp string) error) (err error) {
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".wfc-export-*") // 0700
	if err != nil {
		return exportFailure(dir, err)
	}
	if err = fill(tmp); err == nil {
		err = os.Rename(tmp, dir)
	}
	if err == nil {
		return nil
	}
	_ = os.RemoveAll(tmp)
	var ours *Error
	if errors.As(err, &ours) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return exportFailure(dir, err)
}

func exportFailure(dir string, cause error) *Error {
	var at *fs.PathError
	if errors.As(cause, &at) {
		cause = at.Err // the path is of a folder that nobody knows
	}
	return failure(ErrIO, cause, "The run cannot be written to %s: %v.", dir, cause)
}

// exporter writes one run.
type exporter struct {
	s     *Store
	ctx   context.Context
	dir   string
	opts  ExportOptions
	files map[string]string // of the blobs, by their digests
}

func (e *exporter) export(rec *RunRecord) error {
	plan, err := e.s.Plan(e.ctx, rec.PlanDigest)
	if err != nil {
		return err
	}
	if err := e.write(exportPlan, plan); err != nil {
		return err
	}
	if err := e.events(rec); err != nil {
		return err
	}
	for _, raw := range []*json.RawMessage{&rec.Inputs, &rec.Outputs} {
		if *raw, err = e.plain(*raw); err != nil {
			return err
		}
	}
	if err := e.indented(exportRun, rec); err != nil {
		return err
	}
	return e.ends(rec.Outputs, rec.Error)
}

// ends writes how a run ended; both are nil where it has not.
func (e *exporter) ends(outputs json.RawMessage, failed *Failure) error {
	switch {
	case outputs != nil:
		return e.indented(exportOutputs, outputs)
	case failed != nil:
		return e.indented(exportError, failed)
	}
	return nil
}

// MarshalJSON returns the event as a line of the history of an exported run, the
// bytes of blobs left out.
func (e Event) MarshalJSON() ([]byte, error) {
	body := e.Data.body()
	if e.Sensitive {
		body = json.RawMessage(`"` + hidden + `"`)
	} else if v, err := value.ParseStored(body); err == nil {
		body = value.AppendJSON(nil, v)
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	err := to.Encode(e.exported(body))
	return b.Bytes(), err
}

func (e Event) exported(body json.RawMessage) exported {
	return exported{e.Seq, e.Time.Format("2006-01-02T15:04:05.000000Z"), e.Kind(), e.Node, keyOf(e.Instance), e.Attempt, e.Data, body}
}

// exported is a line of events.ndjson.
type exported struct {
	Seq     int64           `json:"seq"`
	Time    string          `json:"time"`
	Event   EventKind       `json:"event"`
	Step    string          `json:"step,omitempty"`
	Key     json.RawMessage `json:"key,omitempty"`
	Attempt int             `json:"attempt,omitempty"`
	Data    Payload         `json:"data"`
	// Body is the inputs, the result or the outputs, as the engine has them.
	Body json.RawMessage `json:"body,omitempty"`
}

// events writes the history, and takes from it what rec lacks of what is sensitive.
func (e *exporter) events(rec *RunRecord) (err error) {
	file, err := e.create(exportEvents)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriter(file)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for ev, err := range e.s.events(e.ctx, rec.Run, e.opts.Sensitive) {
		if err != nil {
			return err
		}
		body := ev.Data.body()
		if ev.Sensitive && e.opts.Sensitive {
			switch p := ev.Data.(type) {
			case RunCreated:
				rec.Inputs = body
			case RunFinished:
				rec.Outputs, rec.Error = body, p.Error
			}
		} else if ev.Sensitive {
			body = json.RawMessage(`"` + hidden + `"`)
		}
		if body, err = e.plain(body); err != nil {
			return err
		}
		if err := lines.Encode(ev.exported(body)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// plain returns a value in stored form as JSON in which a blob's handle names its
// file, which it writes. What is not in stored form stays as it is.
func (e *exporter) plain(stored json.RawMessage) (json.RawMessage, error) {
	if stored == nil {
		return nil, nil
	}
	v, err := value.ParseStored(stored)
	if err != nil {
		return stored, nil
	}
	if v, err = e.withFiles(v); err != nil {
		return nil, err
	}
	return value.AppendJSON(nil, v), nil
}

// withFiles returns v with objects in place of blobs.
func (e *exporter) withFiles(v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Blob:
		return e.blob(v.AsBlob())
	case value.List:
		list := make([]value.Value, len(v.AsList()))
		for i, el := range v.AsList() {
			var err error
			if list[i], err = e.withFiles(el); err != nil {
				return v, err
			}
		}
		return value.OfList(list), nil
	case value.Object:
		obj := value.NewObject(v.AsObject().Len())
		for k, a := range v.AsObject().All() {
			a, err := e.withFiles(a)
			if err != nil {
				return v, err
			}
			obj.Set(k, a)
		}
		return value.OfObject(obj), nil
	}
	return v, nil
}

func (e *exporter) blob(b *value.BlobValue) (value.Value, error) {
	name, written := e.files[b.SHA256]
	if !written {
		data, err := e.s.Blob(e.ctx, b.SHA256)
		if err != nil {
			return value.NullValue, err
		}
		name = exportBlobs + "/" + b.SHA256 + extensionOf(b.MIMEType)
		if err := os.Mkdir(filepath.Join(e.dir, exportBlobs), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return value.NullValue, err
		}
		if err := e.write(filepath.FromSlash(name), data); err != nil {
			return value.NullValue, err
		}
		e.files[b.SHA256] = name
	}
	obj := value.NewObject(4)
	obj.Set("mime_type", value.OfString(b.MIMEType))
	obj.Set("size", value.OfInt(b.Size))
	obj.Set("sha256", value.OfString(b.SHA256))
	obj.Set("file", value.OfString(name))
	return value.OfObject(obj), nil
}

func (e *exporter) create(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(e.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (e *exporter) write(name string, data []byte) error {
	file, err := e.create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// indented writes v as JSON for people.
func (e *exporter) indented(name string, v any) error {
	file, err := e.create(name)
	if err != nil {
		return err
	}
	w := json.NewEncoder(file)
	w.SetEscapeHTML(false)
	w.SetIndent("", "  ")
	return errors.Join(w.Encode(v), file.Close())
}
