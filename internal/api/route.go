package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"crier"
	"crier/internal/service"
)

// doc describes an operation to people.
type doc struct {
	ID          string
	Summary     string
	Description string
	Tag         string
	// Status of a success; 0 means 200.
	Status int
	// Sorts of a list operation; the first is the default.
	Sorts []string
	// Costs is true when the operation may be refused for lack of credits.
	Costs bool
	// Conflicts is true when an operation that changes nothing may be refused for the present state, as those that change are.
	Conflicts bool
	// Long is true when the operation moves whole files, so that it may take hours.
	Long bool
	// replay answers a repeated request from what was kept of the first one; nil gives the kept answer as it is.
	replay func(s *Server, ctx context.Context, kept []byte) (any, error)
}

// checked is an input with rules of its own that the request alone can tell.
type checked interface{ check(s *Server) []crier.Issue }

// ofTeam and ofOrganization are inputs that name what they are about.
type (
	ofTeam         interface{ teamID() crier.ID }
	ofOrganization interface{ organizationID() crier.ID }
)

// teamPath is the part of an input that every team-scoped route shares.
type teamPath struct {
	TeamID crier.ID `path:"teamId"`
}

func (p *teamPath) teamID() crier.ID { return p.TeamID }

// organizationPath is the part of an input that every organization-scoped route shares.
type organizationPath struct {
	OrganizationID crier.ID `path:"organizationId"`
}

func (p *organizationPath) organizationID() crier.ID { return p.OrganizationID }

// caller adds a route for any known caller.
func caller[I, O any](s *Server, pattern string, fn func(context.Context, service.CallerScope, *I) (O, error), d doc) {
	add(s, pattern, "", d, func(ctx context.Context, c service.Caller, in *I) (O, error) {
		return fn(ctx, s.services.Access.Caller(c), in)
	})
}

// organization adds a route that needs a permission in the organization its input names.
func organization[I, O any](s *Server, pattern string, p crier.Permission, fn func(context.Context, service.OrgScope, *I) (O, error), d doc) {
	add(s, pattern, p, d, func(ctx context.Context, c service.Caller, in *I) (O, error) {
		scope, err := s.services.Access.Organization(ctx, c, any(in).(ofOrganization).organizationID(), p)
		if err != nil {
			var none O
			return none, err
		}
		return fn(ctx, scope, in)
	})
}

// team adds a route that needs a permission in the team its path names.
func team[I, O any](s *Server, pattern string, p crier.Permission, fn func(context.Context, service.TeamScope, *I) (O, error), d doc) {
	add(s, pattern, p, d, func(ctx context.Context, c service.Caller, in *I) (O, error) {
		scope, err := s.services.Access.Team(ctx, c, any(in).(ofTeam).teamID(), p)
		if err != nil {
			var none O
			return none, err
		}
		return fn(ctx, scope, in)
	})
}

// add puts an operation into the router, the route table and the document. The order of checks is the contract's:
// token, rate limit, kept answer, what the request alone tells, then access and the work.
func add[I, O any](s *Server, pattern string, p crier.Permission, d doc, work func(context.Context, service.Caller, *I) (O, error)) {
	method, path, _ := strings.Cut(pattern, " ")
	if d.Status == 0 {
		d.Status = http.StatusOK
	}
	in := newInput(s.registry, reflect.TypeFor[I]())
	s.routes = append(s.routes, Route{Method: method, Path: path, Permission: string(p)})
	s.describe(method, path, p, d, in, reflect.TypeFor[O]())
	s.router.MethodFunc(method, path, func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route, infoOf(r).replay = path, d.replay
		r, cancel := bounded(w, r, d.Long)
		defer cancel()
		c, ok := s.admit(w, r)
		if !ok {
			return
		}
		body, ctx, ok := s.receive(w, r, c, in, d.Status)
		defer body.drain()
		if !ok {
			return
		}
		value := new(I)
		issues := in.decode(r, body, s.now(), reflect.ValueOf(value).Elem())
		issues = append(issues, body.issues...)
		if rules, ok := any(value).(checked); ok {
			issues = append(issues, unlessKnown(issues, rules.check(s))...)
		}
		if len(issues) > 0 {
			s.fail(w, r, crier.Invalid(issues...))
			return
		}
		ctx = service.WithAction(ctx, c, service.Action{Operation: d.ID, Target: in.target(r), Body: body.data, RequestID: infoOf(r).id})
		out, err := work(ctx, c, value)
		if err != nil {
			s.fail(w, r, s.services.Answers.Instead(ctx, err))
			return
		}
		s.respond(w, r, d.Status, out)
	})
}

// admit authenticates and counts the request.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (service.Caller, bool) {
	c, err := s.authenticate(r)
	if err == nil {
		infoOf(r).caller = c.CredentialID()
		err = s.limit(w, c)
	}
	if err != nil {
		s.fail(w, r, err)
		return c, false
	}
	return c, true
}

// open adds a route that needs no token. It is told to people, not part of the described interface.
func open(s *Server, pattern string, fn http.HandlerFunc) { openFor(s, pattern, false, fn) }

// openLong is open for a route that moves whole files.
func openLong(s *Server, pattern string, fn http.HandlerFunc) { openFor(s, pattern, true, fn) }

func openFor(s *Server, pattern string, long bool, fn http.HandlerFunc) {
	method, path, _ := strings.Cut(pattern, " ")
	s.routes = append(s.routes, Route{Method: method, Path: path, Open: true})
	s.router.MethodFunc(method, path, func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route = path
		r, cancel := bounded(w, r, long)
		defer cancel()
		fn(w, r)
	})
}

// oauth adds a route of the token endpoints: no token, a form of the fields of F, an answer A, errors as RFC 6749 has them.
func oauth[F, A any](s *Server, pattern string, fn http.HandlerFunc, d doc) {
	open(s, pattern, fn)
	method, path, _ := strings.Cut(pattern, " ")
	refusal := s.registry.Schema(reflect.TypeFor[crier.OAuthError](), true, "")
	failure := s.errorSchema(crier.KindInternal)
	s.document.AddOperation(&huma.Operation{
		OperationID: d.ID, Method: method, Path: path, Summary: d.Summary, Description: d.Description, Tags: []string{d.Tag},
		Security: []map[string][]string{},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/x-www-form-urlencoded": {Schema: s.registry.Schema(reflect.TypeFor[F](), true, "")},
		}},
		Responses: map[string]*huma.Response{
			"200": jsonResponse(http.StatusText(http.StatusOK), s.registry.Schema(reflect.TypeFor[A](), true, "")),
			"400": jsonResponse("Refused, by the name of the reason.", refusal),
			"429": jsonResponse("Too many requests from this address.", refusal),
			"500": jsonResponse("The server failed.", failure),
			"503": jsonResponse("The database is away; Retry-After tells when to try again.", failure),
		},
	})
}

// describe adds an operation to the document.
func (s *Server) describe(method, path string, p crier.Permission, d doc, in *input, out reflect.Type) {
	description := d.Description
	if p != "" {
		description = strings.TrimSpace(description + "\n\nNeeds the permission `" + string(p) + "`.")
	}
	op := &huma.Operation{
		OperationID: d.ID, Method: method, Path: path, Summary: d.Summary, Description: description, Tags: []string{d.Tag},
		Security:  []map[string][]string{{"bearer": {}}},
		Responses: map[string]*huma.Response{},
	}
	in.document(op, d.Sorts)
	if out.Implements(reflect.TypeFor[file]()) {
		documentFile(op)
	} else {
		op.Responses[strconv.Itoa(d.Status)] = jsonResponse(http.StatusText(d.Status), s.registry.Schema(out, true, ""))
	}
	s.documentErrors(op, method != http.MethodGet || d.Conflicts, d.Costs)
	s.document.AddOperation(op)
}

// errNotFoundRoute is the answer to paths and methods that do not exist.
var errNotFoundRoute = crier.NotFound("There is no such endpoint. The interface is described at /docs.")

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) { s.fail(w, r, errNotFoundRoute) }

// isKept finds a kept answer in an error.
func isKept(err error) (*service.Kept, bool) {
	var kept *service.Kept
	ok := errors.As(err, &kept)
	return kept, ok
}
