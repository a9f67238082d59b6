package journal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lda-wf/wfc/compiler/plan"
)

// Run returns all that is known of a run. idOrPart is its id, or a beginning or
// an end of it that no other run has.
func (s *Store) Run(ctx context.Context, idOrPart string) (*RunRecord, error) {
	part := strings.ToLower(strings.TrimSpace(idOrPart))
	if !isID(part) {
		return nil, s.notFound(idOrPart)
	}
	one := make([]summary, 1)
	err := s.snapshot(ctx, func(q querier) (err error) {
		one[0], err = s.find(ctx, q, part)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.findOwners(ctx, one); err != nil {
		return nil, err
	}
	var record *RunRecord
	err = s.snapshot(ctx, func(q querier) (err error) {
		record, err = s.record(ctx, q, one[0].RunSummary)
		return err
	})
	return record, err
}

// find returns the one run whose id begins, or else ends, with part.
func (s *Store) find(ctx context.Context, q querier, part string) (summary, error) {
	// part has no character that LIKE or GLOB reads as anything but itself.
	for _, pattern := range []string{part + "*", "*" + part} {
		var found []summary
		err := each(ctx, q, func(rows *sql.Rows) error {
			r, err := scanSummary(rows)
			found = append(found, r)
			return err
		}, selectSummaries+`WHERE id GLOB ? ORDER BY num DESC LIMIT 6`, pattern)
		if err != nil {
			return summary{}, err
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			var ids []string
			for _, r := range found[:min(len(found), 5)] {
				ids = append(ids, string(r.Run))
			}
			if len(found) > 5 {
				ids = append(ids, "…")
			}
			return summary{}, failure(ErrAmbiguous, nil, "%q is the beginning or the end of several runs' ids: %s. Write more of it.",
				part, strings.Join(ids, ", "))
		}
	}
	return summary{}, s.notFound(part)
}

func (s *Store) record(ctx context.Context, q querier, summary RunSummary) (*RunRecord, error) {
	rec := &RunRecord{RunSummary: summary}
	var num int64
	var finishedSeq sql.NullInt64
	var planBody []byte
	var status Status
	var finished sql.NullInt64
	err := q.QueryRowContext(ctx, `SELECT num, plan_digest, coalesce(run_key, ''), status, finished_at, finished_seq, body
		FROM runs LEFT JOIN plans ON digest = plan_digest WHERE id = ?`, string(summary.Run)).
		Scan(&num, &rec.PlanDigest, &rec.Key, &status, &finished, &finishedSeq, &planBody)
	if err != nil {
		return nil, err
	}
	if isFinal(status) {
		// It may have ended since the summary was read; one state is shown, this one.
		rec.Status, rec.FinishedAt = status, optionalTime(finished)
	}

	created, err := s.event(ctx, q, `run = ? ORDER BY seq LIMIT 1`, num)
	if err != nil {
		return nil, err
	}
	if p, ok := created.Data.(RunCreated); ok {
		rec.Inputs, rec.Reuses = shown(created, p.Inputs), p.Reuses
	}
	if finishedSeq.Valid {
		ended, err := s.event(ctx, q, `seq = ?`, finishedSeq.Int64)
		if err != nil {
			return nil, err
		}
		if p, ok := ended.Data.(RunFinished); ok {
			rec.Outputs, rec.Error = p.Outputs, p.Error
			if p.Status == Completed {
				rec.Outputs = shown(ended, p.Outputs)
			}
		}
	}

	steps, order, err := s.steps(ctx, q, num, rec.Status)
	if err != nil {
		return nil, err
	}
	var compiled plan.Plan
	if err := json.Unmarshal(planBody, &compiled); err != nil {
		return nil, failure(ErrDamaged, err, "The plan %s in the journal cannot be read: %v.", rec.PlanDigest, err)
	}
	if !isFinal(rec.Status) {
		if rec.Private, err = privateSessions(ctx, q, num); err != nil {
			return nil, err
		}
	}
	if rec.Reads, rec.Effects, err = s.effects(ctx, q, num, &compiled, rec.Status); err != nil {
		return nil, err
	}
	rec.Steps = inOrder(&compiled, steps, order, rec.Status)
	if isFinal(rec.Status) {
		return rec, nil
	}
	rec.Questions, err = s.questions(ctx, q, summary.Run, num)
	return rec, err
}

// privateSessions returns the connections with which a run had sessions of its own.
func privateSessions(ctx context.Context, q querier, num int64) (of []string, err error) {
	err = each(ctx, q, func(rows *sql.Rows) error {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		opened, err := unmarshal[SessionOpened](data)
		if err == nil && opened.Private && !slices.Contains(of, opened.Connection) {
			of = append(of, opened.Connection)
		}
		return err
	}, `SELECT data FROM events WHERE run = ? AND kind = 'session.opened' ORDER BY seq`, num)
	return of, err
}

// hidden is what is shown of what is sensitive.
const hidden = "(sensitive)"

// shown is the body of an event as it is shown.
func shown(ev Event, body json.RawMessage) json.RawMessage {
	if ev.Sensitive {
		return json.RawMessage(`"` + hidden + `"`)
	}
	return body
}

// event returns one event, with its body unless that is sensitive.
func (s *Store) event(ctx context.Context, q querier, where string, args ...any) (ev Event, err error) {
	found := false
	err = each(ctx, q, func(rows *sql.Rows) error {
		found = true
		ev, err = scanEvent(rows, &bodies{blobs: &s.blobs})
		return err
	}, selectEvent+where, args...)
	if err == nil && !found {
		err = failure(ErrDamaged, nil, "The journal lacks an event that it refers to (%s, %v).", where, args)
	}
	return ev, err
}

// steps returns the records of the nodes that have events, and the nodes in the order they began.
func (s *Store) steps(ctx context.Context, q querier, num int64, status Status) (map[string][]StepRecord, []string, error) {
	steps := map[string][]StepRecord{}
	var order []string
	type reference struct {
		node string
		i    int
		seq  int64
	}
	var results, failures []reference
	err := each(ctx, q, func(rows *sql.Rows) error {
		var r StepRecord
		var instance string
		var repeatable bool
		var resultSeq, errorSeq, started, finished sql.NullInt64
		err := rows.Scan(&r.Step, &instance, &r.State, &r.Attempts, &r.Generation, &repeatable, &resultSeq, &errorSeq, &started, &finished)
		if err != nil {
			return err
		}
		r.part(instance)
		r.StartedAt, r.FinishedAt = optionalTime(started), optionalTime(finished)
		if r.State == StateRunning && status == Interrupted {
			// Its process died: what may be repeated will be, the rest may have had its effect.
			r.State = StateInDoubt
			if repeatable {
				r.State = StatePending
			}
		}
		at := reference{r.Step, len(steps[r.Step]), 0}
		if resultSeq.Valid {
			at.seq = resultSeq.Int64
			results = append(results, at)
		}
		if errorSeq.Valid {
			at.seq = errorSeq.Int64
			failures = append(failures, at)
		}
		if steps[r.Step] == nil {
			order = append(order, r.Step)
		}
		steps[r.Step] = append(steps[r.Step], r)
		return nil
	}, `SELECT node, instance, state, attempts, generation, repeatable, result_seq, error_seq, started_at, finished_at
		FROM nodes WHERE run = ? ORDER BY first_seq`, num)
	if err != nil {
		return nil, nil, err
	}
	for _, at := range results {
		ev, err := s.event(ctx, q, `seq = ?`, at.seq)
		if err != nil {
			return nil, nil, err
		}
		steps[at.node][at.i].Result = shown(ev, ev.Data.body())
		if p, ok := ev.Data.(NodeCompleted); ok {
			steps[at.node][at.i].Reused = p.Reused
		}
	}
	for _, at := range failures {
		ev, err := s.event(ctx, q, `seq = ?`, at.seq)
		if err != nil {
			return nil, nil, err
		}
		if p, ok := ev.Data.(NodeFailed); ok {
			steps[at.node][at.i].Error = &Failure{Kind: p.Kind, Message: p.Message, Code: p.Code, InDoubt: p.InDoubt}
		}
	}
	return steps, order, nil
}

// part says which part of its step the record is.
func (r *StepRecord) part(instance string) {
	parts, err := Parts(instance)
	if err != nil {
		r.Key = json.RawMessage(fmt.Sprintf("%q", instance))
		return
	}
	steps := strings.Split(r.Step, "/")
	for i := range steps {
		if i < len(parts) {
			steps[i] = parts[i].Name(steps[i])
		}
	}
	last := parts[len(parts)-1]
	r.Round, r.Undo = last.Round, last.Undo
	if len(steps) > 1 || r.Round > 0 || r.Undo > 0 {
		r.Name = strings.Join(steps, "/")
	}
	r.Key = keyOf(last.Key)
}

// keyOf returns the key of an element as JSON.
func keyOf(text string) json.RawMessage {
	switch {
	case text == "":
		return nil
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	return json.RawMessage(fmt.Sprintf("%q", text))
}

// byIndex orders the elements of a list by their index, after the step itself;
// those with other keys keep the order in which they began. Rounds follow what
// they are of.
func byIndex(a, b StepRecord) int {
	i, errA := strconv.Atoi(string(a.Key))
	j, errB := strconv.Atoi(string(b.Key))
	if c := cmp.Compare(min(a.Undo, 1), min(b.Undo, 1)); c != 0 {
		return c
	}
	switch {
	case a.Key == nil && b.Key == nil:
		return cmp.Compare(a.Round, b.Round)
	case a.Key == nil || b.Key == nil:
		return cmp.Compare(min(len(a.Key), 1), min(len(b.Key), 1))
	case string(a.Key) == string(b.Key):
		return cmp.Compare(a.Round, b.Round)
	case errA != nil || errB != nil:
		return 0
	}
	return cmp.Compare(i, j)
}

// inOrder lists the steps as the plan has them, those without events too; those of
// a workflow that a step runs follow it. What the plan does not know comes last, so
// that nothing that happened is hidden.
func inOrder(p *plan.Plan, steps map[string][]StepRecord, order []string, status Status) []StepRecord {
	list := []StepRecord{}
	take := func(path string, node *plan.NodeSpec, of *plan.Plan) {
		records := steps[path]
		delete(steps, path)
		for i := range records {
			records[i].calls(node, of)
		}
		slices.SortStableFunc(records, byIndex)
		list = append(list, records...)
	}
	for i := range p.Nodes {
		node := &p.Nodes[i]
		if steps[node.ID] == nil {
			r := StepRecord{Step: node.ID, State: StatePending}
			if isFinal(status) {
				r.State = StateSkipped // it never ran because the run ended first
			}
			r.calls(node, p)
			list = append(list, r)
		}
		take(node.ID, node, p)
		for _, path := range order {
			if strings.HasPrefix(path, node.ID+"/") {
				of, inner := nodeAt(p, path)
				take(path, inner, of)
			}
		}
	}
	for _, path := range order {
		list = append(list, steps[path]...)
	}
	return list
}

// nodeAt returns the node at a path, and the plan that it is of; nil: there is none.
func nodeAt(p *plan.Plan, path string) (*plan.Plan, *plan.NodeSpec) {
	of := p
	for {
		id, rest, deeper := strings.Cut(path, "/")
		node := of.Node(id)
		if node == nil || !deeper {
			return of, node
		}
		if of = p.Children[node.Child]; of == nil {
			return nil, nil
		}
		path = rest
	}
}

// calls says what the step of the record, or its undo block, calls. Of a source with
// several connections it is not known which it was.
func (r *StepRecord) calls(node *plan.NodeSpec, of *plan.Plan) {
	if node == nil {
		return
	}
	if r.Undo > 0 && r.Undo <= len(node.Undo) {
		node = &node.Undo[r.Undo-1]
	}
	r.Tool = node.Tool
	for _, source := range of.Sources {
		if source.Name == node.Source {
			r.Connection = source.Connection
		}
	}
}
