package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/api"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// auditLog returns the newest page of a tenant's log, the oldest entry first.
func (s *testServer) auditLog(tb testing.TB, of servertest.Tenant) crier.Page[crier.AuditEntry] {
	tb.Helper()
	var page crier.Page[crier.AuditEntry]
	s.As(tb, of.Key, "GET", path("/v1/organizations/%s/audit-log?limit=100", of.Organization), nil).Want(tb,
		http.StatusOK).Into(tb, &page)
	if page.Total != int64(len(page.Data)) {
		tb.Errorf("the total is %d, but there are %d entries", page.Total, len(page.Data))
	}
	slices.Reverse(page.Data)
	return page
}

// unlogged are routes other than GET that leave no entry: a dry run changes nothing, and the chunks of a file are many;
// its upload has an entry when it starts and when it is complete.
var unlogged = []string{
	"POST /v1/teams/{teamId}/posts/validate", "POST /v1/teams/{teamId}/posts/{postId}/validate",
	"DELETE /v1/me/sessions/{id}", // a user's own, of no organization
	"PUT /v1/teams/{teamId}/assets/uploads/{uploadId}", "PUT /v1/teams/{teamId}/uploads/{uploadId}",
}

// auditWalk makes changes and checks the entry of each.
type auditWalk struct {
	*engine
	t      *testing.T
	missed []string // routes that were not called yet
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

// isAt reports whether a path matches a route.
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

// step makes a change, fails the test unless it left exactly the expected entry, and returns the response.
func (w *auditWalk) step(action, method, address string, body any, headers ...string) servertest.Response {
	w.t.Helper()
	id := "request-" + string(crier.NewID())
	got := w.As(w.t, w.crew.Key, method, address, body, append(headers, "X-Request-Id", id)...)
	if got.Status >= 300 {
		w.t.Fatalf("%s: status %d: %s", action, got.Status, got.Body)
	}
	w.missed = slices.DeleteFunc(w.missed, func(missed string) bool {
		return slices.ContainsFunc(w.described(), func(r api.Route) bool {
			return name(r) == missed &&
				isAt(r, method, address)
		})
	})
	log := w.auditLog(w.t, w.crew.Tenant)
	if len(log.Data) != w.seen+1 {
		w.t.Fatalf("%s left %d entries, want 1", action, len(log.Data)-w.seen)
	}
	w.seen++
	w.check(log.Data[w.seen-1], action, address, id)
	return got
}

func (w *auditWalk) check(e crier.AuditEntry, action, address, request string) {
	w.t.Helper()
	if e.Action != action || e.RequestID != request || e.Target != address || e.PrincipalKind != "api_key" ||
		e.PrincipalID == "" || e.PersonID == "" {
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
		organization, team := path("/v1/organizations/%s", w.crew.Organization), path("/v1/teams/%s", w.crew.Team)
		w.organization(organization)
		w.webhooks(organization)
		w.postsAndTags(team)
		w.publications(team)
		w.media(team)
		w.accountsAndSlots(team)
		w.step("createTeam", "POST", "/v1/teams", object{"organizationId": w.crew.Organization, "name": "Second"})
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
	rotated := w.step("rotateApiKey", "POST", organization+"/api-keys/"+key.Text(w.t, "id")+"/rotate", object{})
	w.step("revokeApiKey", "DELETE", organization+"/api-keys/"+key.Text(w.t, "id"), nil)
	invited := w.step("inviteMember", "POST", organization+"/members",
		object{"email": "a@example.com", "role": "viewer"})
	w.step("withdrawInvitation", "DELETE", organization+"/invitations/"+invited.Text(w.t, "id"), nil)
	for _, e := range w.auditLog(w.t, w.crew.Tenant).Data {
		for _, secret := range []string{key.Text(w.t, "secret"), rotated.Text(w.t, "secret"),
			invited.Text(w.t, "inviteUrl")} {
			if strings.Contains(string(e.Changes), secret) {
				w.t.Errorf("%s left a secret: %s", e.Action, e.Changes)
			}
		}
	}
	_, member := w.joinAs(w.t, servertest.Founder{Tenant: w.crew.Tenant}, "b@example.com", object{"role": "viewer"})
	log := w.auditLog(w.t, w.crew.Tenant).Data
	if joined := log[len(log)-1]; len(log) != w.seen+2 || joined.Action != "acceptInvitation" ||
		joined.PrincipalKind != "user" || joined.RequestID == "" {
		w.t.Errorf("joining left %+v", log[w.seen:])
	}
	w.seen = len(log)
	w.step("updateMember", "PATCH", organization+"/members/"+member, object{"role": "editor"})
	w.step("removeMember", "DELETE", organization+"/members/"+member, nil)
}

func (w *auditWalk) webhooks(organization string) {
	w.t.Helper()
	created := w.step("createWebhook", "POST", organization+"/webhooks",
		object{"url": "https://hooks.example.com/crier", "types": []string{"*"}})
	webhook := organization + "/webhooks/" + created.Text(w.t, "id")
	rotated := w.step("rotateWebhook", "POST", webhook+"/rotate", object{"graceSeconds": 60})
	w.step("updateWebhook", "PATCH", webhook, object{"description": "Ours"})
	tested := w.step("testWebhook", "POST", webhook+"/test", nil).Text(w.t, "eventId")
	w.step("replayWebhook", "POST", webhook+"/replay",
		object{"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"})
	// deliveries are created for sequenced events
	servertest.Until(w.t, func() bool {
		return w.Number(w.t, `SELECT count(*) FROM events WHERE id = $1 AND sequence IS NOT NULL`, tested) == 1
	}, func() string { return "the test event has no place in the log" })
	delivery := string(crier.NewID()) // which a worker would have created
	now := crier.TimeOf(time.Now())
	w.Exec(w.t, `INSERT INTO webhook_deliveries (id, webhook_id, organization_id, event_id, event_sequence, event_type,
		status, claimed, epoch, tries, attempts, created_at, updated_at)
		SELECT $1, $2, $3, e.id, e.sequence, e.type, 'failed', $5, 1, 1, '[]', $4, $4 FROM events e
		WHERE e.id = $6`, delivery, created.Text(w.t, "id"), w.crew.Organization, now, false, tested)
	w.step("redeliverWebhook", "POST", webhook+"/deliveries/"+delivery+"/redeliver", nil)
	w.step("deleteWebhook", "DELETE", webhook, nil)
	for _, e := range w.auditLog(w.t, w.crew.Tenant).Data {
		for _, secret := range []string{created.Text(w.t, "secret"), rotated.Text(w.t, "secret")} {
			if strings.Contains(string(e.Changes), secret) {
				w.t.Errorf("%s left a secret: %s", e.Action, e.Changes)
			}
		}
	}
}

func (w *auditWalk) postsAndTags(team string) {
	w.t.Helper()
	tag := w.step("createTag", "POST", team+"/tags", object{"name": "News"}).Text(w.t, "id")
	w.step("updateTag", "PATCH", team+"/tags/"+tag, object{"name": "Old"})
	post := w.step("createPost", "POST", team+"/posts", object{"text": "Hello"}).Text(w.t, "id")
	w.step("updatePost", "PATCH", team+"/posts/"+post, object{"text": "Hello again"})
	w.step("setPostTags", "PUT", team+"/posts/"+post+"/tags", object{"tagIds": []string{tag}})
	w.step("setPostStatus", "POST", team+"/posts/"+post+"/status", object{"status": "idea"})
	w.step("movePostToDraft", "POST", team+"/posts/"+post+"/move-to-draft", nil)
	w.step("deletePost", "DELETE", team+"/posts/"+post+"?alsoDeleteFromPlatform=true", nil)
	w.step("deleteTag", "DELETE", team+"/tags/"+tag, nil)
}

func (w *auditWalk) publications(team string) {
	w.t.Helper()
	post := w.step("createPost", "POST", team+"/posts", object{"text": "Hello"}).Text(w.t, "id")
	planned := w.step("schedulePost", "POST", team+"/posts/"+post+"/schedule",
		object{"socialAccountIds": w.IDs()[:1], "useNextSlot": true})
	id := planned.Text(w.t, "data", 0, "scheduledPost", "id")
	rows := postServer{w.testServer}
	rows.SetStatus(w.t, id, crier.Failed)
	w.step("retryScheduledPost", "POST", team+"/scheduled-posts/"+id+"/retry", nil)
	rows.SetStatus(w.t, id, crier.Failed)
	w.step("dismissScheduledPost", "POST", team+"/scheduled-posts/"+id+"/dismiss", nil)
	rows.SetStatus(w.t, id, crier.Unknown)
	w.step("resolveScheduledPost", "POST", team+"/scheduled-posts/"+id+"/resolve", object{"outcome": "failed"})
	again := w.step("schedulePost", "POST", team+"/posts/"+post+"/schedule",
		object{"socialAccountIds": w.IDs()[:1], "useNextSlot": true}).Text(w.t, "data", 0, "scheduledPost", "id")
	w.step("updateScheduledPost", "PATCH", team+"/scheduled-posts/"+again, object{"timezone": "Europe/Berlin"})
	w.step("cancelScheduledPost", "POST", team+"/scheduled-posts/"+again+"/cancel", nil)
	w.step("postNow", "POST", team+"/posts/"+post+"/post-now",
		object{"socialAccountIds": w.IDs()[1:], "waitSeconds": 0})
}

func (w *auditWalk) media(team string) {
	w.t.Helper()
	folder := w.step("createFolder", "POST", team+"/folders", object{"name": "Photos"}).Text(w.t, "id")
	w.step("updateFolder", "PATCH", team+"/folders/"+folder, object{"name": "Pictures"})
	w.step("deleteFolder", "DELETE", team+"/folders/"+folder, nil)
	photo := mediatest.JPEG(20, 20)
	body, contentType := servertest.Form(servertest.FormPart{Field: "file", FileName: "owl.jpg", Data: photo})
	asset := w.step("createAsset", "POST", team+"/assets", body, "Content-Type", contentType).Text(w.t, "id")
	w.step("updateAsset", "PATCH", team+"/assets/"+asset, object{"altText": "An owl"})
	w.step("deleteAsset", "DELETE", team+"/assets/"+asset, nil)
	for action, uploads := range map[string]string{"completeUpload": team + "/assets/uploads/",
		"completeUploadAlias": team + "/uploads/"} {
		started := w.step("createUpload", "POST", team+"/assets/uploads",
			object{"fileName": "owl.jpg", "mimeType": "image/jpeg", "byteSize": len(photo)})
		upload := uploads + started.Text(w.t, "uploadId")
		w.As(w.t, w.crew.Key, "PUT", upload, photo, "Content-Range",
			path("bytes 0-%d/%d", len(photo)-1, len(photo))).Want(w.t, http.StatusOK)
		w.step(action, "POST", upload+"/complete", nil)
	}
	const signature = "X-Amz-Signature=0123456789"
	w.step("createUploadAddress", "POST", team+"/assets/upload-addresses", object{"fileName": "owl.png"})
	w.step("importAsset", "POST", team+"/assets/import",
		object{"url": startOrigin(w.t).URL + "/clips/owl.mp4?" + signature})
	log := w.auditLog(w.t, w.crew.Tenant).Data
	if changes := string(log[len(log)-1].Changes); strings.Contains(changes, signature) ||
		!strings.Contains(changes, "/clips/owl.mp4…") {
		w.t.Errorf("an import left %s", changes)
	}
}

func (w *auditWalk) accountsAndSlots(team string) {
	w.t.Helper()
	account := team + "/social-accounts/" + string(w.IDs()[0])
	w.step("updateSocialAccount", "PATCH", account, object{"status": "disabled"})
	w.step("disconnectSocialAccount", "POST", account+"/disconnect", nil)
	w.step("connectSocialAccount", "POST", team+"/social-accounts/connect",
		object{"provider": "x", "returnUrl": "https://crier.test/back?state=hush"})
	log := w.auditLog(w.t, w.crew.Tenant).Data
	if changes := string(log[len(log)-1].Changes); strings.Contains(changes, "hush") {
		w.t.Errorf("a connection left %s", changes)
	}
	slot := w.step("createSchedulingSlot", "POST", team+"/scheduling-slots", object{"hour": 9, "minute": 30}).Text(w.t,
		"id")
	w.step("updateSchedulingSlot", "PATCH", team+"/scheduling-slots/"+slot, object{"minute": 31})
	w.step("deleteSchedulingSlot", "DELETE", team+"/scheduling-slots/"+slot, nil)
}

// newOrganization creates an organization: its creation is the first entry of its own log.
func (w *auditWalk) newOrganization() {
	w.t.Helper()
	got := w.As(w.t, w.crew.Key, "POST", "/v1/organizations", object{"name": "New"}, "X-Request-Id",
		"request-of-creation").Want(w.t, http.StatusCreated)
	log := w.auditLog(w.t, servertest.Tenant{Key: w.crew.Key, Organization: crier.ID(got.Text(w.t, "id"))}).Data
	if len(log) != 1 {
		w.t.Fatalf("a new organization has %d entries, want 1", len(log))
	}
	w.check(log[0], "createOrganization", "/v1/organizations", "request-of-creation")
	w.missed = slices.DeleteFunc(w.missed, func(missed string) bool { return missed == "POST /v1/organizations" })
}

func TestWhatChangesNothingLeavesNoEntryInTheAuditLog(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		team := path("/v1/teams/%s", s.Team)
		viewer := s.CreateKey(t, s.Key, object{"role": "viewer"})
		post := s.Do(t, "POST", team+"/posts", object{"text": "Hello"}, "Idempotency-Key", "once").Want(t,
			http.StatusCreated).Text(t, "id")
		before := len(s.auditLog(t, s.Tenant).Data)
		again := s.Do(t, "POST", team+"/posts", object{"text": "Hello"}, "Idempotency-Key", "once").Want(t,
			http.StatusCreated)
		if again.Text(t, "id") != post {
			t.Error("a repeat made another post")
		}
		s.Do(t, "POST", team+"/posts", object{"unknown": 1}).Want(t, http.StatusBadRequest)
		s.Do(t, "PATCH", team+"/posts/"+unknownID, object{"text": "x"}).Want(t, http.StatusNotFound)
		s.Do(t, "POST", team+"/posts/"+post+"/status", object{"status": "archived"}).Want(t, http.StatusOK)
		s.Do(t, "POST", team+"/posts/"+post+"/status", object{"status": "approved"}).Want(t, http.StatusConflict)
		s.As(t, viewer.Secret, "POST", team+"/posts", object{}).Want(t, http.StatusForbidden)
		s.Do(t, "GET", team+"/posts", nil).Want(t, http.StatusOK)
		if after := len(s.auditLog(t, s.Tenant).Data); after != before+1 {
			t.Errorf("%d entries were left, want the one of the change of status", after-before)
		}
		s.As(t, viewer.Secret, "GET", path("/v1/organizations/%s/audit-log", s.Organization), nil).Want(t,
			http.StatusForbidden)
		stranger := s.NewTenant(t, "Stranger")
		s.As(t, stranger.Key, "GET", path("/v1/organizations/%s/audit-log", s.Organization), nil).Want(t,
			http.StatusForbidden)
	})
}

func TestMaintenanceCountsTheAuditLog(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		start, principal := time.Now().Add(-time.Hour), crier.NewID()
		err := s.Node.Store.WithTx(t.Context(), func(tx *store.Tx) error {
			for i := range 1200 {
				e := crier.AuditEntry{ID: crier.NewID(), OrganizationID: s.Organization, PrincipalKind: "user",
					PrincipalID: principal, PersonID: principal, Action: "createTag", Target: "/tags", RequestID: "r",
					CreatedAt: crier.TimeOf(start.Add(time.Duration(i) * time.Second))}
				if err := tx.InsertAudit(t.Context(), e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Node.Services.Upkeep.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if counted := s.Number(t, `SELECT max(total) FROM audit_counts WHERE organization_id = $1 AND filter = $2`,
			s.Organization, "principal "+string(principal)); counted != 1000 {
			t.Errorf("%d entries are counted for good, want two times five hundred", counted)
		}
		var page crier.Page[crier.AuditEntry]
		s.Do(t, "GET", path("/v1/organizations/%s/audit-log?limit=1&action=createTag", s.Organization), nil).Want(t,
			http.StatusOK).Into(t, &page)
		if page.Total != 1200 {
			t.Errorf("the total is %d, want 1200", page.Total)
		}
	})
}
