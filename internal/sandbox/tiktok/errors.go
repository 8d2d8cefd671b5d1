package tiktok

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// envelope is the format of every response of the API.
type envelope struct {
	Data  any       `json:"data"`
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	LogID   string `json:"log_id"`
}

// logID returns a log id for support requests: the time, and something unique.
func (n *network) logID() string {
	return n.env.Now().UTC().Format("20060102150405") + rand.Text()[:20]
}

func (n *network) ok(data any) sim.Reply {
	return sim.Reply{Status: http.StatusOK, Body: envelope{data, errorBody{Code: "ok", LogID: n.logID()}}}
}

func (n *network) failure(status int, code, message string) sim.Reply {
	return sim.Reply{Status: status, Body: envelope{struct{}{}, errorBody{code, message, n.logID()}}}
}

// invalidParam returns the response of the Content Posting API to an invalid request.
func (n *network) invalidParam(message string) sim.Reply {
	return n.failure(http.StatusBadRequest, "invalid_param", message)
}

// invalidParams returns the same of the Display API, and of chunks.
func (n *network) invalidParams(message string) sim.Reply {
	return n.failure(http.StatusBadRequest, "invalid_params", message)
}

func (n *network) deadToken() sim.Reply {
	return n.failure(http.StatusUnauthorized, "access_token_invalid",
		"The access token is invalid or not found in the request.")
}

func (n *network) tooManyCalls() sim.Reply {
	return n.failure(http.StatusTooManyRequests, "rate_limit_exceeded",
		"The API rate limit was exceeded. Please try again later.")
}

func (n *network) tooManyPosts(status int) sim.Reply {
	return n.failure(status, failTooManyPosts, "The daily post cap from the API is reached for the current user.")
}

func (n *network) banned(status int) sim.Reply {
	return n.failure(status, failBanned, "The user is banned from making new posts.")
}

// oauthProblem is an error of the token endpoints, which have no envelope.
type oauthProblem struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
	LogID       string `json:"log_id"`
}

func (n *network) oauthError(status int, code, description string) sim.Reply {
	return sim.Reply{Status: status, Body: oauthProblem{code, description, n.logID()}}
}

func (n *network) deadGrant() sim.Reply {
	return n.oauthError(http.StatusBadRequest, "invalid_grant", "Refresh token is invalid or expired.")
}

// broken returns the response to a failure of the sandbox itself.
func (n *network) broken(err error) sim.Reply {
	n.env.Log.Error("sandbox call failed", "error", err)
	return n.failure(http.StatusInternalServerError, "internal_error", "Something went wrong in our side.")
}

// try changes the state; fn returns the rejection that ends it without a change. try returns the response, or nil on
// success.
func (n *network) try(fn func(tx *sim.Tx) *sim.Reply) *sim.Reply {
	refusal, err := n.env.Attempt(fn)
	if err != nil {
		return refuse(n.broken(err))
	}
	return refusal
}

func refuse(r sim.Reply) *sim.Reply { return &r }

// Fault returns the response of a scripted failure, in the format of the called host.
func (n *network) Fault(r *http.Request, f sim.Fault) sim.Reply {
	switch {
	case f.Operation == sim.Refresh:
		return n.refreshFault(f)
	case strings.HasPrefix(r.URL.Path, "/"+name+uploadPath):
		return n.uploadFault(r, f)
	default:
		return n.apiFault(r, f)
	}
}

func (n *network) refreshFault(f sim.Fault) sim.Reply {
	switch f.Kind {
	case sim.RateLimit:
		return n.oauthError(http.StatusTooManyRequests, "rate_limit_exceeded", "Too many requests.")
	case sim.Outage:
		return n.oauthError(http.StatusServiceUnavailable, "server_error", "Service is unavailable.")
	default:
		return n.deadGrant()
	}
}

// longLimit is the duration above which a scripted rate limit is that of the posts of a day. TikTok states no time.
const longLimit = time.Hour

func (n *network) apiFault(r *http.Request, f sim.Fault) sim.Reply {
	publishes := f.Operation == sim.Publish || f.Operation == sim.Upload
	switch {
	case f.Kind == sim.RateLimit && f.RetryAfter >= longLimit && publishes:
		return n.tooManyPosts(http.StatusForbidden)
	case f.Kind == sim.RateLimit:
		return n.tooManyCalls()
	case f.Kind == sim.Outage:
		return n.failure(http.StatusServiceUnavailable, "internal_error", "Service is unavailable.")
	case f.Kind == sim.AuthExpired:
		return n.deadToken()
	case f.Kind == sim.Restricted && strings.HasSuffix(r.URL.Path, creatorInfoPath):
		return n.banned(http.StatusOK)
	case f.Kind == sim.Restricted:
		return n.banned(http.StatusForbidden)
	case f.Operation == sim.Publish:
		return n.acceptInVain(r)
	case f.Operation == sim.Upload:
		return n.failure(http.StatusBadRequest, "invalid_file_upload", "The file does not meet our specifications.")
	default:
		return n.invalidParams("The request parameters are invalid.")
	}
}

// acceptInVain accepts an init whose post will be rejected by moderation: TikTok reports that in the status only.
func (n *network) acceptInVain(r *http.Request) sim.Reply {
	token, _, err := n.env.FindToken(sim.BearerToken(r))
	if err != nil {
		return n.broken(err)
	}
	t := task{AccountID: token.AccountID, Pulled: true, Failure: failText}
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		t.BegunAt = tx.Now()
		t = n.create(tx, t)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return n.ok(initReply{PublishID: t.ID})
}

// uploadFault responds for the upload host, which has no bodies. It needs no token, so problems of the account or the
// content of a finished upload are reported in the status.
func (n *network) uploadFault(r *http.Request, f sim.Fault) sim.Reply {
	reasons := map[sim.FaultKind]string{sim.AuthExpired: failAuth, sim.Reject: failText, sim.Restricted: failBanned}
	switch {
	case f.Kind == sim.RateLimit:
		return sim.Reply{Status: http.StatusTooManyRequests}
	case f.Kind == sim.Outage:
		return sim.Reply{Status: http.StatusServiceUnavailable}
	case f.Operation == sim.Publish:
		return n.finishInVain(r, reasons[f.Kind])
	case f.Kind == sim.AuthExpired:
		return sim.Reply{Status: http.StatusForbidden}
	default:
		return sim.Reply{Status: http.StatusBadRequest}
	}
}
