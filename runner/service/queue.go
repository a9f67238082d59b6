package service

import "sync"

// queue says when runs may go on: so many at once, the others one after another. Those
// that wait stand in lines, one for each caller, and the lines take turns, so that who
// starts many runs keeps nobody else waiting.
type queue struct {
	most, mostWaiting int

	mu      sync.Mutex
	going   int
	waiting int
	lines   map[string][]*turn
	order   []string // the lines that are not empty, the next one first
	closed  bool
}

// turn is a run's place in a queue.
type turn struct {
	queue *queue
	line  string
	come  chan struct{} // closed when it is the run's turn
	given bool
}

func (q *queue) open(most, mostWaiting int) {
	q.most, q.mostWaiting, q.lines = most, mostWaiting, map[string][]*turn{}
}

// enter takes a place in a line; ok is false where too many wait.
func (q *queue) enter(line string) (t *turn, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.going >= q.most && q.waiting >= q.mostWaiting {
		return nil, false
	}
	return q.add(line), true
}

// enterAlways is enter for who had a place before.
func (q *queue) enterAlways(line string) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.add(line)
}

func (q *queue) add(line string) *turn {
	t := &turn{queue: q, line: line, come: make(chan struct{})}
	if q.going < q.most {
		q.going++
		close(t.come)
		return t
	}
	if len(q.lines[line]) == 0 {
		q.order = append(q.order, line)
	}
	q.lines[line] = append(q.lines[line], t)
	q.waiting++
	return t
}

// Come is closed when it is the run's turn. It implements [engine.Turn].
func (t *turn) Come() <-chan struct{} { return t.come }

// Give gives the place back, or leaves the line. Twice is fine.
func (t *turn) Give() {
	q := t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.given {
		return
	}
	t.given = true
	select {
	case <-t.come:
		q.going--
		q.next()
	default:
		q.remove(t)
	}
}

// next lets the first of the next line go on.
func (q *queue) next() {
	for q.going < q.most && len(q.order) > 0 && !q.closed {
		line := q.order[0]
		q.order = q.order[1:]
		t := q.lines[line][0]
		q.lines[line] = q.lines[line][1:]
		if len(q.lines[line]) > 0 {
			q.order = append(q.order, line)
		} else {
			delete(q.lines, line)
		}
		q.waiting--
		q.going++
		close(t.come)
	}
}

// remove takes a turn that has not come out of its line.
func (q *queue) remove(t *turn) {
	line := q.lines[t.line]
	for i, other := range line {
		if other != t {
			continue
		}
		q.lines[t.line] = append(line[:i:i], line[i+1:]...)
		q.waiting--
		break
	}
	if len(q.lines[t.line]) > 0 {
		return
	}
	delete(q.lines, t.line)
	for i, name := range q.order {
		if name == t.line {
			q.order = append(q.order[:i:i], q.order[i+1:]...)
			break
		}
	}
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
	return q.going, q.waiting
}
