package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/runner/service"
)

// follower keeps a host up with the files of its project: what they say counts for what
// is begun from then on. While a file cannot be read as what it is, what was served
// before is served on.
type follower struct {
	host *service.Host
	load func() (*project.Project, error)
	log  *slog.Logger
	then func(context.Context) // what is to be done when the host has other files
	data string                // the host's folder, absolute: it is written all the time

	watcher *fsnotify.Watcher
}

// start begins to follow p, until ctx is done or stop is called, which waits for the end.
// Where files cannot be watched the log says so, and the host stays with what it has.
func (f *follower) start(ctx context.Context, p *project.Project) (stop func()) {
	w, err := fsnotify.NewWatcher()
	if err == nil {
		err = watchFolders(w, p.Root)
	}
	if err != nil {
		f.log.Warn("the project's files are not watched: start again when they have changed", "why", err.Error())
		if w != nil {
			_ = w.Close()
		}
		return func() {}
	}
	f.watcher = w
	f.leaveData()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer w.Close()
		f.follow(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// leaveData ends to watch the host's own folder, where that is in the project.
func (f *follower) leaveData() {
	for _, folder := range f.watcher.WatchList() {
		if below(folder, f.data) {
			_ = f.watcher.Remove(folder)
		}
	}
}

func (f *follower) follow(ctx context.Context) {
	settled := time.NewTimer(time.Hour)
	settled.Stop()
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-settled.C:
			f.reload(ctx)
		case err := <-f.watcher.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				settled.Reset(quiet) // something has changed, and much of it
				continue
			}
			f.log.Warn("the project's files are not watched any more: start again when they have changed", "why", err.Error())
			return
		case ev := <-f.watcher.Events:
			if !f.concerns(ev) {
				continue
			}
			if ev.Op.Has(fsnotify.Create) {
				// A folder may hold files by now, which nothing else tells of.
				if err := watchFolders(f.watcher, ev.Name); err != nil {
					f.log.Warn("a folder of the project is not watched", "why", err.Error())
				}
			}
			settled.Reset(quiet)
		}
	}
}

// concerns reports whether the project may be another one after an event: runs may
// write files of any kind beside its own.
func (f *follower) concerns(ev fsnotify.Event) bool {
	if ev.Op == fsnotify.Chmod || ignored(filepath.Base(ev.Name)) || ev.Name == f.data {
		return false
	}
	switch filepath.Ext(ev.Name) {
	case ".hcl", ".wfi":
		return true
	case ".json":
		return filepath.Base(filepath.Dir(ev.Name)) == "catalog"
	case "": // a folder, perhaps
		return !ev.Op.Has(fsnotify.Write) || f.isRead(ev.Name)
	}
	return f.isRead(ev.Name)
}

// isRead reports whether an expression reads a file.
func (f *follower) isRead(path string) bool {
	name, err := filepath.Rel(f.host.Root(), path)
	return err == nil && slices.Contains(f.host.Reads(), filepath.ToSlash(name))
}

// reload has the host take the files as they are, unless they have mistakes by which
// some of what there was would be missing.
func (f *follower) reload(ctx context.Context) {
	p, err := f.load()
	if err == nil && p.Diagnostics.HasErrors() {
		err = errors.New(strings.TrimSuffix(firstMistake(p), "."))
	}
	if err != nil {
		f.log.Warn("the project's files have mistakes; what was there before stays in use", "why", err.Error())
		return
	}
	if err := f.host.Reload(ctx); err != nil {
		f.log.Warn("the project's files cannot be loaded", "why", err.Error())
		return
	}
	f.log.Info("the project's files have changed")
	f.then(ctx)
}

// firstMistake says the first that is wrong with the files of a project.
func firstMistake(p *project.Project) string {
	for _, d := range p.Diagnostics {
		if d.Severity == diag.Error {
			return fmt.Sprintf("%s:%d: %s", d.Range.File, d.Range.Start.Line, d.Detail)
		}
	}
	return ""
}
