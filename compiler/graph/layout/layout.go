// Package layout places the boxes of a directed graph in rows, so that edges go
// down, and routes the edges between them: Sugiyama's method, with rows by longest
// paths, few crossings by barycentres, and Brandes and Köpf's coordinates.
//
// It knows nothing of workflows and imports nothing of wfc. Its central type is
// Graph. The same graph is always placed in the same way.
package layout

import (
	"math"
	"slices"
)

// Box is a node: a rectangle. X and Y are its upper left corner, which Place sets.
type Box struct {
	Width, Height float64
	X, Y          float64
}

// Point is a place in the picture; y grows downwards.
type Point struct{ X, Y float64 }

// Edge goes from one box to another, by their indexes. Points is the route that
// Place sets: from the lower side of From to the upper side of To, through all rows
// between them. Where it is nil the edge is not drawn: a box that leads to itself.
type Edge struct {
	From, To int
	Points   []Point
}

// Gap is the free space between boxes: side by side, and between rows.
type Gap struct{ Beside, Below float64 }

// Graph is what is placed.
type Graph struct {
	Boxes []Box
	Edges []Edge
	// Width and Height are what the picture takes; the upper left corner is at 0, 0.
	Width, Height float64
}

// Place sets where the boxes are and how the edges go. Boxes that no edge joins to
// others stand in the order of Boxes, in rows that make the picture somewhat wider
// than it is high. An edge of a cycle goes upwards.
func (g *Graph) Place(gap Gap) {
	parts := g.components()
	widest, area := 0.0, 0.0
	for _, p := range parts {
		p.place(gap)
		widest = max(widest, p.width)
		area += (p.width + gap.Beside) * (p.height + gap.Below)
	}
	// Shelves: parts stand side by side until the shelf is full.
	const aspect = 1.6
	full := max(widest, math.Sqrt(area*aspect))
	x, y, high := 0.0, 0.0, 0.0
	for _, p := range parts {
		if x > 0 && x+p.width > full+0.5 {
			x, y, high = 0, y+high+gap.Below, 0
		}
		g.put(p, x, y)
		x += p.width + gap.Beside
		high = max(high, p.height)
		g.Width = max(g.Width, x-gap.Beside)
		g.Height = max(g.Height, y+high)
	}
}

// put takes over where a part has its boxes and edges.
func (g *Graph) put(p *part, x, y float64) {
	for i, b := range p.boxes {
		g.Boxes[b].X, g.Boxes[b].Y = p.cells[i].x-p.cells[i].width/2+x, p.cells[i].top+y
	}
	for _, r := range p.routes {
		points := r.points
		for i := range points {
			points[i].X += x
			points[i].Y += y
		}
		g.Edges[r.edge].Points = points
	}
}

// components returns the parts of the graph that no edge joins, by their first box.
func (g *Graph) components() []*part {
	root := make([]int, len(g.Boxes))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, e := range g.Edges {
		a, b := find(e.From), find(e.To)
		root[max(a, b)] = min(a, b)
	}
	at := make([]int, len(g.Boxes)) // the index of a box in its part
	of := map[int]*part{}
	var parts []*part
	for i, b := range g.Boxes {
		p := of[find(i)]
		if p == nil {
			p = &part{}
			of[find(i)] = p
			parts = append(parts, p)
		}
		at[i] = len(p.boxes)
		p.boxes = append(p.boxes, i)
		p.cells = append(p.cells, cell{width: b.Width, height: b.Height})
	}
	for i, e := range g.Edges {
		if e.From == e.To {
			continue
		}
		p := of[find(e.From)]
		p.edges = append(p.edges, edge{from: at[e.From], to: at[e.To], index: i})
	}
	return parts
}

// part is a part of the graph in which all boxes are joined.
type part struct {
	boxes  []int  // indexes in the graph; those of the first cells
	cells  []cell // the boxes, and then a cell for each row that an edge passes
	edges  []edge
	links  [][2]int // between cells of neighbouring rows
	rows   [][]int  // cells from left to right
	routes []route

	down, up [][]int // the neighbours of cells in the rows below and above

	width, height float64
}

// cell has a place in a row: a box, or an edge on its way.
type cell struct {
	width, height float64
	row, place    int
	x, top        float64 // its middle, and its upper side
	passes        bool    // it is an edge on its way
}

// edge is one of the graph's; flip says that it closes a cycle and goes upwards.
type edge struct {
	from, to, index int
	flip            bool
	chain           []int // the cells that it passes
}

type route struct {
	edge   int
	points []Point
}

func (p *part) place(gap Gap) {
	p.rank()
	p.split()
	p.order()
	p.horizontal(gap.Beside)
	p.vertical(gap.Below)
	p.route()
}

// rank gives each box its row: one below all that lead to it, and then as far down
// as what it leads to allows, where that makes its edges shorter.
func (p *part) rank() {
	n := len(p.cells)
	out := make([][]int, n) // of edges
	waits := make([]int, n)
	in := make([]int, n)
	for i, e := range p.edges {
		out[e.from] = append(out[e.from], i)
		waits[e.to]++
		in[e.to]++
	}
	var order []int
	placed := make([]bool, n)
	for i := 0; len(order) < n; {
		// The first box that waits for nothing, else, of a cycle, the first.
		for i < len(order) {
			from := order[i]
			i++
			for _, x := range out[from] {
				e := &p.edges[x]
				if placed[e.to] {
					e.flip = true
					continue
				}
				p.cells[e.to].row = max(p.cells[e.to].row, p.cells[from].row+1)
				if waits[e.to]--; waits[e.to] == 0 {
					placed[e.to] = true
					order = append(order, e.to)
				}
			}
		}
		next := -1
		for j := range n {
			if !placed[j] && (next < 0 || waits[j] == 0 && waits[next] > 0) {
				next = j
			}
		}
		if next >= 0 {
			for j := next; j < n; j++ {
				if !placed[j] && waits[j] == 0 {
					placed[j] = true
					order = append(order, j)
				}
			}
			if !placed[next] {
				placed[next] = true
				order = append(order, next)
			}
		}
	}
	for i := range p.edges {
		if e := &p.edges[i]; e.flip {
			e.from, e.to = e.to, e.from
		}
	}
	p.pull(order)
}

// pull moves boxes down towards what they lead to, where more edges leave than arrive.
func (p *part) pull(order []int) {
	n := len(p.cells)
	least := make([]int, n) // the highest row among those that the box leads to
	leave, arrive := make([]int, n), make([]int, n)
	out := make([][]int, n)
	for _, e := range p.edges {
		out[e.from] = append(out[e.from], e.to)
		leave[e.from]++
		arrive[e.to]++
	}
	for _, i := range slices.Backward(order) {
		least[i] = math.MaxInt
		for _, to := range out[i] {
			least[i] = min(least[i], p.cells[to].row)
		}
		if leave[i] > arrive[i] && least[i] != math.MaxInt && least[i]-1 > p.cells[i].row {
			p.cells[i].row = least[i] - 1
		}
	}
}

// split cuts edges at the rows that they pass, and fills the rows.
func (p *part) split() {
	for i := range p.edges {
		e := &p.edges[i]
		last := e.from
		for row := p.cells[e.from].row + 1; row < p.cells[e.to].row; row++ {
			p.cells = append(p.cells, cell{row: row, passes: true, width: 2})
			p.links = append(p.links, [2]int{last, len(p.cells) - 1})
			last = len(p.cells) - 1
			e.chain = append(e.chain, last)
		}
		p.links = append(p.links, [2]int{last, e.to})
	}
	p.down, p.up = make([][]int, len(p.cells)), make([][]int, len(p.cells))
	for _, l := range p.links {
		p.down[l[0]] = append(p.down[l[0]], l[1])
		p.up[l[1]] = append(p.up[l[1]], l[0])
	}
	rows := 0
	for _, c := range p.cells {
		rows = max(rows, c.row+1)
	}
	p.rows = make([][]int, rows)
	// In the order of a walk along the edges, so that what belongs together begins together.
	seen := make([]bool, len(p.cells))
	var stack []int
	for i := range p.boxes {
		stack = append(stack, i)
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[c] {
				continue
			}
			seen[c] = true
			row := p.cells[c].row
			p.rows[row] = append(p.rows[row], c)
			for _, d := range slices.Backward(p.down[c]) {
				if !seen[d] {
					stack = append(stack, d)
				}
			}
		}
	}
	p.number()
}

// number writes down the place of each cell in its row.
func (p *part) number() {
	for _, row := range p.rows {
		for i, c := range row {
			p.cells[c].place = i
		}
	}
}

// vertical sets how far down the rows are.
func (p *part) vertical(gap float64) {
	y := 0.0
	for _, row := range p.rows {
		high := 0.0
		for _, c := range row {
			high = max(high, p.cells[c].height)
		}
		for _, c := range row {
			if p.cells[c].passes {
				p.cells[c].height = high
			}
			p.cells[c].top = y + (high-p.cells[c].height)/2
		}
		y += high + gap
	}
	p.height = y - gap
}

// route draws the edges through their cells. Where several edges leave or reach a
// box they do so side by side, in the order in which they come.
func (p *part) route() {
	type end struct {
		at   int // index into edges
		x    float64
		side int // which of several edges between the same cells
	}
	leave, reach := make([][]end, len(p.cells)), make([][]end, len(p.cells))
	for i, e := range p.edges {
		first, last := e.to, e.from
		if len(e.chain) > 0 {
			first, last = e.chain[0], e.chain[len(e.chain)-1]
		}
		leave[e.from] = append(leave[e.from], end{i, p.cells[first].x, i})
		reach[e.to] = append(reach[e.to], end{i, p.cells[last].x, i})
	}
	from, to := make([]float64, len(p.edges)), make([]float64, len(p.edges))
	spread := func(ends []end, c cell, into []float64) {
		slices.SortFunc(ends, func(a, b end) int {
			switch {
			case a.x < b.x:
				return -1
			case a.x > b.x:
				return 1
			}
			return a.side - b.side
		})
		const apart = 26 // so that arrow heads do not touch
		step := min(apart, c.width*0.8/float64(len(ends)))
		for i, e := range ends {
			into[e.at] = c.x + (float64(i)-float64(len(ends)-1)/2)*step
		}
	}
	for i := range p.boxes {
		spread(leave[i], p.cells[i], from)
		spread(reach[i], p.cells[i], to)
	}
	for i, e := range p.edges {
		a, b := p.cells[e.from], p.cells[e.to]
		points := []Point{{from[i], a.top + a.height}}
		for _, c := range e.chain {
			cell := p.cells[c]
			points = append(points, Point{cell.x, cell.top}, Point{cell.x, cell.top + cell.height})
		}
		points = append(points, Point{to[i], b.top})
		if e.flip {
			slices.Reverse(points)
		}
		p.routes = append(p.routes, route{e.index, points})
	}
}
