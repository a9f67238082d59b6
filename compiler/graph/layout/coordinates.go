package layout

import (
	"math"
	"slices"
)

// horizontal sets the middles of the cells: Brandes and Köpf, "Fast and simple
// horizontal coordinate assignment". Cells are aligned with a median neighbour in
// columns, from each of the four corners, and stand at the mean of the two middle
// ones of the four results.
func (p *part) horizontal(gap float64) {
	conflicts := p.conflicts()
	var layouts [4][]float64
	for i := range layouts {
		downwards, leftwards := i < 2, i%2 == 1
		layouts[i] = p.align(gap, downwards, leftwards, conflicts)
	}
	// All are moved to where the narrowest of them is.
	narrowest, least := 0, math.Inf(1)
	var low, high [4]float64
	for i, xs := range layouts {
		low[i], high[i] = math.Inf(1), math.Inf(-1)
		for c, x := range xs {
			low[i] = min(low[i], x-p.cells[c].width/2)
			high[i] = max(high[i], x+p.cells[c].width/2)
		}
		if w := high[i] - low[i]; w < least {
			narrowest, least = i, w
		}
	}
	for c := range p.cells {
		var four [4]float64
		for i := range layouts {
			shift := low[narrowest] - low[i]
			if i%2 == 1 {
				shift = high[narrowest] - high[i]
			}
			four[i] = layouts[i][c] + shift
		}
		slices.Sort(four[:])
		p.cells[c].x = (four[1] + four[2]) / 2
	}
	p.settle(gap)
	left, right := math.Inf(1), math.Inf(-1)
	for _, c := range p.cells {
		left = min(left, c.x-c.width/2)
		right = max(right, c.x+c.width/2)
	}
	for c := range p.cells {
		p.cells[c].x -= left
	}
	p.width = right - left
}

// conflicts returns the links that cross one between two passing cells: long edges
// are to be straight, and the others give way.
func (p *part) conflicts() map[[2]int]bool {
	out := map[[2]int]bool{}
	for r := 1; r+1 < len(p.rows); r++ {
		upper, lower := p.rows[r], p.rows[r+1]
		from, next := 0, 0
		for i, c := range lower {
			inner := -1
			if p.cells[c].passes {
				for _, u := range p.up[c] {
					if p.cells[u].passes {
						inner = p.cells[u].place
					}
				}
			}
			if i+1 < len(lower) && inner < 0 {
				continue
			}
			to := len(upper) - 1
			if inner >= 0 {
				to = inner
			}
			for ; next <= i; next++ {
				for _, u := range p.up[lower[next]] {
					if at := p.cells[u].place; at < from || at > to {
						out[[2]int{u, lower[next]}] = true
					}
				}
			}
			from = to
		}
	}
	return out
}

// align returns the middles of the cells, aligned from one corner: with neighbours
// in the row above going downwards, else in the one below; to the left as far as
// they can go, else to the right.
func (p *part) align(gap float64, downwards, leftwards bool, conflicts map[[2]int]bool) []float64 {
	n := len(p.cells)
	root, next := make([]int, n), make([]int, n)
	for i := range n {
		root[i], next[i] = i, i
	}
	rows := make([][]int, len(p.rows))
	place := make([]int, n)
	for r, row := range p.rows {
		row = slices.Clone(row)
		if leftwards {
			slices.Reverse(row)
		}
		for i, c := range row {
			place[c] = i
		}
		rows[r] = row
	}
	neighbours := p.up
	if !downwards {
		slices.Reverse(rows)
		neighbours = p.down
	}
	var near []int
	for _, row := range rows {
		last := -1
		for _, c := range row {
			near = append(near[:0], neighbours[c]...)
			slices.SortFunc(near, func(a, b int) int { return place[a] - place[b] })
			for m := (len(near) - 1) / 2; m <= len(near)/2 && m < len(near); m++ {
				if m < 0 || next[c] != c {
					continue
				}
				u := near[m]
				link := [2]int{u, c}
				if !downwards {
					link = [2]int{c, u}
				}
				if place[u] > last && !conflicts[link] {
					next[u], root[c], next[c] = c, root[u], root[u]
					last = place[u]
				}
			}
		}
	}
	return p.compact(gap, rows, place, root, leftwards)
}

// compact gives each column its place: as close to the columns before it as the
// widths of their cells allow, and then as close to those behind it.
func (p *part) compact(gap float64, rows [][]int, place, root []int, leftwards bool) []float64 {
	n := len(p.cells)
	// The columns form a graph without cycles: each row leads from one to the next.
	after := make([][]step, n)
	waits := make([]int, n)
	for _, row := range rows {
		for i := 1; i < len(row); i++ {
			a, b := root[row[i-1]], root[row[i]]
			d := p.apart(gap, row[i-1], row[i])
			after[a] = append(after[a], step{b, d})
			waits[b]++
		}
	}
	var order []int
	for c := range n {
		if root[c] == c && waits[c] == 0 {
			order = append(order, c)
		}
	}
	xs := make([]float64, n)
	for i := 0; i < len(order); i++ {
		c := order[i]
		for _, s := range after[c] {
			xs[s.to] = max(xs[s.to], xs[c]+s.apart)
			if waits[s.to]--; waits[s.to] == 0 {
				order = append(order, s.to)
			}
		}
	}
	for _, c := range slices.Backward(order) {
		room := math.Inf(1)
		for _, s := range after[c] {
			room = min(room, xs[s.to]-s.apart)
		}
		if !math.IsInf(room, 1) {
			xs[c] = max(xs[c], room)
		}
	}
	out := make([]float64, n)
	for c := range n {
		out[c] = xs[root[c]]
		if leftwards {
			out[c] = -out[c]
		}
	}
	return out
}

// settle moves boxes to the middle of those that they are linked with, as far as the
// cells beside them leave room: the mean of the four results leaves more of it than
// there need be. Edges on their way stay where they are, which is straight.
func (p *part) settle(gap float64) {
	const sweeps = 10
	for sweep := range sweeps {
		for r := range p.rows {
			if sweep%2 == 1 {
				r = len(p.rows) - 1 - r
			}
			row := p.rows[r]
			for i := range row {
				if sweep%4 >= 2 {
					i = len(row) - 1 - i
				}
				c := row[i]
				if p.cells[c].passes {
					continue
				}
				low, high := math.Inf(-1), math.Inf(1)
				if i > 0 {
					low = p.cells[row[i-1]].x + p.apart(gap, row[i-1], c)
				}
				if i+1 < len(row) {
					high = p.cells[row[i+1]].x - p.apart(gap, c, row[i+1])
				}
				if x := min(max(p.wanted(c), low), high); low <= high {
					p.cells[c].x = x
				}
			}
		}
	}
}

// wanted is where a box would stand if it were alone in its row: in the middle of the
// cells above and below it.
func (p *part) wanted(c int) float64 {
	sum, n := 0.0, 0.0
	for _, side := range [][]int{p.up[c], p.down[c]} {
		for _, other := range side {
			sum += p.cells[other].x
			n++
		}
	}
	if n == 0 {
		return p.cells[c].x
	}
	return sum / n
}

// apart is how far the middles of two cells that stand side by side are from each
// other at least.
func (p *part) apart(gap float64, a, b int) float64 {
	if p.cells[a].passes && p.cells[b].passes {
		gap /= 2
	}
	return (p.cells[a].width+p.cells[b].width)/2 + gap
}

// step leads from a column to the next one, which is at least that far apart.
type step struct {
	to    int
	apart float64
}
