package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/rpc/client"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

// sent is one operation on a source as it is sent to a server.
type sent func(context.Context, *client.Client, protocol.Operation) (protocol.Result, error)

// directlyAt has an operation done by the server that the command is sent to, and
// prints what came of it as [directly] does. done is false where there is no server.
// It reads no project: that is the server's.
func directlyAt(cmd *cobra.Command, std streams, f directFlags, do sent) (done bool, err error) {
	at, err := server(cmd)
	if at == nil {
		return err != nil, err
	}
	d := service.Direct{OneShot: f.oneShot}
	if d.Timeout, err = f.duration(); err != nil {
		return true, err
	}
	defer surviveBrokenPipes()()
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	r, err := do(ctx, at.Client, protocol.Operation{Timeout: f.timeout, OneShot: f.oneShot})
	if ctx.Err() != nil {
		return true, &exit{exitInterrupted, errors.New("the operation was cancelled")}
	}
	if err != nil {
		return true, refusal(err)
	}
	for _, text := range r.Remarks {
		newProgress(std.err).remark(text)
	}
	if err := printRawJSON(std.out, value.AppendJSON(nil, canonical(r, !isTerminal(std.out)))); err != nil {
		return true, failed(fmt.Errorf("the result could not be written: %w", err))
	}
	if e := r.Error; e != nil {
		return true, failed(explained(&service.Failure{Kind: engine.Kind(e.Kind), Message: e.Message, Code: e.Code, InDoubt: e.InDoubt}, d))
	}
	return true, nil
}

// canonical is a result as [service.Reply.Result] has it.
func canonical(r protocol.Result, bytes bool) value.Value {
	o := value.NewObject(5)
	o.Set("outcome", value.OfString(r.Outcome))
	o.Set("output", withBytes(r.Output, bytes))
	o.Set("text", value.OfString(r.Text))
	o.Set("content", withBytes(value.OfList(r.Content), bytes))
	failure := value.NullValue
	if r.Error != nil {
		src, err := json.Marshal(r.Error)
		if err == nil {
			failure, _ = value.ParseJSON(src)
		}
	}
	o.Set("error", failure)
	return value.OfObject(o)
}

// withBytes is a result with the bytes of its blobs, or without them.
func withBytes(v value.Value, bytes bool) value.Value {
	switch {
	case bytes:
	case v.Kind() == value.List:
		out := make([]value.Value, len(v.AsList()))
		for i, e := range v.AsList() {
			out[i] = withBytes(e, false)
		}
		return value.OfList(out)
	case v.Kind() == value.Object:
		_, isBlob := v.AsObject().Get("sha256")
		out := value.NewObject(v.AsObject().Len())
		for name, m := range v.AsObject().All() {
			if !isBlob || name != "base64" {
				out.Set(name, withBytes(m, false))
			}
		}
		return value.OfObject(out)
	}
	return v
}

// duration is the flag --timeout; 0: it was not given.
func (f *directFlags) duration() (d time.Duration, err error) {
	if f.timeout == "" {
		return 0, nil
	}
	if d, err = syntax.ParseDuration(f.timeout); err != nil {
		return 0, usage("--timeout %q: %w", f.timeout, err)
	}
	if d <= 0 {
		return 0, usage("--timeout %q: it must be more than nothing", f.timeout)
	}
	return d, nil
}
