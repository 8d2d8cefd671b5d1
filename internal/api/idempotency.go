package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"

	"crier"
	"crier/internal/service"
)

const (
	// maxBody is the largest JSON body.
	maxBody = 1 << 20
	// keyHeader lets a caller repeat a request without repeating its effect.
	keyHeader    = "Idempotency-Key"
	maxKeyLength = 255
)

// received is the body of a request, and what was wrong with its idempotency key.
type received struct {
	data   []byte
	large  bool // over maxBody; data is empty then
	issues []crier.Issue
	stream *stream // in place of data, for bodies that are not kept in memory
}

// drain lets the sender of a stream finish.
func (b received) drain() {
	if b.stream != nil {
		b.stream.drain()
	}
}

// repetition is what tells a request from another one with the same key. A stream cannot be known before it is read, so
// there only its length counts.
func (b received) repetition() []byte {
	if b.stream != nil {
		return b.stream.repetition()
	}
	return b.data
}

// receive reads the body and looks for a kept answer to the same request. ok is false when the request has been
// answered. The context carries the idempotency key to where the effect is written.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, c service.Caller, in *input, status int) (received, context.Context, bool) {
	ctx := r.Context()
	if r.Method == http.MethodGet {
		return received{}, ctx, true
	}
	body, err := in.receive(w, r)
	if err != nil {
		s.fail(w, r, err)
		return body, ctx, false
	}
	key, given := r.Header[keyHeader]
	if !given {
		return body, ctx, true
	}
	if problem := keyProblem(key); problem != "" {
		body.issues = append(body.issues, crier.At(problem, keyHeader))
		return body, ctx, true
	}
	repeat := service.Repeatable{Key: key[0], Fingerprint: fingerprint(r, body.repetition()), Status: status}
	kept, err := s.services.Answers.Kept(ctx, c, repeat)
	if err != nil {
		s.fail(w, r, err)
		return body, ctx, false
	}
	if kept != nil {
		s.replay(w, r, kept)
		return body, ctx, false
	}
	return body, service.WithRepeatable(ctx, c, repeat), true
}

// readBody reads at most maxBody bytes. A larger body is no error here: other issues may be told beside it, and an
// operation without a body does not care.
func readBody(w http.ResponseWriter, r *http.Request) (received, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return received{large: true}, nil
	}
	if err != nil {
		return received{}, crier.Invalid(crier.At("the body could not be read to its end"))
	}
	return received{data: data}, nil
}

// keyProblem says what is wrong with an idempotency key, or nothing.
func keyProblem(values []string) string {
	const rule = "must be one value of 1 to 255 visible ASCII characters"
	if len(values) != 1 || len(values[0]) == 0 || len(values[0]) > maxKeyLength {
		return rule
	}
	for _, c := range []byte(values[0]) {
		if c <= ' ' || c > '~' {
			return rule
		}
	}
	return ""
}

// fingerprint tells one request from another: method, path, query and body.
func fingerprint(r *http.Request, body []byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s?%s\n", r.Method, r.URL.EscapedPath(), r.URL.RawQuery)
	h.Write(body)
	return h.Sum(nil)
}

// replay gives the first answer again, in the route's own way if it has one.
func (s *Server) replay(w http.ResponseWriter, r *http.Request, kept *service.Kept) {
	w.Header().Set("Idempotency-Replayed", "true")
	if again := infoOf(r).replay; again != nil {
		out, err := again(s, r.Context(), kept.Body)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.respond(w, r, kept.Status, out)
		return
	}
	writeBytes(w, kept.Status, kept.Body)
}
