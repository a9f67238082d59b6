//go:build race

package journal

// raceEnabled: SQLite is ten times slower then.
const raceEnabled = true
