package api

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"

	"crier"
	"crier/internal/access"
	"crier/internal/api/contract"
)

const (
	// keyHeader is the header by which a caller can repeat a request without repeating its effect.
	keyHeader    = "Idempotency-Key"
	maxKeyLength = 255
)

// receive reads the body and looks up a stored response to the same request. ok is false if a response was sent. The
// context carries the idempotency key to where the effect is written.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, c access.Caller, in *contract.Input,
	status int) (contract.Body,
	context.Context, bool) {
	ctx := r.Context()
	if r.Method == http.MethodGet {
		return contract.Body{}, ctx, true
	}
	body, err := in.Receive(w, r)
	if err != nil {
		s.fail(w, r, err)
		return body, ctx, false
	}
	key, given := r.Header[keyHeader]
	if !given {
		return body, ctx, true
	}
	if problem := keyProblem(key); problem != "" {
		body.Issues = append(body.Issues, crier.At(problem, keyHeader))
		return body, ctx, true
	}
	repeat := access.IdempotentRequest{Key: key[0], Fingerprint: fingerprint(r, body.Repetition()), Status: status}
	if in.TakesForm() {
		return s.receiveForm(w, r, c, body, repeat)
	}
	stored, err := s.services.Idempotency.Stored(ctx, c, repeat)
	if err != nil {
		s.fail(w, r, err)
		return body, ctx, false
	}
	if stored != nil {
		s.replay(w, r, stored)
		return body, ctx, false
	}
	return body, access.WithIdempotency(ctx, c, repeat), true
}

// receiveForm looks up a stored response to a form, whose file must be read before it can be compared. A form with a
// new key is read only once, while its file is stored.
func (s *Server) receiveForm(w http.ResponseWriter, r *http.Request, c access.Caller, body contract.Body,
	repeat access.IdempotentRequest) (contract.Body, context.Context, bool) {
	ctx := r.Context()
	repeat.Fingerprint, repeat.Partial = fingerprint(r, nil), true
	known, err := s.services.Idempotency.Known(ctx, c, repeat)
	if err == nil && !known {
		return body, access.WithIdempotency(ctx, c, repeat), true
	}
	var digest []byte
	if err == nil {
		digest, err = formDigest(body.Stream)
	}
	if err == nil {
		var stored *access.StoredResponse
		if stored, err = s.services.Idempotency.Stored(ctx, c, repeat.WithBody(digest)); err == nil && stored != nil {
			err = stored
		}
	}
	if err == nil { // the kept answer has just expired, and the form is used up
		err = crier.Conflict("This Idempotency-Key is just expiring. Try again.")
	}
	s.fail(w, r, err)
	return body, ctx, false
}

// keyProblem describes why an idempotency key is invalid; it is empty for a valid one.
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

// fingerprint identifies a request by its method, path, query and body.
func fingerprint(r *http.Request, body []byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s?%s\n", r.Method, r.URL.EscapedPath(), r.URL.RawQuery)
	h.Write(body)
	return h.Sum(nil)
}

// replay sends the first response again, with the route's own replay if it has one.
func (s *Server) replay(w http.ResponseWriter, r *http.Request, stored *access.StoredResponse) {
	w.Header().Set("Idempotency-Replayed", "true")
	if again := infoOf(r).replay; again != nil {
		out, err := again(s, r.Context(), stored.Body)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.respond(w, r, stored.Status, out)
		return
	}
	s.send(w, r, stored.Status, stored.Body)
}
