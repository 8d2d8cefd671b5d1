// Package api is the HTTP API: the route table, one file per endpoint, the error bodies and the OpenAPI document, which
// is generated from the input and output types. A handler decodes the request, calls one method of the service and
// returns its result; business rules are in the service.
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

// Config holds the dependencies and settings of the API.
type Config struct {
	Services *service.Services
	Now      func() time.Time
	Logger   *slog.Logger
	// Version of the program, for the document's description.
	Version string
	// RateLimit is the maximum number of requests per minute and token; 0 disables the limit.
	RateLimit int
	// OrganizationRateLimit is the maximum number of requests per minute and organization, all its tokens together; 0:
	// no limit.
	OrganizationRateLimit int
	// SecurityContact is the contact for security reports in /.well-known/security.txt; empty: no such file.
	SecurityContact string
	// Ready returns why the node is not ready yet, or nil.
	Ready func(context.Context) error
	// PublicURL is the URL under which people reach this installation.
	PublicURL string
	// TrustedProxies may set the caller's address and scheme in Forwarded or X-Forwarded-… headers.
	TrustedProxies []netip.Prefix
	// App is the built dashboard; nil: none.
	App fs.FS
	// SandboxURL is the URL of the sandbox's pages; empty if it is off.
	SandboxURL string
	// Mail is true if this installation sends mail.
	Mail bool
	// WorkerOnly omits the API: such a node only reports its health.
	WorkerOnly bool
	// Metrics receives the API's metrics; MetricsHandler, if set, is served to loopback callers at /metrics.
	Metrics        prometheus.Registerer
	MetricsHandler http.Handler
}

// Server serves HTTP requests.
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
	// devices rate-limits the token endpoints, which have no token to count by.
	devices   *limiter
	instance  crier.Instance
	proxies   forwarded.Proxies
	dashboard *dashboard
	// protection rejects cross-site requests.
	protection *http.CrossOriginProtection

	router *chi.Mux
	// routes is the route table: the documented operations and the open routes.
	routes   []Route
	document *contract.Document
	openAPI  func() []byte
	docs     func() docsBytes
}

// Route is one line of the route table.
type Route = contract.Route

// New returns a new Server.
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

// Mount serves another handler at a path. It must authenticate its callers itself.
func (s *Server) Mount(path string, handler http.Handler) {
	s.router.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route = path
		handler.ServeHTTP(w, r)
	}))
}

// ServeHTTP observes the request, rejects cross-site ones, then routes it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.observe(w, r, s.ownSiteOnly(s.router.ServeHTTP))
}
