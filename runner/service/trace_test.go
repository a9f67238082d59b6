package service

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/lda-wf/wfc/runner/journal"
)

// A run, its steps and what servers are asked have a span each, in the trace of who
// started the run; nothing of them, of metrics or of the log has a value.
func TestARunIsTracedCountedAndLoggedWithoutItsValues(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(kept))
	tracer := provider.Tracer("test")
	var log bytes.Buffer
	h := meetingHost(t, HostOptions{Log: slog.New(slog.NewJSONHandler(&log, nil)), Options: Options{Tracer: tracer}})
	ctx, asked := tracer.Start(t.Context(), "the request")
	run, err := h.Start(ctx, StartRun{Deployment: "meet", Input: object1(t, `{"of": "planted-value"}`)}, false)
	must(t, err)
	h.at(run.ID, starts("meet"))
	h.meet()
	run, err = h.Wait(t.Context(), run.ID)
	must(t, err)
	if run.Status != journal.Completed {
		t.Fatalf("the run is %s", run.Status)
	}
	asked.End()
	var metrics bytes.Buffer
	h.WriteMetrics(&metrics)
	h.end(context.Background())

	byName := map[string]tracetest.SpanStub{}
	var names []string
	for _, s := range kept.GetSpans() {
		byName[s.Name] = s
		if s.SpanContext.TraceID() == asked.SpanContext().TraceID() {
			names = append(names, s.Name)
		}
		for _, a := range s.Attributes {
			if strings.Contains(a.Value.String(), "planted") {
				t.Errorf("the span %s has the attribute %v", s.Name, a)
			}
		}
	}
	slices.Sort(names)
	if want := []string{"run meeting", "step first", "step last", "step meet", "the request", "tools/call echo", "tools/call echo", "tools/call meet"}; !slices.Equal(names, want) {
		t.Errorf("the trace has the spans %q, want %q", names, want)
	}
	of := byName["run meeting"]
	if of.Parent.SpanID() != asked.SpanContext().SpanID() || byName["step meet"].Parent.SpanID() != of.SpanContext.SpanID() {
		t.Error("the spans are not within each other")
	}
	if byName["tools/call meet"].SpanKind != trace.SpanKindClient {
		t.Error("a request is no span of a client")
	}
	for _, want := range []string{
		`wfc_runs_started_total{workflow="meeting"} 1`, `wfc_runs_ended_total{workflow="meeting",status="completed"} 1`,
		`wfc_steps_total{outcome="ok"} 3`, "wfc_runs_going 0", "wfc_runs_queued 0",
	} {
		if !strings.Contains(metrics.String(), want) {
			t.Errorf("the metrics have no %s:\n%s", want, metrics.String())
		}
	}
	for _, want := range []string{"run started", "run ended", run.ID, `"status":"completed"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log.String())
		}
	}
	if strings.Contains(log.String()+metrics.String(), "planted") {
		t.Error("a value is in the log or the metrics")
	}
}
