package service

import (
	"slices"
	"sync"
)

// queue says when runs may go on: so many at once, the others one after another. Those
// that wait stand in lines, one for each caller, and the lines take turns, so that who
// starts many runs keeps nobody else waiting.
type queue struct {
	most, mostWaiting int

	mu     sync.Mutex
	inside int // that have entered and not given their place back
	going  int
	lines  map[string][]*turn // of those that asked, none empty
	order  []string           // the lines, the next one first
	closed bool
}

// turn is a run's place in a queue. It implements engine.Turn.
type turn struct {
	queue *queue
	line  string
	come  chan struct{} // closed when it is the run's turn
	asked bool
	given bool
}

func (q *queue) open(most, mostWaiting int) {
	q.most, q.mostWaiting, q.lines = most, mostWaiting, map[string][]*turn{}
}

// enter takes a place for a run of a line; ok is false where too many are there.
// always is for one that had a place before.
func (q *queue) enter(line string, always bool) (t *turn, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !always && q.inside >= q.most+q.mostWaiting {
		return nil, false
	}
	q.inside++
	return &turn{queue: q, line: line, come: make(chan struct{})}, true
}

// Ask puts the run at the end of its line; what it returns is closed when it is its turn.
func (t *turn) Ask() <-chan struct{} {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.asked || t.given {
		return t.come
	}
	t.asked = true
	if len(q.lines[t.line]) == 0 {
		q.order = append(q.order, t.line)
	}
	q.lines[t.line] = append(q.lines[t.line], t)
	q.next()
	return t.come
}

// Give gives the place back. Twice is fine.
func (t *turn) Give() {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.given {
		return
	}
	t.given = true
	q.inside--
	select {
	case <-t.come:
		q.going--
		q.next()
	default:
		q.remove(t)
	}
}

// next lets the first ones of the next lines go on, as many as may.
func (q *queue) next() {
	for q.going < q.most && len(q.order) > 0 && !q.closed {
		line := q.order[0]
		t := q.lines[line][0]
		q.lines[line] = q.lines[line][1:]
		q.order = q.order[1:]
		if len(q.lines[line]) > 0 {
			q.order = append(q.order, line)
		} else {
			delete(q.lines, line)
		}
		q.going++
		close(t.come)
	}
}

// remove takes a turn that has not come out of its line, if it is there.
func (q *queue) remove(t *turn) {
	line := slices.DeleteFunc(q.lines[t.line], func(other *turn) bool { return other == t })
	if len(line) > 0 {
		q.lines[t.line] = line
		return
	}
	delete(q.lines, t.line)
	q.order = slices.DeleteFunc(q.order, func(name string) bool { return name == t.line })
}

// close lets nobody go on any more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

// count returns how many runs go on and how many wait.
func (q *queue) count() (going, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.going, q.inside - q.going
}
