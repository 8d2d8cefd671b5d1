package api

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier"
)

func TestAuditLogAndLedgerAreFiltered(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post := w.draft(t, object{"text": "Hello"})
		scheduled := w.schedule(t, post.ID, object{}, crier.ProviderX)[0]
		later := url.QueryEscape(w.later(time.Hour).UTC().Format(time.RFC3339))
		entries := func(query string) crier.Page[crier.AuditEntry] {
			return as[crier.Page[crier.AuditEntry]](t, w.call(t, http.MethodGet, w.organization("/audit-log?%s", query),
				nil).want(t, 200))
		}
		created := entries("action=createPost")
		if created.Total != 1 || created.Data[0].CreatedID == nil || *created.Data[0].CreatedID != post.ID {
			t.Fatalf("the creation of a post: %+v", created)
		}
		if all := entries(""); all.Total < 2 || all.Data[0].Action != "schedulePost" || all.Data[0].CreatedID != nil {
			t.Errorf("the whole log: %+v", all)
		}
		by := string(created.Data[0].PrincipalID)
		for query, want := range map[string]int64{"principalId=" + by + "&action=schedulePost": 1,
			"principalId=" + string(crier.NewID()): 0, "from=" + later: 0, "to=" + later + "&action=createPost": 1} {
			if got := entries(query); got.Total != want || int64(len(got.Data)) != want {
				t.Errorf("%s: %d entries, want %d", query, got.Total, want)
			}
		}
		for query, want := range map[string]int64{"kind=reserve": 1, "kind=capture": 0,
			"scheduledPostId=" + string(scheduled.ID): 1, "kind=grant&to=" + later: 1, "from=" + later: 0} {
			got := as[crier.Page[crier.CreditTransaction]](t, w.call(t, http.MethodGet,
				w.organization("/credits/transactions?%s", query), nil).want(t, 200))
			if got.Total != want || int64(len(got.Data)) != want {
				t.Errorf("%s: %d transactions, want %d", query, got.Total, want)
			}
		}
		viewer := header{"Authorization", "Bearer " + w.newKey(t, object{"name": "Viewer", "role": "viewer"})}
		for path, status := range map[string]int{"/audit-log?principalId=x": 400, "/audit-log?from=yesterday": 400,
			"/audit-log?from=" + later + "&to=" + later: 400, "/credits/transactions?kind=gift": 400,
			"/credits/transactions?scheduledPostId=x": 400} {
			w.call(t, http.MethodGet, w.organization("%s", path), nil).want(t, status)
		}
		w.call(t, http.MethodGet, w.organization("/audit-log?action=createPost"), nil, viewer).want(t, 403)
		w.call(t, http.MethodGet, w.organization("/audit-log"), nil, header{"Authorization", ""}).want(t, 401)
	})
}
