package graph

import (
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/compiler/graph/layout"
)

// SVG returns the picture, for light and for dark surroundings. It has no scripts and
// fetches nothing.
func (g *Graph) SVG() []byte {
	p := &painter{graph: g, inside: map[string][]int{}, index: map[string]int{}, edges: map[string][]Edge{}}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		p.index[n.ID] = i
		if n.Kind != Input && n.Kind != Output {
			p.inside[n.In] = append(p.inside[n.In], i)
		}
	}
	for _, e := range g.drawn() {
		in := g.Nodes[p.index[e.From]].In
		p.edges[in] = append(p.edges[in], e)
	}
	return p.picture()
}

// painter draws a graph.
type painter struct {
	graph  *Graph
	inside map[string][]int // the steps in a node
	index  map[string]int
	edges  map[string][]Edge // by the node that both ends are in
	b      strings.Builder
}

// Distances of the picture, in pixels.
const (
	margin  = 24.0
	padding = 12.0 // inside of a card
	line    = 16.0 // from one line of a card to the next
	most    = 300.0
	least   = 150.0
)

var gap = layout.Gap{Beside: 28, Below: 44}

// block is steps that are laid out together: those of a workflow, or its finally blocks.
type block struct {
	cards  []card
	edges  []Edge
	placed layout.Graph
}

// card is one step and what is in it.
type card struct {
	node          *Node
	lines         []text
	width, header float64 // of the card, and of its lines
	height        float64
	blocks        []*block // of the workflow that it runs, one below the other
}

// text is a line of a card: what kind of remark it is, and the remark.
type text struct{ label, code string }

// blocks lays out the steps in a node, "" for the workflow itself: all but the finally
// blocks, and these.
func (p *painter) blocks(in string) []*block {
	var steps, last []int
	for _, i := range p.inside[in] {
		if p.graph.Nodes[i].Finally {
			last = append(last, i)
		} else {
			steps = append(steps, i)
		}
	}
	var out []*block
	for _, members := range [][]int{steps, last} {
		if len(members) > 0 {
			out = append(out, p.block(in, members))
		}
	}
	return out
}

func (p *painter) block(in string, members []int) *block {
	b := &block{}
	at := map[string]int{}
	for _, i := range members {
		c := p.card(&p.graph.Nodes[i])
		at[c.node.ID] = len(b.cards)
		b.cards = append(b.cards, c)
		b.placed.Boxes = append(b.placed.Boxes, layout.Box{Width: c.width, Height: c.height})
	}
	for _, e := range p.edges[in] {
		from, ok := at[e.From]
		to, too := at[e.To]
		if ok && too {
			b.edges = append(b.edges, e)
			b.placed.Edges = append(b.placed.Edges, layout.Edge{From: from, To: to})
		}
	}
	b.placed.Place(gap)
	return b
}

// card measures a step.
func (p *painter) card(n *Node) card {
	c := card{node: n}
	add := func(label, code string) {
		if label != "" || code != "" {
			c.lines = append(c.lines, text{label, code})
		}
	}
	add("", n.does())
	if n.Asks != "" {
		add("", n.Asks)
	}
	if n.When != "" {
		add("when", n.When)
	}
	if n.ForEach != "" {
		add("for each", n.ForEach)
	}
	if n.Loop != nil {
		add("loop while", n.Loop.While)
	}
	for _, u := range n.Undo {
		add("undo", u)
	}
	if len(n.OnError) > 0 {
		kinds := strings.Join(n.OnError, ", ")
		if kinds == "*" {
			kinds = "all failures"
		}
		add("tolerates", kinds)
	}
	if n.Retry != "" {
		add("retry", "up to "+n.Retry+" attempts")
	}
	add(n.Seen.counts(), "")
	if n.Seen != nil && n.Seen.Error != "" {
		add("error", strings.ReplaceAll(n.Seen.Error, "\n", " "))
	}
	wide := nameFont.measure(n.Name)
	if r := p.badge(n); r != "" {
		wide += 16 + textFont.measure(r)
	}
	for _, l := range c.lines {
		wide = max(wide, l.width())
	}
	c.width = min(max(wide+2*padding+4, least), most)
	c.header = padding + line*float64(len(c.lines)+1) + padding - 6
	c.height = c.header
	if len(p.inside[n.ID]) > 0 {
		c.blocks = p.blocks(n.ID)
		inner, high := extent(c.blocks)
		c.width = max(c.width, inner+2*padding)
		c.height += high + padding + 4
	}
	return c
}

// extent returns the size of blocks one below the other.
func extent(blocks []*block) (width, height float64) {
	for i, b := range blocks {
		if i > 0 {
			height += between
		}
		width = max(width, b.placed.Width)
		height += b.placed.Height
	}
	return width, height
}

// between is the space between the steps of a workflow and its finally blocks.
const between = 56.0

func (t text) width() float64 {
	w := codeFont.measure(t.code)
	if t.label != "" {
		w += textFont.measure(t.label + " ")
	}
	return w
}

// badge is what stands in the corner of a card: what became of the step.
func (p *painter) badge(n *Node) string {
	if n.Seen == nil {
		return ""
	}
	text := n.Seen.State
	if text == "in_doubt" {
		text = "in doubt"
	}
	switch {
	case n.Seen.Undone > 0:
		text += ", undone"
	case n.Seen.Reused:
		text = "reused"
	}
	if n.Seen.TookMS >= 0 && n.Seen.State != "skipped" && n.Seen.State != "pending" {
		text += " " + duration(n.Seen.TookMS)
	}
	return text
}

// put draws blocks one below the other, each in the middle, and the line before the
// finally blocks.
func (p *painter) put(blocks []*block, x, y, width float64) {
	whole := blocksWidth(blocks)
	for i, b := range blocks {
		if i > 0 || len(b.cards) > 0 && b.cards[0].node.Finally {
			at := y + between/2 - 6
			if i == 0 {
				at = y - 12
			} else {
				y += between
			}
			fmt.Fprintf(&p.b, `<path class="divide" d="M%s %sH%s"/>`, num(x), num(at), num(x+whole))
			p.text("label halo", x, at+14, "finally, after all others")
			p.b.WriteByte('\n')
		}
		p.draw(b, x+(whole-b.placed.Width)/2, y)
		y += b.placed.Height
	}
}

// draw draws the edges and cards of a block.
func (p *painter) draw(b *block, x, y float64) {
	for i, e := range b.edges {
		if points := b.placed.Edges[i].Points; points != nil {
			p.edge(e, points, x, y)
		}
	}
	for i := range b.cards {
		box := b.placed.Boxes[i]
		p.step(&b.cards[i], x+box.X, y+box.Y)
	}
}

// edge draws a line that is vertical where it leaves and arrives, with an arrow's head.
func (p *painter) edge(e Edge, points []layout.Point, x, y float64) {
	const head = 7.0
	var d strings.Builder
	end := len(points) - 1
	for i, q := range points {
		qx, qy := q.X+x, q.Y+y
		if i == end {
			qy -= head
		}
		if i == 0 {
			fmt.Fprintf(&d, "M%s %s", num(qx), num(qy))
			continue
		}
		was := points[i-1]
		wx, wy := was.X+x, was.Y+y
		if was.X == q.X {
			fmt.Fprintf(&d, "V%s", num(qy))
			continue
		}
		bend := (qy - wy) / 2
		fmt.Fprintf(&d, "C%s %s %s %s %s %s", num(wx), num(wy+bend), num(qx), num(qy-bend), num(qx), num(qy))
	}
	tip := points[end]
	tx, ty := tip.X+x, tip.Y+y
	what := fmt.Sprintf("%s to %s: %s", e.From, e.To, reasons[e.Kind])
	if e.Source != "" {
		what += " " + e.Source
	}
	fmt.Fprintf(&p.b, `<g class="edge %s"><title>%s</title><path class="way" d="%s"/><path class="head" d="M%s %sL%s %sL%s %sZ"/>`,
		e.Kind, escape(what), d.String(), num(tx-4), num(ty-head-1), num(tx), num(ty), num(tx+4), num(ty-head-1))
	if e.Source != "" {
		// In the middle of the last stretch, which is the step's own.
		last := points[end-1]
		p.text("tag halo", (last.X+tip.X)/2+x+5, (last.Y+tip.Y)/2+y+3, cut(e.Source, 24))
	}
	p.b.WriteString("</g>\n")
}

// reasons are the kinds of edges in words.
var reasons = map[EdgeKind]string{
	Data: "refers to its result", Each: "goes over its result", When: "its result decides",
	DependsOn: "depends_on", Order: "order of effects on", Finally: "finally",
}

// step draws a card.
func (p *painter) step(c *card, x, y float64) {
	n := c.node
	class := "step " + string(n.Kind)
	if n.Effect != "" {
		class += " " + n.Effect
	}
	if n.Seen != nil {
		class += " seen-" + n.Seen.State
	}
	fmt.Fprintf(&p.b, `<g class="%s"><title>%s</title>`, escape(class), escape(strings.Join(p.full(n), "\n")))
	fmt.Fprintf(&p.b, `<rect class="card" x="%s" y="%s" width="%s" height="%s" rx="7"/>`, num(x), num(y), num(c.width), num(c.height))
	fmt.Fprintf(&p.b, `<path class="stripe" d="M%s %sa7 7 0 0 0 -7 7v%sa7 7 0 0 0 7 7h-2.5a4.5 7 0 0 1 -1 -7v-%sa4.5 7 0 0 1 1 -7z"/>`,
		num(x+7), num(y), num(c.height-14), num(c.height-14))
	left := x + padding + 2
	top := y + padding + 7
	badge := p.badge(n)
	room := c.width - 2*padding - 4
	if badge != "" {
		room -= textFont.measure(badge) + 10
		fmt.Fprintf(&p.b, `<text class="badge" x="%s" y="%s" text-anchor="end">%s</text>`, num(x+c.width-padding), num(top), escape(badge))
	}
	p.text("name", left, top, nameFont.fit(n.Name, room))
	for _, l := range c.lines {
		top += line
		label := textFont.fit(l.label, c.width-2*padding-4)
		rest := c.width - 2*padding - 4
		if label != "" {
			rest -= textFont.measure(label + " ")
		}
		p.words(left, top, text{label, codeFont.fit(l.code, rest)})
	}
	p.b.WriteString("\n")
	if len(c.blocks) > 0 {
		p.put(c.blocks, x+(c.width-blocksWidth(c.blocks))/2, y+c.header, c.width)
	}
	p.b.WriteString("</g>\n")
}

// full is all that is to be said of a step, a remark a line.
func (p *painter) full(n *Node) []string {
	out := []string{n.ID, n.does()}
	if len(n.Connections) > 0 {
		out = append(out, "connection "+strings.Join(n.Connections, ", "))
	}
	if n.Effect != "" {
		out = append(out, "effect "+n.Effect)
	}
	out = append(out, n.remarks()...)
	if r := n.Seen.result(); r != "" {
		out = append(out, r)
	}
	if r := n.Seen.counts(); r != "" {
		out = append(out, r)
	}
	if n.Seen != nil && n.Seen.Error != "" {
		out = append(out, n.Seen.Error)
	}
	return out
}

// words writes a label and what follows it in the font of code.
func (p *painter) words(x, y float64, t text) {
	switch {
	case t.code == "":
		p.text("plain", x, y, t.label)
	case t.label == "":
		p.text("code", x, y, t.code)
	default:
		fmt.Fprintf(&p.b, `<text x="%s" y="%s"><tspan class="label">%s </tspan><tspan class="code">%s</tspan></text>`, num(x), num(y), escape(t.label), escape(t.code))
	}
}

func (p *painter) text(class string, x, y float64, s string) {
	fmt.Fprintf(&p.b, `<text class="%s" x="%s" y="%s">%s</text>`, class, num(x), num(y), escape(s))
}

// num prints a coordinate.
func num(f float64) string {
	s := fmt.Sprintf("%.1f", f)
	return strings.TrimSuffix(s, ".0")
}

// escape writes a text so that XML takes it; characters that XML has no place for
// become the replacement character.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r < ' ' && r != '\n' && r != '\t' || r >= 0xfffe && r <= 0xffff:
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
