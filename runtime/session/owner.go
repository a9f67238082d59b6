package session

import (
	"context"
	"errors"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
)

// dialled is what connecting came to.
type dialled struct {
	client *Client
	err    error
}

// own is the owner goroutine: it connects, and waits for what ends the session.
func (s *Session) own() {
	defer close(s.ended)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	connected := make(chan dialled, 1)
	go func() {
		s.cfg.wait(ctx)
		client, err := dial(ctx, &s.cfg)
		connected <- dialled{client, err}
	}()
	if client := s.connect(connected, cancel); client != nil {
		s.up = time.Now()
		s.connected.Store(true)
		s.serve(client)
		<-client.channel.Done()
		s.down, s.end = time.Now(), client.channel.End()
		_ = client.sdk.Close() // all of it has ended; this frees the SDK's bookkeeping
	}
}

// wait waits for cfg.Wait, or until ctx is done.
func (cfg *Config) wait(ctx context.Context) {
	if cfg.Wait <= 0 {
		return
	}
	timer := time.NewTimer(cfg.Wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// connect waits until it is known whether there is a session; nil: there is none.
func (s *Session) connect(connected <-chan dialled, cancel context.CancelCauseFunc) *Client {
	stop, drain := s.stop, s.drain
	for {
		select {
		case <-drain:
			drain = nil
			if s.turns.drain() {
				s.turns.fail(errEnded, nil)
				cancel(errEnded)
			}
		case <-stop:
			stop = nil
			s.turns.fail(s.closedError(), nil)
			cancel(errors.New("the session was closed"))
		case d := <-connected:
			if d.err != nil {
				s.turns.fail(d.err, d.err)
				return nil
			}
			if s.cfg.Opened != nil {
				s.cfg.Opened()
			}
			s.turns.begin(d.client)
			return d.client
		}
	}
}

// serve returns when the session has ended and no operation runs any more.
func (s *Session) serve(client *Client) {
	defer s.turns.idle.Stop()
	var idle <-chan time.Time
	if !s.cfg.Private {
		idle = s.turns.idle.C
	}
	stop, drain, kill, done := s.stop, s.drain, s.kill, client.channel.Done()
	for {
		if s.turns.settle() && done == nil {
			return
		}
		select {
		case <-s.turns.changed:
		case <-idle:
			s.turns.rest()
		case <-drain:
			drain = nil
			s.turns.drain()
		case <-stop:
			stop = nil
			s.turns.fail(s.closedError(), nil)
			client.channel.Close()
		case <-kill:
			kill = nil
			client.channel.Kill(connection.ErrClosed)
		case <-done:
			done = nil
			s.turns.lose(s.lostBy(client))
		}
	}
}
