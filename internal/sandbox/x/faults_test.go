package x_test

import (
	"net/http"
	"strings"
	"testing"

	"crier/internal/sandbox/sim"
)

func TestFaultsUseXErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind    sim.FaultKind
		more    map[string]any
		status  int
		body    string
		headers map[string]string
	}{
		"outage":       {kind: sim.Outage, status: 503},
		"auth expired": {kind: sim.AuthExpired, status: 401, body: `"title":"Unauthorized"`},
		"reject":       {kind: sim.Reject, status: 403, body: "You are not permitted to perform this action."},
		"restricted":   {kind: sim.Restricted, status: 403, body: "/user-suspended"},
		"rate limit": {kind: sim.RateLimit, more: map[string]any{"retryAfterSeconds": 90}, status: 429,
			body:    "Too Many Requests",
			headers: map[string]string{"x-rate-limit-remaining": "0", "x-rate-limit-reset": "1794733290"}},
		"rate limit of the day": {kind: sim.RateLimit, more: map[string]any{"retryAfterSeconds": 7200}, status: 429,
			body: "Too Many Requests",
			headers: map[string]string{"x-rate-limit-remaining": "99", "x-user-limit-24hour-remaining": "0",
				"x-user-limit-24hour-reset": "1794740400"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			a.Fault(sim.Publish, c.kind, c.more)
			resp := a.tweet(`{"text":"hi"}`)
			if resp.Status != c.status || !strings.Contains(string(resp.Body), c.body) {
				t.Errorf("%d %s", resp.Status, resp.Body)
			}
			for key, want := range c.headers {
				if got := resp.Header.Get(key); got != want {
					t.Errorf("header %s is %q, want %q", key, got, want)
				}
			}
			a.post(`{"text":"hi"}`)
		})
	}
}

func TestRejectedUploadFailsInProcessing(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.initialize(100)
	a.Fault(sim.Upload, sim.Reject, nil)
	if resp := a.uploadJSON(http.StatusOK, "upload/"+id+"/finalize", `{}`); resp.Text("data", "processing_info",
		"state") != "failed" {
		t.Errorf("response %s", resp.Body)
	}
}
