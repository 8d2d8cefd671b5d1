package contract

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"crier"
)

// HttpApiDecodeError is the body of a 400.
type HttpApiDecodeError struct { //nolint:revive // the name is the contract's
	Issues  []crier.Issue `json:"issues"`
	Message string        `json:"message"`
	Tag     string        `json:"_tag" enum:"HttpApiDecodeError"`
}

// ErrorBody is the body of every other error; the document has one schema per tag.
type ErrorBody struct {
	Message          string     `json:"message"`
	Tag              crier.Kind `json:"_tag"`
	ContentPayloadID *crier.ID  `json:"contentPayloadId,omitempty"` // of PreconditionFailed only
}

// statusOf maps kinds of errors to HTTP. It is the only place that does.
var statusOf = map[crier.Kind]int{
	crier.KindInvalid:            http.StatusBadRequest,
	crier.KindUnauthorized:       http.StatusUnauthorized,
	crier.KindPaymentRequired:    http.StatusPaymentRequired,
	crier.KindForbidden:          http.StatusForbidden,
	crier.KindNotFound:           http.StatusNotFound,
	crier.KindConflict:           http.StatusConflict,
	crier.KindPreconditionFailed: http.StatusPreconditionFailed,
	crier.KindTooManyRequests:    http.StatusTooManyRequests,
	crier.KindInternal:           http.StatusInternalServerError,
}

// Status returns the HTTP status of a kind of errors.
func Status(kind crier.Kind) int { return statusOf[kind] }

// errorAnswers are the documented errors of operations.
var errorAnswers = []struct {
	kind      crier.Kind
	when      string
	conflicts bool // only operations that depend on the present state have it
	costs     bool // only operations that cost credits have it
	// conditional errors are those of operations that accept If-Match
	conditional bool
}{
	{kind: crier.KindInvalid, when: "The body, the query string or a path parameter is malformed or breaks a rule; " +
		"issues lists every problem."},
	{kind: crier.KindUnauthorized, when: "The token is missing, invalid, expired or revoked."},
	{kind: crier.KindPaymentRequired, when: "The organization's credits or its storage do not cover the operation.",
		costs: true},
	{kind: crier.KindForbidden, when: "The token is valid but lacks permission."},
	{kind: crier.KindNotFound, when: "There is no such resource."},
	{kind: crier.KindConflict,
		when:      "The request conflicts with the current state, or its Idempotency-Key was used for another request.",
		conflicts: true},
	{kind: crier.KindPreconditionFailed, when: "The content is no longer the version in If-Match; " +
		"contentPayloadId is the current one.", conditional: true},
	{kind: crier.KindTooManyRequests,
		when: "The rate limit of the token was exceeded; Retry-After says when to retry."},
	{kind: crier.KindInternal, when: "The server failed; repeat safe requests with exponential backoff."},
}

// overloaded describes a 503.
const overloaded = "The service is overloaded or its database is unavailable; Retry-After says when to retry."

// documentErrors adds the error bodies to an operation.
func (d *Document) documentErrors(op *huma.Operation, conflicts, costs bool) {
	conditional := slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "If-Match" })
	for _, e := range errorAnswers {
		if e.conflicts && !conflicts || e.costs && !costs || e.conditional && !conditional {
			continue
		}
		op.Responses[strconv.Itoa(statusOf[e.kind])] = d.errorResponse(e.kind, e.when)
		if e.kind == crier.KindInternal {
			op.Responses["503"] = d.errorResponse(e.kind, overloaded)
		}
	}
}

// errorResponse describes an error. Operations share these: one for each would be a tenth of an idle server's heap.
func (d *Document) errorResponse(kind crier.Kind, when string) *huma.Response {
	if d.errors[when] == nil {
		d.errors[when] = jsonResponse(when, d.errorSchema(kind))
	}
	return d.errors[when]
}

// errorSchema returns the schema of an error body, one per tag.
func (d *Document) errorSchema(kind crier.Kind) *huma.Schema {
	name := string(kind)
	if kind == crier.KindInvalid {
		return d.registry.Schema(reflect.TypeFor[HttpApiDecodeError](), true, "")
	}
	if d.registry.schemas[name] == nil {
		d.registry.schemas[name] = &huma.Schema{
			Type:                 huma.TypeObject,
			AdditionalProperties: false,
			Required:             []string{"message", "_tag"},
			Properties: map[string]*huma.Schema{
				"message": {Type: huma.TypeString},
				"_tag":    {Type: huma.TypeString, Enum: []any{name}},
			},
		}
	}
	if s := d.registry.schemas[name]; kind == crier.KindPreconditionFailed && len(s.Required) == 2 {
		s.Required = append(s.Required, "contentPayloadId")
		s.Properties["contentPayloadId"] = d.registry.Schema(reflect.TypeFor[crier.ID](), true, "")
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}

func jsonResponse(description string, schema *huma.Schema) *huma.Response {
	return &huma.Response{Description: description,
		Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
}
