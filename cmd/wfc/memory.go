package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// memory is how much the process may use, in bytes, before garbage is collected at
	// all costs. A check of 1,000 files has 80 MB in use at its end and is done in it,
	// whatever else the machine does; its peak is 30 MB higher.
	memory = 190 << 20
	// muchMemory is how much may be in use at most, in bytes, with that limit. With
	// more, garbage would be collected all the time.
	muchMemory = 120 << 20
	// room is by how much more than what is in use it may be then, in percent.
	room = 135
	// gcPercent is the same of less than the limit.
	gcPercent = 400
)

// limitMemory sets when garbage is collected, unless GOGC or GOMEMLIMIT do.
//
// While garbage is collected nothing that is new counts as garbage, so that a busy
// machine, on which that takes longer, needs more memory. A limit keeps to what
// it is, where a percentage alone does not; but below what is in use it would
// collect all the time.
func limitMemory() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memory)
	afterCollection(func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		limit := int64(memory)
		if used := int64(live[0].Value.Uint64()); used > muchMemory {
			limit = used * (100 + room) / 100
		}
		debug.SetMemoryLimit(limit)
	})
}

// afterCollection calls f after each garbage collection, on the runtime's own goroutine.
func afterCollection(f func()) {
	type garbage struct{ _ *int } // with a pointer, so that it shares its memory with nothing
	var again func(func())
	again = func(f func()) {
		runtime.AddCleanup(new(garbage), again, f)
		f()
	}
	runtime.AddCleanup(new(garbage), again, f)
}

// reserveStack gives the goroutine that calls it room on its stack. A stack grows by
// being copied into one of twice its size, frame by frame, for which the runtime
// reads, from disk at first, what it knows of each function: five times over, that
// takes as long as a small workflow takes to be checked.
//
//go:noinline
func reserveStack(i int) byte {
	var room [48 << 10]byte
	return room[i]
}
