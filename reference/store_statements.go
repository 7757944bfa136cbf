package reference

import (
	"context"
	"database/sql/driver"
)

// maxKept is how many parsed statements a connection keeps; there are fewer
// queries.
const maxKept = 64

// keeping is a connector whose connections keep the statements that they have
// parsed. For small queries parsing is most of the work, and database/sql does
// it again in each transaction.
type keeping struct{ driver.Connector }

// Connect implements driver.Connector.
func (k keeping) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &keepingConn{c.(conn), map[string]stmt{}}, nil
}

// conn is what database/sql uses of a connection, without the short cuts that
// avoid statements.
type conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type stmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type keepingConn struct {
	conn
	idle map[string]stmt // by query
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *keepingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if s, ok := c.idle[query]; ok {
		delete(c.idle, query) // it is in use
		return &keptStmt{s, c, query}, nil
	}
	s, err := c.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &keptStmt{s.(stmt), c, query}, nil
}

// Close implements driver.Conn.
func (c *keepingConn) Close() error {
	for _, s := range c.idle {
		s.Close()
	}
	return c.conn.Close()
}

type keptStmt struct {
	stmt
	conn  *keepingConn
	query string
}

// Close implements driver.Stmt: the statement is kept for the next time.
func (s *keptStmt) Close() error {
	if _, another := s.conn.idle[s.query]; another || len(s.conn.idle) >= maxKept {
		return s.stmt.Close()
	}
	s.conn.idle[s.query] = s.stmt
	return nil
}
