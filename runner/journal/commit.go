package journal

import (
	"database/sql/driver"
	"errors"
)

// putBlobs puts the blobs of a group on disk, before the events that name them. Of a
// group whose blobs do not all fit it returns how many works have theirs, so that
// nothing before them is lost, and the error.
func (w *writer) putBlobs(group []work) (n int, err error) {
	if err = w.s.blobs.put(blobsOf(group)); err == nil {
		return len(group), nil
	}
	for n = range group {
		if err = w.s.blobs.put(blobsOf(group[n : n+1])); err != nil {
			return n, err
		}
	}
	return len(group), nil
}

// blobsOf returns the blobs of works by their digests.
func blobsOf(group []work) map[string][]byte {
	large := map[string][]byte{}
	for _, k := range group {
		for _, r := range k.records {
			if r.large != nil {
				large[r.blob] = r.large
			}
		}
	}
	return large
}

// commit writes a group, whose blobs are on disk, in one transaction. The results
// are those of the works, nil where all are nil; an error means that nothing was written.
func (w *writer) commit(group []work) (results []error, err error) {
	records, tasks := 0, 0
	for _, k := range group {
		records += len(k.records)
		if k.task != nil {
			tasks++
		}
	}
	if records == 0 && tasks == 0 {
		return nil, nil // somebody waits for what is durable already
	}
	if err := w.turn.take(); err != nil {
		return nil, err
	}
	defer func() {
		if e := w.turn.give(); err == nil {
			err = e
		}
	}()
	c := w.conn
	w.s.at(BeforeBegin)
	if _, err := c.exec(`BEGIN IMMEDIATE`); err != nil {
		return nil, err
	}
	t := transaction{conn: c, s: w.s, dirty: map[dirtyKey]bool{}, owned: map[*Run]error{}}
	defer func() {
		if err != nil {
			_, _ = c.exec(`ROLLBACK`) // what failed is known already
		}
	}()
	for i, k := range group {
		e := t.do(k)
		if e == nil {
			continue
		}
		var ours *Error
		var key *KeyError
		if !errors.As(e, &ours) && !errors.As(e, &key) {
			return nil, e
		}
		if results == nil {
			results = make([]error, len(group))
		}
		results[i] = e
	}
	if err := t.project(); err != nil {
		return nil, err
	}
	w.s.at(BeforeCommit)
	if _, err = c.exec(`COMMIT`); err != nil {
		return nil, err
	}
	w.s.at(AfterCommit)
	for i, k := range group {
		w.s.noteEnd(k)
		if k.after == nil || results != nil && results[i] != nil {
			continue
		}
		if e := k.after(); e != nil {
			if results == nil {
				results = make([]error, len(group))
			}
			results[i] = w.s.explain(e)
		}
	}
	return results, nil
}

// transaction is one group being written.
type transaction struct {
	conn    *conn
	s       *Store
	owned   map[*Run]error    // whether the run still is its owner's, as far as asked
	dirty   map[dirtyKey]bool // nodes whose row has to be written, and whether they had a row in waits
	checked bool              // the version of the tables was seen

	order []dirtyKey // of dirty, so that what is written does not depend on chance
}

type dirtyKey struct {
	run *Run
	key nodeKey
}

// do writes one work. An *Error or *KeyError means that it wrote nothing.
func (t *transaction) do(k work) error {
	if k.task != nil {
		if err := t.checkVersion(); err != nil {
			return err
		}
		return k.task(t.conn)
	}
	if len(k.records) == 0 {
		if k.run == nil {
			return nil
		}
		return k.run.failure()
	}
	if err := t.checkOwner(k.run); err != nil {
		return err
	}
	for i := range k.records {
		if err := t.append(k.run, &k.records[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkOwner compares the run's epoch with the one in the journal, once a
// transaction, which has the write lock: no new owner comes between.
func (t *transaction) checkOwner(r *Run) error {
	if err, asked := t.owned[r]; asked {
		return err
	}
	row, err := t.conn.row(`SELECT owner_epoch, (SELECT max(num) FROM inbox WHERE run = runs.num), (SELECT schema_version FROM meta) FROM runs WHERE num = ?`, r.num)
	if err != nil {
		return err
	}
	if len(row) > 0 {
		if err := t.sameVersion(row[2]); err != nil {
			return err
		}
	}
	if len(row) > 0 && row[0].(int64) == r.epoch {
		r.lookForMail(row[1])
		t.owned[r] = nil
		return nil
	}
	refused, err := t.fenced(r)
	if err != nil {
		return err
	}
	r.fail(refused)
	t.owned[r] = refused
	return refused
}

// checkVersion is sameVersion for what asks for nothing else.
func (t *transaction) checkVersion() error {
	if t.checked {
		return nil
	}
	row, err := t.conn.row(`SELECT schema_version FROM meta`)
	if err != nil {
		return err
	}
	if len(row) == 0 {
		return errForeign
	}
	return t.sameVersion(row[0])
}

// sameVersion sees that no newer wfc has changed the tables since this process
// opened the journal. If one has, nothing is written any more.
func (t *transaction) sameVersion(column driver.Value) error {
	t.checked = true
	if version, _ := column.(int64); version > schemaVersion {
		return newerVersion(version)
	}
	return nil
}

// newerVersion is the version of a journal that this process cannot write to.
type newerVersion int64

func (v newerVersion) Error() string { return "the journal is newer" }

// fenced is why an owner whose epoch is over can commit nothing.
func (t *transaction) fenced(r *Run) (*Error, error) {
	row, err := t.conn.row(`SELECT owner FROM runs WHERE num = ?`, r.num)
	if err != nil {
		return nil, err
	}
	by := "another process"
	if len(row) > 0 {
		text, _ := row[0].(string)
		if o := ownerOf(text); o != nil {
			by = o.Owner.String()
		}
	}
	return failure(ErrFenced, nil, "The run %s has been taken over by %s, so this process cannot continue it. "+
		"See how it goes on with\n\n    wfc runs show %s", r.id, by, r.id), nil
}

func (t *transaction) append(r *Run, rec *record) error {
	seq, err := t.s.insertRecord(t.conn, insertIntoEvents, r.num, rec)
	if err != nil {
		return err
	}
	ev := rec.event
	ev.Seq = seq
	if ev.Message != 0 {
		if _, err := t.conn.exec(`DELETE FROM inbox WHERE num = ? AND run = ?`, ev.Message, r.num); err != nil {
			return err
		}
	}
	if err := t.status(r, ev); err != nil {
		return err
	}
	key := nodeKey{ev.Node, ev.Instance}
	old := r.nodes[key]
	if old == nil {
		old = &nodeRow{}
	}
	next, ok := old.apply(ev, rec.hasBody())
	if !ok {
		return nil
	}
	r.nodes[key] = &next
	d := dirtyKey{r, key}
	if _, there := t.dirty[d]; !there {
		t.dirty[d] = old.wait != nil
		t.order = append(t.order, d)
	}
	return nil
}

// status writes what the event says of the run itself.
func (t *transaction) status(r *Run, ev Event) error {
	next := statusAfter(r.status, ev)
	if next == r.status {
		return nil
	}
	r.status = next
	if !isFinal(next) {
		_, err := t.conn.exec(`UPDATE runs SET status = ? WHERE num = ?`, string(next), r.num)
		return err
	}
	if _, err := t.conn.exec(`DELETE FROM inbox WHERE run = ?`, r.num); err != nil {
		return err
	}
	if _, err := t.conn.exec(`UPDATE runs SET owner = NULL, lease_until = NULL WHERE num = ?`, r.num); err != nil {
		return err
	}
	return finishRun(t.conn, r.num, ev, next)
}

// project writes the rows of the nodes that the group has changed, once each.
func (t *transaction) project() error {
	for _, d := range t.order {
		if err := writeNode(t.conn, d.run.num, d.key, d.run.nodes[d.key], t.dirty[d]); err != nil {
			return err
		}
	}
	return nil
}
