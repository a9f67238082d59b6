package service

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/sampling"
)

// offers are what a connection does for its server. Plans of earlier versions do
// not say: then it is the default of the language.
func (s *secrets) offers(names []string) connection.Offers {
	o := connection.Offers{
		Elicitation: names == nil || slices.Contains(names, "elicitation"),
		Sampling:    slices.Contains(names, "sampling"),
	}
	if slices.Contains(names, "roots") {
		o.Root = s.env.ProjectRoot
	}
	return o
}

// sampler returns the model that answers servers, nil where there is none.
func (s *secrets) sampler(p *plan.Sampling) (callback.Sampler, error) {
	if p == nil {
		return nil, nil
	}
	r := resolver{scope: connectionScope{secrets: s}, of: "the sampling block of wfc.hcl"}
	m := &sampling.Provider{BaseURL: r.text("base_url", p.BaseURL), Model: r.text("model", p.Model), APIKey: r.text("api_key", p.APIKey)}
	if r.err != nil {
		return nil, r.err
	}
	if u, err := url.Parse(m.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the sampling block of wfc.hcl: base_url: %q is no http or https URL", m.BaseURL)
	}
	return m, nil
}

// handling returns the context of an operation with who answers its server, and
// the function that tells what a person should know of it once it is over.
func (s *Service) handling(ctx context.Context, model callback.Sampler) (_ context.Context, remarks func() []string) {
	var all []string
	h := callback.Handlers{Answerer: s.options.Answerer, Sampler: model, Remark: func(text string) { all = append(all, text) }}
	return callback.With(ctx, h), func() []string { return all }
}
