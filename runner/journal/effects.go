package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"github.com/lda-wf/wfc/compiler/plan"
)

// ToolEffects is what a run did with a tool that does not only read. Its calls are
// those that ended so or so; one that was tried several times is one.
type ToolEffects struct {
	Connection string `json:"connection"` // its id; "": it is not known which of several
	Tool       string `json:"tool"`
	Effect     string `json:"effect"`             // "write", "destructive" or "unknown"
	Done       int    `json:"done"`               // calls that had their effect
	Undone     int    `json:"undone,omitempty"`   // of these: taken back by an undo block
	Stayed     int    `json:"stayed,omitempty"`   // of these: an undo block of theirs failed
	Refused    int    `json:"refused,omitempty"`  // calls that the server answered with an error
	InDoubt    int    `json:"in_doubt,omitempty"` // calls of which nobody knows whether they had their effect
}

// call is one call of a run that does not only read, of a step, an element, a round or
// an undo block.
type call struct {
	node, instance     string
	connection, effect string
}

// effects tells what a run did to the outside world: of tools that only read how often
// they were called, of others what came of it, in the order in which they were called first.
func (s *Store) effects(ctx context.Context, q querier, num int64, p *plan.Plan, status Status) (reads int, list []ToolEffects, err error) {
	var calls []call
	seen := map[nodeKey]bool{}
	err = each(ctx, q, func(rows *sql.Rows) error {
		var c call
		var data []byte
		if err := rows.Scan(&c.node, &c.instance, &data); err != nil {
			return err
		}
		started, err := unmarshal[NodeStarted](data)
		switch key := (nodeKey{c.node, c.instance}); {
		case err != nil:
			return err
		case started.ArgsDigest == "":
		case started.Effect == "":
			reads++
		case !seen[key]:
			seen[key] = true
			c.connection, c.effect = started.Connection, started.Effect
			calls = append(calls, c)
		}
		return nil
	}, `SELECT node, instance, data FROM events WHERE run = ? AND kind = 'node.started' ORDER BY seq`, num)
	if err != nil || len(calls) == 0 {
		return reads, nil, err
	}
	came, err := s.cameTo(ctx, q, num, status)
	if err != nil {
		return reads, nil, err
	}
	index := map[ToolEffects]int{}
	for _, c := range calls {
		if isUndo(c.instance) {
			continue // it is told of what it undoes
		}
		tool := ""
		if _, node := nodeAt(p, c.node); node != nil {
			tool = node.Tool
		}
		id := ToolEffects{Connection: c.connection, Tool: tool, Effect: c.effect}
		i, known := index[id]
		if !known {
			i = len(list)
			index[id] = i
			list = append(list, id)
		}
		list[i].add(came, c)
	}
	return reads, list, nil
}

// add counts a call.
func (t *ToolEffects) add(came map[nodeKey]result, c call) {
	switch came[nodeKey{c.node, c.instance}] {
	case hadEffect:
		t.Done++
		undone, failed := false, false
		for u := 1; ; u++ {
			r, there := came[nodeKey{c.node, undoOf(c.instance, u)}]
			if !there {
				break
			}
			undone = undone || r == hadEffect
			failed = failed || r != hadEffect && r != nothing
		}
		switch {
		case failed:
			t.Stayed++
		case undone:
			t.Undone++
		}
	case refused:
		t.Refused++
	case unclear:
		t.InDoubt++
	}
}

// undoOf is the instance of an undo block of another one.
func undoOf(instance string, undo int) string {
	cut := strings.LastIndexByte(instance, '/') + 1
	last := instance[cut:]
	p, rest, err := CutPart(last)
	if err != nil || rest != "" {
		return instance + "~?"
	}
	p.Undo = undo
	key := p.Key
	p.Key = ""
	return instance[:cut] + key + p.Name("")
}

// isUndo reports whether an instance is that of an undo block.
func isUndo(instance string) bool {
	parts, err := Parts(instance)
	return err == nil && len(parts) > 0 && parts[len(parts)-1].Undo > 0
}

// result is what a call came to, as far as the outside world goes.
type result uint8

const (
	nothing   result = iota // nothing, as far as is known yet
	hadEffect               // it had its effect
	refused                 // the server answered with an error
	unclear                 // nobody knows
)

// cameTo says of all nodes of a run what their calls came to.
func (s *Store) cameTo(ctx context.Context, q querier, num int64, status Status) (map[nodeKey]result, error) {
	out := map[nodeKey]result{}
	err := each(ctx, q, func(rows *sql.Rows) error {
		var key nodeKey
		var state State
		var data sql.NullString
		if err := rows.Scan(&key.node, &key.instance, &state, &data); err != nil {
			return err
		}
		var failed NodeFailed
		if data.Valid {
			if err := json.Unmarshal([]byte(data.String), &failed); err != nil {
				return failure(ErrDamaged, err, "The journal has a failure of %s that cannot be read: %v.", key.node, err)
			}
		}
		switch {
		case state == StateOK:
			out[key] = hadEffect
		case state == StateInDoubt, state == StateError && failed.InDoubt, state == StateRunning && status == Interrupted:
			out[key] = unclear
		case state != StateError || failed.Sent == "no":
			out[key] = nothing
		case failed.Kind == "tool" || failed.Kind == "protocol" || failed.Kind == "rate_limit":
			out[key] = refused
		default:
			out[key] = hadEffect // what came back was not as the workflow wants it
		}
		return nil
	}, `SELECT n.node, n.instance, n.state, e.data FROM nodes n LEFT JOIN events e ON e.seq = n.error_seq WHERE n.run = ?`, num)
	return out, err
}
