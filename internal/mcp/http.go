package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

const (
	// sessionIdle is when an idle session is closed.
	sessionIdle = 30 * time.Minute
	// maxBody bounds a message: the largest text in its longest encoding, and some room.
	maxBody = 4 << 20
	// sessionless is the first version of the protocol that needs no sessions over HTTP; versions sort by date.
	sessionless = "2026-07-28"
	// versionHeader is the header with the protocol version of a request.
	versionHeader = "Mcp-Protocol-Version"
)

// Handler serves MCP over streamable HTTP, to clients with sessions and to those of the newer protocol, which have
// none.
type Handler struct {
	server   *mcp.Server
	api      http.Handler
	agent    string
	sessions http.Handler
	single   http.Handler
	// challenge tells clients without a token how to get one (RFC 9728).
	challenge string
}

// NewHandler returns a handler in front of an installation's own API: calls go through api, with the token of their
// request. At publicURL clients find out how to sign in their user.
func NewHandler(api http.Handler, publicURL, version string, now func() time.Time) *Handler {
	h := &Handler{api: api, agent: "crier-mcp/" + version, challenge: fmt.Sprintf(
		`Bearer realm="crier", resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, publicURL)}
	h.server = NewServer(Config{Version: version, Now: now,
		Connect: func(_ context.Context, header http.Header) (*client.Client, error) {
			return h.client(bearer(header)), nil
		}})
	h.sessions = h.handler(false)
	h.single = h.handler(true)
	return h
}

// handler returns the handler for clients with or without sessions. A session is bound to the user that started it.
func (h *Handler) handler(stateless bool) http.Handler {
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return h.server },
		&mcp.StreamableHTTPOptions{
			Stateless: stateless, SessionTimeout: sessionIdle, MaxRequestBodyBytes: maxBody,
			// A page in a browser has no token, so DNS rebinding gains nothing; a proxy on this machine forwards such
			// names.
			DisableLocalhostProtection: true,
		})
	known := func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: personOf(ctx)}, nil
	}
	return auth.RequireBearerToken(known, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(handler)
}

// client returns a client that calls the API in the same process with a token.
func (h *Handler) client(token string, options ...client.Option) *client.Client {
	options = append([]client.Option{client.WithHTTPClient(&http.Client{Transport: inProcess{h.api}}),
		client.WithUserAgent(h.agent)}, options...)
	return client.New("http://crier", token, options...)
}

func bearer(header http.Header) string {
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

type personKey struct{}

func personOf(ctx context.Context) string {
	person, _ := ctx.Value(personKey{}).(string)
	return person
}

// ServeHTTP serves authenticated clients. A stream may stay open for long, so the server's deadlines are lifted.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	person, err := h.identify(r)
	if err != nil {
		h.fail(w, err)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		h.fail(w, &client.Error{Status: http.StatusRequestEntityTooLarge, Kind: crier.KindInvalid,
			Message: "The message cannot be read: " + err.Error()})
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), personKey{}, person))
	r.Body = io.NopCloser(bytes.NewReader(body))
	control := http.NewResponseController(w)
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil &&
		!errors.Is(err, http.ErrNotSupported) {
		h.fail(w, err)
		return
	}
	if r.Header.Get(versionHeader) >= sessionless {
		h.single.ServeHTTP(w, r)
		return
	}
	h.sessions.ServeHTTP(w, r)
}

// identify returns the user of a request, so that a session continues with a refreshed token.
func (h *Handler) identify(r *http.Request) (string, error) {
	found, err := h.client(bearer(r.Header), client.WithTries(1)).AgentContext(r.Context())
	switch {
	case err != nil:
		return "", err
	case found.User != nil:
		return string(found.User.ID), nil
	}
	return string(found.Credential.ID), nil
}

// fail responds to a request that is rejected before it reaches the protocol, in the API's error format.
func (h *Handler) fail(w http.ResponseWriter, err error) {
	known, ok := errors.AsType[*client.Error](err)
	if !ok {
		known = &client.Error{Status: http.StatusInternalServerError, Kind: crier.KindInternal,
			Message: "Something went wrong on our side."}
	}
	w.Header().Set("Content-Type", "application/json")
	if known.Kind == crier.KindUnauthorized {
		w.Header().Set("WWW-Authenticate", h.challenge)
	}
	if known.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(known.RetryAfter.Seconds())))
	}
	w.WriteHeader(known.Status)
	// it fails only if the client is gone
	_ = json.NewEncoder(w).Encode(map[string]string{"message": known.Message, "_tag": string(known.Kind)})
}

// Close closes all sessions, so that their streams do not delay the shutdown.
func (h *Handler) Close() {
	for session := range h.server.Sessions() {
		_ = session.Close() // it is removed either way
	}
}
