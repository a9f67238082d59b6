package rpc

import (
	"fmt"
	"io"
	"net/http"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
)

// metrics are what /metrics shows, in the text format of Prometheus.
type metrics struct {
	set  *vm.Set
	more func(io.Writer)
}

// requestBuckets are the upper bounds, in seconds, of how long requests took: what the
// server does by itself, what tools take, and what runs take that are waited for.
var requestBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60}

func newMetrics(s *Server, more func(io.Writer)) *metrics {
	m := &metrics{set: vm.NewSet(), more: more}
	m.set.NewGauge("wfc_http_requests", func() float64 { return float64(s.places.count()) })
	return m
}

// observe counts an answered request; code is that of its error, 0: none.
func (m *metrics) observe(method string, code int, took time.Duration) {
	m.set.GetOrCreateCounter(fmt.Sprintf("wfc_rpc_requests_total{method=%q,code=\"%d\"}", method, code)).Inc()
	if took > 0 {
		m.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("wfc_rpc_request_seconds{method=%q}", method), requestBuckets).Update(took.Seconds())
	}
}

func (s *Server) serveMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	out := newPatient(w, s.limits.Transfer)
	s.metrics.set.WritePrometheus(out)
	if s.metrics.more != nil {
		s.metrics.more(out)
	}
	vm.WriteProcessMetrics(out)
}
