package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/internal/api"
	"crier/internal/media/mediatest"
)

// auditLog is the newest page of a tenant's log, the oldest entry first.
func (s *server) auditLog(tb testing.TB, of tenant) crier.Page[crier.AuditEntry] {
	tb.Helper()
	var page crier.Page[crier.AuditEntry]
	s.as(tb, of.key, "GET", path("/v1/organizations/%s/audit-log?limit=100", of.organization), nil).want(tb, http.StatusOK).into(tb, &page)
	if page.Total != int64(len(page.Data)) {
		tb.Errorf("the total is %d, but there are %d entries", page.Total, len(page.Data))
	}
	slices.Reverse(page.Data)
	return page
}

// unlogged are routes that are no GET and leave no entry: a dry run changes nothing, and the pieces of a file are many; its
// upload has an entry when it begins and when it is complete.
var unlogged = []string{
	"POST /v1/teams/{teamId}/posts/{postId}/validate",
	"PUT /v1/teams/{teamId}/assets/uploads/{uploadId}", "PUT /v1/teams/{teamId}/uploads/{uploadId}",
}

// auditWalk makes changes and looks for the entry of each.
type auditWalk struct {
	*engine
	t      *testing.T
	missed []string // routes that were not walked yet
	seen   int
}

func startAuditWalk(t *testing.T, e *engine) *auditWalk {
	t.Helper()
	w := &auditWalk{engine: e, t: t}
	for _, r := range e.described() {
		if r.Method != "GET" && !slices.Contains(unlogged, name(r)) {
			w.missed = append(w.missed, name(r))
		}
	}
	return w
}

// isAt is true when an address is one of a route.
func isAt(r api.Route, method, address string) bool {
	address, _, _ = strings.Cut(address, "?")
	pattern, parts := strings.Split(r.Path, "/"), strings.Split(address, "/")
	if r.Method != method || len(pattern) != len(parts) {
		return false
	}
	for i, p := range pattern {
		if p != parts[i] && !strings.HasPrefix(p, "{") {
			return false
		}
	}
	return true
}

// step makes a change, fails unless it left the one entry that it should, and returns the answer.
func (w *auditWalk) step(action, method, address string, body any, headers ...string) response {
	w.t.Helper()
	id := "request-" + string(crier.NewID())
	got := w.as(w.t, w.crew.key, method, address, body, append(headers, "X-Request-Id", id)...)
	if got.status >= 300 {
		w.t.Fatalf("%s: status %d: %s", action, got.status, got.body)
	}
	w.missed = slices.DeleteFunc(w.missed, func(missed string) bool {
		return slices.ContainsFunc(w.described(), func(r api.Route) bool { return name(r) == missed && isAt(r, method, address) })
	})
	log := w.auditLog(w.t, w.crew.tenant)
	if len(log.Data) != w.seen+1 {
		w.t.Fatalf("%s left %d entries, want 1", action, len(log.Data)-w.seen)
	}
	w.seen++
	w.check(log.Data[w.seen-1], action, address, id)
	return got
}

func (w *auditWalk) check(e crier.AuditEntry, action, address, request string) {
	w.t.Helper()
	if e.Action != action || e.RequestID != request || e.Target != address || e.PrincipalKind != "api_key" || e.PrincipalID == "" || e.PersonID == "" {
		w.t.Errorf("%s left %+v", action, e)
	}
	if strings.HasPrefix(address, "/v1/teams/") != (e.TeamID != nil) {
		w.t.Errorf("%s: the team is %v", action, e.TeamID)
	}
}

func TestEveryRouteThatChangesSomethingLeavesOneEntryInTheAuditLog(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		w := startAuditWalk(t, startEngine(t, db, withRole("api"), withImportsFrom("127.0.0.0/8")))
		organization, team := path("/v1/organizations/%s", w.crew.organization), path("/v1/teams/%s", w.crew.team)
		w.organization(organization)
		w.postsAndTags(team)
		w.publications(team)
		w.media(team)
		w.accountsAndSlots(team)
		w.step("createTeam", "POST", "/v1/teams", object{"organizationId": w.crew.organization, "name": "Second"})
		w.step("updateTeam", "PATCH", team, object{"name": "Better"})
		w.step("deleteTeam", "DELETE", team, nil)
		w.newOrganization()
		if len(w.missed) > 0 {
			t.Errorf("no test says that these leave an entry: %q", w.missed)
		}
	})
}

func (w *auditWalk) organization(organization string) {
	w.t.Helper()
	w.step("updateOrganization", "PATCH", organization, object{"name": "Renamed"})
	key := w.step("createApiKey", "POST", organization+"/api-keys", object{"name": "Key", "role": "viewer"})
	rotated := w.step("rotateApiKey", "POST", organization+"/api-keys/"+key.text(w.t, "id")+"/rotate", object{})
	w.step("revokeApiKey", "DELETE", organization+"/api-keys/"+key.text(w.t, "id"), nil)
	invited := w.step("inviteMember", "POST", organization+"/members", object{"email": "a@example.com", "role": "viewer"})
	w.step("withdrawInvitation", "DELETE", organization+"/invitations/"+invited.text(w.t, "id"), nil)
	for _, e := range w.auditLog(w.t, w.crew.tenant).Data {
		for _, secret := range []string{key.text(w.t, "secret"), rotated.text(w.t, "secret"), invited.text(w.t, "inviteUrl")} {
			if strings.Contains(string(e.Changes), secret) {
				w.t.Errorf("%s left a secret: %s", e.Action, e.Changes)
			}
		}
	}
	_, member := w.joinAs(w.t, founder{tenant: w.crew.tenant}, "b@example.com", object{"role": "viewer"})
	log := w.auditLog(w.t, w.crew.tenant).Data
	if joined := log[len(log)-1]; len(log) != w.seen+2 || joined.Action != "acceptInvitation" || joined.PrincipalKind != "user" || joined.RequestID == "" {
		w.t.Errorf("joining left %+v", log[w.seen:])
	}
	w.seen = len(log)
	w.step("updateMember", "PATCH", organization+"/members/"+member, object{"role": "editor"})
	w.step("removeMember", "DELETE", organization+"/members/"+member, nil)
}

func (w *auditWalk) postsAndTags(team string) {
	w.t.Helper()
	tag := w.step("createTag", "POST", team+"/tags", object{"name": "News"}).text(w.t, "id")
	w.step("updateTag", "PATCH", team+"/tags/"+tag, object{"name": "Old"})
	post := w.step("createPost", "POST", team+"/posts", object{"text": "Hello"}).text(w.t, "id")
	w.step("updatePost", "PATCH", team+"/posts/"+post, object{"text": "Hello again"})
	w.step("setPostTags", "PUT", team+"/posts/"+post+"/tags", object{"tagIds": []string{tag}})
	w.step("setPostStatus", "POST", team+"/posts/"+post+"/status", object{"status": "idea"})
	w.step("movePostToDraft", "POST", team+"/posts/"+post+"/move-to-draft", nil)
	w.step("deletePost", "DELETE", team+"/posts/"+post+"?alsoDeleteFromPlatform=true", nil)
	w.step("deleteTag", "DELETE", team+"/tags/"+tag, nil)
}

func (w *auditWalk) publications(team string) {
	w.t.Helper()
	post := w.step("createPost", "POST", team+"/posts", object{"text": "Hello"}).text(w.t, "id")
	planned := w.step("schedulePost", "POST", team+"/posts/"+post+"/schedule", object{"socialAccountIds": w.ids()[:1], "useNextSlot": true})
	id := planned.text(w.t, "data", 0, "scheduledPost", "id")
	rows := postServer{w.server}
	rows.setStatus(w.t, id, crier.Failed)
	w.step("retryScheduledPost", "POST", team+"/scheduled-posts/"+id+"/retry", nil)
	rows.setStatus(w.t, id, crier.Unknown)
	w.step("resolveScheduledPost", "POST", team+"/scheduled-posts/"+id+"/resolve", object{"outcome": "failed"})
	w.step("postNow", "POST", team+"/posts/"+post+"/post-now", object{"socialAccountIds": w.ids()[1:], "waitSeconds": 0})
}

func (w *auditWalk) media(team string) {
	w.t.Helper()
	folder := w.step("createFolder", "POST", team+"/folders", object{"name": "Photos"}).text(w.t, "id")
	w.step("updateFolder", "PATCH", team+"/folders/"+folder, object{"name": "Pictures"})
	w.step("deleteFolder", "DELETE", team+"/folders/"+folder, nil)
	photo := mediatest.JPEG(20, 20)
	body, contentType := form(formPart{field: "file", fileName: "owl.jpg", data: photo})
	asset := w.step("createAsset", "POST", team+"/assets", body, "Content-Type", contentType).text(w.t, "id")
	w.step("updateAsset", "PATCH", team+"/assets/"+asset, object{"altText": "An owl"})
	w.step("deleteAsset", "DELETE", team+"/assets/"+asset, nil)
	for action, uploads := range map[string]string{"completeUpload": team + "/assets/uploads/", "completeUploadAlias": team + "/uploads/"} {
		begun := w.step("createUpload", "POST", team+"/assets/uploads", object{"fileName": "owl.jpg", "mimeType": "image/jpeg", "byteSize": len(photo)})
		upload := uploads + begun.text(w.t, "uploadId")
		w.as(w.t, w.crew.key, "PUT", upload, photo, "Content-Range", path("bytes 0-%d/%d", len(photo)-1, len(photo))).want(w.t, http.StatusOK)
		w.step(action, "POST", upload+"/complete", nil)
	}
	const signature = "X-Amz-Signature=0123456789"
	w.step("importAsset", "POST", team+"/assets/import", object{"url": startOrigin(w.t).URL + "/clips/owl.mp4?" + signature})
	log := w.auditLog(w.t, w.crew.tenant).Data
	if changes := string(log[len(log)-1].Changes); strings.Contains(changes, signature) || !strings.Contains(changes, "/clips/owl.mp4…") {
		w.t.Errorf("an import left %s", changes)
	}
}

func (w *auditWalk) accountsAndSlots(team string) {
	w.t.Helper()
	account := team + "/social-accounts/" + string(w.ids()[0])
	w.step("updateSocialAccount", "PATCH", account, object{"status": "disabled"})
	w.step("disconnectSocialAccount", "POST", account+"/disconnect", nil)
	w.step("connectSocialAccount", "POST", team+"/social-accounts/connect", object{"provider": "x", "returnUrl": "https://crier.test/back?state=hush"})
	log := w.auditLog(w.t, w.crew.tenant).Data
	if changes := string(log[len(log)-1].Changes); strings.Contains(changes, "hush") {
		w.t.Errorf("a connection left %s", changes)
	}
	slot := w.step("createSchedulingSlot", "POST", team+"/scheduling-slots", object{"hour": 9, "minute": 30}).text(w.t, "id")
	w.step("updateSchedulingSlot", "PATCH", team+"/scheduling-slots/"+slot, object{"minute": 31})
	w.step("deleteSchedulingSlot", "DELETE", team+"/scheduling-slots/"+slot, nil)
}

// newOrganization makes an organization: its creation is the first entry of its own log.
func (w *auditWalk) newOrganization() {
	w.t.Helper()
	got := w.as(w.t, w.crew.key, "POST", "/v1/organizations", object{"name": "New"}, "X-Request-Id", "request-of-creation").want(w.t, http.StatusCreated)
	log := w.auditLog(w.t, tenant{key: w.crew.key, organization: crier.ID(got.text(w.t, "id"))}).Data
	if len(log) != 1 {
		w.t.Fatalf("a new organization has %d entries, want 1", len(log))
	}
	w.check(log[0], "createOrganization", "/v1/organizations", "request-of-creation")
	w.missed = slices.DeleteFunc(w.missed, func(missed string) bool { return missed == "POST /v1/organizations" })
}

func TestWhatChangesNothingLeavesNoEntryInTheAuditLog(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		team := path("/v1/teams/%s", s.team)
		viewer := s.makeKey(t, s.key, object{"role": "viewer"})
		post := s.do(t, "POST", team+"/posts", object{"text": "Hello"}, "Idempotency-Key", "once").want(t, http.StatusCreated).text(t, "id")
		before := len(s.auditLog(t, s.tenant).Data)
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
		if after := len(s.auditLog(t, s.tenant).Data); after != before+1 {
			t.Errorf("%d entries were left, want the one of the change of status", after-before)
		}
		s.as(t, viewer.secret, "GET", path("/v1/organizations/%s/audit-log", s.organization), nil).want(t, http.StatusForbidden)
		stranger := s.newTenant(t, "Stranger")
		s.as(t, stranger.key, "GET", path("/v1/organizations/%s/audit-log", s.organization), nil).want(t, http.StatusForbidden)
	})
}
