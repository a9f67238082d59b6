package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter sends spans to a collector. It implements sdk.SpanExporter.
type exporter struct {
	url     string
	client  *http.Client
	headers map[string]string
	timeout time.Duration // of one batch, with its repetitions
	failed  func(error)   // may be nil
	failing atomic.Bool
}

// The pauses before a batch is sent again, where the collector says that it may be.
var pauses = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}

// ExportSpans sends a batch. A failure is told and no error: it is nobody's who works.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	body, err := json.Marshal(batchOf(spans))
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, e.timeout)
		defer cancel()
		err = e.send(ctx, body)
	}
	if was := e.failing.Swap(err != nil); err != nil && !was && e.failed != nil {
		e.failed(fmt.Errorf("traces cannot be sent to %s: %w", e.url, err))
	}
	return nil
}

func (e *exporter) send(ctx context.Context, body []byte) error {
	for i := 0; ; i++ {
		again, err := e.post(ctx, body)
		if err == nil || !again || i == len(pauses) {
			return err
		}
		pause := time.NewTimer(pauses[i])
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return err
		}
	}
}

// post sends a batch once; again says that it may be sent again.
func (e *exporter) post(ctx context.Context, body []byte) (again bool, _ error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	for name, v := range e.headers {
		req.Header.Set(name, v)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := e.client.Do(req)
	if err != nil {
		return ctx.Err() == nil, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	if err := res.Body.Close(); err != nil {
		return false, err
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	if res.StatusCode/100 != 2 {
		return again, fmt.Errorf("the collector answered with %s", res.Status)
	}
	return false, nil
}

// Shutdown implements sdk.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

// The types below are OTLP's, in its JSON form: ids in hex, 64-bit numbers as texts.
type (
	batch struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resourceJSON `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resourceJSON struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name string `json:"name"`
	}
	span struct {
		TraceID      string     `json:"traceId"`
		SpanID       string     `json:"spanId"`
		ParentSpanID string     `json:"parentSpanId,omitempty"`
		TraceState   string     `json:"traceState,omitempty"`
		Name         string     `json:"name"`
		Kind         int        `json:"kind"`
		Start        string     `json:"startTimeUnixNano"`
		End          string     `json:"endTimeUnixNano"`
		Attributes   []keyValue `json:"attributes,omitempty"`
		Status       status     `json:"status"`
	}
	status struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
	keyValue struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
)

// batchOf is what is sent of spans. All of a provider have one resource and scope.
func batchOf(spans []sdk.ReadOnlySpan) batch {
	if len(spans) == 0 {
		return batch{}
	}
	out := scopeSpans{Scope: scope{spans[0].InstrumentationScope().Name}}
	for _, s := range spans {
		x := span{
			TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(), TraceState: s.SpanContext().TraceState().String(),
			Name: s.Name(), Kind: int(s.SpanKind()), Start: nanos(s.StartTime()), End: nanos(s.EndTime()), Attributes: attributesOf(s.Attributes()),
		}
		if p := s.Parent(); p.HasSpanID() {
			x.ParentSpanID = p.SpanID().String()
		}
		switch s.Status().Code {
		case codes.Ok:
			x.Status.Code = 1
		case codes.Error:
			x.Status = status{2, s.Status().Description}
		}
		out.Spans = append(out.Spans, x)
	}
	return batch{[]resourceSpans{{resourceJSON{attributesOf(spans[0].Resource().Attributes())}, []scopeSpans{out}}}}
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func attributesOf(in []attribute.KeyValue) []keyValue {
	out := make([]keyValue, 0, len(in))
	for _, kv := range in {
		v := map[string]any{}
		switch kv.Value.Type() {
		case attribute.BOOL:
			v["boolValue"] = kv.Value.AsBool()
		case attribute.INT64:
			v["intValue"] = strconv.FormatInt(kv.Value.AsInt64(), 10)
		case attribute.FLOAT64:
			v["doubleValue"] = kv.Value.AsFloat64()
		default:
			v["stringValue"] = kv.Value.String()
		}
		out = append(out, keyValue{string(kv.Key), v})
	}
	return out
}
