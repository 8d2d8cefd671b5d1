package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"crier"
	"crier/internal/service"
)

// HttpApiDecodeError is the body of a 400.
type HttpApiDecodeError struct { //nolint:revive // the name is the contract's
	Issues  []crier.Issue `json:"issues"`
	Message string        `json:"message"`
	Tag     string        `json:"_tag" enum:"HttpApiDecodeError"`
}

// errorBody is the body of every other error; the document has one schema per tag.
type errorBody struct {
	Message string     `json:"message"`
	Tag     crier.Kind `json:"_tag"`
}

// statusOf maps kinds of errors to HTTP. It is the only place that does.
var statusOf = map[crier.Kind]int{
	crier.KindInvalid:         http.StatusBadRequest,
	crier.KindUnauthorized:    http.StatusUnauthorized,
	crier.KindPaymentRequired: http.StatusPaymentRequired,
	crier.KindForbidden:       http.StatusForbidden,
	crier.KindNotFound:        http.StatusNotFound,
	crier.KindConflict:        http.StatusConflict,
	crier.KindTooManyRequests: http.StatusTooManyRequests,
	crier.KindInternal:        http.StatusInternalServerError,
}

const (
	internalMessage    = "Something went wrong on our side. Nothing is known to have changed. If it happens again, tell us the X-Request-Id of this answer."
	unavailableMessage = "The service cannot reach its database at the moment. Try again shortly."
	// statusCallerGone is what the log and the metrics say of requests whose caller did not wait: no failure of ours.
	statusCallerGone = 499
	// unavailableRetry is the Retry-After of a 503, in seconds.
	unavailableRetry = "2"
)

// fail writes the answer to a request that was not fulfilled. Text of unexpected errors goes to the log, never outside.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if kept, ok := isKept(err); ok {
		s.replay(w, r, kept)
		return
	}
	var known *crier.Error
	switch {
	case errors.As(err, &known) && known.Kind == crier.KindInvalid:
		write(w, http.StatusBadRequest, HttpApiDecodeError{Issues: known.Issues, Message: known.Error(), Tag: string(known.Kind)})
	case known != nil:
		if known.Kind == crier.KindUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="crier"`)
		}
		write(w, statusOf[known.Kind], errorBody{Message: known.Message, Tag: known.Kind})
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		infoOf(r).err = err
		write(w, statusCallerGone, errorBody{Message: internalMessage, Tag: crier.KindInternal}) // nobody reads it
	case service.Unavailable(err), errors.Is(err, context.DeadlineExceeded):
		infoOf(r).err = err
		w.Header().Set("Retry-After", unavailableRetry)
		write(w, http.StatusServiceUnavailable, errorBody{Message: unavailableMessage, Tag: crier.KindInternal})
	default:
		infoOf(r).err = err
		write(w, http.StatusInternalServerError, errorBody{Message: internalMessage, Tag: crier.KindInternal})
	}
}

// respond writes the answer to a request that was fulfilled.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, status int, body any) {
	if f, ok := body.(file); ok {
		f.serve(w, r)
		return
	}
	data, err := json.Marshal(body)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeBytes(w, status, data)
}

func write(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil { // strings only: cannot fail
		status, data = http.StatusInternalServerError, []byte(`{"message":"","_tag":"InternalError"}`)
	}
	writeBytes(w, status, data)
}

func writeBytes(w http.ResponseWriter, status int, data []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) //nolint:gosec // JSON, never taken for a page: nosniff
}

// errorAnswers are the errors that operations document.
var errorAnswers = []struct {
	kind      crier.Kind
	when      string
	conflicts bool // only operations that depend on the present state have it
	costs     bool // only operations that cost credits have it
}{
	{kind: crier.KindInvalid, when: "The body, the query string or a path parameter is malformed or breaks a rule; issues lists every problem."},
	{kind: crier.KindUnauthorized, when: "The token is missing, invalid, expired or revoked."},
	{kind: crier.KindPaymentRequired, when: "The organization's credits do not cover the operation.", costs: true},
	{kind: crier.KindForbidden, when: "The token is valid but lacks permission."},
	{kind: crier.KindNotFound, when: "There is no such resource."},
	{kind: crier.KindConflict, when: "The request conflicts with the present state, or its Idempotency-Key was used for another request.", conflicts: true},
	{kind: crier.KindTooManyRequests, when: "The rate limit of the token was exceeded; Retry-After tells when to come back."},
	{kind: crier.KindInternal, when: "The server failed; repeat safe requests with exponential backoff."},
}

// documentErrors adds the error bodies to an operation.
func (s *Server) documentErrors(op *huma.Operation, conflicts, costs bool) {
	for _, e := range errorAnswers {
		if e.conflicts && !conflicts || e.costs && !costs {
			continue
		}
		response := jsonResponse(e.when, s.errorSchema(e.kind))
		op.Responses[strconv.Itoa(statusOf[e.kind])] = response
		if e.kind == crier.KindInternal {
			op.Responses["503"] = jsonResponse("The database is away; Retry-After tells when to try again.", s.errorSchema(e.kind))
		}
	}
}

// errorSchema is the schema of an error body, one per tag.
func (s *Server) errorSchema(kind crier.Kind) *huma.Schema {
	name := string(kind)
	if kind == crier.KindInvalid {
		return s.registry.Schema(typeOf[HttpApiDecodeError](), true, "")
	}
	if s.registry.schemas[name] == nil {
		s.registry.schemas[name] = &huma.Schema{
			Type:                 huma.TypeObject,
			AdditionalProperties: false,
			Required:             []string{"message", "_tag"},
			Properties: map[string]*huma.Schema{
				"message": {Type: huma.TypeString},
				"_tag":    {Type: huma.TypeString, Enum: []any{name}},
			},
		}
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}

func jsonResponse(description string, schema *huma.Schema) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
}
