package engine

import (
	"context"
	"math"
	"sync"
	"time"
)

// showWithin is how long an event may wait to become durable before the watcher
// asks for it. The journal gathers for as long, so that asking then costs no
// commit that would not come anyway.
const showWithin = 50 * time.Millisecond

// restFor is how long the watcher rests after it has told something: nobody sees the
// difference, and a chain of quick steps is not interrupted after each of them.
const restFor = 10 * time.Millisecond

// watcher tells events in order, from its own goroutine, each when what was
// journalled before it is durable. It makes a run wait for nothing but that its begin
// is told, and forces no commit for each event only to show it.
type watcher struct {
	tell    func(Event)
	barrier func(context.Context) (uint64, error)
	wake    chan struct{} // holds one when there is something to look at
	done    chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	queue   []queued
	reached uint64 // events of the journal that are durable
	resting bool   // it looks by itself when it has rested
	ending  bool
}

type queued struct {
	event Event
	after uint64 // told when so many events of the journal are durable
}

func newWatcher(tell func(Event), barrier func(context.Context) (uint64, error)) *watcher {
	return &watcher{tell: tell, barrier: barrier, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// start tells of the run's begin, whose journal is durable, and starts the goroutine,
// which stop ends. That a run goes on, and its id, is known before anything that it
// does can be seen elsewhere: a log message of a server, or the end of this process.
func (w *watcher) start(begin ...Event) {
	for _, ev := range begin {
		w.tell(ev)
	}
	go w.loop()
}

// push queues an event that may be told once `after` events of the journal are durable.
func (w *watcher) push(ev Event, after uint64) {
	w.mu.Lock()
	// One that has to wait behind others changes nothing for the watcher now.
	news := len(w.queue) == 0 || after <= w.reached
	w.queue = append(w.queue, queued{ev, after})
	news = news && !w.resting
	w.mu.Unlock()
	if news {
		w.signal()
	}
}

// durable says that n events of the journal are durable.
func (w *watcher) durable(n uint64) {
	w.mu.Lock()
	w.reached = max(w.reached, n)
	news := len(w.queue) > 0 && !w.resting
	w.mu.Unlock()
	if news {
		w.signal()
	}
}

// stop ends the watcher and waits for it. all says that everything is durable;
// else what is not known to be durable is not told.
func (w *watcher) stop(all bool) {
	w.mu.Lock()
	w.ending = true
	if all {
		w.reached = math.MaxUint64
	}
	w.mu.Unlock()
	w.signal()
	<-w.done
}

func (w *watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *watcher) loop() {
	defer close(w.done)
	ask := time.NewTimer(showWithin)
	ask.Stop()
	asking := false
	rest := time.NewTimer(restFor)
	rest.Stop()
	for {
		select {
		case <-w.wake:
		case <-rest.C:
		case <-ask.C:
			asking = false
			n, err := w.barrier(context.Background())
			if err != nil {
				// The run learns of it and ends; nothing more becomes durable.
				asking = true
				break
			}
			w.durable(n)
		}
		ready, waiting, ending := w.take()
		for _, q := range ready {
			w.tell(q.event)
		}
		if ending {
			ask.Stop()
			rest.Stop()
			return
		}
		if len(ready) > 0 {
			rest.Reset(restFor)
		}
		if waiting && !asking {
			ask.Reset(showWithin)
			asking = true
		}
	}
}

// take removes what may be told.
func (w *watcher) take() (ready []queued, waiting, ending bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for n < len(w.queue) && w.queue[n].after <= w.reached {
		n++
	}
	ready = w.queue[:n:n]
	w.resting = n > 0
	w.queue = w.queue[n:]
	if len(w.queue) == 0 {
		w.queue = nil // so that what was told can be freed
	}
	return ready, len(w.queue) > 0, w.ending
}
