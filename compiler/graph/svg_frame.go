package graph

import (
	"fmt"
	"slices"
	"strings"
)

// picture writes the whole.
func (p *painter) picture() []byte {
	g := p.graph
	blocks := p.blocks("")
	width, _ := extent(blocks)
	width = max(width, min(titleFont.measure(g.title()), 900), 420)
	y := margin
	p.heading(width, &y)
	p.panel("Inputs", p.inputs(), width, &y)
	p.put(blocks, margin+(width-blocksWidth(blocks))/2, y, width)
	_, high := extent(blocks)
	if high > 0 {
		y += high + 24
	}
	p.panel("Outputs", p.outputs(), width, &y)
	p.legend(width, &y)
	body := p.b.String()

	var out strings.Builder
	w, h := width+2*margin, y+margin-8
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="title desc">`+"\n",
		num(w), num(h), num(w), num(h))
	fmt.Fprintf(&out, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", escape(g.title()), escape(p.description()))
	out.WriteString("<style>\n" + style + "</style>\n")
	fmt.Fprintf(&out, `<rect class="page" width="%s" height="%s" rx="10"/>`+"\n", num(w), num(h))
	out.WriteString(body)
	out.WriteString("</svg>\n")
	return []byte(out.String())
}

func blocksWidth(blocks []*block) float64 {
	w, _ := extent(blocks)
	return w
}

// description says in words what is in the picture, for those who cannot see it.
func (p *painter) description() string {
	var b strings.Builder
	for i, n := range p.inside[""] {
		node := &p.graph.Nodes[n]
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(node.Name)
		if d := node.does(); d != "" {
			b.WriteString(": " + d)
		}
		if r := node.Seen.result(); r != "" {
			b.WriteString(", " + r)
		}
		var after []string
		for _, e := range p.edges[""] {
			if e.To == node.ID && p.graph.Nodes[p.index[e.From]].Kind != Input {
				after = append(after, e.From)
			}
		}
		if len(after) > 0 {
			b.WriteString(", after " + strings.Join(after, ", "))
		}
	}
	if b.Len() == 0 {
		return "It has no steps."
	}
	return b.String() + "."
}

func (p *painter) heading(width float64, y *float64) {
	*y += 14
	p.text("title", margin, *y, titleFont.fit(p.graph.title(), width))
	r := p.graph.Run
	if r == nil {
		*y += 18
		return
	}
	*y += 20
	text := r.Status + " · started " + r.StartedAt.UTC().Format("2006-01-02 15:04:05") + " UTC"
	if r.FinishedAt != nil {
		text += " · took " + duration(r.FinishedAt.Sub(r.StartedAt).Milliseconds())
	}
	p.text("muted", margin, *y, textFont.fit(text, width))
	if r.Error != "" {
		*y += line
		p.text("bad", margin, *y, textFont.fit(strings.ReplaceAll(r.Error, "\n", " "), width))
	}
	*y += 18
}

// inputs are what the workflow takes: name and type.
func (p *painter) inputs() []text {
	var out []text
	for i := range p.graph.Nodes {
		if n := &p.graph.Nodes[i]; n.Kind == Input {
			out = append(out, text{n.Name, n.Type})
		}
	}
	return out
}

// outputs are what the workflow gives: name and the steps that it is of.
func (p *painter) outputs() []text {
	var out []text
	from := map[string][]string{}
	for _, e := range p.edges[""] {
		if p.graph.Nodes[p.index[e.To]].Kind == Output {
			if p.graph.Nodes[p.index[e.From]].Kind != Input {
				from[e.To] = append(from[e.To], e.From)
			}
		}
	}
	for i := range p.graph.Nodes {
		if n := &p.graph.Nodes[i]; n.Kind == Output {
			text := text{label: n.Name}
			if f := from[n.ID]; len(f) > 0 {
				text.code = "← " + strings.Join(f, ", ")
			}
			out = append(out, text)
		}
	}
	return out
}

// panel writes inputs or outputs, side by side, in as many lines as they need.
func (p *painter) panel(title string, items []text, width float64, y *float64) {
	if len(items) == 0 {
		return
	}
	const apart = 20.0
	begin := textFont.measure(title) + 2*padding + apart
	type at struct {
		x, y float64
		text
	}
	var out []at
	x, row := begin, 0
	for _, t := range items {
		room := width - begin - padding
		label := textFont.fit(t.label, room/2)
		t = text{label, codeFont.fit(t.code, min(260, room-textFont.measure(label+" ")))}
		if x > begin && x+t.width() > width-padding {
			x, row = begin, row+1
		}
		out = append(out, at{x, *y + 18 + float64(row)*(line+2), t})
		x += t.width() + apart
	}
	high := 28 + float64(row)*(line+2)
	fmt.Fprintf(&p.b, `<g><rect class="panel" x="%s" y="%s" width="%s" height="%s" rx="6"/>`, num(margin), num(*y), num(width), num(high))
	p.text("label", margin+padding, *y+18, title)
	for _, o := range out {
		p.words(margin+o.x, o.y, o.text)
	}
	p.b.WriteString("</g>\n")
	*y += high + 24
}

// legend explains the colours and lines that the picture has.
func (p *painter) legend(width float64, y *float64) {
	var effects, kinds []string
	for i := range p.graph.Nodes {
		if e := p.graph.Nodes[i].Effect; e != "" && !slices.Contains(effects, e) {
			effects = append(effects, e)
		}
	}
	for _, e := range p.graph.Edges {
		if e.Kind != Finally && p.graph.Nodes[p.index[e.From]].Kind != Input && p.graph.Nodes[p.index[e.To]].Kind != Output && !slices.Contains(kinds, string(e.Kind)) {
			kinds = append(kinds, string(e.Kind))
		}
	}
	if len(effects)+len(kinds) == 0 {
		return
	}
	x := margin
	*y += 4
	// room begins a line where an entry of that width does not fit.
	room := func(wide float64) {
		if x > margin && x+wide > margin+width {
			x, *y = margin, *y+line
		}
	}
	for _, e := range []string{"read", "write", "destructive", "unknown"} {
		if !slices.Contains(effects, e) {
			continue
		}
		name := e
		if e == "unknown" {
			name = "unknown effect"
		}
		room(9 + textFont.measure(name))
		fmt.Fprintf(&p.b, `<g class="step %s"><rect class="stripe" x="%s" y="%s" width="4" height="11" rx="2"/></g>`, e, num(x), num(*y-9))
		p.text("muted", x+9, *y, name)
		x += 9 + textFont.measure(name) + 18
	}
	for _, k := range []struct {
		kind EdgeKind
		text string
	}{{Data, "refers to"}, {Each, "for each"}, {When, "decides"}, {DependsOn, "depends_on"}, {Order, "order of effects"}} {
		if !slices.Contains(kinds, string(k.kind)) {
			continue
		}
		room(28 + textFont.measure(k.text))
		fmt.Fprintf(&p.b, `<g class="edge %s"><path class="way" d="M%s %sh22"/></g>`, k.kind, num(x), num(*y-4))
		p.text("muted", x+28, *y, k.text)
		x += 28 + textFont.measure(k.text) + 18
	}
	p.b.WriteByte('\n')
	*y += 12
}
