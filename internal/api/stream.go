package api

import (
	"context"
	"net/http"
	"time"
)

const (
	// requestTimeout ends requests that nobody waits for any more; longTimeout is for those that transfer whole files.
	requestTimeout = 75 * time.Second
	longTimeout    = 6 * time.Hour
	// idleTimeout ends a stalled transfer.
	idleTimeout = time.Minute
)

// bounded sets the time-out of a request. Long ones have their own in place of the server's.
func bounded(w http.ResponseWriter, r *http.Request, long bool) (*http.Request, context.CancelFunc) {
	limit := requestTimeout
	if long {
		limit = longTimeout
		connection := http.NewResponseController(w)
		ends := time.Now().Add(longTimeout) //nolint:forbidigo // a socket's deadline is the machine's
		// Test recorders do not support deadlines.
		_ = connection.SetReadDeadline(ends)
		_ = connection.SetWriteDeadline(ends)
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	return r.WithContext(ctx), cancel
}

// file is a response with the content of a file instead of JSON.
type file interface {
	// serve writes the file, or the requested part of it, and closes it.
	serve(w http.ResponseWriter, r *http.Request)
}

// patientWriter extends the deadline of the connection with every chunk that a slow reader accepts.
type patientWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
}

func newPatientWriter(w http.ResponseWriter) *patientWriter {
	return &patientWriter{w, http.NewResponseController(w)}
}

// Write sets a deadline for each chunk.
func (w *patientWriter) Write(p []byte) (int, error) {
	_ = w.connection.SetWriteDeadline(time.Now().Add(idleTimeout)) //nolint:forbidigo // a socket's deadline is the machine's
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
