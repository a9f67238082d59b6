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
	event Event
	data  []byte // the payload without its body
	body  []byte // inline; nil: none, or a blob
	blob  string // the digest of large; "": none
	large []byte
}

// encode makes a record of an event. now is the time of an event without one.
func encode(ev Event, now func() time.Time) (record, error) {
	if ev.Data == nil {
		return record{}, fmt.Errorf("journal: an event of node %q says nothing (this is a bug in wfc)", ev.Node)
	}
	if ev.Time.IsZero() {
		ev.Time = now()
	}
	r := record{event: ev}
	var err error
	if r.data, err = json.Marshal(ev.Data); err != nil {
		return record{}, fmt.Errorf("journal: %s of node %q: %w", ev.Kind(), ev.Node, err)
	}
	switch body := ev.Data.body(); {
	case len(body) == 0: // no JSON is that short
	case len(body) <= MaxInline:
		r.body = body
	default:
		r.blob, r.large = digestOf(body), body
	}
	return r, nil
}

// insertEvent appends the record to the log and returns its number.
func insertEvent(c *conn, run int64, r *record) (int64, error) {
	var body driver.Value
	if r.body != nil {
		body = r.body
	}
	var blob driver.Value
	if r.blob != "" {
		blob = r.blob
	}
	ev := &r.event
	return c.insert(`INSERT INTO events (run, kind, node, instance, attempt, time, data, body, blob) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		run, string(ev.Kind()), ev.Node, ev.Instance, int64(ev.Attempt), ev.Time.UnixNano(), string(r.data), body, blob)
}

// selectEvent begins a query for events whose columns are those of [eventOf].
const selectEvent = `SELECT seq, kind, node, instance, attempt, time, data, body, blob FROM events WHERE `

// selectEvents is the history of a run, oldest first.
const selectEvents = selectEvent + `run = ? ORDER BY seq`

// eventOf returns the event of a row of selectEvents and whether it has a body.
// A body that is a blob is read from large; where that is nil, it is left out.
func eventOf(row []driver.Value, large *blobs) (ev Event, hasBody bool, err error) {
	seq, _ := row[0].(int64)
	kind, _ := row[1].(string)
	attempt, _ := row[4].(int64)
	at, _ := row[5].(int64)
	data, _ := row[6].(string)
	body, _ := row[7].([]byte)
	blob, isBlob := row[8].(string)
	ev = Event{Seq: seq, Attempt: int(attempt), Time: time.Unix(0, at).UTC()}
	ev.Node, _ = row[2].(string)
	ev.Instance, _ = row[3].(string)
	if isBlob && large != nil {
		if body, err = large.get(blob); err != nil {
			return ev, false, err
		}
	}
	ev.Data, err = decode(EventKind(kind), []byte(data), body)
	return ev, body != nil || isBlob, err
}

// decode makes the payload of what encode made of it.
func decode(kind EventKind, data, body []byte) (Payload, error) {
	switch kind {
	case KindRunCreated:
		p, err := unmarshal[RunCreated](data)
		p.Inputs = body
		return p, err
	case KindNodeStarted:
		return unmarshal[NodeStarted](data)
	case KindNodeCompleted:
		return NodeCompleted{Result: body}, nil
	case KindNodeFailed:
		p, err := unmarshal[NodeFailed](data)
		p.Result = body
		return p, err
	case KindNodeSkipped:
		return NodeSkipped{Result: body}, nil
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
