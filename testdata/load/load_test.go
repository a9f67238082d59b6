package load

import (
	"testing"
	"time"
)

// Under load no request fails and no run is lost.
func TestNoRunIsLostUnderLoad(t *testing.T) {
	report, err := Run(t.Context(), t.TempDir(), 16, 500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if report.Runs == 0 || report.Errors > 0 || report.Lost != 0 {
		t.Errorf("%d runs, %d errors, %d lost; %v", report.Runs, report.Errors, report.Lost, report.First)
	}
}
