package contract

import (
	"cmp"
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
	// streamIdleTimeout ends a stalled transfer.
	streamIdleTimeout = time.Minute
)

// Body is the body of a request, and the problem of its idempotency key.
type Body struct {
	Data   []byte
	Large  bool // over maxBody; Data is empty then
	Issues []crier.Issue
	Stream *Stream // in place of Data, for bodies that are not kept in memory
	rest   *Stream // of a large body
}

// Drain allows the sender of a stream, or of a body that is too large, to finish.
func (b Body) Drain() {
	if s := cmp.Or(b.Stream, b.rest); s != nil {
		s.Drain()
	}
}

// Repetition returns what distinguishes a request from another one with the same key. The content of a stream is not
// known before it is read, so only its length and range count.
func (b Body) Repetition() []byte {
	if b.Stream != nil {
		return b.Stream.repetition()
	}
	return b.Data
}

// readBody reads at most maxBody bytes. A larger body is not an error here: other issues may be reported with it, and
// an operation without a body ignores it.
func readBody(w http.ResponseWriter, r *http.Request) (Body, error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return Body{}, crier.Invalid(crier.At("the body could not be read to its end"))
	}
	if len(data) > maxBody {
		rest := NewStream(w, r)
		rest.started = true
		return Body{Large: true, rest: rest}, nil
	}
	return Body{Data: data}, nil
}

// Stream is the body of a request that is too large for memory. It is read as it arrives, and aborted if nothing
// arrives for a while.
type Stream struct {
	Header http.Header
	// Length is -1 if it is unknown.
	Length     int64
	body       io.Reader
	connection *http.ResponseController
	started    bool
}

// NewStream reads the body of a request.
func NewStream(w http.ResponseWriter, r *http.Request) *Stream {
	return &Stream{Header: r.Header, Length: r.ContentLength, body: r.Body, connection: http.NewResponseController(w)}
}

// Read extends the deadline of the connection with every chunk. Client errors are a *crier.Error.
func (s *Stream) Read(p []byte) (int, error) {
	s.started = true
	_ = s.connection.SetReadDeadline(time.Now().Add(streamIdleTimeout)) //nolint:forbidigo // a socket's deadline is the machine's
	n, err := s.body.Read(p)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		// The server keeps reading to detect when the caller disconnects: an expired deadline would look like that.
		_ = s.connection.SetReadDeadline(time.Time{})
		return n, err
	}
	return n, crier.Invalid(crier.At("the body could not be read to its end"))
}

const (
	// drainBytes and drainTime limit what is read of a rejected body: a sender that is still sending would lose the
	// response with the connection.
	drainBytes = 64 << 20
	drainTime  = 10 * time.Second
)

// Drain flushes the response and allows the sender to finish.
func (s *Stream) Drain() {
	// The deadline comes first: the server itself reads the rest of a short body before it sends a response.
	_ = s.connection.SetReadDeadline(time.Now().Add(drainTime)) //nolint:forbidigo // a socket's deadline is the machine's
	_ = s.connection.Flush()                                    // what cannot be flushed is sent when the request ends
	if !s.started && s.Header.Get("Expect") != "" {
		return // it waits to be asked for the body
	}
	_, _ = io.CopyN(io.Discard, s.body, drainBytes) // whatever ends it, nobody is left to be told
}

// repetition returns what is known of a stream before it is read, to distinguish a repeated request from another one.
func (s *Stream) repetition() []byte {
	return strconv.AppendInt([]byte(s.Header.Get("Content-Range")+" "), s.Length, 10)
}
