package contract

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"crier"
)

const (
	// maxBody is the largest JSON body.
	maxBody = 1 << 20
	// streamIdleTimeout ends a transfer on which nothing moves.
	streamIdleTimeout = time.Minute
)

// Body is the body of a request, and what was wrong with its idempotency key.
type Body struct {
	Data   []byte
	Large  bool // over maxBody; Data is empty then
	Issues []crier.Issue
	Stream *Stream // in place of Data, for bodies that are not kept in memory
}

// Drain lets the sender of a stream finish.
func (b Body) Drain() {
	if b.Stream != nil {
		b.Stream.Drain()
	}
}

// Repetition returns what tells a request from another one with the same key. A stream cannot be known before it is
// read, so there only its length and its place in the whole count.
func (b Body) Repetition() []byte {
	if b.Stream != nil {
		return b.Stream.repetition()
	}
	return b.Data
}

// readBody reads at most maxBody bytes. A larger body is no error here: other issues may be told beside it, and an
// operation without a body does not care.
func readBody(w http.ResponseWriter, r *http.Request) (Body, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return Body{Large: true}, nil
	}
	if err != nil {
		return Body{}, crier.Invalid(crier.At("the body could not be read to its end"))
	}
	return Body{Data: data}, nil
}

// Stream is the body of a request that is too large to be kept in memory. It is read as it arrives, and given up when
// nothing arrives for a while.
type Stream struct {
	Header http.Header
	// Length is -1 when the sender does not tell.
	Length     int64
	body       io.Reader
	connection *http.ResponseController
	started    bool
}

// NewStream reads the body of a request.
func NewStream(w http.ResponseWriter, r *http.Request) *Stream {
	return &Stream{Header: r.Header, Length: r.ContentLength, body: r.Body, connection: http.NewResponseController(w)}
}

// Read moves the deadline of the connection on with every piece. What the sender does wrong is a *crier.Error.
func (s *Stream) Read(p []byte) (int, error) {
	s.started = true
	_ = s.connection.SetReadDeadline(time.Now().Add(streamIdleTimeout)) //nolint:forbidigo // a socket's deadline is the machine's
	n, err := s.body.Read(p)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		// The server goes on reading to notice when the caller leaves: a deadline that passes then would look like
		// that.
		_ = s.connection.SetReadDeadline(time.Time{})
		return n, err
	}
	return n, crier.Invalid(crier.At("the body could not be read to its end"))
}

const (
	// drainBytes and drainTime bound what is read of a body that is refused: a sender that is still sending would lose
	// the answer with the connection.
	drainBytes = 64 << 20
	drainTime  = 10 * time.Second
)

// Drain hands the answer out and lets the sender finish.
func (s *Stream) Drain() {
	// The deadline comes first: the server itself reads what is left of a short body before it sends an answer.
	_ = s.connection.SetReadDeadline(time.Now().Add(drainTime)) //nolint:forbidigo // a socket's deadline is the machine's
	_ = s.connection.Flush()                                    // what cannot be flushed is sent when the request ends
	if !s.started && s.Header.Get("Expect") != "" {
		return // it waits to be asked for the body
	}
	_, _ = io.CopyN(io.Discard, s.body, drainBytes) // whatever ends it, nobody is left to be told
}

// repetition returns what is known of a stream before it is read, to tell a repeated request from another one.
func (s *Stream) repetition() []byte {
	return strconv.AppendInt([]byte(s.Header.Get("Content-Range")+" "), s.Length, 10)
}
