package check

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// checkSchedule checks when a deployment runs.
func (c *checker) checkSchedule(s *syntax.Schedule) {
	zone := time.UTC
	if z := s.Timezone; z != nil {
		var err error
		if zone, err = time.LoadLocation(z.S); err != nil || z.S == "" || z.S == "Local" {
			c.unknownZone(z)
			zone = time.UTC
		}
	}
	if s.Cron == nil {
		return
	}
	const fields = "five fields (minute, hour, day of the month, month, day of the week), as \"0 9 * * MON-FRI\", or a word such as \"@daily\""
	text := s.Cron.S
	if strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ=") {
		c.report(diag.New(codeWrongCron, s.Cron.Range, "The time zone stands in an attribute of its own: timezone = \"…\"."))
		return
	}
	when, err := cron.ParseStandard(text)
	if err != nil {
		c.report(diag.New(codeWrongCron, s.Cron.Range, "%q cannot be read as times: %s. Write %s.", text, cronProblem(text, err), fields))
		return
	}
	// From any day on: what does not come within the years that are looked at never comes.
	if when.Next(time.Date(2025, 1, 1, 0, 0, 0, 0, zone)).IsZero() {
		c.report(diag.New(codeWrongCron, s.Cron.Range, "The time %q never comes: no month has such a day.", text))
	}
}

// cronFields are the fields of a schedule and what may stand in them.
var cronFields = []struct{ name, range_ string }{
	{"minute", "0 to 59"}, {"hour", "0 to 23"}, {"day of the month", "1 to 31"}, {"month", "1 to 12 or JAN to DEC"}, {"day of the week", "0 (Sunday) to 6 or SUN to SAT"},
}

// cronProblem says what is wrong with a schedule that could not be read: how many
// fields it has, or which of them is none.
func cronProblem(text string, err error) string {
	fields := strings.Fields(text)
	switch n := len(fields); {
	case strings.HasPrefix(text, "@"):
		return "there is no such word"
	case n == len(cronFields)+1:
		return "it has 6 fields, and there are none for seconds or years"
	case n != len(cronFields):
		return "it has " + count(n, "field")
	}
	for i, f := range cronFields {
		one := []string{"*", "*", "*", "*", "*"}
		one[i] = fields[i]
		if _, err := cron.ParseStandard(strings.Join(one, " ")); err != nil {
			return quoted(fields[i]) + " is no " + f.name + ", which is " + f.range_
		}
	}
	return err.Error()
}

// zones are some names of time zones, for suggestions: the commonest ones.
var zones = []string{
	"UTC", "Europe/Berlin", "Europe/London", "Europe/Paris", "Europe/Madrid", "Europe/Rome", "Europe/Zurich", "Europe/Vienna",
	"Europe/Amsterdam", "Europe/Stockholm", "Europe/Warsaw", "Europe/Lisbon", "America/New_York", "America/Chicago", "America/Denver",
	"America/Los_Angeles", "America/Toronto", "America/Sao_Paulo", "Asia/Tokyo", "Asia/Shanghai", "Asia/Singapore", "Asia/Kolkata",
	"Asia/Dubai", "Australia/Sydney", "Pacific/Auckland", "Africa/Johannesburg",
}

func (c *checker) unknownZone(z *syntax.Text) {
	d := diag.New(codeUnknownZone, z.Range, "There is no time zone %q. Write one as the tz database has it, such as \"Europe/Berlin\" or \"UTC\".", z.S)
	if near, ok := nearest.Name(z.S, zones); ok {
		d.Detail = "There is no time zone " + quoted(z.S) + ". Did you mean " + quoted(near) + "?"
		d = d.Fix("Change it to "+near, true, edit(z.Range, quoted(near)))
	}
	c.report(d)
}

var webhookPlace = &place{noun: "a webhook block", roots: rootSecret}

// checkWebhook checks how a deployment is run by requests.
func (c *checker) checkWebhook(d *syntax.Deployment, inputs []*input) {
	w := d.Webhook
	if p := w.Path; p != nil {
		switch {
		case !strings.HasPrefix(p.S, "/"):
			c.report(diag.New(codeWrongWebhook, p.Range, "The path of a webhook begins with a slash: %q.", "/"+p.S).
				Fix("Write the slash", true, edit(p.Range, quoted("/"+p.S))))
		case strings.ContainsAny(p.S, "?# ") || strings.Contains(p.S, "//"):
			c.report(diag.New(codeWrongWebhook, p.Range, "The path of a webhook is a path only: it has no query, no spaces and no empty parts."))
		}
		if first := c.w.webhooks[p.S]; first != nil && first != d {
			c.report(diag.New(codeWrongWebhook, p.Range, "The deployment %q has the path %q already, and a request can run one deployment only. Change one of them.", first.Name.Text, p.S).
				With(first.Webhook.Path.Range, "The other one."))
		}
	}
	if w.Secret != nil {
		c.check(w.Secret.Expr, webhookPlace, nil, types.StringType, &subject{plain: "The secret of a webhook"})
	}
	if w.Input == nil || inputs == nil {
		return
	}
	var names []string
	for _, in := range inputs {
		if in.syn.Name.Text == w.Input.Text {
			return
		}
		names = append(names, in.syn.Name.Text)
	}
	c.report(unknownName(codeUnknownInput, "input", "The workflow", w.Input.Text, w.Input.Range, names))
}
