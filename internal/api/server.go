// Package api is the HTTP door: the route table, one file per endpoint, the error bodies and the OpenAPI document,
// which falls out of the input and output types. A handler decodes, calls one method of the service and hands its
// result on; rules live there.
package api

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier"
	"crier/internal/api/contract"
	"crier/internal/api/forwarded"
	"crier/internal/service"
)

// Config is what the door needs.
type Config struct {
	Services *service.Services
	Now      func() time.Time
	Logger   *slog.Logger
	// Version of the program, for the document's description.
	Version string
	// RateLimit is how many requests a token may make per minute; 0 switches limits off.
	RateLimit int
	// OrganizationRateLimit is how many requests an organization may make per minute with all its tokens; 0: no limit.
	OrganizationRateLimit int
	// SecurityContact is where weaknesses are reported to, as /.well-known/security.txt names it; empty: no such file.
	SecurityContact string
	// Ready says what is not ready yet, or nil.
	Ready func(context.Context) error
	// PublicURL is where people reach this installation.
	PublicURL string
	// TrustedProxies may name the caller's address and scheme in Forwarded or X-Forwarded-… headers.
	TrustedProxies []netip.Prefix
	// App is the built dashboard; without it there is none.
	App fs.FS
	// SandboxURL is where the simulated networks can be looked at; empty when they are off.
	SandboxURL string
	// Mail is true when this installation sends mail.
	Mail bool
	// WorkerOnly leaves the API out: such a node tells of its health and nothing else.
	WorkerOnly bool
	// Metrics receives the door's measurements; MetricsHandler, when set, is served to loopback callers at /metrics.
	Metrics        prometheus.Registerer
	MetricsHandler http.Handler
}

// Server answers HTTP requests.
type Server struct {
	services *service.Services
	now      func() time.Time
	log      *slog.Logger
	ready    func(context.Context) error
	limits   *limiter
	// organizationLimits counts the requests of all tokens of an organization.
	organizationLimits *limiter
	securityContact    string
	metrics            *metrics
	pages              *pages
	guesses            *limiter
	// devices counts the requests to the token endpoints, which have no token to count by.
	devices   *limiter
	instance  crier.Instance
	proxies   forwarded.Proxies
	dashboard *dashboard
	// protection refuses what another site has a browser send.
	protection *http.CrossOriginProtection

	router *chi.Mux
	// routes is the route table: the described operations and the open routes beside them.
	routes   []Route
	document *contract.Document
	openAPI  func() []byte
	docs     func() docsBytes
}

// Route is one line of the route table.
type Route = contract.Route

// New builds the door.
func New(cfg Config) *Server {
	s := &Server{
		services:           cfg.Services,
		now:                cfg.Now,
		log:                cfg.Logger,
		ready:              cfg.Ready,
		limits:             newLimiter(cfg.RateLimit, cfg.Now),
		organizationLimits: newLimiter(cfg.OrganizationRateLimit, cfg.Now),
		securityContact:    cfg.SecurityContact,
		metrics:            newMetrics(cfg.Metrics),
		pages:              newPages(cfg.Version),
		guesses:            newLimiter(guessesPerMinute, cfg.Now),
		devices:            newLimiter(tokenRequestsPerMinute, cfg.Now),
		instance:           newInstance(cfg),
		proxies:            cfg.TrustedProxies,
		protection:         newProtection(cfg.PublicURL),
		router:             chi.NewRouter(),
	}
	s.router.NotFound(s.notFound)
	s.router.MethodNotAllowed(s.notFound)
	s.addHealth()
	if !cfg.WorkerOnly {
		s.document = inputs()
		s.addRoutes()
		s.addPages()
		s.addApp(cfg)
		s.addDocument(cfg.Version)
	}
	if cfg.MetricsHandler != nil {
		s.router.Method(http.MethodGet, "/metrics", loopbackOnly(cfg.MetricsHandler, s.notFound))
	}
	return s
}

// addApp serves the dashboard, if there is one.
func (s *Server) addApp(cfg Config) {
	if cfg.App == nil {
		return
	}
	var err error
	if s.dashboard, err = newDashboard(cfg.App, cfg.PublicURL); err != nil {
		panic(fmt.Sprintf("the dashboard is not built in: %v", err)) // at start, by a mistake of the build only
	}
	s.addAppRoutes()
}

// OpenAPI returns the document as it is served.
func (s *Server) OpenAPI() []byte { return s.openAPI() }

// Routes returns the route table, for tests that walk it.
func (s *Server) Routes() []Route { return s.routes }

// Mount serves another door at a path. It has to find out by itself who its callers are.
func (s *Server) Mount(path string, door http.Handler) {
	s.router.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route = path
		door.ServeHTTP(w, r)
	}))
}

// ServeHTTP observes the request, refuses what another site sent, then routes it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.observe(w, r, s.ownSiteOnly(s.router.ServeHTTP))
}
