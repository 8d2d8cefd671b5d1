// Package api is the HTTP door: the route table, one file per endpoint, the error bodies and the OpenAPI document, which
// falls out of the input and output types. A handler decodes, calls one method of the service and hands its result on;
// rules live there.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"

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
	// Ready says what is not ready yet, or nil.
	Ready func(context.Context) error
	// PublicURL is where people reach this installation.
	PublicURL string
	// WorkerOnly leaves the interface out: such a node tells of its health and nothing else.
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
	metrics  *metrics
	pages    *pages
	guesses  *limiter
	// devices counts the requests to the token endpoints, which have no token to count by.
	devices   *limiter
	publicURL string

	router   *chi.Mux
	registry *registry
	document *huma.OpenAPI
	openAPI  func() []byte
	docs     func() docsBytes
	routes   []Route
}

// Route is one line of the route table.
type Route struct {
	Method, Path string
	// Permission that the route needs; empty when it needs none, or only a known caller.
	Permission string
	// Open routes need no token.
	Open bool
}

// New builds the door.
func New(cfg Config) *Server {
	s := &Server{
		services:  cfg.Services,
		now:       cfg.Now,
		log:       cfg.Logger,
		ready:     cfg.Ready,
		limits:    newLimiter(cfg.RateLimit, cfg.Now),
		metrics:   newMetrics(cfg.Metrics),
		pages:     newPages(cfg.Version),
		guesses:   newLimiter(guessesPerMinute, cfg.Now),
		devices:   newLimiter(tokenRequestsPerMinute, cfg.Now),
		publicURL: cfg.PublicURL,
		router:    chi.NewRouter(),
		registry:  newRegistry(),
	}
	s.document = newDocument(s.registry, cfg.Version)
	s.router.NotFound(s.notFound)
	s.router.MethodNotAllowed(s.notFound)
	s.addHealth()
	if !cfg.WorkerOnly {
		s.addRoutes()
		s.addPages()
		s.addDocument()
	}
	if cfg.MetricsHandler != nil {
		s.router.Method(http.MethodGet, "/metrics", loopbackOnly(cfg.MetricsHandler, s.notFound))
	}
	return s
}

// Routes is the route table, for tests that walk it.
func (s *Server) Routes() []Route { return s.routes }

// Mount serves another door at a path. It has to find out by itself who its callers are.
func (s *Server) Mount(path string, door http.Handler) {
	s.router.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route = path
		door.ServeHTTP(w, r)
	}))
}

// ServeHTTP observes the request, then routes it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.observe(w, r, s.router.ServeHTTP)
}
