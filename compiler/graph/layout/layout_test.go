package layout

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

var gap = Gap{Beside: 24, Below: 40}

// drawn returns a graph of n boxes whose edges go from lower to higher indexes.
func drawn(t *rapid.T) *Graph {
	g := &Graph{}
	n := rapid.IntRange(1, 25).Draw(t, "boxes")
	for range n {
		g.Boxes = append(g.Boxes, Box{Width: float64(rapid.IntRange(10, 300).Draw(t, "width")), Height: float64(rapid.IntRange(10, 90).Draw(t, "height"))})
	}
	for range rapid.IntRange(0, 40).Draw(t, "edges") {
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		g.Edges = append(g.Edges, Edge{From: from, To: rapid.IntRange(from, n-1).Draw(t, "to")})
	}
	return g
}

func overlap(a, b Box) bool {
	const touch = 0.01
	return a.X+a.Width > b.X+touch && b.X+b.Width > a.X+touch && a.Y+a.Height > b.Y+touch && b.Y+b.Height > a.Y+touch
}

// Boxes do not cover each other and stand inside of the picture; edges go down,
// from the box that they leave to the one that they reach.
func TestPlaceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t)
		g.Place(gap)
		for i, a := range g.Boxes {
			if a.X < -0.01 || a.Y < -0.01 || a.X+a.Width > g.Width+0.01 || a.Y+a.Height > g.Height+0.01 {
				t.Fatalf("box %d at %v is outside of %v x %v", i, a, g.Width, g.Height)
			}
			for j, b := range g.Boxes[:i] {
				if overlap(a, b) {
					t.Fatalf("box %d %v covers box %d %v", i, a, j, b)
				}
			}
		}
		for i, e := range g.Edges {
			if e.From == e.To {
				if e.Points != nil {
					t.Fatalf("edge %d leads to its own box and is drawn", i)
				}
				continue
			}
			from, to := g.Boxes[e.From], g.Boxes[e.To]
			first, last := e.Points[0], e.Points[len(e.Points)-1]
			if first.Y != from.Y+from.Height || last.Y != to.Y || first.X < from.X || first.X > from.X+from.Width || last.X < to.X || last.X > to.X+to.Width {
				t.Fatalf("edge %d from %v to %v goes %v", i, from, to, e.Points)
			}
			for k := 1; k < len(e.Points); k++ {
				if e.Points[k].Y < e.Points[k-1].Y {
					t.Fatalf("edge %d goes up: %v", i, e.Points)
				}
			}
		}
		again := &Graph{}
		for _, b := range g.Boxes {
			again.Boxes = append(again.Boxes, Box{Width: b.Width, Height: b.Height})
		}
		for _, e := range g.Edges {
			again.Edges = append(again.Edges, Edge{From: e.From, To: e.To})
		}
		if again.Place(gap); !reflect.DeepEqual(again, g) {
			t.Fatal("the same graph was placed in another way")
		}
	})
}

func chain(n int) *Graph {
	g := &Graph{Boxes: make([]Box, n)}
	for i := range g.Boxes {
		g.Boxes[i] = Box{Width: 100, Height: 40}
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: i - 1, To: i})
		}
	}
	return g
}

func TestAChainIsStraight(t *testing.T) {
	g := chain(5)
	g.Place(gap)
	for i, b := range g.Boxes {
		if b.X != 0 || b.Y != float64(i)*80 {
			t.Errorf("box %d is at %v, %v", i, b.X, b.Y)
		}
	}
}

func TestTwoBranchesDoNotCross(t *testing.T) {
	// Two chains between one begin and one end, whose boxes are declared crosswise.
	g := &Graph{Boxes: make([]Box, 6)}
	for i := range g.Boxes {
		g.Boxes[i] = Box{Width: 100, Height: 40}
	}
	g.Edges = []Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 4}, {From: 2, To: 3}, {From: 3, To: 5}, {From: 4, To: 5}}
	g.Place(gap)
	if left := g.Boxes[1].X < g.Boxes[2].X; left != (g.Boxes[4].X < g.Boxes[3].X) {
		t.Errorf("the branches cross: %v", g.Boxes)
	}
}

func TestBoxesWithoutEdgesFillRows(t *testing.T) {
	g := &Graph{Boxes: make([]Box, 100)}
	for i := range g.Boxes {
		g.Boxes[i] = Box{Width: 100, Height: 40}
	}
	g.Place(gap)
	if ratio := g.Width / g.Height; ratio < 1 || ratio > 2.5 {
		t.Errorf("100 boxes take %v x %v", g.Width, g.Height)
	}
}

func TestACycleIsDrawnAllTheSame(t *testing.T) {
	g := chain(3)
	g.Edges = append(g.Edges, Edge{From: 2, To: 0})
	g.Place(gap)
	back := g.Edges[2].Points
	if back[0].Y <= back[len(back)-1].Y {
		t.Errorf("the edge that closes the cycle goes down: %v", back)
	}
}

// large is a workflow's graph of n boxes: each refers to one before it, and every
// third to another one far above.
func large(n int) *Graph {
	g := &Graph{}
	for i := range n {
		g.Boxes = append(g.Boxes, Box{Width: 180, Height: 60})
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: i - 1 - i%min(i, 7), To: i})
		}
		if i > 30 && i%3 == 0 {
			g.Edges = append(g.Edges, Edge{From: i - 30 + i%11, To: i})
		}
	}
	return g
}

func TestAThousandBoxesAreDrawnInSeconds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	start := time.Now()
	g := large(1000)
	g.Place(gap)
	if math.IsNaN(g.Width) || g.Width <= 0 {
		t.Errorf("it takes %v x %v", g.Width, g.Height)
	}
	t.Logf("%v x %v in %v", g.Width, g.Height, time.Since(start))
}

func BenchmarkPlace1000(b *testing.B) {
	for b.Loop() {
		large(1000).Place(gap)
	}
}
