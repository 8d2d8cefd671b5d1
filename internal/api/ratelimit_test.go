package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/service"
)

func TestTokensOfAnOrganizationShareALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databases.Fresh(t, "sqlite").Open(t))
	w.organizationLimits = newLimiter(3, func() time.Time { return time.Unix(1_800_000_000, 0) })
	second := w.call(t, http.MethodPost, w.organization("/api-keys"), object{"name": "second", "role": "editor"})
	key := as[crier.APIKeyWithSecret](t, second.want(t, 201)).Secret
	other, err := w.services.Instance.CreateTenant(t.Context(), service.TenantRequest{Name: "Other"})
	requireNoError(t, err)
	list := func(token string, team crier.ID) answer {
		return w.call(t, http.MethodGet, "/v1/teams/"+string(team)+"/tags", nil,
			header{"Authorization", "Bearer " + token})
	}
	list(w.key, w.tenant.TeamID).want(t, 200)
	list(key, w.tenant.TeamID).want(t, 200)
	refused := list(key, w.tenant.TeamID)
	refused.wantError(t, crier.KindTooManyRequests, "of the organization")
	if got := refused.header.Get("Retry-After"); got != "20" {
		t.Errorf("Retry-After %q, want the 20 s after which a third of a minute's requests is free", got)
	}
	list(other.APIKey, other.TeamID).want(t, 200)
}

func TestSecurityContactIsPublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databases.Fresh(t, "sqlite").Open(t))
	w.call(t, http.MethodGet, "/.well-known/security.txt", nil).want(t, 404)
	w.securityContact = "mailto:security@example.com"
	got := w.call(t, http.MethodGet, "/.well-known/security.txt", nil).want(t, 200)
	for _, line := range []string{"Contact: mailto:security@example.com\n", "Expires: 20",
		"Canonical: http://example.com/.well-known/security.txt\n"} {
		if !strings.Contains(string(got.body), line) {
			t.Errorf("%q is not in\n%s", line, got.body)
		}
	}
}

func TestUnknownURLsShowAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databases.Fresh(t, "sqlite").Open(t))
	for _, c := range []struct {
		path, accept string
		page         bool
	}{
		{"/nothing/here", "text/html,application/xhtml+xml", true},
		{"/nothing/here", "application/json", false},
		{"/nothing/here", "", false},
		{"/v1/nothing", "text/html", false},
	} {
		got := w.call(t, http.MethodGet, c.path, nil, header{"Accept", c.accept}).want(t, 404)
		if page := strings.HasPrefix(got.header.Get("Content-Type"), "text/html"); page != c.page {
			t.Errorf("%s for %q: a page is %v, want %v", c.path, c.accept, page, c.page)
		}
	}
}
