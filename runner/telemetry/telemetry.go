// Package telemetry sends the traces of a server over OTLP/HTTP, as the standard OTEL_*
// environment variables say. Where these say nothing, there is nothing of it.
//
// Its central type is [Tracing]. It imports nothing of wfc. The SDK is OpenTelemetry's;
// the exporter is our own, in OTLP's JSON: the one for its protobuf form adds 12 MB to the
// program and some milliseconds to the start of every command.
package telemetry

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The defaults of the specification.
const (
	defaultEndpoint = "http://localhost:4318"
	defaultTimeout  = 10 * time.Second
)

// Tracing is what sends traces. A nil one sends nothing. Close it.
type Tracing struct{ provider *sdk.TracerProvider }

// Start returns what sends traces as the environment says:
//
//	OTEL_EXPORTER_OTLP_ENDPOINT, or _TRACES_ENDPOINT   where to; else nothing is sent,
//	OTEL_TRACES_EXPORTER=otlp                          unless this is set; "none" sends nothing
//	OTEL_EXPORTER_OTLP_HEADERS, _TRACES_HEADERS        such as authorization=Bearer%20…
//	OTEL_EXPORTER_OTLP_TIMEOUT, _TRACES_TIMEOUT        milliseconds
//	OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES        what the traces are of
//	OTEL_TRACES_SAMPLER, OTEL_BSP_…                    see OpenTelemetry's SDK
//	OTEL_SDK_DISABLED=true                             nothing is sent
//
// It returns nil where nothing is to be sent. failed is told why spans could not be
// sent, once for each time that it begins to fail.
func Start(version string, failed func(error)) (*Tracing, error) {
	e, err := exporterOf(os.Getenv, failed)
	if e == nil || err != nil {
		return nil, err
	}
	name := "wfc"
	if set := os.Getenv("OTEL_SERVICE_NAME"); set != "" {
		name = set
	}
	own := resource.NewSchemaless(attribute.String("service.name", name), attribute.String("service.version", version))
	all, err := resource.Merge(own, resource.Environment())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return &Tracing{sdk.NewTracerProvider(sdk.WithResource(all), sdk.WithBatcher(e))}, nil
}

// Tracer returns what makes spans; nil where nothing is to be sent.
func (t *Tracing) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer("github.com/lda-wf/wfc")
}

// Close sends what is not sent yet, until ctx is done.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// exporterOf returns the exporter that an environment wants; nil: none.
func exporterOf(env func(string) string, failed func(error)) (*exporter, error) {
	either := func(name string) string {
		if v := env("OTEL_EXPORTER_OTLP_TRACES_" + name); v != "" {
			return v
		}
		return env("OTEL_EXPORTER_OTLP_" + name)
	}
	if strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	switch wanted := env("OTEL_TRACES_EXPORTER"); {
	case wanted == "none", wanted == "" && either("ENDPOINT") == "":
		return nil, nil
	case wanted != "" && wanted != "otlp":
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER is %q; wfc knows otlp and none", wanted)
	}
	if p := either("PROTOCOL"); p == "grpc" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is grpc; wfc sends OTLP over HTTP as JSON (http/json), which collectors take at port 4318")
	}
	to := env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") // as it is
	if to == "" {
		base := env("OTEL_EXPORTER_OTLP_ENDPOINT")
		if base == "" {
			base = defaultEndpoint
		}
		to = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if u, err := url.Parse(to); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %q is no http or https URL", to)
	}
	e := &exporter{url: to, client: &http.Client{}, headers: map[string]string{}, timeout: defaultTimeout, failed: failed}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		headers, err := headersOf(env(name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		maps.Copy(e.headers, headers)
	}
	if ms := either("TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT: %q is no number of milliseconds", ms)
		}
		e.timeout = time.Duration(n) * time.Millisecond
	}
	return e, nil
}

// headersOf reads name=value pairs with commas between them, values escaped as in URLs.
func headersOf(text string) (map[string]string, error) {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, v, ok := strings.Cut(pair, "=")
		v, err := url.PathUnescape(strings.TrimSpace(v))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" {
			return nil, fmt.Errorf("one of the headers is not NAME=VALUE, with values escaped as in URLs") // it may be a secret
		}
		out[name] = v
	}
	return out, nil
}
