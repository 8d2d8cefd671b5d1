package api

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"crier"
	"crier/internal/api/contract"
)

// info collects data about a request while it is served, for its log line and metrics.
type info struct {
	id     string
	route  string
	caller crier.ID
	// secure is true if the caller used TLS, here or at a trusted proxy.
	secure bool
	err    error
	// retryAfter is how many seconds a rejected caller has to wait; 0: not set.
	retryAfter int
	// secret is true if the response contains a secret.
	secret bool
	// replay is the route's own function for repeated requests.
	replay func(s *Server, ctx context.Context, stored []byte) (any, error)
}

type infoKey struct{}

// infoOf is never nil below observe.
func infoOf(r *http.Request) *info { return infoFrom(r.Context()) }

func infoFrom(ctx context.Context) *info {
	if i, ok := ctx.Value(infoKey{}).(*info); ok {
		return i
	}
	return &info{}
}

// metrics are the metrics of the HTTP API.
type metrics struct {
	requests *prometheus.HistogramVec
	running  prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "crier_http_request_duration_seconds", Help: "How long requests took, by route, method and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30},
		}, []string{"route", "method", "status"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "crier_http_requests_running", Help: "Requests being served now.",
		}),
	}
	if reg != nil {
		reg.MustRegister(m.requests, m.running)
	}
	return m
}

// statusWriter records the response's status and size.
type statusWriter struct {
	http.ResponseWriter
	status int
	bytes  int
}

// WriteHeader records the status.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write records the size.
func (w *statusWriter) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(data)
	w.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe sets the request id, converts panics into responses, and writes one log line and one measurement.
func (s *Server) observe(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	start := s.now()
	i := &info{id: requestID(r.Header.Get("X-Request-Id")), route: "unknown"}
	r = r.WithContext(context.WithValue(r.Context(), infoKey{}, i))
	i.secure = s.proxies.Resolve(r) || strings.HasPrefix(s.instance.PublicURL, "https://")
	sw := &statusWriter{ResponseWriter: w}
	secure(sw.Header(), i.secure)
	sw.Header().Set("X-Request-Id", i.id)
	s.metrics.running.Inc()
	defer func() { s.finished(r, i, sw, s.now().Sub(start)) }()
	defer func() {
		s.metrics.running.Dec()
		if p := recover(); p != nil {
			s.panicked(sw, r, p)
		}
	}()
	next(sw, r)
}

// panicked responds to a request whose handler panicked. http.ErrAbortHandler is the standard way to drop a connection.
func (s *Server) panicked(w *statusWriter, r *http.Request, p any) {
	if p == http.ErrAbortHandler { //nolint:errorlint // it is compared by identity, as net/http does
		panic(p)
	}
	s.log.ErrorContext(r.Context(), "panic", "request", infoOf(r).id, "panic", p, "stack", string(debug.Stack()))
	if w.status == 0 {
		write(w, http.StatusInternalServerError, contract.ErrorBody{Message: internalMessage, Tag: crier.KindInternal})
	}
}

func (s *Server) finished(r *http.Request, i *info, w *statusWriter, took time.Duration) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	s.metrics.requests.WithLabelValues(i.route, knownMethod(r.Method), strconv.Itoa(w.status)).Observe(took.Seconds())
	level := slog.LevelInfo
	if w.status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	attrs := []slog.Attr{
		slog.String("request", i.id), slog.String("method", r.Method), slog.String("route", i.route),
		slog.Int("status", w.status), slog.Duration("took", took.Round(time.Microsecond)), slog.Int("bytes", w.bytes),
	}
	if i.caller != "" {
		attrs = append(attrs, slog.String("credential", string(i.caller)))
	}
	if i.err != nil {
		attrs = append(attrs, slog.Any("error", i.err))
	}
	s.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// knownMethod prevents unknown methods from filling the metrics.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

// requestID uses the caller's id if it is valid.
func requestID(given string) string {
	if len(given) >= 8 && len(given) <= 128 && isPlainID(given) {
		return given
	}
	return uuid.NewString()
}

func isPlainID(id string) bool {
	for _, c := range []byte(id) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// secure sets the headers that prevent a browser from doing anything with a response but reading it.
func secure(h http.Header, overTLS bool) {
	if overTLS { // a browser that has seen crier over TLS does not come back without it
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
}
