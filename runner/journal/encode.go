package journal

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// record is an event as the log has it. It shares the body's bytes with the
// event: whoever appends an event leaves them alone from then on.
type record struct {
	event  Event
	data   []byte // the payload without its body
	body   []byte // inline; nil: none, or a blob
	blob   string // the digest of large; "": none
	large  []byte
	sealed sealing
	refs   []string // the blobs that the body has handles of, as blob_refs names them
}

// sealing is the column sealed.
type sealing int64

const (
	plain           sealing = iota // as it was given
	sealedWithBody                 // the message and the body are encrypted, and stand where the body does
	sealedAloneSays                // the message is
)

// hasBody reports whether the event has one, be it sealed or large.
func (r *record) hasBody() bool {
	return r.sealed == sealedWithBody || r.sealed == plain && (r.body != nil || r.blob != "")
}

// encode makes a record of an event. seal gives what a sensitive event is sealed with.
func (s *Store) encode(ev Event, seal func() (*sealer, error)) (record, error) {
	if ev.Data == nil {
		return record{}, fmt.Errorf("journal: an event of node %q says nothing (this is a bug in wfc)", ev.Node)
	}
	if ev.Time.IsZero() {
		ev.Time = s.clock()
	}
	r := record{event: ev}
	body := ev.Data.body()
	if len(body) == 0 { // no JSON is that short
		body = nil
	}
	r.refs = handlesIn(body)
	data := ev.Data
	if ev.Sensitive {
		var message string
		data, message = withoutMessage(data)
		if body != nil || message != "" {
			sealer, err := seal()
			if err != nil {
				return record{}, err
			}
			r.sealed = sealedWithBody
			if body == nil {
				r.sealed = sealedAloneSays
			}
			body = sealer.seal(&ev, message, body)
			for i, sum := range r.refs {
				r.refs[i] = s.keyed(sum)
			}
		}
	}
	var err error
	if r.data, err = json.Marshal(data); err != nil {
		return record{}, fmt.Errorf("journal: %s of node %q: %w", ev.Kind(), ev.Node, err)
	}
	switch {
	case body == nil:
	case len(body) <= MaxInline:
		r.body = body
	default:
		r.blob, r.large = digestOf(body), body
	}
	return r, nil
}

// eventColumns are the columns of events and of inbox that hold a record.
const eventColumns = `run, kind, node, instance, attempt, time, data, body, blob, sealed`

const (
	insertIntoEvents = `INSERT INTO events (` + eventColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertIntoInbox  = `INSERT INTO inbox (` + eventColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// insertRecord writes the record by one of the statements above, with what it
// refers to, and returns its number.
func (s *Store) insertRecord(c *conn, into string, run int64, r *record) (int64, error) {
	for _, sum := range r.refs {
		if _, err := c.exec(`INSERT OR IGNORE INTO blob_refs VALUES (?, ?)`, run, sum); err != nil {
			return 0, err
		}
	}
	var body, blob driver.Value
	if r.body != nil {
		body = r.body
	}
	if r.blob != "" {
		blob = r.blob
		if err := s.noteBlob(c, blobRow{sum: r.blob, size: len(r.large)}, r.large); err != nil {
			return 0, err
		}
	}
	ev := &r.event
	return c.insert(into, run, string(ev.Kind()), ev.Node, ev.Instance, int64(ev.Attempt), ev.Time.UnixNano(), string(r.data), body, blob, int64(r.sealed))
}

// selectEvent begins a query for events whose columns are those of [eventOf].
const selectEvent = `SELECT seq, kind, node, instance, attempt, time, data, body, blob, sealed FROM events WHERE `

// selectEvents is the history of a run, oldest first.
const selectEvents = selectEvent + `run = ? ORDER BY seq`

// bodies is where eventOf finds what is not in the row.
type bodies struct {
	blobs *blobs
	// open gives what the events of the run are sealed with; nil: what is sealed stays so.
	open func() (*sealer, error)
}

// eventOf returns the event of a row of selectEvents and whether it has a body.
// Where from is nil, a body that is a blob is left out, and so is what is sealed.
func eventOf(row []driver.Value, from *bodies) (ev Event, hasBody bool, err error) {
	seq, _ := row[0].(int64)
	kind, _ := row[1].(string)
	attempt, _ := row[4].(int64)
	at, _ := row[5].(int64)
	data, _ := row[6].(string)
	body, _ := row[7].([]byte)
	blob, isBlob := row[8].(string)
	how, _ := row[9].(int64)
	sealed := sealing(how)
	ev = Event{Seq: seq, Attempt: int(attempt), Time: time.Unix(0, at).UTC(), Sensitive: sealed != plain}
	ev.Node, _ = row[2].(string)
	ev.Instance, _ = row[3].(string)
	if isBlob && from != nil {
		if body, err = from.blobs.get(blob); err != nil {
			return ev, false, err
		}
	}
	if sealed == plain {
		ev.Data, err = decode(EventKind(kind), []byte(data), body)
		return ev, body != nil || isBlob, err
	}
	hasBody = sealed == sealedWithBody
	if ev.Data, err = decode(EventKind(kind), []byte(data), nil); err != nil || from == nil {
		return ev, hasBody, err
	}
	if from.open == nil {
		if _, created := ev.Data.(RunCreated); !created { // which has no message
			ev.Data = withMessage(ev.Data, hidden)
		}
		return ev, hasBody, nil
	}
	sealer, err := from.open()
	if err != nil {
		return ev, hasBody, err
	}
	message, body, err := sealer.open(&ev, body)
	if err != nil {
		return ev, hasBody, err
	}
	ev.Data, err = decode(EventKind(kind), []byte(data), body)
	if message != "" && err == nil {
		ev.Data = withMessage(ev.Data, message)
	}
	return ev, hasBody, err
}

// decode makes the payload of what encode made of it.
func decode(kind EventKind, data, body []byte) (Payload, error) {
	switch kind {
	case KindRunCreated:
		p, err := unmarshal[RunCreated](data)
		p.Inputs = body
		return p, err
	case KindRunAdopted:
		return unmarshal[RunAdopted](data)
	case KindRunQueued:
		return unmarshal[RunQueued](data)
	case KindRunBegun:
		return RunBegun{}, nil
	case KindRunSettled:
		return unmarshal[RunSettled](data)
	case KindDeadlinePassed:
		return unmarshal[DeadlinePassed](data)
	case KindRunWaiting:
		return RunWaiting{}, nil
	case KindNodeStarted:
		return unmarshal[NodeStarted](data)
	case KindNodeCompleted:
		if string(data) == "{}" { // as it nearly always is
			return NodeCompleted{Result: body}, nil
		}
		p, err := unmarshal[NodeCompleted](data)
		p.Result = body
		return p, err
	case KindNodeFailed:
		p, err := unmarshal[NodeFailed](data)
		p.Result = body
		return p, err
	case KindNodeSkipped:
		return NodeSkipped{Result: body}, nil
	case KindNodeWaiting:
		p, err := unmarshal[NodeWaiting](data)
		p.Note = body
		return p, err
	case KindNodeResolved:
		p, err := unmarshal[NodeResolved](data)
		p.Output = body
		return p, err
	case KindNodeAnswered:
		p, err := unmarshal[NodeAnswered](data)
		p.Data = body
		return p, err
	case KindNodeReset:
		return NodeReset{}, nil
	case KindSessionOpened:
		return unmarshal[SessionOpened](data)
	case KindSessionLost:
		return unmarshal[SessionLost](data)
	case KindCancelRequested:
		return unmarshal[CancelRequested](data)
	case KindRunFinished:
		p, err := unmarshal[RunFinished](data)
		p.Outputs = body
		return p, err
	}
	return nil, failure(ErrDamaged, nil, "The journal has an event %q that this wfc does not know.", kind)
}

func unmarshal[P Payload](data []byte) (P, error) {
	var p P
	if err := json.Unmarshal(data, &p); err != nil {
		return p, failure(ErrDamaged, err, "The journal has an event %s that cannot be read: %v.", p.kind(), err)
	}
	return p, nil
}
