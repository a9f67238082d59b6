package iface

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// declaration is a declaration as it is written: what the parser's tree says,
// with places, and without the tree.
type declaration struct {
	kind        string // a keyword
	name        Label
	doc         string
	annotations []Label
	span        hcl.Range
	params      []parameter // of a tool or prompt
	uri         Label       // of a resource
	result      *types.Node // the type of what is declared; nil for a prompt
	effect      catalog.Effect
	idempotent  bool
}

// parameter is a parameter as it is written.
type parameter struct {
	name   Label
	others bool        // "...": all that are not named
	typ    *types.Node // nil: of others, any
}

// declaration makes one of a tree, and reports what the grammar does not know
// of; nil where that leaves nothing to go on with.
func (p *fileParser) declaration(m *member, tokens []token) *declaration {
	p.useless = false
	d := &declaration{span: p.over(tokens)}
	d.doc, d.annotations = p.prefix(m.Prefix)
	switch {
	case m.Type != nil:
		d.kind, d.name, d.result = "type", p.label(m.Type.Name.Tok), p.node(m.Type.Type)
		if p.tokenAt(m.Type.Name.Tok).kind == text {
			p.report(codeSyntax, d.name.Range, "The name of a type is written without quotes.")
			return nil
		}
	case m.Tool != nil:
		d.kind, d.name, d.result = "tool", p.label(m.Tool.Name.Tok), p.node(m.Tool.Result)
		d.params = p.params(m.Tool.Params)
	case m.Resource != nil:
		d.kind, d.name, d.result = "resource", p.label(m.Resource.Name.Tok), p.node(m.Resource.Type)
		d.uri = p.label(*m.Resource.URI)
	case m.Prompt != nil:
		d.kind, d.name = "prompt", p.label(m.Prompt.Name.Tok)
		d.params = p.params(m.Prompt.Params)
	}
	if p.useless || damaged(tokens) {
		return nil
	}
	p.annotate(d)
	return d
}

func (p *fileParser) params(list []*param) []parameter {
	out := make([]parameter, len(list))
	for i, x := range list {
		last := i == len(list)-1
		if x.Others != nil {
			out[i] = parameter{name: p.label(*x.Others), others: true}
			if x.Of != nil {
				out[i].typ = p.node(x.Of)
			}
			if !last {
				p.report(codeSyntax, out[i].name.Range, "\"...\" stands for all other parameters and comes last.")
			}
			continue
		}
		out[i] = parameter{name: p.label(x.Name.Tok), typ: p.node(x.Type)}
		if !last && x.Comma == nil {
			p.missingComma(x.Type, "parameters")
		}
	}
	return out
}

// missingComma reports that no comma comes after x.
func (p *fileParser) missingComma(x *expr, what string) {
	end := p.endOf(x)
	d := diag.New(codeSyntax, p.span(end-1, end), "A comma is missing after this: %s are separated by commas.", what).
		Fix("Insert a comma", true, diag.Edit{Range: diag.RangeOf(p.span(end, end)), Text: ","})
	p.diags = append(p.diags, d)
}

// endOf is the offset where an expression ends.
func (p *fileParser) endOf(x *expr) int { return p.tokenAt(x.Tokens[len(x.Tokens)-1]).end }

// node returns a type expression as lang/types reads it.
func (p *fileParser) node(x *expr) *types.Node {
	if x.Paren != nil {
		return p.node(x.Paren)
	}
	n := &types.Node{Range: p.span(p.tokenAt(x.Tokens[0]).start, p.endOf(x)), Constant: func() (value.Value, bool) { return value.NullValue, false }}
	switch {
	case x.Path != nil:
		p.path(n, x.Path)
	case x.Text != nil:
		n.Kind = types.TextNode
		s := p.tokenAt(*x.Text).text
		n.Constant = func() (value.Value, bool) { return value.OfString(s), true }
	case x.Number != nil:
		p.number(n, x.Number)
	case x.List != nil:
		n.Kind, n.Args = types.ListNode, p.items(x.List.Items, "elements")
		n.Constant = func() (value.Value, bool) { return constantList(n.Args) }
	case x.Object != nil:
		n.Kind, n.Items = types.ObjectNode, p.pairs(x.Object.Items)
		n.Constant = func() (value.Value, bool) { return constantObject(n.Items) }
	}
	return n
}

func (p *fileParser) path(n *types.Node, x *dotted) {
	first := p.label(x.First)
	n.Kind, n.Path = types.NameNode, []string{first.Text}
	for _, s := range x.Steps {
		n.Path = append(n.Path, p.label(s.Name).Text)
	}
	if x.Call != nil {
		if len(n.Path) > 1 {
			p.report(codeSyntax, n.Range, "A type of an interface takes nothing in parentheses.")
			p.useless = true
		}
		n.Kind, n.Name, n.NameRange, n.Path = types.CallNode, first.Text, first.Range, nil
		n.Args = p.items(x.Call.Items, "arguments")
		return
	}
	if len(n.Path) > 1 {
		return
	}
	switch word := first.Text; word {
	case "true", "false":
		n.Kind, n.Path = types.OtherNode, nil
		n.Constant = func() (value.Value, bool) { return value.OfBool(word == "true"), true }
	case "null":
		n.Constant = func() (value.Value, bool) { return value.NullValue, true }
	}
}

func (p *fileParser) number(n *types.Node, x *numeral) {
	written := p.tokenAt(x.Number).text
	// As in HCL, zeros may lead.
	for len(written) > 1 && written[0] == '0' && written[1] >= '0' && written[1] <= '9' {
		written = written[1:]
	}
	d, err := value.ParseDecimal(written)
	if err == nil && x.Minus != nil && d.Sign() != 0 {
		d, err = value.ParseDecimal("-" + d.String())
	}
	if err != nil {
		p.report(codeNumber, n.Range, "This number cannot be used: %v. Write it as a text in quotes if its digits are what counts.", err)
		p.useless = true
		return
	}
	n.Constant = func() (value.Value, bool) { return value.OfNumber(d), true }
}

func (p *fileParser) items(list []*item, what string) []*types.Node {
	out := make([]*types.Node, len(list))
	for i, x := range list {
		out[i] = p.node(x.Value)
		if i < len(list)-1 && x.Comma == nil {
			p.missingComma(x.Value, what)
		}
	}
	return out
}

// pairs reads what stands in braces. There, a line break separates, too.
func (p *fileParser) pairs(list []*pair) []types.NodeItem {
	out := make([]types.NodeItem, len(list))
	first := map[string]hcl.Range{}
	for i, x := range list {
		key := p.label(x.Key.Tok)
		out[i] = types.NodeItem{Name: key.Text, NameRange: key.Range, Named: true, Value: p.node(x.Value)}
		if at, twice := first[key.Text]; twice {
			p.diags = append(p.diags, diag.New(codeKeyTwice, key.Range, "This object has the key %q already. Remove one of the two, or give it another name.", key.Text).
				With(at, "%q is set here first.", key.Text))
		} else {
			first[key.Text] = key.Range
		}
		if i < len(list)-1 && x.Comma == nil && p.tokenAt(list[i+1].Key.Tok).breaks == 0 {
			p.missingComma(x.Value, "attributes on one line")
		}
	}
	return out
}

func constantList(nodes []*types.Node) (value.Value, bool) {
	out := make([]value.Value, len(nodes))
	for i, n := range nodes {
		v, ok := n.Constant()
		if !ok {
			return value.NullValue, false
		}
		out[i] = v
	}
	return value.OfList(out), true
}

func constantObject(items []types.NodeItem) (value.Value, bool) {
	o := value.NewObject(len(items))
	for _, it := range items {
		v, ok := it.Value.Constant()
		if !ok {
			return value.NullValue, false
		}
		o.Set(it.Name, v)
	}
	return value.OfObject(o), true
}

// effects are the annotations that say what a tool does at most.
var effects = map[string]catalog.Effect{"@read": catalog.Read, "@write": catalog.Write, "@destructive": catalog.Destructive}

const idempotent = "@idempotent"

// otherWords are what annotations are called elsewhere.
var otherWords = map[string]string{
	"@readonly": "@read", "@readOnly": "@read", "@read_only": "@read", "@read-only": "@read", "@safe": "@read", "@query": "@read",
	"@update": "@write", "@mutates": "@write", "@mutation": "@write", "@create": "@write",
	"@delete": "@destructive", "@dangerous": "@destructive", "@unsafe": "@destructive", "@destroys": "@destructive",
}

// annotate reads the annotations of a declaration.
func (p *fileParser) annotate(d *declaration) {
	d.effect = catalog.Unknown
	if d.kind != "tool" {
		p.noAnnotations(d.annotations, "a "+d.kind)
		return
	}
	var said *Label
	for i, a := range d.annotations {
		e, ok := effects[a.Text]
		switch {
		case a.Text == idempotent && !d.idempotent:
			d.idempotent = true
		case a.Text == idempotent, ok && said != nil && said.Text == a.Text:
			p.report(codeAnnotation, a.Range, "%s stands here twice. Remove one of them.", a.Text)
		case ok && said != nil:
			p.diags = append(p.diags, diag.New(codeAnnotation, a.Range, "A tool has one of @read, @write and @destructive; this one has %s already.", said.Text).
				With(said.Range, "the other annotation"))
		case ok:
			said, d.effect = &d.annotations[i], e
		default:
			x := diag.New(codeAnnotation, a.Range, "There is no annotation %s. There are @read, @write, @destructive and @idempotent.", a.Text)
			near, ok := otherWords[a.Text]
			if !ok {
				near, ok = nearest.Name(a.Text, []string{"@read", "@write", "@destructive", idempotent})
			}
			if ok {
				x.Detail = fmt.Sprintf("There is no annotation %s. Did you mean %s?", a.Text, near)
				x = x.Fix("Change it to "+near, true, diag.Edit{Range: diag.RangeOf(a.Range), Text: near})
			}
			p.diags = append(p.diags, x)
		}
	}
}

// noAnnotations reports annotations of what can have none.
func (p *fileParser) noAnnotations(annotations []Label, of string) {
	for _, a := range annotations {
		p.report(codeAnnotation, a.Range, "%s says what a tool does, and this is %s. Remove it.", a.Text, of)
	}
}
