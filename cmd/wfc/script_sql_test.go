package main

import (
	"database/sql"

	"github.com/rogpeppe/go-internal/testscript"
)

// sqlite is "sqlite FILE STATEMENTS": it changes a database behind the back of wfc.
func sqlite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite FILE STATEMENTS")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0])) // the journal has registered the driver
	ts.Check(err)
	defer db.Close()
	_, err = db.Exec(args[1])
	ts.Check(err)
}
