package journal

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// The figures of DURABILITY are over events of 400 bytes.
var event400 = Event{Node: "search", Attempt: 1, Data: NodeCompleted{
	Result: json.RawMessage(`{"text":"` + strings.Repeat("x", 330) + `"}`),
}}

// BenchmarkOpen is in the way of every `wfc run`.
func BenchmarkOpen(b *testing.B) {
	b.Run("new", func(b *testing.B) {
		root := b.TempDir()
		for i := 0; b.Loop(); i++ {
			s, err := Open(b.Context(), filepath.Join(root, fmt.Sprint(i)), Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			_ = s.Close()
			b.StartTimer()
		}
	})
	b.Run("existing", func(b *testing.B) {
		dir := filepath.Join(b.TempDir(), ".wfc")
		s := open(b, dir, Options{})
		finishedRun(b, s)
		_ = s.Close()
		for b.Loop() {
			s, err := Open(b.Context(), dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			_ = s.Close()
			b.StartTimer()
		}
	})
	b.Run("run of one read", func(b *testing.B) { // all that a cold `wfc run` asks of the journal
		dir := filepath.Join(b.TempDir(), ".wfc")
		_ = open(b, dir, Options{}).Close()
		for b.Loop() {
			s, err := Open(b.Context(), dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			finishedRun(b, s)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAppend is the cost of events that nobody waits for.
func BenchmarkAppend(b *testing.B) {
	r := newRun(b, open(b, filepath.Join(b.TempDir(), ".wfc"), Options{}))
	for b.Loop() {
		if err := r.Append(event400); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.Barrier(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCommit is one event a wait, by so many writers at once.
func BenchmarkCommit(b *testing.B) {
	for _, durability := range []Durability{Disk, Process} {
		for _, writers := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/%d", [...]string{"disk", "process"}[durability], writers), func(b *testing.B) {
				r := newRun(b, open(b, filepath.Join(b.TempDir(), ".wfc"), Options{Durability: durability}))
				var left atomic.Int64
				left.Store(int64(b.N))
				var all sync.WaitGroup
				b.ResetTimer()
				for range writers {
					all.Go(func() {
						for left.Add(-1) >= 0 {
							if err := r.Commit(b.Context(), event400); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}
