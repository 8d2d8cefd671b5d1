package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"crier"
)

const (
	// requestTimeout ends requests whose answer nobody waits for any more; longTimeout is for those that move whole files.
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
		// A connection without deadlines is refused by test recorders only, and they have none to lift.
		_ = connection.SetReadDeadline(time.Time{})
		_ = connection.SetWriteDeadline(time.Time{})
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	return r.WithContext(ctx), cancel
}

// stream is the body of a request that is too large to be kept in memory. It is read as it arrives, and given up when
// nothing arrives for a while.
type stream struct {
	header     http.Header
	length     int64 // -1 when the sender does not tell
	body       io.Reader
	connection *http.ResponseController
	started    bool
}

func newStream(w http.ResponseWriter, r *http.Request) *stream {
	return &stream{header: r.Header, length: r.ContentLength, body: r.Body, connection: http.NewResponseController(w)}
}

// Read moves the deadline of the connection on with every piece. What the sender does wrong is a *crier.Error.
func (s *stream) Read(p []byte) (int, error) {
	s.started = true
	_ = s.connection.SetReadDeadline(time.Now().Add(idleTimeout)) //nolint:forbidigo // a socket's deadline is the machine's
	n, err := s.body.Read(p)
	if err == nil {
		return n, nil
	}
	// The server goes on reading to notice when the caller leaves: a deadline that passes then would look like that.
	_ = s.connection.SetReadDeadline(time.Time{})
	if !errors.Is(err, io.EOF) {
		err = crier.Invalid(crier.At("the body could not be read to its end"))
	}
	return n, err
}

const (
	// drainBytes and drainTime bound what is read of a body that is refused: a sender that is still sending would lose
	// the answer with the connection.
	drainBytes = 64 << 20
	drainTime  = 10 * time.Second
)

// drain hands the answer out and lets the sender finish.
func (s *stream) drain() {
	_ = s.connection.Flush() // what cannot be flushed is sent when the request ends
	if !s.started && s.header.Get("Expect") != "" {
		return // it waits to be asked for the body
	}
	_ = s.connection.SetReadDeadline(time.Now().Add(drainTime)) //nolint:forbidigo // a socket's deadline is the machine's
	_, _ = io.CopyN(io.Discard, s.body, drainBytes)             // whatever ends it, nobody is left to be told
	_ = s.connection.SetReadDeadline(time.Time{})
}

// repetition is what is known of a stream before it is read, to tell a repeated request from another one.
func (s *stream) repetition() []byte { return strconv.AppendInt(nil, s.length, 10) }

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
