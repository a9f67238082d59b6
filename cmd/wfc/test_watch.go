package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/lda-wf/wfc/runner/service"
	"github.com/lda-wf/wfc/runner/wftest"
)

// quiet is how long the files of a project stay as they are before its tests run: an
// editor writes one in several steps.
const quiet = 50 * time.Millisecond

// watch runs the tests, and at each change of a file those that it affects, until ctx
// is done.
func (k *testRun) watch(ctx context.Context) error {
	projects, err := k.load()
	if err != nil {
		return failed(err)
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return failed(fmt.Errorf("the project's files cannot be watched: %w", err))
	}
	defer w.Close()
	for _, p := range projects {
		if err := watchFolders(w, p.project.Root); err != nil {
			return failed(err)
		}
	}
	memories := map[string]*wftest.Memory{}
	for {
		if err := k.again(ctx, memories); err != nil {
			return err
		}
		if err := changed(ctx, w); err != nil {
			return err
		}
	}
}

// again runs the tests that the last change affects, and shows them.
func (k *testRun) again(ctx context.Context, memories map[string]*wftest.Memory) error {
	projects, err := k.load()
	if err != nil {
		// It may be in the middle of a change.
		fmt.Fprintf(k.std.err, "wfc: %v\n", err)
		return nil
	}
	report, source := &wftest.Report{}, sources{}
	var others []wftest.Result
	for _, p := range projects {
		m := memories[p.project.Root]
		if m == nil {
			m = &wftest.Memory{}
			memories[p.project.Root] = m
		}
		r, rest := m.Run(ctx, p.project, &p.Selection)
		report.Add(k.named(len(projects), p.project, r, source))
		name, list := namesFromHere(p.project)
		others = append(others, wftest.Renamed(rest, name, list)...)
	}
	switch {
	case ctx.Err() != nil:
		return &exit{code: exitInterrupted}
	case len(report.Results)+len(report.Unreadable) == 0 && len(others) > 0:
		return nil // nothing that the tests see has changed
	}
	var b bytes.Buffer
	if isTerminal(k.std.out) {
		b.WriteString("\x1b[H\x1b[2J\x1b[3J") // the screen, and what was scrolled off it
	}
	if len(report.Results)+len(report.Unreadable)+len(others) == 0 {
		fmt.Fprintf(&b, "%s\n", sentenceOf(k.none()))
	} else if err := report.WriteTextBeside(others, &b, textOptions(k.std.out, source.of)); err != nil {
		return failed(err)
	}
	b.WriteString("\nWaiting for changes; Ctrl-C ends.\n")
	if _, err := k.std.out.Write(b.Bytes()); err != nil {
		return failed(err)
	}
	return nil
}

// sentenceOf is an error as a sentence.
func sentenceOf(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// changed returns when files that tests depend on have changed and stayed so for a
// while.
func changed(ctx context.Context, w *fsnotify.Watcher) error {
	settled := time.NewTimer(time.Hour)
	settled.Stop()
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return &exit{code: exitInterrupted}
		case <-settled.C:
			return nil
		case err := <-w.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				settled.Reset(quiet) // something has changed, and much of it
				continue
			}
			return failed(fmt.Errorf("the project's files cannot be watched any more: %w", err))
		case ev := <-w.Events:
			if ev.Op == fsnotify.Chmod || ignored(filepath.Base(ev.Name)) {
				continue
			}
			if ev.Op.Has(fsnotify.Create) {
				// A folder may hold files by now, which nothing else tells of.
				if err := watchFolders(w, ev.Name); err != nil {
					return failed(err)
				}
			}
			settled.Reset(quiet)
		}
	}
}

// watchFolders watches a folder and those in it. What is no folder, or is gone, is not.
func watchFolders(w *fsnotify.Watcher, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil // it is no folder, or gone again
		case path != root && ignored(d.Name()):
			return fs.SkipDir
		}
		if err := w.Add(path); err != nil {
			return fmt.Errorf("the folder %s cannot be watched: %w", path, err)
		}
		return nil
	})
}

// ignored reports whether a project has nothing in a folder or file of that name.
func ignored(name string) bool {
	return name == service.StateFolder || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~")
}
