package layout

import (
	"slices"
)

// order arranges the cells of each row so that few edges cross: again and again
// each cell goes to the mean place of its neighbours in the row before, downwards
// and upwards in turn, and the arrangement with the fewest crossings stays.
func (p *part) order() {
	const sweeps = 12
	best, fewest := p.copyRows(), p.crossings()
	without := 0 // sweeps that made nothing better
	for i := 0; i < sweeps && fewest > 0 && without < 4; i++ {
		if i%2 == 0 {
			for r := 1; r < len(p.rows); r++ {
				p.arrange(p.rows[r], p.up)
			}
		} else {
			for r := len(p.rows) - 2; r >= 0; r-- {
				p.arrange(p.rows[r], p.down)
			}
		}
		p.swap()
		without++
		if n := p.crossings(); n < fewest {
			best, fewest, without = p.copyRows(), n, 0
		}
	}
	p.rows = best
	p.number()
}

func (p *part) copyRows() [][]int {
	out := make([][]int, len(p.rows))
	for i, row := range p.rows {
		out[i] = slices.Clone(row)
	}
	return out
}

// arrange sorts a row by the mean places of its cells' neighbours. Cells without any
// stay where they are.
func (p *part) arrange(row []int, neighbours [][]int) {
	mean := make(map[int]float64, len(row))
	var moving []int
	for _, c := range row {
		if len(neighbours[c]) == 0 {
			continue
		}
		sum := 0
		for _, n := range neighbours[c] {
			sum += p.cells[n].place
		}
		mean[c] = float64(sum) / float64(len(neighbours[c]))
		moving = append(moving, c)
	}
	slices.SortStableFunc(moving, func(a, b int) int {
		switch {
		case mean[a] < mean[b]:
			return -1
		case mean[a] > mean[b]:
			return 1
		}
		return 0
	})
	for i, c := range row {
		if _, moves := mean[c]; moves {
			row[i], moving = moving[0], moving[1:]
		}
		p.cells[row[i]].place = i
	}
}

// swap exchanges neighbours where that takes crossings away. It looks at rows of
// boxes that a person could look at; in longer ones it would take too long.
func (p *part) swap() {
	const longest = 200
	for _, row := range p.rows {
		if len(row) > longest {
			continue
		}
		for i := 0; i+1 < len(row); i++ {
			a, b := row[i], row[i+1]
			now := p.crossed(p.up[a], p.up[b]) + p.crossed(p.down[a], p.down[b])
			then := p.crossed(p.up[b], p.up[a]) + p.crossed(p.down[b], p.down[a])
			if then < now {
				row[i], row[i+1] = b, a
				p.cells[b].place, p.cells[a].place = i, i+1
			}
		}
	}
}

// crossed counts the crossings of the edges of two cells of a row, of which the
// first stands on the left.
func (p *part) crossed(left, right []int) int {
	if len(left)*len(right) > 10_000 {
		return 0
	}
	n := 0
	for _, a := range left {
		for _, b := range right {
			if p.cells[a].place > p.cells[b].place {
				n++
			}
		}
	}
	return n
}

// crossings counts all crossings: between two rows, the inversions of the lower ends
// of the edges in the order of the upper ones.
func (p *part) crossings() int {
	total := 0
	var ends, tree []int
	for r := 0; r+1 < len(p.rows); r++ {
		ends = ends[:0]
		for _, c := range p.rows[r] {
			first := len(ends)
			for _, d := range p.down[c] {
				ends = append(ends, p.cells[d].place)
			}
			slices.Sort(ends[first:])
		}
		width := len(p.rows[r+1])
		tree = slices.Grow(tree[:0], width+1)[:width+1]
		clear(tree)
		for i, e := range ends {
			notRight := 0 // ends so far that are not to the right of e
			for k := e + 1; k > 0; k -= k & -k {
				notRight += tree[k]
			}
			total += i - notRight
			for k := e + 1; k <= width; k += k & -k {
				tree[k]++
			}
		}
	}
	return total
}
