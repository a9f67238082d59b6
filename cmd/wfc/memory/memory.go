// Package memory sets, for a process that imports it, when garbage is collected. It has
// no names: all of it happens when the package is initialised, which is before those
// are that make the most garbage by it. Of wfc it imports nothing.
package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// most is how much the process may use, in bytes, before garbage is collected at
	// all costs. A check of 1,000 files has 80 MB in use at its end and is done in it,
	// whatever else the machine does; its peak is 30 MB higher.
	most = 190 << 20
	// much is how much may be in use at most, in bytes, with that limit. With
	// more, garbage would be collected all the time.
	much = 120 << 20
	// room is by how much more than what is in use it may be then, in percent.
	room = 135
	// gcPercent is the same of less than the limit.
	gcPercent = 400
)

// Packages are initialised in the order of their paths, as far as their imports allow, so
// that this one comes before the validator of JSON Schemas, which compiles a dozen of
// them then: with the percentage that is usual that alone takes a collection, a
// millisecond of every process.
func init() { limit() }

// limit sets when garbage is collected, unless GOGC or GOMEMLIMIT do.
//
// While garbage is collected nothing that is new counts as garbage, so that a busy
// machine, on which that takes longer, needs more memory. A limit keeps to what
// it is, where a percentage alone does not; but below what is in use it would
// collect all the time.
func limit() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(most)
	afterCollection(func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		most := int64(most)
		if used := int64(live[0].Value.Uint64()); used > much {
			most = used * (100 + room) / 100
		}
		debug.SetMemoryLimit(most)
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
