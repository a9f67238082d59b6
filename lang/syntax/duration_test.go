package syntax

import (
	"testing"
	"time"
)

func TestDurationsAreNumbersWithUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0":      0,
		"0s":     0,
		"500ms":  500 * time.Millisecond,
		"30s":    30 * time.Second,
		"5m":     5 * time.Minute,
		"1h30m":  90 * time.Minute,
		"1.5h":   90 * time.Minute,
		"0.1s":   100 * time.Millisecond,
		"2d":     48 * time.Hour,
		"1d1ms":  24*time.Hour + time.Millisecond,
		"36500d": 36500 * 24 * time.Hour,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "30", "s", "1 s", "1s ", "-1s", "+1s", "1e3s", "1.2.3s", ".5s", "1w", "1S", "1us", "s1", "1h30", "99999999999d", "111111111111111111111111111111111s"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
