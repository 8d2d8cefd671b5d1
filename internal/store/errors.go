package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

// Unavailable reports whether err means that the database is unreachable or overloaded, not that the request was wrong.
func Unavailable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	var lite *sqlite.Error
	switch {
	case err == nil:
		return false
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, driver.ErrBadConn),
		errors.Is(err, sql.ErrConnDone):
		return true
	case errors.Is(err, io.ErrUnexpectedEOF): // the connection was cut while waiting for a response
		return true
	case errors.As(err, &lite):
		primary := lite.Code() & 0xff
		return primary == sqlitelib.SQLITE_BUSY || primary == sqlitelib.SQLITE_LOCKED ||
			primary == sqlitelib.SQLITE_FULL || primary == sqlitelib.SQLITE_IOERR
	}
	state := sqlState(err)
	// Classes 08 (connection), 53 (resources) and 57P (server shutting down or starting), a transaction that was
	// aborted for idling, and a write to a standby that has not taken over yet.
	return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "53") || strings.HasPrefix(state, "57P") ||
		state == "25P03" || state == "25006"
}

// connectionLost reports whether an established connection was closed by the other side.
func connectionLost(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return false
	}
	network, ok := errors.AsType[*net.OpError](err)
	return ok && !network.Timeout() || errors.Is(err, io.ErrUnexpectedEOF) || strings.HasPrefix(sqlState(err), "57P")
}

func isDeadlock(err error) bool {
	state := sqlState(err)
	return state == "40001" || state == "40P01"
}

// lockNotAvailable is PostgreSQL's state of a statement that has waited for a lock as long as it may.
const lockNotAvailable = "55P03"

// isUniqueViolation reports whether err is the violation of a unique index.
func isUniqueViolation(err error) bool {
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		code := lite.Code()
		return code == sqlitelib.SQLITE_CONSTRAINT_UNIQUE || code == sqlitelib.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return sqlState(err) == "23505"
}

func sqlState(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	return ""
}
