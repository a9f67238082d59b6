package journal

import (
	"database/sql/driver"
	"errors"
)

// nodeKey tells the nodes of one run apart.
type nodeKey struct{ node, instance string }

// nodeRow is the projection of a node's events: a row of the table nodes and,
// where wait is set, one of waits.
type nodeRow struct {
	state      State
	attempts   int64
	generation int64
	repeatable bool
	firstSeq   int64
	resultSeq  int64 // 0: none, as with all that follow
	errorSeq   int64
	startedAt  int64
	finishedAt int64
	wait       *waitRow
}

type waitRow struct {
	kind  string
	since int64
	due   int64 // 0: until somebody answers
	seq   int64
}

// apply returns what the row of ev's node is after ev; hasResult says that ev
// carries the result that others see, inline or as a blob. It is the only place
// that says what an event does to a node; ok is false where it does nothing.
func (n nodeRow) apply(ev Event, hasResult bool) (next nodeRow, ok bool) {
	seq := ev.Seq
	at := ev.Time.UnixNano()
	if n.firstSeq == 0 {
		n.firstSeq = seq
	}
	n.attempts = max(n.attempts, int64(ev.Attempt))
	n.wait = nil
	switch p := ev.Data.(type) {
	case NodeStarted:
		n.state, n.generation, n.repeatable = StateRunning, int64(p.Generation), p.Repeatable
		if n.startedAt == 0 {
			n.startedAt = at
		}
		n.resultSeq, n.finishedAt = 0, 0
	case NodeCompleted:
		n.state, n.resultSeq, n.errorSeq, n.finishedAt = StateOK, seq, 0, at
	case NodeFailed:
		n.errorSeq = seq
		if !p.RetryAt.IsZero() {
			n.state = StateWaiting
			n.wait = &waitRow{kind: string(WaitRetry), since: at, due: p.RetryAt.UnixNano(), seq: seq}
			break
		}
		n.state, n.finishedAt = StateError, at
		if hasResult {
			n.resultSeq = seq
		}
	case NodeSkipped:
		n.state, n.finishedAt = StateSkipped, at
		if hasResult {
			n.resultSeq = seq
		}
	case NodeWaiting:
		n.state = StateWaiting
		if p.For == WaitInDoubt {
			n.state = StateInDoubt
		}
		n.wait = &waitRow{kind: string(p.For), since: at, seq: seq}
		if !p.Due.IsZero() {
			n.wait.due = p.Due.UnixNano()
		}
	case NodeResolved:
		n.state = StateRunning // until its next event
	case NodeReset:
		return nodeRow{}, true
	case NodeAnswered:
		// Of one that dies before that nothing is in doubt.
		n.state, n.repeatable = StateRunning, true
	default:
		return n, false
	}
	return n, true
}

// null is how a 0 that means "none" is stored.
func null(n int64) driver.Value {
	if n == 0 {
		return nil
	}
	return n
}

// writeNode stores the row of a node; hadWait says that it had one in waits.
func writeNode(c *conn, run int64, key nodeKey, n *nodeRow, hadWait bool) error {
	if n.state == "" { // it was reset
		_, err := c.exec(`DELETE FROM nodes WHERE run = ? AND node = ? AND instance = ?`, run, key.node, key.instance)
		if err == nil && hadWait {
			_, err = c.exec(`DELETE FROM waits WHERE run = ? AND node = ? AND instance = ?`, run, key.node, key.instance)
		}
		return err
	}
	repeatable := int64(0)
	if n.repeatable {
		repeatable = 1
	}
	_, err := c.exec(`INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		run, key.node, key.instance, string(n.state), n.attempts, n.generation, repeatable,
		n.firstSeq, null(n.resultSeq), null(n.errorSeq), null(n.startedAt), null(n.finishedAt))
	if err != nil {
		return err
	}
	if w := n.wait; w != nil {
		_, err = c.exec(`INSERT OR REPLACE INTO waits VALUES (?, ?, ?, ?, ?, ?, ?)`,
			run, key.node, key.instance, w.kind, w.since, null(w.due), w.seq)
	} else if hadWait {
		_, err = c.exec(`DELETE FROM waits WHERE run = ? AND node = ? AND instance = ?`, run, key.node, key.instance)
	}
	return err
}

// statusAfter returns what the status of a run is after ev. It is the only place
// that says what an event does to a run.
func statusAfter(old Status, ev Event) Status {
	if isFinal(old) {
		return old
	}
	switch p := ev.Data.(type) {
	case RunFinished:
		return p.Status
	case RunWaiting:
		return Waiting
	case RunQueued:
		return Queued
	case RunCreated, RunBegun:
		return Running
	case RunAdopted:
		if old == Queued {
			return Queued
		}
		return Running
	}
	if ev.Node != "" {
		return Running
	}
	return old
}

// finishRun stores the end of a run.
func finishRun(c *conn, run int64, ev Event, status Status) error {
	_, err := c.exec(`UPDATE runs SET status = ?, finished_at = ?, finished_seq = ? WHERE num = ?`,
		string(status), ev.Time.UnixNano(), ev.Seq, run)
	return err
}

// loadNodes reads the projection of a run, for a new owner.
func loadNodes(c *conn, run int64) (map[nodeKey]*nodeRow, error) {
	nodes := map[nodeKey]*nodeRow{}
	err := c.rows(func(row []driver.Value) error {
		integer := func(i int) int64 { n, _ := row[i].(int64); return n }
		n := &nodeRow{
			state: State(row[2].(string)), attempts: integer(3), generation: integer(4), repeatable: integer(5) != 0,
			firstSeq: integer(6), resultSeq: integer(7), errorSeq: integer(8), startedAt: integer(9), finishedAt: integer(10),
		}
		if kind, ok := row[11].(string); ok {
			n.wait = &waitRow{kind, integer(12), integer(13), integer(14)}
		}
		nodes[nodeKey{row[0].(string), row[1].(string)}] = n
		return nil
	}, `SELECT n.node, n.instance, state, attempts, generation, repeatable, first_seq, result_seq, error_seq, started_at, finished_at,
		w.kind, w.since, w.due, w.seq
		FROM nodes n LEFT JOIN waits w USING (run, node, instance) WHERE run = ?`, run)
	return nodes, err
}

// rebuild makes the projections of all runs anew from their events. Where it
// fails, they are as they were.
func rebuild(c *conn) error {
	if _, err := c.exec(`SAVEPOINT rebuild`); err != nil {
		return err
	}
	if err := rebuildAll(c); err != nil {
		_, e := c.exec(`ROLLBACK TO rebuild`)
		return errors.Join(err, e)
	}
	_, err := c.exec(`RELEASE rebuild`)
	return err
}

func rebuildAll(c *conn) error {
	for _, sql := range []string{
		`DELETE FROM nodes`,
		`DELETE FROM waits`,
		`UPDATE runs SET status = 'running', finished_at = NULL, finished_seq = NULL`,
	} {
		if _, err := c.exec(sql); err != nil {
			return err
		}
	}
	var runs []int64
	if err := c.rows(func(row []driver.Value) error {
		runs = append(runs, row[0].(int64))
		return nil
	}, `SELECT num FROM runs`); err != nil {
		return err
	}
	for _, run := range runs {
		if err := rebuildRun(c, run); err != nil {
			return err
		}
	}
	return nil
}

func rebuildRun(c *conn, run int64) error {
	nodes := map[nodeKey]*nodeRow{}
	status, ended := Running, Event{}
	err := c.rows(func(row []driver.Value) error {
		ev, hasBody, err := eventOf(row, nil)
		if err != nil {
			return err
		}
		if next := statusAfter(status, ev); next != status {
			status, ended = next, ev
		}
		key := nodeKey{ev.Node, ev.Instance}
		n := nodes[key]
		if n == nil {
			n = &nodeRow{}
		}
		if next, ok := n.apply(ev, hasBody); ok {
			nodes[key] = &next
		}
		return nil
	}, selectEvents, run)
	if err != nil {
		return err
	}
	if isFinal(status) {
		err = finishRun(c, run, ended, status)
	} else {
		_, err = c.exec(`UPDATE runs SET status = ? WHERE num = ?`, string(status), run)
	}
	if err != nil {
		return err
	}
	for key, n := range nodes {
		if err := writeNode(c, run, key, n, false); err != nil {
			return err
		}
	}
	return nil
}
