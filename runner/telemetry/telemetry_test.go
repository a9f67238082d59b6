package telemetry

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestNothingIsSentUnlessTheEnvironmentSaysWhere(t *testing.T) {
	for name, vars := range map[string]map[string]string{
		"nothing":  {},
		"none":     {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"},
		"disabled": {"OTEL_SDK_DISABLED": "TRUE", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"},
	} {
		if e, err := exporterOf(env(vars), nil); e != nil || err != nil {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
	var none *Tracing
	if none.Tracer() != nil || none.Close(t.Context()) != nil {
		t.Error("no tracing does something")
	}
}

func TestWhereTracesGo(t *testing.T) {
	for want, vars := range map[string]map[string]string{
		"http://c:4318/v1/traces":         {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"},
		"http://c:4318/otlp/v1/traces":    {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/otlp/"},
		"http://c/exactly":                {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://b", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/exactly"},
		"http://localhost:4318/v1/traces": {"OTEL_TRACES_EXPORTER": "otlp"},
	} {
		if e, err := exporterOf(env(vars), nil); err != nil || e.url != want {
			t.Errorf("%v: %+v, %v", vars, e, err)
		}
	}
	for name, vars := range map[string]map[string]string{
		"no URL":      {"OTEL_EXPORTER_OTLP_ENDPOINT": "c:4318"},
		"gRPC":        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		"no exporter": {"OTEL_TRACES_EXPORTER": "zipkin"},
		"no timeout":  {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT": "soon"},
		"no headers":  {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "token-that-is-secret"},
	} {
		if _, err := exporterOf(env(vars), nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a collector gets is OTLP's JSON, sent again where it says so.
func TestACollectorGetsTheSpans(t *testing.T) {
	var posts atomic.Int32
	var got map[string]any
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if posts.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.Header.Get("Authorization") != "Bearer x y" || r.Header.Get("Content-Type") != "application/json" || r.URL.Path != "/v1/traces" {
			t.Errorf("the request is %s with %v", r.URL, r.Header)
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20x%20y")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
	tracing, err := Start("1.2.3", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, outer := tracing.Tracer().Start(t.Context(), "run")
	_, inner := tracing.Tracer().Start(ctx, "step")
	inner.SetAttributes(attribute.String("wfc.step", "a"), attribute.Int("n", 3), attribute.Bool("b", true))
	inner.SetStatus(codes.Error, "tool")
	inner.End()
	outer.End()
	if err := tracing.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(got)
	for _, want := range []string{
		`"traceId":"` + outer.SpanContext().TraceID().String() + `"`, `"parentSpanId":"` + outer.SpanContext().SpanID().String() + `"`,
		`{"key":"n","value":{"intValue":"3"}}`, `"status":{"code":2,"message":"tool"}`, `"stringValue":"1.2.3"`, `"deployment.environment"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

func TestACollectorThatIsNotThereIsToldOnce(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	told := 0
	e, err := exporterOf(env(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": gone.URL}), func(error) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := e.ExportSpans(t.Context(), []sdk.ReadOnlySpan{}); err != nil {
			t.Error(err)
		}
	}
	if told != 1 {
		t.Errorf("it was told %d times", told)
	}
}
