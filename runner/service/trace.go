package service

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/runner/engine"
)

// No span has a value: not of inputs, arguments, results, nor of messages of failures,
// which quote servers.

// request begins the span of what a server is asked; nil where nothing is traced.
func (s *Service) request(ctx context.Context, do plan.NodeKind, connection, name string) (context.Context, trace.Span) {
	if s.options.Tracer == nil {
		return ctx, nil
	}
	method := "tools/call"
	switch do {
	case plan.Read:
		method, name = "resources/read", "" // a URI may have anything in it
	case plan.Prompt:
		method = "prompts/get"
	}
	label := method
	attributes := []attribute.KeyValue{attribute.String("mcp.method.name", method), attribute.String("wfc.connection", connection)}
	if name != "" {
		label += " " + name
		attributes = append(attributes, attribute.String("gen_ai.tool.name", name))
	}
	return s.options.Tracer.Start(ctx, label, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
}

// endRequest ends a span of [Service.request], which may be nil. kind is that of its failure; "": none.
func endRequest(span trace.Span, kind engine.Kind) {
	if span == nil {
		return
	}
	if kind != "" {
		span.SetStatus(codes.Error, string(kind))
		span.SetAttributes(attribute.String("error.type", string(kind)))
	}
	span.End()
}

// runTrace has the spans of a run that goes on. A nil one has none.
type runTrace struct {
	tracer trace.Tracer
	ctx    context.Context // with the run's span
	run    trace.Span

	mu    sync.Mutex
	steps map[string]trace.Span
}

// traceRun begins the span of a run. by is the context of who started it, whose span is
// its parent; nil: it is resumed.
func (s *Service) traceRun(base, by context.Context, workflow, deployment string) (context.Context, *runTrace) {
	if s.options.Tracer == nil {
		return base, nil
	}
	attributes := []attribute.KeyValue{attribute.String("wfc.workflow", workflow), attribute.Bool("wfc.resumed", by == nil)}
	if deployment != "" {
		attributes = append(attributes, attribute.String("wfc.deployment", deployment))
	}
	ctx := base
	if by != nil {
		ctx = trace.ContextWithSpanContext(base, trace.SpanContextFromContext(by))
	}
	ctx, span := s.options.Tracer.Start(ctx, "run "+workflow, trace.WithAttributes(attributes...))
	return ctx, &runTrace{tracer: s.options.Tracer, ctx: ctx, run: span, steps: map[string]trace.Span{}}
}

// named notes the id of the run.
func (t *runTrace) named(id string) {
	if t != nil {
		t.run.SetAttributes(attribute.String("wfc.run", id))
	}
}

// watched takes an event of the run.
func (t *runTrace) watched(ev engine.Event) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch ev := ev.(type) {
	case engine.StepStarted:
		name := ev.Step.String()
		if t.steps[name] == nil {
			_, t.steps[name] = t.tracer.Start(t.ctx, "step "+ev.Step.Path(), trace.WithTimestamp(ev.Time), trace.WithAttributes(attribute.String("wfc.step", name)))
		}
	case engine.StepRetrying:
		if span := t.steps[ev.Step.String()]; span != nil {
			span.AddEvent("retry", trace.WithTimestamp(ev.Time), trace.WithAttributes(attribute.Int("wfc.attempt", ev.Attempt), attribute.String("error.type", string(ev.Failure.Kind))))
		}
	case engine.StepFinished:
		span := t.steps[ev.Step.String()]
		if span == nil {
			return // nothing of it took time
		}
		delete(t.steps, ev.Step.String())
		span.SetAttributes(attribute.String("wfc.outcome", string(ev.Outcome)))
		if ev.Failure != nil {
			span.SetStatus(codes.Error, string(ev.Failure.Kind))
			span.SetAttributes(attribute.String("error.type", string(ev.Failure.Kind)))
		}
		span.End(trace.WithTimestamp(ev.Time))
	}
}

// ended ends all spans.
func (t *runTrace) ended(outcome *engine.Outcome) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for _, span := range t.steps {
		span.End(trace.WithTimestamp(now))
	}
	switch {
	case outcome == nil:
		t.run.SetStatus(codes.Error, "stopped")
	default:
		t.run.SetAttributes(attribute.String("wfc.status", string(outcome.Status)))
		if outcome.Err != nil {
			t.run.SetStatus(codes.Error, string(outcome.Err.Kind))
			t.run.SetAttributes(attribute.String("error.type", string(outcome.Err.Kind)))
		}
	}
	t.run.End(trace.WithTimestamp(now))
}
