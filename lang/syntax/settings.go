package syntax

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// settings reads wfc.hcl. A second block of a kind has its diagnostic.
func (r *reader) settings(f *File, body *hclsyntax.Body) {
	f.Project = &Project{}
	r.examine(settingsFile, body, nil)
	for _, b := range body.Blocks {
		switch {
		case b.Type == "project" && f.Project.Range == (hcl.Range{}):
			f.Project = r.project(b)
		case b.Type == "defaults" && f.Defaults == nil:
			f.Defaults = r.defaults(b)
		case b.Type == "lint" && f.Lint == nil:
			f.Lint = r.lint(b)
		case b.Type == "sampling" && f.Sampling == nil:
			f.Sampling = r.sampling(b)
		case b.Type == "storage" && f.Storage == nil:
			f.Storage = r.storage(b)
		}
	}
}

func (r *reader) project(b *hclsyntax.Block) *Project {
	r.labels(projectShape, b)
	r.examine(projectShape, b.Body, b)
	return &Project{
		Name:        r.text(b.Body, "name"),
		Language:    r.integer(b.Body, "language", 1),
		RequiresWFC: r.text(b.Body, "requires_wfc"),
		Range:       block(b).Range,
	}
}

func (r *reader) defaults(b *hclsyntax.Block) *Defaults {
	r.labels(defaultsShape, b)
	r.examine(defaultsShape, b.Body, b)
	d := &Defaults{
		Block:       block(b),
		MaxParallel: r.integer(b.Body, "max_parallel", 1),
		Timeout:     r.duration(b.Body, "timeout", true),
		IdleTimeout: r.duration(b.Body, "idle_timeout", true),
		Deadline:    r.duration(b.Body, "deadline", true),
		MaxInFlight: r.integer(b.Body, "max_in_flight", 1),
		Session:     r.choice(b.Body, "session", "shared", "run"),
		Protocol:    r.choice(b.Body, "protocol", protocols...),
		Offers:      r.offers(b.Body),
	}
	for _, c := range b.Body.Blocks {
		switch {
		case c.Type == "retry" && d.Retry == nil:
			d.Retry = r.retry(c)
		case c.Type == "timeouts" && d.Timeouts == nil:
			d.Timeouts = r.timeouts(c)
		case c.Type == "rate_limit" && d.RateLimit == nil:
			d.RateLimit = r.rateLimit(c)
		}
	}
	return d
}

func (r *reader) lint(b *hclsyntax.Block) *Lint {
	r.labels(lintShape, b)
	r.examine(lintShape, b.Body, b)
	l := &Lint{Block: block(b)}
	for _, at := range inOrder(b.Body.Attributes) {
		l.Rules = append(l.Rules, r.attribute(b.Body, at.Name))
	}
	return l
}

func (r *reader) sampling(b *hclsyntax.Block) *Sampling {
	r.labels(samplingShape, b)
	r.examine(samplingShape, b.Body, b)
	return &Sampling{
		Block:   block(b),
		BaseURL: r.attribute(b.Body, "base_url"),
		Model:   r.attribute(b.Body, "model"),
		APIKey:  r.attribute(b.Body, "api_key"),
	}
}

func (r *reader) storage(b *hclsyntax.Block) *Storage {
	r.labels(storageShape, b)
	r.examine(storageShape, b.Body, b)
	return &Storage{
		Block:      block(b),
		Durability: r.choice(b.Body, "durability", "disk", "process"),
		MaxResult:  r.size(b.Body, "max_result"),
		Keep:       r.duration(b.Body, "keep", true),
	}
}
