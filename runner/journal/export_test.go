package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestExportedRun(t *testing.T) {
	root := t.TempDir()
	s := open(t, filepath.Join(root, ".wfc"), Options{Keys: KeyFile(filepath.Join(root, "key"))})
	r := newRun(t, s)
	sum, err := s.PutBlob(t.Context(), []byte("\x89PNG"))
	must(t, err)
	image := `{"$blob":{"mime_type":"image/png","size":4,"sha256":"` + sum + `"}}`
	must(t, r.Commit(t.Context(),
		Event{Node: "a", Attempt: 1, Data: NodeStarted{Repeatable: true}},
		Event{Node: "a", Attempt: 1, Data: NodeCompleted{Result: json.RawMessage(`{"output":[` + image + `,{"$$blob":1.50}],"text":"<é&>"}`)}},
		Event{Node: "b", Sensitive: true, Data: NodeCompleted{Result: json.RawMessage(`"confidential"`)}},
		Event{Node: "each", Instance: `"de"`, Attempt: 1, Data: NodeFailed{Kind: "tool", Message: "No."}},
		Event{Data: RunFinished{Status: Completed, Outputs: json.RawMessage(`{"picture":` + image + `}`)}},
	))
	must(t, r.Close())
	dir := filepath.Join(root, "exported")
	must(t, s.Export(t.Context(), r.ID(), dir, ExportOptions{}))

	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		return string(data)
	}
	file := "blobs/" + sum + ".png"
	if got := read(file); got != "\x89PNG" {
		t.Errorf("the blob is %q", got)
	}
	var outputs struct {
		Picture struct {
			File   string
			SHA256 string
			Size   int
		}
	}
	must(t, json.Unmarshal([]byte(read("outputs.json")), &outputs))
	if outputs.Picture.File != file || outputs.Picture.SHA256 != sum || outputs.Picture.Size != 4 {
		t.Errorf("outputs.json has %+v", outputs)
	}
	if got := read("plan.json"); got != string(testPlan) {
		t.Errorf("plan.json is %s", got)
	}
	var run struct {
		Run    RunID
		Status Status
		Steps  []struct{ Step, State string }
	}
	must(t, json.Unmarshal([]byte(read("run.json")), &run))
	if run.Run != r.ID() || run.Status != Completed || len(run.Steps) != 3 || run.Steps[2].State != "error" {
		t.Errorf("run.json has %+v", run)
	}
	var lines []string
	for scan := bufio.NewScanner(strings.NewReader(read("events.ndjson"))); scan.Scan(); {
		lines = append(lines, scan.Text())
	}
	if len(lines) != 6 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, want := range []string{
		`"event":"run.created","data":{"plan_digest":"digest of the plan","workflow":"triage"},"body":{"repo":"a/b"}}`,
		`"event":"node.started","step":"a","attempt":1,"data":{"repeatable":true}}`,
		`"event":"node.completed","step":"a","attempt":1,"data":{},"body":{"output":[{"mime_type":"image/png","size":4,"sha256":"` + sum + `","file":"` + file + `"},{"$blob":1.50}],"text":"<é&>"}}`,
		`"event":"node.completed","step":"b","data":{},"body":"(sensitive)"}`,
		`"event":"node.failed","step":"each","key":"de","attempt":1,"data":{"kind":"tool","message":"No."}}`,
		`"event":"run.finished",`,
	} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %s, want in it %s", i, lines[i], want)
		}
	}
	if bytes.Contains(everyByte(t, dir), []byte("confidential")) {
		t.Error("what is sensitive was exported")
	}
	if runtime.GOOS != "windows" {
		for _, path := range []string{dir, filepath.Join(dir, "run.json"), filepath.Join(dir, file)} {
			info, err := os.Stat(path)
			must(t, err)
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %o", path, info.Mode().Perm())
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(root, ".wfc-export-*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}

	must(t, s.Export(t.Context(), r.ID(), dir+"-open", ExportOptions{Sensitive: true}))
	if !bytes.Contains(everyByte(t, dir+"-open"), []byte("confidential")) {
		t.Error("what is sensitive was not exported where that was asked for")
	}
}

func TestASensitiveRunIsExported(t *testing.T) {
	s := openWithKey(t)
	r, err := s.CreateRun(t.Context(), NewRun{
		Plan: testPlan, PlanDigest: "d", Workflow: "w", Inputs: json.RawMessage(`{"a":1}`), Previous: json.RawMessage(`{"b":2}`), Sensitive: true,
	})
	must(t, err)
	must(t, r.Commit(t.Context(), Event{Sensitive: true, Data: RunFinished{Status: Failed, Error: &Failure{Kind: "tool", Message: "No."}}}))
	for name, c := range map[string]struct {
		opts ExportOptions
		want []string
	}{
		"hidden": {ExportOptions{}, []string{`"inputs": "(sensitive)"`, `"message": "(sensitive)"`}},
		"open":   {ExportOptions{Sensitive: true}, []string{`"a": 1`, `"message": "No."`, `"previous":{"b":2}`}},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		must(t, s.Export(t.Context(), r.ID(), dir, c.opts))
		all := string(everyByte(t, dir))
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s: it lacks %s", name, want)
			}
		}
	}
}

func TestAFailedRunIsExportedWithItsError(t *testing.T) {
	s := open(t, oldJournal(t), Options{})
	dir := filepath.Join(t.TempDir(), "run")
	must(t, s.Export(t.Context(), "06bgfnhm-28z2", dir, ExportOptions{}))
	got, err := os.ReadFile(filepath.Join(dir, "error.json"))
	must(t, err)
	if want := "{\n  \"kind\": \"tool\",\n  \"message\": \"It did not work.\",\n  \"step\": \"each\",\n  \"key\": 0\n}\n"; string(got) != want {
		t.Errorf("error.json is %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "outputs.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("outputs.json: %v", err)
	}
}

func TestWhatCannotBeExported(t *testing.T) {
	s := openNew(t)
	finishedRun(t, s)
	runs, err := s.Runs(t.Context(), Filter{})
	must(t, err)
	there := t.TempDir()
	for _, c := range []struct {
		name, dir string
		run       RunID
		reason    error
		says      string
	}{
		{"into a folder that is there", there, runs[0].Run, ErrMisplaced, there + " is there already"},
		{"into a folder of a folder that is not", filepath.Join(there, "a", "b"), runs[0].Run, ErrIO, "cannot be written to " + filepath.Join(there, "a", "b")},
		{"a run that is not there", filepath.Join(there, "c"), "06d3k7mx-x2f9", ErrNotFound, "There is no run"},
	} {
		if err := s.Export(t.Context(), c.run, c.dir, ExportOptions{}); !errors.Is(err, c.reason) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if left, err := os.ReadDir(there); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestEndingsOfFiles(t *testing.T) {
	for kind, want := range map[string]string{
		"image/png": ".png", "IMAGE/JPEG": ".jpg", "text/html; charset=utf-8": ".html", "application/vnd.api+json": ".json",
		"image/svg+xml": ".svg", "text/x-unheard-of": ".txt", "": ".bin", "no type": ".bin", "../../x": ".bin", "application/octet-stream": ".bin",
	} {
		if got := extensionOf(kind); got != want {
			t.Errorf("%q: %s, want %s", kind, got, want)
		}
	}
}

func TestTheFolderOfARun(t *testing.T) {
	s := openWithKey(t)
	end := func(sensitive bool, p RunFinished) (RunID, string) {
		r := newRun(t, s)
		if _, err := s.Folder(t.Context(), r.ID()); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "has not ended") {
			t.Errorf("of a run that goes on: %v", err)
		}
		must(t, r.Commit(t.Context(), Event{Sensitive: sensitive, Data: p}))
		must(t, r.Close())
		var dir string
		for range 2 { // the second time it is there
			var err error
			dir, err = s.Folder(t.Context(), r.ID())
			must(t, err)
		}
		return r.ID(), dir
	}
	sum, err := s.PutBlob(t.Context(), []byte("a,b"))
	must(t, err)
	table := json.RawMessage(`{"table":{"$blob":{"mime_type":"text/csv","size":3,"sha256":"` + sum + `"}}}`)
	id, dir := end(false, RunFinished{Status: Completed, Outputs: table})
	_, failed := end(false, RunFinished{Status: Failed, Error: &Failure{Kind: "tool", Message: "No."}})
	_, hiddenDir := end(true, RunFinished{Status: Completed, Outputs: json.RawMessage(`{"a":"confidential"}`)})
	for path, want := range map[string]string{
		filepath.Join(dir, "outputs.json"):       `"file": "blobs/` + sum + `.csv"`,
		filepath.Join(dir, "blobs", sum+".csv"):  "a,b",
		filepath.Join(failed, "error.json"):      `"message": "No."`,
		filepath.Join(hiddenDir, "outputs.json"): `"(sensitive)"`,
	} {
		got, err := os.ReadFile(path)
		must(t, err)
		if !strings.Contains(string(got), want) {
			t.Errorf("%s is %s", path, got)
		}
	}
	if want := filepath.Join(s.dir, "runs", string(id)); dir != want {
		t.Errorf("it is %s, want %s", dir, want)
	}
	_, err = s.Prune(t.Context(), Prune{})
	must(t, err)
	left, err := os.ReadDir(filepath.Join(s.dir, "runs"))
	must(t, err)
	if len(left) != 1 { // that of the last completed one
		t.Errorf("left are %v", left)
	}
}
