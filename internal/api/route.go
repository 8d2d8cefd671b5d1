package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"crier"
	"crier/internal/access"
	"crier/internal/api/contract"
)

// doc is the documentation of an operation.
type doc struct {
	ID          string
	Summary     string
	Description string
	Tag         string
	// Status of a success; 0 means 200.
	Status int
	// Sorts of a list operation; the first is the default.
	Sorts []string
	// Costs is true if the operation may be rejected for lack of credits.
	Costs bool
	// Conflicts is true if a read-only operation may conflict with the current state, as changing ones do.
	Conflicts bool
	// Long is true if the operation transfers whole files, so that it may take hours.
	Long bool
	// CSV is true if format=csv returns a table.
	CSV bool
	// Secret is true if the response contains a secret, so that its length must not reveal information about it.
	Secret bool
	// person is true if only people may call the operation, not API keys.
	person bool
	// replay responds to a repeated request from the stored first response; nil sends the stored response unchanged.
	replay func(s *Server, ctx context.Context, stored []byte) (any, error)
}

// checked is an input with its own rules that need only the request.
type checked interface{ check(s *Server) []crier.Issue }

// ofTeam and ofOrganization are inputs with a team or an organization.
type (
	ofTeam         interface{ teamID() crier.ID }
	ofOrganization interface{ organizationID() crier.ID }
)

// teamPath is the common part of the inputs of team-scoped routes.
type teamPath struct {
	TeamID crier.ID `path:"teamId"`
}

func (p *teamPath) teamID() crier.ID { return p.TeamID }

// organizationPath is the common part of the inputs of organization-scoped routes.
type organizationPath struct {
	OrganizationID crier.ID `path:"organizationId"`
}

func (p *organizationPath) organizationID() crier.ID { return p.OrganizationID }

// caller adds a route for any authenticated caller.
func caller[I, O any](s *Server, pattern string, fn func(context.Context, access.CallerScope, *I) (O, error), d doc) {
	add(s, pattern, "", d, func(ctx context.Context, c access.Caller, in *I) (O, error) {
		return fn(ctx, s.services.Access.Caller(c), in)
	})
}

// person adds a route about the caller's own account, for people with a login.
func person[I, O any](s *Server, pattern string, fn func(context.Context, access.CallerScope, *I) (O, error), d doc) {
	d.person = true
	add(s, pattern, "", d, func(ctx context.Context, c access.Caller, in *I) (O, error) {
		scope, err := s.services.Access.Person(c)
		if err != nil {
			var none O
			return none, err
		}
		return fn(ctx, scope, in)
	})
}

// public adds an operation without token and body.
func public[I, O any](s *Server, pattern string, fn func(context.Context, *I) (O, error), d doc) {
	var in *contract.Input
	route := serveOpen(s, pattern, false, func(w http.ResponseWriter, r *http.Request) {
		value := new(I)
		if issues := in.Decode(r, contract.Body{}, s.now(), reflect.ValueOf(value).Elem()); len(issues) > 0 {
			s.fail(w, r, crier.Invalid(issues...))
			return
		}
		out, err := fn(r.Context(), value)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.respond(w, r, http.StatusOK, out)
	})
	d.Status = http.StatusOK
	in = s.describe(route, d, reflect.TypeFor[I](), reflect.TypeFor[O]())
}

// organization adds a route that needs a permission in the organization of its input.
func organization[I, O any](s *Server, pattern string, p crier.Permission,
	fn func(context.Context, access.OrgScope, *I) (O, error), d doc) {
	add(s, pattern, p, d, func(ctx context.Context, c access.Caller, in *I) (O, error) {
		scope, err := s.services.Access.Organization(ctx, c, any(in).(ofOrganization).organizationID(), p)
		if err == nil {
			err = s.limitOrganization(ctx, scope.Organization().ID)
		}
		if err != nil {
			var none O
			return none, err
		}
		return fn(ctx, scope, in)
	})
}

// team adds a route that needs a permission in the team of its path.
func team[I, O any](s *Server, pattern string, p crier.Permission,
	fn func(context.Context, access.TeamScope, *I) (O, error), d doc) {
	add(s, pattern, p, d, func(ctx context.Context, c access.Caller, in *I) (O, error) {
		scope, err := s.services.Access.Team(ctx, c, any(in).(ofTeam).teamID(), p)
		if err == nil {
			err = s.limitOrganization(ctx, scope.Team().OrganizationID)
		}
		if err != nil {
			var none O
			return none, err
		}
		return fn(ctx, scope, in)
	})
}

// add adds an operation to the router, the route table and the document. The order of checks is the contract's: token,
// rate limit, stored response, validation of the request, then access and the operation.
func add[I, O any](s *Server, pattern string, p crier.Permission, d doc,
	work func(context.Context, access.Caller, *I) (O, error)) {
	method, path, _ := strings.Cut(pattern, " ")
	if d.Status == 0 {
		d.Status = http.StatusOK
	}
	route := contract.Route{Method: method, Path: path, Permission: string(p), Person: d.person}
	in := s.describe(route, d, reflect.TypeFor[I](), reflect.TypeFor[O]())
	s.router.MethodFunc(method, path, func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route, infoOf(r).replay, infoOf(r).secret = path, d.replay, d.Secret
		c, ok := s.admit(w, r)
		if !ok {
			return
		}
		r, cancel := bounded(w, r, d.Long) // a stranger does not get the time that a long transfer has
		defer cancel()
		body, ctx, ok := s.receive(w, r, c, in, d.Status)
		defer body.Drain()
		if !ok {
			return
		}
		value := new(I)
		issues := in.Decode(r, body, s.now(), reflect.ValueOf(value).Elem())
		issues = append(issues, body.Issues...)
		if rules, ok := any(value).(checked); ok {
			issues = append(issues, contract.UnlessKnown(issues, rules.check(s))...)
		}
		if len(issues) > 0 {
			s.fail(w, r, crier.Invalid(issues...))
			return
		}
		ctx = access.WithAction(ctx, c, access.Action{Operation: d.ID, Target: in.Target(r), Body: body.Data,
			RequestID: infoOf(r).id, Creates: d.Status == http.StatusCreated})
		out, err := work(ctx, c, value)
		if err != nil {
			s.fail(w, r, s.services.Idempotency.ReplayOr(ctx, err))
			return
		}
		if d.CSV && r.URL.Query().Get("format") == formatCSV {
			s.sendTable(w, r, d.ID, value, out)
			return
		}
		s.respond(w, r, d.Status, out)
	})
}

// admit authenticates and rate-limits the request.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (access.Caller, bool) {
	r, cancel := bounded(w, r, false)
	defer cancel()
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

// open adds a route that needs no token. It is in the reference, but not part of the documented API.
func open(s *Server, pattern string, fn http.HandlerFunc) { openFor(s, pattern, false, fn) }

// openLong is open for a route that transfers whole files.
func openLong(s *Server, pattern string, fn http.HandlerFunc) { openFor(s, pattern, true, fn) }

func openFor(s *Server, pattern string, long bool, fn http.HandlerFunc) {
	s.routes = append(s.routes, serveOpen(s, pattern, long, fn))
}

// serveOpen adds an open route to the router and returns its line of the route table.
func serveOpen(s *Server, pattern string, long bool, fn http.HandlerFunc) contract.Route {
	method, path, _ := strings.Cut(pattern, " ")
	s.router.MethodFunc(method, path, func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route = path
		r, cancel := bounded(w, r, long)
		defer cancel()
		fn(w, r)
	})
	return contract.Route{Method: method, Path: path, Open: true}
}

// oauthForm adds a route of the token endpoints: no token, a form with the fields of F, a response A, errors according
// to RFC 6749.
func oauthForm[F, A any](s *Server, pattern string, fn http.HandlerFunc, d doc) {
	route := serveOpen(s, pattern, false, fn)
	s.routes = append(s.routes, route)
	s.document.AddForm(contract.Operation{
		Route: route, ID: d.ID, Summary: d.Summary, Description: d.Description, Tag: d.Tag,
		Out: reflect.TypeFor[A](),
	}, reflect.TypeFor[F]())
}

// describe adds an operation to the route table and the description, and returns its input.
func (s *Server) describe(route contract.Route, d doc, in, out reflect.Type) *contract.Input {
	s.routes = append(s.routes, route)
	isStream := out == reflect.TypeFor[*eventStream]()
	if out.Implements(reflect.TypeFor[file]()) {
		out = nil
	}
	return s.document.Add(contract.Operation{
		Route: route, ID: d.ID, Summary: d.Summary, Description: d.Description, Tag: d.Tag, Status: d.Status,
		Sorts: d.Sorts, Costs: d.Costs, Conflicts: d.Conflicts, In: in, Out: out, Events: isStream, CSV: d.CSV,
	})
}

// errNotFoundRoute is the error for paths and methods that do not exist.
var errNotFoundRoute = crier.NotFound("There is no such endpoint. The interface is described at /docs.")

// notFound sends a page to a person and an error body to a program.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	if isPage(r) && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.render(w, r, http.StatusNotFound, "message", message{
			Title: "There is no such page",
			Lines: []string{"The address may be mistyped, or the page has moved."},
			Home:  true,
		})
		return
	}
	s.fail(w, r, errNotFoundRoute)
}

// storedResponse finds a stored response in an error.
func storedResponse(err error) (*access.StoredResponse, bool) {
	var stored *access.StoredResponse
	ok := errors.As(err, &stored)
	return stored, ok
}
