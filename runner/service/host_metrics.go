package service

import (
	"fmt"
	"io"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/lda-wf/wfc/runner/engine"
)

// hostMetrics counts what a host does.
type hostMetrics struct{ set *metrics.Set }

// runBuckets are the upper bounds, in seconds, of how long runs take: of milliseconds
// where a step computes, of days where somebody is asked.
var runBuckets = []float64{.01, .05, .1, .5, 1, 5, 10, 60, 600, 3600, 86400}

func (m *hostMetrics) open(h *Host) {
	m.set = metrics.NewSet()
	m.set.NewGauge("wfc_runs_going", func() float64 { going, _ := h.runs.queue.count(); return float64(going) })
	m.set.NewGauge("wfc_runs_queued", func() float64 { _, waiting := h.runs.queue.count(); return float64(waiting) })
	m.set.NewGauge("wfc_runs_going_max", func() float64 { return float64(h.runs.queue.most) })
}

// began counts a run that begins, or is resumed.
func (m *hostMetrics) began(r *liveRun) {
	what := "started"
	if r.by == nil {
		what = "resumed"
	}
	m.set.GetOrCreateCounter(fmt.Sprintf("wfc_runs_%s_total{workflow=%q}", what, r.workflow)).Inc()
	r.since = time.Now()
}

// ended counts a run that goes on no more.
func (m *hostMetrics) ended(r *liveRun) {
	status := "stopped" // by a fault
	switch {
	case r.outcome != nil:
		status = string(r.outcome.Status)
	case r.id == "":
		status = "refused"
	}
	m.set.GetOrCreateCounter(fmt.Sprintf("wfc_runs_ended_total{workflow=%q,status=%q}", r.workflow, status)).Inc()
	m.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("wfc_run_seconds{workflow=%q}", r.workflow), runBuckets).Update(time.Since(r.since).Seconds())
}

// watched counts an event of a run.
func (m *hostMetrics) watched(ev engine.Event) {
	switch ev := ev.(type) {
	case engine.StepFinished:
		m.set.GetOrCreateCounter(fmt.Sprintf("wfc_steps_total{outcome=%q}", ev.Outcome)).Inc()
	case engine.StepRetrying:
		m.set.GetOrCreateCounter("wfc_step_retries_total").Inc()
	}
}

// WriteMetrics writes what the host has counted in the text format of Prometheus.
func (h *Host) WriteMetrics(w io.Writer) { h.metrics.set.WritePrometheus(w) }
