package api

import (
	"context"
	"net/http"
	"time"
)

const (
	// requestTimeout ends requests whose answer nobody waits for any more; longTimeout is for those that move whole
	// files.
	requestTimeout = 75 * time.Second
	longTimeout    = 6 * time.Hour
	// idleTimeout ends a transfer on which nothing moves.
	idleTimeout = time.Minute
)

// bounded gives a request the time it may take. Long ones get time of their own in place of the server's.
func bounded(w http.ResponseWriter, r *http.Request, long bool) (*http.Request, context.CancelFunc) {
	limit := requestTimeout
	if long {
		limit = longTimeout
		connection := http.NewResponseController(w)
		ends := time.Now().Add(longTimeout) //nolint:forbidigo // a socket's deadline is the machine's
		// Test recorders refuse deadlines; they have none to move.
		_ = connection.SetReadDeadline(ends)
		_ = connection.SetWriteDeadline(ends)
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	return r.WithContext(ctx), cancel
}

// file is an answer that is not JSON: the bytes of a file.
type file interface {
	// serve writes the file, or the part of it that was asked for, and closes it.
	serve(w http.ResponseWriter, r *http.Request)
}

// patientWriter moves the deadline of the connection on with every piece that a slow reader takes.
type patientWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
}

func newPatientWriter(w http.ResponseWriter) *patientWriter {
	return &patientWriter{w, http.NewResponseController(w)}
}

// Write gives each piece its own time.
func (w *patientWriter) Write(p []byte) (int, error) {
	_ = w.connection.SetWriteDeadline(time.Now().Add(idleTimeout)) //nolint:forbidigo // a socket's deadline is the machine's
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
