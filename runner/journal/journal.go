// Package journal is the durable log of runs and the store that answers
// questions about them: SQLite in the project's .wfc folder, written by one
// goroutine of a process, in groups.
//
// Its central types are [Store], [Run] and [Event]. Of wfc it imports
// compiler/plan only.
//
// The log is one sequence and commits are prefixes of it: [Run.Commit] returns
// when everything that was appended before is durable too. Events are the truth,
// and what [Store.Run] shows of nodes is a projection of them, written in the same transaction.
package journal
