package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/redact"
)

// Calls makes single calls of a plan that are of no run: nothing is journalled, and
// binary content is kept in memory. Close it.
type Calls struct {
	prepared *Prepared
	caller   *caller
	redactor *redact.Redactor
	release  func()

	mu    sync.Mutex
	blobs map[string][]byte // binary content, by SHA-256
}

// Calls returns what makes the plan's calls, over sessions as a run has them.
func (r *Prepared) Calls() *Calls {
	targets, release := r.targets()
	redactor := r.secrets.redactor()
	return &Calls{
		prepared: r, redactor: redactor, release: release,
		caller: &caller{service: r.service, model: r.model, redact: redactor, targets: targets},
	}
}

// Close ends the sessions that are private to these calls.
func (c *Calls) Close() { c.release() }

// Secret gives the value of a secret of the plan.
func (c *Calls) Secret(name string) (string, error) { return c.prepared.secrets.get(name) }

// Text returns a text without the values of secrets.
func (c *Calls) Text(s string) string { return c.redactor.Text(s) }

// Value returns a value without the values of secrets.
func (c *Calls) Value(v value.Value) value.Value { return c.redactor.Value(v) }

// Blob gives the bytes of binary content that a call brought.
func (c *Calls) Blob(b *value.BlobValue) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if data, ok := c.blobs[b.SHA256]; ok {
		return data, nil
	}
	return nil, fmt.Errorf("the blob %s is not there", b.SHA256)
}

// Call makes a call. The answer still has the secrets that the server put into it. An
// error is a *engine.CallError.
func (c *Calls) Call(ctx context.Context, call engine.StartCall) (*engine.Answer, error) {
	return c.caller.Call(ctx, engine.Call{
		Do: call.Do, Session: call.Session, Tool: call.Tool, Args: call.Args, ReadOnly: call.ReadOnly,
		IdempotencyKey: call.IdempotencyKey, IdleTimeout: call.IdleTimeout, Verbatim: call.Verbatim,
		BeforeSend: func(uint64) error { return nil },
		Keep: func(_ context.Context, data []byte) (string, error) {
			digest := sha256.Sum256(data)
			sum := hex.EncodeToString(digest[:])
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.blobs == nil {
				c.blobs = map[string][]byte{}
			}
			c.blobs[sum] = data
			return sum, nil
		},
	})
}
