package schedule_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/runner/schedule"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

func parse(t interface{ Fatal(...any) }, expression, zone string) schedule.Times {
	times, err := schedule.Parse(expression, zone)
	if err != nil {
		t.Fatal(err)
	}
	return times
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		name, cron, zone, after string
		want                    []string
	}{
		{"on working days", "0 9 * * MON-FRI", "Europe/Berlin", "2026-11-27T12:00:00Z", []string{"2026-11-30T09:00:00+01:00", "2026-12-01T09:00:00+01:00"}},
		{"UTC where no zone is written", "30 6 1 * *", "", "2026-11-30T00:00:00Z", []string{"2026-12-01T06:30:00Z"}},
		{"a word", "@daily", "Asia/Kolkata", "2026-11-30T00:00:00Z", []string{"2026-12-01T00:00:00+05:30"}},
		{"a time that is left out comes when clocks are put forward", "30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", []string{"2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}},
		{"two that are left out come once", "10,40 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", []string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:10:00+02:00"}},
		{"a time that comes twice counts once", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", []string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
		{"every ten minutes goes on", "*/30 * * * *", "Europe/Berlin", "2026-10-24T23:59:00Z", []string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00", "2026-10-25T03:00:00+01:00"}},
		{"half an hour is put forward", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", []string{"2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"the hours of New York", "30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", []string{"2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"}},
		{"29 February", "0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", []string{"2028-02-29T00:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, c.after)
			if err != nil {
				t.Fatal(err)
			}
			times := parse(t, c.cron, c.zone)
			for _, want := range c.want {
				at = times.Next(at)
				if got := at.Format(time.RFC3339); got != want {
					t.Fatalf("got %s, want %s", got, want)
				}
			}
		})
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for _, c := range [][2]string{{"0 9 * *", "UTC"}, {"0 9 * * *", "Europe/Berln"}, {"0 9 * * *", "Local"}} {
		if _, err := schedule.Parse(c[0], c[1]); err == nil {
			t.Errorf("%v was read", c)
		}
	}
	if next := (schedule.Times{}).Next(time.Now()); !next.IsZero() {
		t.Errorf("no times have %s", next)
	}
}

// Times go forward, and there is exactly one of a daily time each day.
func TestADailyTimeComesEachDayOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom([]string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "UTC", "Africa/Casablanca"}).Draw(t, "zone")
		hour, minute := rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute")
		times := parse(t, time.Date(0, 1, 1, hour, minute, 0, 0, time.UTC).Format("4 15 * * *"), zone)
		at := time.Unix(rapid.Int64Range(1_000_000_000, 2_000_000_000).Draw(t, "after"), 0)
		last := time.Time{}
		for range 400 {
			next := times.Next(at)
			if !next.After(at) {
				t.Fatalf("%s is not after %s", next, at)
			}
			y, m, d := next.Date()
			if !last.IsZero() && !last.AddDate(0, 0, 1).Equal(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)) {
				t.Fatalf("after the %s comes %s", last, next)
			}
			last = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
			at = next
		}
	})
}
