package engine

import (
	"container/heap"
	"time"
)

// timerKind is what a timer ends.
type timerKind uint8

const (
	timerWait     timerKind = iota // a sleep, the time to the next attempt or round
	timerDeadline                  // of a node or an element
	timerTimeout                   // of an attempt to run a child
	timerFrame                     // of a workflow as a whole
)

// timer is a time at which something is to be done.
type timer struct {
	due   time.Time
	at    Addr
	kind  timerKind
	index int // in timers; -1: it is not set
}

// timers are the times that a core waits for, the earliest first.
type timers struct {
	heap  timerHeap
	waits int // those of the kind timerWait
}

// set adds a timer.
func (t *timers) set(due time.Time, at Addr, kind timerKind) *timer {
	x := &timer{}
	t.setAs(x, due, at, kind)
	return x
}

// setAs makes a timer that is not set one that is.
func (t *timers) setAs(x *timer, due time.Time, at Addr, kind timerKind) {
	*x = timer{due: due, at: at, kind: kind}
	heap.Push(&t.heap, x)
	if kind == timerWait {
		t.waits++
	}
}

// stop removes a timer. One that is nil, or not set any more, is fine.
func (t *timers) stop(x *timer) {
	if x == nil || x.index < 0 {
		return
	}
	heap.Remove(&t.heap, x.index)
	if x.kind == timerWait {
		t.waits--
	}
}

// next returns the earliest timer, nil where there is none.
func (t *timers) next() *timer {
	if len(t.heap) == 0 {
		return nil
	}
	return t.heap[0]
}

// timerHeap orders timers by time. Of those of one time the one that was set
// first need not come first: what is done at one time is done side by side.
type timerHeap []*timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.index = -1
	return t
}
