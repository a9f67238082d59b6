// Package journal is the durable log of runs and the store that answers
// questions about them: SQLite in the project's .wfc folder, written by one
// goroutine of a process, in groups.
//
// Its central types are [Store], [Run] and [Event]. Of wfc it imports
// compiler/plan and lang/value.
//
// The folder holds journal.db (the tables are in schema.go) with its
// write-ahead log and that one's index, blobs by their digest, folders of runs by
// their ids ([Store.Folder]), and locks: one of each run that has an owner, the
// writers' turn, and the gate (see lock.go), and the bells of the processes that
// own runs (see presence.go).
//
// The log is one sequence and commits are prefixes of it: [Run.Commit] returns
// when everything that was appended before is durable too. Events are the truth,
// and what [Store.Run] shows of nodes is a projection of them, written in the same transaction.
package journal
