package lint

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/diag"
)

// emptyIndex is a constant index into a list that a `for … if` makes.
type emptyIndex struct {
	at     hcl.Range
	of     string   // the source of what is gone through
	also   string   // the name that the list goes by, "" for none
	guards []string // the conditions around, where they are all that can guard it
	lazy   bool     // in a local: a condition anywhere can guard it
}

// indexed looks at list[KEY].
func (p *pass) indexed(list, key node) {
	if lit, ok := unparen(key).(*hclsyntax.LiteralValueExpr); ok && lit.Val.Type() == cty.Number {
		p.indexOf(list)
	}
}

// traversed looks at (list)[0].attr.
func (p *pass) traversed(list node, steps hcl.Traversal) {
	if len(steps) > 0 && isNumber(steps[0]) {
		p.indexOf(list)
	}
}

func isNumber(step hcl.Traverser) bool {
	i, ok := step.(hcl.TraverseIndex)
	return ok && i.Key.Type() == cty.Number
}

func (p *pass) indexOf(list node) {
	switch x := unparen(list).(type) {
	case *hclsyntax.ForExpr:
		p.indexOfFor(x, x.Range(), "")
	case *hclsyntax.ScopeTraversalExpr:
		if name, ok := p.nameOf(x); ok && len(x.Traversal) == 2 && x.Traversal.RootName() == "local" && !p.isBound("local") {
			p.indexOfLocal(x, p.locals[name])
		}
	}
}

// indexedLocal looks at local.NAME[0].
func (p *pass) indexedLocal(x *hclsyntax.ScopeTraversalExpr, l *local) {
	if len(x.Traversal) > 2 && isNumber(x.Traversal[2]) {
		p.indexOfLocal(x, l)
	}
}

func (p *pass) indexOfLocal(x *hclsyntax.ScopeTraversalExpr, l *local) {
	if l == nil {
		return
	}
	if loop, ok := unparen(l.syntax.Expr.Node).(*hclsyntax.ForExpr); ok {
		p.indexOfFor(loop, x.Range(), "local."+l.syntax.Name.Text)
	}
}

func (p *pass) indexOfFor(loop *hclsyntax.ForExpr, at hcl.Range, name string) {
	if loop.CondExpr == nil || loop.KeyExpr != nil || p.caught > 0 {
		return
	}
	x := emptyIndex{at: at, of: p.text(loop.CollExpr), also: name, lazy: p.owner.local != nil}
	for _, g := range p.guards {
		x.guards = append(x.guards, p.text(g))
	}
	p.indexes = append(p.indexes, x)
}

// emptyIndexes reports the constant indexes that no condition guards: one that
// mentions the list, or what it is made from.
func (p *pass) emptyIndexes() {
	for _, x := range p.indexes {
		guards := x.guards
		if x.lazy {
			for _, c := range p.conditions {
				guards = append(guards, p.text(c))
			}
		}
		guarded := false
		for _, g := range guards {
			guarded = guarded || strings.Contains(g, x.of) || x.also != "" && strings.Contains(g, x.also)
		}
		if guarded {
			continue
		}
		p.report(diag.New(codeEmptyIndex, x.at, "This list is empty where the `if` of its `for` holds of no element, and then the index fails. Say what is to be used then, as in try(…[0], null), or ask length(…) > 0 before."))
	}
}
