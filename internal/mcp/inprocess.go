package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// inProcess sends requests to a handler of the same process, so that calls need no address and continue while the
// server drains.
type inProcess struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	served := r.Clone(bare{r.Context()})
	served.RequestURI = r.URL.RequestURI()
	if served.Body == nil {
		served.Body = http.NoBody
	}
	defer served.Body.Close()
	w := &answer{header: http.Header{}}
	t.handler.ServeHTTP(w, served)
	return w.response(r), nil
}

// bare is a context without values: those of the surrounding request, such as its route, do not belong to the call.
type bare struct{ context.Context } //nolint:containedctx // it is a context

// Value always returns nil.
func (bare) Value(any) any { return nil }

// answer records the response of a handler.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader records the first status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write records the body.
func (a *answer) Write(data []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(data)
}

func (a *answer) response(r *http.Request) *http.Response {
	a.WriteHeader(http.StatusOK)
	return &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header,
		Body:   io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: r,
	}
}
