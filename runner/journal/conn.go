package journal

import (
	"context"
	"database/sql/driver"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// busyFor is how long a writer waits for its turn among the processes, and how
// long SQLite waits for locks that are not part of that (a checkpoint's, a foreign program's).
const busyFor = 30 * time.Second

// dsn is the name under which the driver opens the journal at path. A path may
// contain what has a meaning in a URI, so it is escaped.
func dsn(path string, readOnly bool) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	q := "_error_rc=1&_busy_timeout=" + strconv.FormatInt(busyFor.Milliseconds(), 10)
	if readOnly {
		q += "&mode=ro"
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q}).String()
}

// conn is the writer's connection. One goroutine at a time may use it.
// database/sql stays out of its way: its pool and locks are for what one
// connection in one goroutine does not need.
type conn struct {
	raw   driver.Conn
	stmts map[string]driver.Stmt // by their text, prepared at first use
	args  []driver.NamedValue    // reused
}

func openConn(path string) (*conn, error) {
	raw, err := new(sqlite.Driver).Open(dsn(path, false))
	if err != nil {
		return nil, err
	}
	return &conn{raw: raw, stmts: map[string]driver.Stmt{}}, nil
}

func (c *conn) close() error {
	for _, s := range c.stmts {
		_ = s.Close() // what a statement has to say, its last use has said
	}
	return c.raw.Close()
}

// script runs statements without arguments, once.
func (c *conn) script(sql string) error {
	_, err := c.raw.(driver.ExecerContext).ExecContext(context.Background(), sql, nil)
	return err
}

func (c *conn) prepare(sql string, args []driver.Value) (driver.Stmt, []driver.NamedValue, error) {
	s := c.stmts[sql]
	if s == nil {
		var err error
		if s, err = c.raw.Prepare(sql); err != nil {
			return nil, nil, err
		}
		c.stmts[sql] = s
	}
	c.args = c.args[:0]
	for i, a := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return s, c.args, nil
}

// exec runs one statement. The arguments are what SQLite has: nil, int64,
// string, []byte.
func (c *conn) exec(sql string, args ...driver.Value) (driver.Result, error) {
	s, named, err := c.prepare(sql, args)
	if err != nil {
		return nil, err
	}
	return s.(driver.StmtExecContext).ExecContext(context.Background(), named)
}

// insert is exec that returns the new row's id.
func (c *conn) insert(sql string, args ...driver.Value) (int64, error) {
	res, err := c.exec(sql, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// rows calls each for every row; the slice is reused.
func (c *conn) rows(each func(row []driver.Value) error, sql string, args ...driver.Value) error {
	s, named, err := c.prepare(sql, args)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), named)
	if err != nil {
		return err
	}
	row := make([]driver.Value, len(rows.Columns()))
	for {
		if err = rows.Next(row); err == nil {
			err = each(row)
		}
		if err != nil {
			break
		}
	}
	if err == io.EOF {
		err = nil
	}
	if e := rows.Close(); err == nil {
		err = e
	}
	return err
}

// row returns the first row, or nil where there is none.
func (c *conn) row(sql string, args ...driver.Value) (first []driver.Value, err error) {
	err = c.rows(func(row []driver.Value) error {
		if first == nil {
			first = append(first, row...)
		}
		return nil
	}, sql, args...)
	return first, err
}
