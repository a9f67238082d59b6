package check

import (
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

var (
	samplingPlace = &place{noun: "a sampling block", roots: rootSecret | rootProject}
	defaultsPlace = &place{noun: "defaults, which are of all steps"}
)

// checkProjectSettings checks the expressions of wfc.hcl.
func (c *checker) checkProjectSettings(f *syntax.File) {
	if s := f.Sampling; s != nil {
		c.setting(s.BaseURL, samplingPlace, types.StringType, "The base_url")
		c.absoluteURL(s.BaseURL)
		c.setting(s.Model, samplingPlace, types.StringType, "The model")
		c.setting(s.APIKey, samplingPlace, types.StringType, "The api_key")
	}
	if f.Defaults == nil || f.Defaults.Retry == nil {
		return
	}
	r := f.Defaults.Retry
	if r.Attempts != nil {
		c.atLeastOne(r.Attempts.Expr, defaultsPlace, nil, attemptsSubject, "attempts counts the first one, too")
	}
	for _, d := range []struct {
		at  *syntax.Attribute
		sub *subject
	}{{r.Delay, delaySubject}, {r.MaxDelay, maxDelaySubject}} {
		if d.at != nil {
			c.duration(d.at.Expr, defaultsPlace, nil, d.sub)
		}
	}
	c.setting(r.On, defaultsPlace, kindsType, "The list of kinds of failures")
	if w := r.When; w != nil {
		c.f = &flow{results: map[*types.Type]*result{}}
		failed := c.newResult(nil, types.AnyType, nil, outcomeError)
		c.check(w.Expr, &place{noun: "the condition of retry in defaults", roots: rootSelf, self: failed.t}, nil, types.BoolType, retryWhenSubject)
		c.f = nil
	}
}

func (c *checker) setting(a *syntax.Attribute, p *place, want *types.Type, what string) {
	if a != nil {
		c.check(a.Expr, p, nil, want, &subject{plain: what})
	}
}
