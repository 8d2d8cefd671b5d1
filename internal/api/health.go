package api

import (
	"net"
	"net/http"
)

// healthz reports that the process is alive.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyz reports whether requests should be sent here: the database answers, its schema is current, the workers run.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if err := s.ready(r.Context()); err != nil {
		infoOf(r).err = err
		w.Header().Set("Retry-After", unavailableRetry)
		write(w, http.StatusServiceUnavailable, map[string]string{"status": "not ready"})
		return
	}
	write(w, http.StatusOK, map[string]string{"status": "ready"})
}

// loopbackOnly restricts a handler to this machine. A proxy on this machine forwards for others, which its headers
// show.
func loopbackOnly(next http.Handler, hidden http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		infoOf(r).route = "/metrics"
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		ip := net.ParseIP(host)
		forwarded := r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != ""
		if err != nil || ip == nil || !ip.IsLoopback() || forwarded {
			hidden(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}
}
