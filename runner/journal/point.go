package journal

// Point is a place in the writing of a journal at which a process may die. Tests
// kill one at each of them ([Options].At).
type Point string

// The points, in the order in which a group of events passes them.
const (
	BeforeBlob    Point = "before a blob is written"
	BeforeSync    Point = "before a blob is on disk"
	BeforeRename  Point = "before a blob has its name"
	BeforeFolder  Point = "before the blobs' names are on disk"
	AfterBlobs    Point = "after the blobs are on disk"
	BeforeBegin   Point = "before a transaction"
	BeforeCommit  Point = "before a commit"
	AfterCommit   Point = "after a commit"
	BeforeRelease Point = "before a run's lock is released"
)

// pointsOf returns what is told the points: a function that does nothing where at is nil.
func pointsOf(at func(Point)) func(Point) {
	if at == nil {
		return func(Point) {}
	}
	return at
}
