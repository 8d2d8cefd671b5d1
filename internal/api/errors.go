package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"

	"crier"
	"crier/internal/api/contract"
	"crier/internal/service"
)

const (
	internalMessage = "Something went wrong on our side. Nothing is known to have changed. If it happens again, " +
		"tell us the X-Request-Id of this answer."
	unavailableMessage = "The service is overloaded or cannot reach its database. Try again shortly."
	// statusClientClosed is the status in the log and the metrics of requests whose caller disconnected: not a server
	// error.
	statusClientClosed = 499
	// unavailableRetry is the Retry-After of a 503, in seconds.
	unavailableRetry = "2"
)

// fail writes the response to a failed request. Texts of unexpected errors are logged, never sent.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if stored, ok := storedResponse(err); ok {
		s.replay(w, r, stored)
		return
	}
	var known *crier.Error
	switch {
	case errors.As(err, &known) && known.Kind == crier.KindInvalid:
		write(w, http.StatusBadRequest, contract.HttpApiDecodeError{Issues: known.Issues, Message: known.Error(),
			Tag: string(known.Kind)})
	case known != nil:
		if known.Kind == crier.KindUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="crier"`)
		}
		if after := infoOf(r).retryAfter; after > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(after))
		}
		write(w, contract.Status(known.Kind), contract.ErrorBody{Message: known.Message, Tag: known.Kind,
			ContentPayloadID: known.ContentPayloadID})
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		infoOf(r).err = err
		// nobody reads it
		write(w, statusClientClosed, contract.ErrorBody{Message: internalMessage, Tag: crier.KindInternal})
	case service.Unavailable(err), errors.Is(err, context.DeadlineExceeded):
		infoOf(r).err = err
		w.Header().Set("Retry-After", unavailableRetry)
		write(w, http.StatusServiceUnavailable, contract.ErrorBody{Message: unavailableMessage,
			Tag: crier.KindInternal})
	default:
		infoOf(r).err = err
		write(w, http.StatusInternalServerError, contract.ErrorBody{Message: internalMessage, Tag: crier.KindInternal})
	}
}

// respond writes the response to a successful request.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, status int, body any) {
	if f, ok := body.(file); ok {
		f.serve(w, r)
		return
	}
	encoded, release := buffer()
	defer release()
	if err := json.NewEncoder(encoded).Encode(body); err != nil {
		s.fail(w, r, err)
		return
	}
	s.send(w, r, status, bytes.TrimSuffix(encoded.Bytes(), []byte("\n")))
}

// maxPooled limits the size of the buffers that are reused: the pool would keep the memory of large ones.
const maxPooled = 256 << 10

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// buffer returns an empty buffer for a response, and the function that returns it to the pool.
func buffer() (b *bytes.Buffer, release func()) {
	b, ok := buffers.Get().(*bytes.Buffer)
	if !ok { // the pool holds nothing else
		b = new(bytes.Buffer)
	}
	b.Reset()
	return b, func() {
		if b.Cap() <= maxPooled {
			buffers.Put(b)
		}
	}
}

// jsonType is the content type of most responses.
const jsonType = "application/json"

func write(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil { // strings only: cannot fail
		status, data = http.StatusInternalServerError, []byte(`{"message":"","_tag":"InternalError"}`)
	}
	writeBytes(w, status, data)
}

func writeBytes(w http.ResponseWriter, status int, data []byte) { writeAs(w, status, jsonType, data) }

func writeAs(w http.ResponseWriter, status int, contentType string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) //nolint:gosec // JSON or CSV, never taken for a page: nosniff
}
