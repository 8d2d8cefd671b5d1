package main

import (
	"net/http"
	"strings"
	"testing"

	"crier"
)

func (s *server) auditLog(tb testing.TB) crier.Page[crier.AuditEntry] {
	tb.Helper()
	var page crier.Page[crier.AuditEntry]
	s.do(tb, "GET", path("/v1/organizations/%s/audit-log?limit=100&sortOrder=asc", s.organization), nil).want(tb, http.StatusOK).into(tb, &page)
	if page.Total != int64(len(page.Data)) {
		tb.Errorf("the total is %d, but there are %d entries", page.Total, len(page.Data))
	}
	return page
}

func TestEveryChangeLeavesOneEntryInTheAuditLog(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		organization, team := path("/v1/organizations/%s", s.organization), path("/v1/teams/%s", s.team)
		// step makes a change and returns the id of what it made.
		seen := 0
		step := func(action, method, address string, body any) string {
			t.Helper()
			got := s.do(t, method, address, body, "X-Request-Id", "request-of-"+action)
			if got.status >= 300 {
				t.Fatalf("%s: status %d: %s", action, got.status, got.body)
			}
			log := s.auditLog(t)
			if len(log.Data) != seen+1 {
				t.Fatalf("%s left %d entries, want 1", action, len(log.Data)-seen)
			}
			e := log.Data[seen]
			seen++
			if e.Action != action || e.RequestID != "request-of-"+action || e.Target != address || e.PrincipalKind != "api_key" || e.PrincipalID == "" || e.PersonID == "" {
				t.Errorf("%s left %+v", action, e)
			}
			if strings.HasPrefix(address, team) != (e.TeamID != nil) {
				t.Errorf("%s: the team is %v", action, e.TeamID)
			}
			if secret, ok := walk(got.json, []any{"secret"}); ok && strings.Contains(string(e.Changes), secret.(string)) {
				t.Errorf("%s left a secret", action)
			}
			id, _ := walk(got.json, []any{"id"})
			text, _ := id.(string)
			return text
		}
		step("updateOrganization", "PATCH", organization, object{"name": "Renamed"})
		key := step("createApiKey", "POST", organization+"/api-keys", object{"name": "Key", "role": "viewer"})
		step("rotateApiKey", "POST", organization+"/api-keys/"+key+"/rotate", object{})
		step("revokeApiKey", "DELETE", organization+"/api-keys/"+key, nil)
		step("inviteMember", "POST", organization+"/members", object{"email": "a@example.com", "role": "viewer"})
		step("createTeam", "POST", "/v1/teams", object{"organizationId": s.organization, "name": "Second"})
		step("updateTeam", "PATCH", team, object{"name": "Better"})
		slot := step("createSchedulingSlot", "POST", team+"/scheduling-slots", object{"hour": 9, "minute": 30})
		step("updateSchedulingSlot", "PATCH", team+"/scheduling-slots/"+slot, object{"minute": 31})
		step("deleteSchedulingSlot", "DELETE", team+"/scheduling-slots/"+slot, nil)
		tag := step("createTag", "POST", team+"/tags", object{"name": "News"})
		step("updateTag", "PATCH", team+"/tags/"+tag, object{"name": "Old"})
		post := step("createPost", "POST", team+"/posts", object{"text": "Hello"})
		step("updatePost", "PATCH", team+"/posts/"+post, object{"text": "Hello again"})
		step("setPostTags", "PUT", team+"/posts/"+post+"/tags", object{"tagIds": []string{tag}})
		step("setPostStatus", "POST", team+"/posts/"+post+"/status", object{"status": "idea"})
		step("movePostToDraft", "POST", team+"/posts/"+post+"/move-to-draft", nil)
		step("deletePost", "DELETE", team+"/posts/"+post, nil)
		step("deleteTag", "DELETE", team+"/tags/"+tag, nil)
		folder := step("createFolder", "POST", team+"/folders", object{"name": "Photos"})
		step("updateFolder", "PATCH", team+"/folders/"+folder, object{"name": "Pictures"})
		step("deleteFolder", "DELETE", team+"/folders/"+folder, nil)
		step("createUpload", "POST", team+"/assets/uploads", object{"fileName": "a.png", "mimeType": "image/png", "byteSize": 10})
		step("deleteTeam", "DELETE", team, nil)
	})
}

func TestWhatChangesNothingLeavesNoEntryInTheAuditLog(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		team := path("/v1/teams/%s", s.team)
		viewer := s.makeKey(t, s.key, object{"role": "viewer"})
		post := s.do(t, "POST", team+"/posts", object{"text": "Hello"}, "Idempotency-Key", "once").want(t, http.StatusCreated).text(t, "id")
		before := len(s.auditLog(t).Data)
		again := s.do(t, "POST", team+"/posts", object{"text": "Hello"}, "Idempotency-Key", "once").want(t, http.StatusCreated)
		if again.text(t, "id") != post {
			t.Error("a repeat made another post")
		}
		s.do(t, "POST", team+"/posts", object{"unknown": 1}).want(t, http.StatusBadRequest)
		s.do(t, "PATCH", team+"/posts/"+unknownID, object{"text": "x"}).want(t, http.StatusNotFound)
		s.do(t, "POST", team+"/posts/"+post+"/status", object{"status": "archived"}).want(t, http.StatusOK)
		s.do(t, "POST", team+"/posts/"+post+"/status", object{"status": "approved"}).want(t, http.StatusConflict)
		s.as(t, viewer.secret, "POST", team+"/posts", object{}).want(t, http.StatusForbidden)
		s.do(t, "GET", team+"/posts", nil).want(t, http.StatusOK)
		if after := len(s.auditLog(t).Data); after != before+1 {
			t.Errorf("%d entries were left, want the one of the change of status", after-before)
		}
		s.as(t, viewer.secret, "GET", path("/v1/organizations/%s/audit-log", s.organization), nil).want(t, http.StatusForbidden)
		stranger := s.newTenant(t, "Stranger")
		s.as(t, stranger.key, "GET", path("/v1/organizations/%s/audit-log", s.organization), nil).want(t, http.StatusForbidden)
	})
}
