// Package schedule says when deployments run by themselves.
//
// Its central type is Times.
package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Times are the times of a cron expression in a time zone. The zero value has none.
//
// Where clocks are put forward, a time that is left out comes at the moment when
// they are; where they are put back, a time that comes twice counts once, unless the
// expression means every hour. So a daily run is neither left out nor done twice, and
// one every ten minutes goes on every ten minutes.
type Times struct {
	spec   cron.Schedule
	zone   *time.Location
	hourly bool // it goes by the time that passes, not by the clock on the wall
}

// Parse reads a cron expression with five fields, or a word such as "@daily", and the
// name of a time zone; "" is UTC.
func Parse(expression, zone string) (Times, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return Times{}, fmt.Errorf("there is no time zone %q", zone)
	}
	spec, err := cron.ParseStandard(expression)
	if err != nil {
		return Times{}, fmt.Errorf("%q cannot be read as times: %w", expression, err)
	}
	return Times{spec: spec, zone: loc, hourly: everyHour(expression)}, nil
}

// everyHour reports whether an expression names no hours.
func everyHour(expression string) bool {
	if strings.HasPrefix(expression, "@") {
		return strings.HasPrefix(expression, "@every") || expression == "@hourly"
	}
	fields := strings.Fields(expression)
	return len(fields) == 5 && (fields[1] == "*" || strings.HasPrefix(fields[1], "*/"))
}

// Zone is the time zone.
func (t Times) Zone() *time.Location { return t.zone }

// Next returns the first time after another one; zero: there is none.
func (t Times) Next(after time.Time) time.Time {
	if t.spec == nil {
		return time.Time{}
	}
	if t.hourly {
		return t.spec.Next(after.In(t.zone))
	}
	// By the clock on the wall, as if it were never changed. At most two changes a year
	// lie between a time and what it is on the wall, so that few times are looked at.
	wall := onWall(after.In(t.zone)).Add(-25 * time.Hour)
	for {
		wall = t.spec.Next(wall)
		if wall.IsZero() {
			return wall
		}
		if at := t.at(wall); at.After(after) {
			return at
		}
	}
}

// onWall is what the clock on the wall shows, as a time that no zone changes.
func onWall(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// at is the moment at which the clock on the wall shows a time: the first one where it
// does so twice, and where it never does the one at which it is put forward.
func (t Times) at(wall time.Time) time.Time {
	y, m, d := wall.Date()
	at := time.Date(y, m, d, wall.Hour(), wall.Minute(), wall.Second(), 0, t.zone)
	if !onWall(at).Equal(wall) {
		begin, end := at.ZoneBounds()
		if onWall(at).Before(wall) {
			return end.In(t.zone)
		}
		return begin.In(t.zone)
	}
	begin, _ := at.ZoneBounds()
	if begin.IsZero() {
		return at
	}
	_, now := at.Zone()
	_, before := begin.Add(-time.Second).Zone()
	if first := at.Add(time.Duration(now-before) * time.Second); before > now && onWall(first).Equal(wall) {
		return first
	}
	return at
}
