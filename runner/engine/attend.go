package engine

import (
	"context"
)

// attend has the questions asked here that are open, and gives up those that are
// open no longer. mu is held.
func (d *driver) attend() {
	if d.asker == nil || len(d.attended) == 0 && len(d.core.asking) == 0 {
		return
	}
	over := d.fatal != nil || d.leaving
	open := map[*asking]bool{}
	for _, q := range d.core.asking {
		if open[q] = true; !over && !q.offered {
			d.offer(q)
		}
	}
	for q, giveUp := range d.attended {
		if over || !open[q] {
			giveUp()
		}
	}
}

// offer asks whoever is here.
func (d *driver) offer(q *asking) {
	ctx, giveUp := context.WithCancel(d.base)
	d.attended[q] = giveUp
	q.offered = true
	question := d.core.questionOf(q)
	d.callers.Go(func() {
		defer giveUp()
		if n, err := d.barrier(ctx); err == nil {
			if d.watch != nil {
				d.watch.durable(n)
			}
			d.asker(ctx, question)
		}
		d.locked(func() { delete(d.attended, q) })
	})
}

// beforeTick takes the answers that were given before a deadline that is due now.
func (d *driver) beforeTick(ctx context.Context) {
	d.mu.Lock()
	asks := len(d.core.asking) > 0
	d.mu.Unlock()
	if asks && d.receive != nil {
		d.takeMail(ctx)
	}
}

// answerOf is an answer as the run takes it: like every result without the values of
// secrets.
func (d *driver) answerOf(f NodeAnswered) NodeAnswered {
	f.Time = d.clock()
	if f.Data != nil {
		data := d.redact.Value(*f.Data)
		f.Data = &data
	}
	return f
}
