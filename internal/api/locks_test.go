package api

import (
	"fmt"
	"net/http"
	"testing"

	"crier"
	"crier/internal/store"
)

// hold locks rows until the test ends.
func (w *world) hold(t *testing.T, queries ...string) {
	t.Helper()
	tx, err := w.store.Writer().BeginTx(t.Context(), nil)
	requireNoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	for _, query := range queries {
		_, err := tx.ExecContext(t.Context(), query)
		requireNoError(t, err)
	}
}

// worldWithShortTimeouts returns a world on PostgreSQL with short lock timeouts: a request that has to wait is answered
// with an error.
func worldWithShortTimeouts(t *testing.T) *world {
	t.Helper()
	db := databases.Fresh(t, store.Postgres)
	db.URL += "&lock_timeout=3000"
	return newWorld(t, db.Open(t))
}

// A transaction that locks every row of one organization does not block others. SQLite, with one writer, has no such
// locks.
func TestOrganizationsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	w := worldWithShortTimeouts(t)
	other := as[crier.Organization](t, w.call(t, http.MethodPost, "/v1/organizations", object{"name": "Beta"}).
		want(t, http.StatusCreated)).ID
	team := as[crier.Team](t, w.call(t, http.MethodPost, "/v1/teams", object{"organizationId": other, "name": "Beta"}).
		want(t, http.StatusCreated)).ID
	path := fmt.Sprintf("/v1/teams/%s/posts", team)
	body := object{"title": "Launch", "text": "We launch a kite https://example.com #kites"}
	first := as[crier.Post](t, w.call(t, http.MethodPost, w.team("/posts"), body).want(t, http.StatusCreated))
	w.hold(t,
		fmt.Sprintf(`SELECT 1 FROM organizations WHERE id = '%s' FOR UPDATE`, w.tenant.OrganizationID),
		fmt.Sprintf(`SELECT 1 FROM teams WHERE organization_id = '%s' FOR UPDATE`, w.tenant.OrganizationID),
		fmt.Sprintf(`SELECT 1 FROM facet_counts WHERE team_id = '%s' FOR UPDATE`, w.tenant.TeamID),
		fmt.Sprintf(`SELECT 1 FROM posts WHERE id = '%s' FOR UPDATE`, first.ID))
	post := as[crier.Post](t, w.call(t, http.MethodPost, path, body).want(t, http.StatusCreated)).ID
	w.call(t, http.MethodPatch, path+"/"+string(post), object{"title": "Later"}).want(t, http.StatusOK)
	w.call(t, http.MethodGet, path, nil).want(t, http.StatusOK)
	w.call(t, http.MethodDelete, path+"/"+string(post), nil).want(t, http.StatusOK)
	if a := w.call(t, http.MethodPost, w.team("/posts"), body); a.status < http.StatusInternalServerError {
		t.Errorf("the locks are not held: %d", a.status)
	}
}

// Booking credits locks the organization; drafts of its teams do not wait for that.
func TestDraftsDoNotWaitForTheirOrganization(t *testing.T) {
	t.Parallel()
	w := worldWithShortTimeouts(t)
	w.hold(t, fmt.Sprintf(`SELECT 1 FROM organizations WHERE id = '%s' FOR NO KEY UPDATE`, w.tenant.OrganizationID))
	w.call(t, http.MethodPost, w.team("/posts"), object{"text": "A kite"}).want(t, http.StatusCreated)
}
