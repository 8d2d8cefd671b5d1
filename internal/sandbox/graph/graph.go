// Package graph holds what the simulated networks of Meta (Instagram, Facebook and Threads) share of the Graph API: the
// form of its calls, responses and errors, its logins, its usage headers, the containers in which Instagram and Threads
// prepare a post, and the crawler that fetches media from the URLs that apps name.
//
// It knows none of the three. Each builds an [API] on its [sim.Env] and adds its nodes and edges. It does not model the
// graph itself: there are no generic objects, and what an edge does is up to the network.
package graph

import (
	"fmt"
	"net/http"
	"regexp"

	"crier/internal/sandbox/sim"
)

// Terms holds the differences between the networks.
type Terms struct {
	// UseCase is the network's name in the header that reports how much of its budget an account has used.
	UseCase string
	// CallsPerDay is that budget, and Throttled the error of an account over it.
	CallsPerDay int
	Throttled   Problem
	// AppTokenPrefix is the prefix of app tokens, which are an id and a secret separated by a bar.
	AppTokenPrefix string
	// Settle brings the state up to date before a call, where time publishes something; it may be nil.
	Settle func() error
}

// Handler carries out one call and returns its response.
type Handler func(c *Call) sim.Reply

// Operation returns the operation of a call. The call's token is not known yet.
type Operation func(c *Call) sim.Operation

// Always returns a constant operation.
func Always(op sim.Operation) Operation { return func(*Call) sim.Operation { return op } }

// API is the Graph API of one network: paths of a version, a node and mostly an edge, such as /v25.0/me/accounts.
type API struct {
	Env     *sim.Env
	Crawler *Crawler

	terms  Terms
	routes map[string]route
}

type route struct {
	operation Operation
	handle    Handler
	// open routes need no token.
	open bool
}

// New registers the API's paths on env. Nodes and edges are added by the network afterwards, before the first call.
func New(env *sim.Env, terms Terms) *API {
	a := &API{Env: env, Crawler: newCrawler(env), terms: terms, routes: map[string]route{}}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		for _, path := range []string{" /{version}/{node}", " /{version}/{node}/{edge}"} {
			env.RouteBy(method+path, a.operation, a.serve)
		}
	}
	return a
}

// anyNode stands for the nodes without a fixed name.
const anyNode = "*"

// Node adds a method of all nodes, whatever their kind.
func (a *API) Node(method string, op Operation, h Handler) {
	a.routes[routeKey(method, anyNode, "")] = route{operation: op, handle: h}
}

// Edge adds a method of an edge, whatever the node.
func (a *API) Edge(method, edge string, op Operation, h Handler) {
	a.routes[routeKey(method, anyNode, edge)] = route{operation: op, handle: h}
}

// Open adds a path that needs no token; an empty edge means the node itself.
func (a *API) Open(method, node, edge string, op Operation, h Handler) {
	a.routes[routeKey(method, node, edge)] = route{operation: op, handle: h, open: true}
}

func routeKey(method, node, edge string) string { return method + " " + node + " " + edge }

func (a *API) find(r *http.Request) (route, bool) {
	node, edge := r.PathValue("node"), r.PathValue("edge")
	if found, ok := a.routes[routeKey(r.Method, node, edge)]; ok {
		return found, true
	}
	found, ok := a.routes[routeKey(r.Method, anyNode, edge)]
	return found, ok
}

func (a *API) operation(r *http.Request) sim.Operation {
	c, err := ReadCall(r)
	if found, ok := a.find(r); ok && err == nil {
		return found.operation(c)
	}
	return sim.Read
}

var versionPattern = regexp.MustCompile(`^v\d+\.\d+$`)

func (a *API) serve(r *http.Request) sim.Reply {
	found, ok := a.find(r)
	if !ok || !versionPattern.MatchString(r.PathValue("version")) {
		return a.stamp("", unknownPath(r.URL.Path).Reply())
	}
	c, err := ReadCall(r)
	if err != nil {
		return a.stamp("", Invalid("%s", err))
	}
	if found.open {
		return a.stamp("", found.handle(c))
	}
	if refusal := a.authenticate(c); refusal != nil {
		return a.stamp("", *refusal)
	}
	if c.Node == "me" {
		c.Node = c.Token.AccountID
	}
	if a.terms.Settle != nil {
		if err := a.terms.Settle(); err != nil {
			return a.Broken(err)
		}
	}
	usage := a.take(c.Token.AccountID)
	if usage.Exceeded {
		return a.throttled(c.Token.AccountID, usage.Reset.Sub(a.Env.Now()))
	}
	return a.stampUsage(c.Token.AccountID, usage, found.handle(c))
}

// NotFound returns the response to an unknown path.
func NotFound() sim.Reply { return unknownPath("/").Reply() }

func unknownPath(path string) Problem {
	return Problem{Code: 2500, Message: "Unknown path components: " + path}
}

// Broken returns the response to a failure of the sandbox itself.
func (a *API) Broken(err error) sim.Reply {
	a.Env.Log.Error("sandbox call failed", "error", err)
	return Problem{Status: http.StatusInternalServerError, Code: 1, Transient: true,
		Message: "An unknown error has occurred."}.Reply()
}

// Try changes the state; fn returns the rejection that ends it without a change. Try returns the response, or nil on
// success.
func (a *API) Try(fn func(tx *sim.Tx) *sim.Reply) *sim.Reply {
	refusal, err := a.Env.Attempt(fn)
	if err != nil {
		return Refuse(a.Broken(err))
	}
	return refusal
}

// Refuse returns the reply for a function that returns nil to continue.
func Refuse(r sim.Reply) *sim.Reply { return &r }

// OK returns the response to a successful call.
func OK(body any) sim.Reply { return sim.Reply{Status: http.StatusOK, Body: body} }

// Done returns the response to a successful call without a result.
func Done() sim.Reply { return OK(map[string]bool{"success": true}) }

// Invalid returns the response to an invalid parameter.
func Invalid(format string, args ...any) sim.Reply { return InvalidParameter(format, args...).Reply() }

// InvalidParameter returns the problem of an invalid parameter.
func InvalidParameter(format string, args ...any) Problem {
	return Problem{Code: 100, Message: "(#100) " + fmt.Sprintf(format, args...)}
}
