package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"crier"
	"crier/internal/api/contract"
)

// Listen responds to requests that net/http rejects before any handler sees them, such as one with a malformed path,
// with the error body of the API and a request id. net/http writes those responses directly to the connection.
func Listen(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &connection{Conn: c}, nil
}

// connection rewrites the rejections of net/http.
type connection struct{ net.Conn }

// refusalHeader is the header of net/http's response to a malformed request. Responses of handlers have a date.
const refusalHeader = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// Write sends p, or the error body in place of a rejection. net/http writes a rejection in one call.
func (c *connection) Write(p []byte) (int, error) {
	status, reason, refused := bytes.Cut(p, []byte(refusalHeader))
	if !refused || bytes.Contains(status, []byte("\r\n")) {
		return c.Conn.Write(p)
	}
	_, err := c.Conn.Write(refusal(status, string(reason)))
	return len(p), err
}

// ReadFrom lets the kernel copy files to the connection, as it does without this wrapper.
func (c *connection) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(c.Conn, r)
}

func refusal(statusLine []byte, reason string) []byte {
	issue := crier.At("the request could not be read: " + reason)
	body, err := json.Marshal(contract.HttpApiDecodeError{Issues: []crier.Issue{issue},
		Message: crier.Invalid(issue).Error(), Tag: string(crier.KindInvalid)})
	if err != nil { // strings only: cannot fail
		return statusLine
	}
	header := http.Header{}
	secure(header, false)
	header.Set("Content-Type", "application/json")
	header.Set("Connection", "close")
	header.Set("X-Request-Id", requestID(""))
	var out bytes.Buffer
	out.Write(statusLine)
	out.WriteString("\r\n")
	_ = header.Write(&out) // a buffer takes everything
	fmt.Fprintf(&out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return out.Bytes()
}
