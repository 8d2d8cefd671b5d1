package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/publish"
	"crier/internal/service"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// wrote returns an SQL condition: the transaction has written the row of the event's object. wroteIn is for any row of
// a table.
func wrote(table string) string {
	return "EXISTS (SELECT 1 FROM " + table + " WHERE id::text = NEW.data::jsonb->'object'->>'id' AND " +
		"xmin = pg_current_xact_id()::xid)"
}

func wroteIn(table string) string {
	return "EXISTS (SELECT 1 FROM " + table + " WHERE xmin = pg_current_xact_id()::xid)"
}

// facts define, by prefixes of event types, what the transaction of an event must have written. A test of a webhook has
// no fact; the row of a removed member is gone.
var facts = []struct{ prefix, condition string }{
	{"post.", wrote("posts")}, {"scheduled_post.removed", wroteIn("attempts")},
	{"scheduled_post.changed", wrote("publications") + " OR " + wroteIn("publication_problems")},
	{"scheduled_post.", wrote("publications")},
	{"social_account.connection_failed", "NOT " + strings.TrimSuffix(wroteIn("connections"), ")") +
		" OR status = 'exchanging')"}, // it is gone
	{"social_account.", wrote("social_accounts")},
	{"asset.", wrote("assets")}, {"credits.", wroteIn("organizations")}, {"member.invited", wrote("invitations")},
	{"member.removed", "NOT EXISTS (SELECT 1 FROM memberships WHERE id::text = NEW.data::jsonb->'object'->>'id')"},
	{"member.", wrote("memberships")}, {"api_key.", wrote("api_keys")}, {"webhook.disabled", wrote("webhooks")},
	{"webhook.test", "true"}, {"metrics.", wroteIn("post_metrics")},
}

// eventWatcher is an HTTP client of a world that receives every event of its organization.
type eventWatcher struct {
	*world
	t        *testing.T
	stream   <-chan frame
	received map[crier.EventType][]crier.Event
	order    []crier.Event
}

// newEventWatcher starts a world with short delays, in which an organization with 10,000 credits is low on credits
// after the next reservation.
func newEventWatcher(t *testing.T, db storetest.Database) *eventWatcher {
	t.Helper()
	cfg := db.Config()
	cfg.CreditsLow = 10_000
	st, err := store.Open(t.Context(), cfg)
	requireNoError(t, err)
	t.Cleanup(func() { requireNoError(t, st.Close()) })
	w := &eventWatcher{t: t, received: map[crier.EventType][]crier.Event{}}
	w.world = newWorldWith(t, st, func(c *service.Config) {
		c.WebhookGuard = media.Fetcher{AllowAddr: netip.Addr.IsLoopback, AllowPort: func(uint16) bool { return true }}
		c.Timings = publish.Timings{SendWindow: time.Second, CommitTimeout: time.Second, Lease: 3 * time.Second,
			SettleSlack: 100 * time.Millisecond, LookupPause: 100 * time.Millisecond,
			RetryPause: 100 * time.Millisecond, AccountPause: 100 * time.Millisecond}
	})
	w.watchTransactions()
	w.work(t)
	server := httptest.NewServer(w)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); w.services.Events.Log().Run(ctx) }()
	t.Cleanup(func() { w.services.Events.Log().Close(); server.Close(); stop(); <-ended })
	_, err = st.SequenceEvents(t.Context())
	requireNoError(t, err)
	page := as[crier.EventPage](t, w.call(t, http.MethodGet, w.organization("/events?limit=100"), nil).want(t, 200))
	for _, e := range page.Data { // of the start
		w.received[e.Type] = append(w.received[e.Type], e)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+w.organization("/events/stream"), nil)
	requireNoError(t, err)
	r.Header.Set("Authorization", "Bearer "+w.key)
	r.Header.Set("Last-Event-ID", string(page.Data[len(page.Data)-1].ID))
	answer, err := http.DefaultClient.Do(r)
	requireNoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	w.stream = frames(answer.Body)
	next(t, w.stream)
	return w
}

// watchTransactions makes PostgreSQL record for each event whether the row of its fact was written by the same
// transaction.
func (w *eventWatcher) watchTransactions() {
	if w.store.Dialect() != store.Postgres {
		return
	}
	var cases strings.Builder
	for _, f := range facts {
		cases.WriteString(" WHEN NEW.type LIKE '" + f.prefix + "%' THEN " + f.condition)
	}
	for _, statement := range []string{
		`CREATE TABLE test_events (id uuid, same boolean)`,
		`CREATE FUNCTION test_same() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO test_events VALUES (NEW.id, CASE` + cases.String() + ` ELSE false END); RETURN NULL; END $$`,
		// At the commit, when everything in the transaction is written.
		`CREATE CONSTRAINT TRIGGER test_same AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION test_same()`,
	} {
		_, err := w.store.Writer().ExecContext(w.t.Context(), statement)
		requireNoError(w.t, err)
	}
}

// waitForEvent waits for the next event of a type, and of an object if one is given, and returns it.
func (w *eventWatcher) waitForEvent(kind crier.EventType, id crier.ID) crier.Event {
	w.t.Helper()
	late := time.After(2 * time.Minute)
	for {
		for i, e := range w.received[kind] {
			if id == "" || w.objectID(e) == id {
				w.received[kind] = slices.Delete(w.received[kind], i, i+1)
				return e
			}
		}
		var f frame
		select {
		case f = <-w.stream:
		case <-late:
		}
		if f.id == "" {
			w.t.Fatalf("nothing is heard of %s about %q", kind, id)
		}
		if f.data == "" {
			continue
		}
		var e crier.Event
		requireNoError(w.t, json.Unmarshal([]byte(f.data), &e))
		w.received[e.Type], w.order = append(w.received[e.Type], e), append(w.order, e)
	}
}

func (w *eventWatcher) objectID(e crier.Event) crier.ID {
	w.t.Helper()
	var object struct {
		ID              crier.ID `json:"id"`
		ScheduledPostID crier.ID `json:"scheduledPostId"`
	}
	requireNoError(w.t, json.Unmarshal(e.Data.Object, &object))
	if object.ScheduledPostID != "" {
		return object.ScheduledPostID
	}
	return object.ID
}

// wantEvent checks the content of an event: the names of the changed fields, and whether it belongs to the team.
func (w *eventWatcher) wantEvent(e crier.Event, ofTeam bool, changed ...string) {
	w.t.Helper()
	var previous map[string]json.RawMessage
	if e.Data.Previous != nil {
		requireNoError(w.t, json.Unmarshal(e.Data.Previous, &previous))
	}
	for _, field := range changed {
		if _, ok := previous[field]; !ok {
			w.t.Errorf("%s does not tell what %s was: %s", e.Type, field, e.Data.Previous)
		}
	}
	if len(changed) == 0 && len(previous) > 0 {
		w.t.Errorf("%s tells of changes: %s", e.Type, e.Data.Previous)
	}
	if (e.TeamID != nil) != ofTeam || ofTeam && *e.TeamID != w.tenant.TeamID ||
		e.OrganizationID != w.tenant.OrganizationID || e.CreatedAt.IsZero() || len(e.Data.Object) < 3 {
		w.t.Errorf("%s is %+v", e.Type, e)
	}
}

// same checks that an event contains the object as the API shows it.
func (w *eventWatcher) same(e crier.Event, path string) {
	w.t.Helper()
	shown := w.call(w.t, http.MethodGet, path, nil).want(w.t, http.StatusOK).body
	var want, got any
	requireNoError(w.t, json.Unmarshal(shown, &want))
	requireNoError(w.t, json.Unmarshal(e.Data.Object, &got))
	a, b := want.(map[string]any), got.(map[string]any)
	for field := range a {
		x, _ := json.Marshal(a[field])
		y, _ := json.Marshal(b[field])
		if !bytes.Equal(x, y) {
			w.t.Errorf("%s: %s is %s, the interface shows %s", e.Type, field, y, x)
		}
	}
}

func (w *eventWatcher) send(method, path string, body object, status int) answer {
	w.t.Helper()
	if body == nil {
		return w.call(w.t, method, path, nil).want(w.t, status)
	}
	return w.call(w.t, method, path, body).want(w.t, status)
}

func (w *eventWatcher) draft(text string) crier.ID {
	w.t.Helper()
	return as[crier.Post](w.t, w.send(http.MethodPost, w.team("/posts"), object{"title": "Title", "text": text},
		http.StatusCreated)).ID
}

// publish publishes a post on X and returns the scheduled post.
func (w *eventWatcher) publish(text string, more object) crier.ID {
	w.t.Helper()
	body := object{"socialAccountIds": []crier.ID{w.account(w.t, "x")}, "waitSeconds": 0}
	maps.Copy(body, more)
	return w.scheduled(w.send(http.MethodPost, w.team("/posts/%s/post-now", w.draft(text)), body, http.StatusOK))
}

func (w *eventWatcher) scheduled(a answer) crier.ID {
	w.t.Helper()
	result := as[struct {
		Data []struct {
			ScheduledPost crier.ScheduledPost `json:"scheduledPost"`
		}
	}](w.t, a)
	if len(result.Data) != 1 || result.Data[0].ScheduledPost.ID == "" {
		w.t.Fatalf("nothing was scheduled: %s", a.body)
	}
	return result.Data[0].ScheduledPost.ID
}

// later schedules a post on X.
func (w *eventWatcher) later(post crier.ID, in time.Duration) crier.ID {
	w.t.Helper()
	return w.scheduled(w.send(http.MethodPost, w.team("/posts/%s/schedule", post), object{
		"socialAccountIds": []crier.ID{w.account(w.t, "x")}, "scheduledAt": crier.TimeOf(w.now().Add(in))},
		http.StatusOK))
}

// fault sets a fault of the sandbox's X.
func (w *eventWatcher) fault(operation, kind string, more object) {
	w.t.Helper()
	body := object{"provider": "x", "operation": operation, "kind": kind, "count": 1}
	maps.Copy(body, more)
	w.world.fault(w.t, body)
}

func (w *eventWatcher) endFaults() {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodDelete, w.sandbox+"/_control/faults", nil)
	requireNoError(w.t, err)
	answer, err := http.DefaultClient.Do(r)
	requireNoError(w.t, err)
	_ = answer.Body.Close()
}

// TestEveryEventTypeIsRecorded causes an event of each type, and checks it: its audience, the object, the changes, and
// that it was written by the transaction of the fact.
func TestEveryEventTypeIsRecorded(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		w := newEventWatcher(t, db)
		for _, check := range []func(){w.posts, w.plans, w.publications, w.outcomes, w.accountsChange, w.assets,
			w.credits, w.members, w.keys, w.webhooks} {
			check()
		}
		seen := map[crier.EventType]bool{}
		for _, e := range w.order {
			seen[e.Type] = true
		}
		for _, kind := range crier.EventTypes() {
			if !seen[kind] {
				t.Errorf("nothing was heard of %s", kind)
			}
		}
		w.sameTransactions()
	})
}

// sameTransactions checks the records of PostgreSQL.
func (w *eventWatcher) sameTransactions() {
	w.t.Helper()
	if w.store.Dialect() != store.Postgres {
		return
	}
	rows, err := w.store.Reader().QueryContext(w.t.Context(), `SELECT e.type, e.data FROM test_events x
		JOIN events e ON e.id = x.id WHERE NOT x.same`)
	requireNoError(w.t, err)
	defer rows.Close()
	for rows.Next() {
		var kind, data string
		requireNoError(w.t, rows.Scan(&kind, &data))
		w.t.Errorf("%s was not written with its fact: %s", kind, data)
	}
	requireNoError(w.t, rows.Err())
}

func (w *eventWatcher) posts() {
	id := w.draft("One")
	path := w.team("/posts/%s", id)
	created := w.waitForEvent(crier.PostCreated, id)
	w.wantEvent(created, true)
	w.same(created, path)
	w.send(http.MethodPatch, path, object{"title": "Another"}, http.StatusOK)
	w.wantEvent(w.waitForEvent(crier.PostUpdated, id), true, "title")
	w.send(http.MethodPatch, path, object{"text": "Two"}, http.StatusOK)
	w.wantEvent(w.waitForEvent(crier.PostUpdated, id), true, "contentPayloadId", "postInput")
	w.send(http.MethodPost, path+"/status", object{"status": "archived"}, http.StatusOK)
	archived := w.waitForEvent(crier.PostStatusChanged, id)
	w.wantEvent(archived, true, "status")
	w.same(archived, path)
	w.send(http.MethodDelete, path, nil, http.StatusOK)
	w.wantEvent(w.waitForEvent(crier.PostDeletedEvent, id), true, "status")
}

func (w *eventWatcher) plans() {
	post := w.draft("Planned")
	id := w.later(post, time.Hour)
	path := w.team("/scheduled-posts/%s", id)
	created := w.waitForEvent(crier.ScheduledPostCreated, id)
	w.wantEvent(created, true)
	w.same(created, path)
	w.wantEvent(w.waitForEvent(crier.CreditsLow, ""), false, "availableCredits")
	w.send(http.MethodPatch, path, object{"scheduledAt": crier.TimeOf(w.now().Add(2 * time.Hour))}, http.StatusOK)
	moved := w.waitForEvent(crier.ScheduledPostMoved, id)
	w.wantEvent(moved, true, "scheduledAt")
	w.same(moved, path)
	w.send(http.MethodPatch, path, object{"firstComment": object{"text": "First!"}}, http.StatusOK)
	changed := w.waitForEvent(crier.ScheduledPostChanged, id)
	w.wantEvent(changed, true, "firstComment")
	w.same(changed, path)
	w.send(http.MethodPatch, w.team("/posts/%s", post), object{"text": "Planned anew"}, http.StatusOK)
	replanned := w.waitForEvent(crier.ScheduledPostChanged, id)
	w.wantEvent(replanned, true, "contentPayloadId")
	w.same(replanned, path)
	w.send(http.MethodPost, path+"/cancel", nil, http.StatusOK)
	canceled := w.waitForEvent(crier.ScheduledPostCanceled, id)
	w.wantEvent(canceled, true, "status")
	w.same(canceled, path)
}

func (w *eventWatcher) publications() {
	id := w.publish("Public", object{"firstComment": object{"text": "First!"}})
	path := w.team("/scheduled-posts/%s", id)
	w.wantEvent(w.waitForEvent(crier.ScheduledPostPublishing, id), true, "status")
	w.wantEvent(w.waitForEvent(crier.ScheduledPostPublished, id), true, "status", "platformPostId", "permalink",
		"publishedAt", "publishResults", "lateMillis", "providerPublishState")
	w.wantEvent(w.waitForEvent(crier.ScheduledPostActionDone, id), true)
	shown := as[crier.ScheduledPost](w.t, w.send(http.MethodGet, path, nil, http.StatusOK))
	var types []crier.EventType
	for _, e := range w.order {
		if w.objectID(e) == id {
			types = append(types, e.Type)
		}
	}
	if want := []crier.EventType{crier.ScheduledPostCreated, crier.ScheduledPostPublishing,
		crier.ScheduledPostPublished, crier.ScheduledPostActionDone}; !slices.Equal(types, want) {
		w.t.Errorf("a publication tells %v, want %v", types, want)
	}
	w.send(http.MethodPatch, w.organization(""), object{"metricsPolicy": "all"}, http.StatusOK)
	requireNoError(w.t, w.services.Analytics.Snapshot(w.t.Context(), job.Snapshot{ScheduledPostID: id}))
	w.wantEvent(w.waitForEvent(crier.MetricsUpdated, id), true)
	w.send(http.MethodDelete, w.team("/posts/%s?alsoDeleteFromPlatform=true", shown.ContentItemID), nil, http.StatusOK)
	w.wantEvent(w.waitForEvent(crier.ScheduledPostRemoved, id), true)

	w.fault("publish", "reject", object{"skip": 1})
	id = w.publish("Without a comment", object{"firstComment": object{"text": "Bad!"}})
	w.wantEvent(w.waitForEvent(crier.ScheduledPostActionFailed, id), true)
	w.endFaults()
}

func (w *eventWatcher) outcomes() {
	for _, c := range []struct {
		fault string
		more  object
		kind  crier.EventType
	}{
		{"reject", nil, crier.ScheduledPostFailed},
		{"rate_limit", object{"retryAfterSeconds": 7200}, crier.ScheduledPostMissed},
	} {
		w.fault("publish", c.fault, c.more)
		id := w.publish("Refused by "+c.fault, nil)
		e := w.waitForEvent(c.kind, id)
		w.wantEvent(e, true, "status", "errorCode", "errorMessage", "needsAttention")
		w.same(e, w.team("/scheduled-posts/%s", id))
		w.send(http.MethodPost, w.team("/scheduled-posts/%s/dismiss", id), nil, http.StatusOK)
		dismissed := w.waitForEvent(crier.ScheduledPostChanged, id)
		w.wantEvent(dismissed, true, "needsAttention")
		w.same(dismissed, w.team("/scheduled-posts/%s", id))
		w.endFaults()
	}
	w.fault("publish", "outage", nil)
	w.fault("read", "outage", object{"count": 1000}) // the outcome cannot be read
	id := w.publish("Who knows", nil)
	w.waitForEvent(crier.ScheduledPostPublishing, id)
	for as[crier.ScheduledPost](w.t, w.send(http.MethodGet, w.team("/scheduled-posts/%s", id), nil,
		http.StatusOK)).ErrorCode != "outcome_unknown" {
		<-time.After(20 * time.Millisecond)
	}
	w.wait(31 * time.Minute)
	unknown := w.waitForEvent(crier.ScheduledPostUnknown, id)
	w.wantEvent(unknown, true, "status")
	w.send(http.MethodPost, w.team("/scheduled-posts/%s/resolve", id), object{"outcome": "failed"}, http.StatusOK)
	w.wantEvent(w.waitForEvent(crier.ScheduledPostResolved, id), true, "status")
	w.wantEvent(w.waitForEvent(crier.ScheduledPostFailed, id), true, "status")
	w.endFaults()
}

func (w *eventWatcher) accountsChange() {
	w.wantEvent(w.waitForEvent(crier.AccountConnectedEvent, w.account(w.t, "threads")), true) // of the start
	id := w.connect("ann")
	connected := w.waitForEvent(crier.AccountConnectedEvent, id)
	w.wantEvent(connected, true)
	w.same(connected, w.team("/social-accounts/%s", id))
	if again := w.connect("ann"); again != id {
		w.t.Fatalf("%s and %s are the same account", again, id)
	}
	w.wantEvent(w.waitForEvent(crier.AccountReconnected, id), true, "connectedAt")
	w.connectionsFail()
	own := w.account(w.t, "x")
	w.fault("publish", "restricted", nil)
	w.publish("Restricted", nil)
	w.wantEvent(w.waitForEvent(crier.AccountHealthChanged, own), true, "accountHealthIssue")
	w.send(http.MethodPost, w.team("/social-accounts/%s/disconnect", id), nil, http.StatusOK)
	deleted := w.waitForEvent(crier.AccountDisconnectedEvent, id)
	w.wantEvent(deleted, true, "status")
	w.same(deleted, w.team("/social-accounts/%s", id))
	w.endFaults()
}

// connectionsFail refuses one consent at the network, and another on crier's page.
func (w *eventWatcher) connectionsFail() {
	w.t.Helper()
	for _, decline := range []func(started crier.ConnectResponse){
		func(started crier.ConnectResponse) {
			w.call(w.t, http.MethodGet, w.consent(started, "ann", "deny"), nil)
		},
		func(started crier.ConnectResponse) {
			confirmation := w.call(w.t, http.MethodGet, w.consent(started, "ann", "allow"), nil)
			w.choose(confirmation.body, url.Values{"decision": {"decline"}})
		},
	} {
		started := w.startConnection()
		decline(started)
		var failed crier.FailedConnection
		e := w.waitForEvent(crier.ConnectionFailedEvent, started.ConnectionID)
		w.wantEvent(e, true)
		requireNoError(w.t, json.Unmarshal(e.Data.Object, &failed))
		if !failed.Refused || failed.Provider != crier.ProviderX || failed.Message == "" {
			w.t.Errorf("%+v", failed)
		}
	}
}

// startConnection starts to connect an account of X.
func (w *eventWatcher) startConnection() crier.ConnectResponse {
	w.t.Helper()
	return as[crier.ConnectResponse](w.t, w.send(http.MethodPost, w.team("/social-accounts/connect"),
		object{"provider": "x", "returnUrl": "http://localhost:9999/back"}, http.StatusOK))
}

// consent decides at the network, and returns the address that the browser is redirected to.
func (w *eventWatcher) consent(started crier.ConnectResponse, person, decision string) string {
	w.t.Helper()
	u, err := url.Parse(started.AuthorizationURL)
	requireNoError(w.t, err)
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	decided, err := browser.PostForm(started.AuthorizationURL, url.Values{"name": {person}, "decision": {decision},
		"scope": strings.Fields(u.Query().Get("scope"))})
	requireNoError(w.t, err)
	_ = decided.Body.Close()
	return decided.Header.Get("Location")
}

// choose submits crier's page that asks for the accounts of a consent.
func (w *eventWatcher) choose(page []byte, form url.Values) *httptest.ResponseRecorder {
	w.t.Helper()
	for _, field := range regexp.MustCompile(`name="(state|account)" value="([^"]+)"`).
		FindAllStringSubmatch(string(page), -1) {
		form.Add(field[1], field[2])
	}
	r := httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, "/oauth/x/choose",
		strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer
}

// connect completes the consent of X as a user of the network.
func (w *eventWatcher) connect(person string) crier.ID {
	w.t.Helper()
	confirmation := w.call(w.t, http.MethodGet, w.consent(w.startConnection(), person, "allow"), nil)
	confirmed := w.choose(confirmation.body, url.Values{})
	landed, err := url.Parse(confirmed.Header().Get("Location"))
	requireNoError(w.t, err)
	id := landed.Query().Get("socialAccountIds")
	if id == "" {
		w.t.Fatalf("the confirmation: %d %s, of %s", confirmed.Code, confirmed.Body, confirmation.body)
	}
	return crier.ID(id)
}

func (w *eventWatcher) assets() {
	for kind, picture := range map[crier.EventType][]byte{crier.AssetReadyEvent: mediatest.JPEG(64, 64),
		crier.AssetFailedEvent: mediatest.GarbledPNG(4200, 4000)} {
		id := w.upload(picture)
		e := w.waitForEvent(kind, id)
		w.wantEvent(e, true)
		if kind == crier.AssetFailedEvent {
			w.same(e, w.team("/assets/%s", id))
		}
	}
}

func (w *eventWatcher) upload(file []byte) crier.ID {
	w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "picture")
	requireNoError(w.t, err)
	_, err = part.Write(file)
	requireNoError(w.t, err)
	requireNoError(w.t, form.Close())
	r := httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, w.team("/assets"), &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+w.key)
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	a := answer{status: recorder.Code, body: recorder.Body.Bytes()}
	return as[crier.Asset](w.t, a.want(w.t, http.StatusCreated)).ID
}

func (w *eventWatcher) credits() {
	w.wantEvent(w.waitForEvent(crier.CreditsGranted, ""), false) // of the start
	_, err := w.services.Instance.GrantCredits(w.t.Context(), w.tenant.OrganizationID, 5000)
	requireNoError(w.t, err)
	w.wantEvent(w.waitForEvent(crier.CreditsGranted, ""), false)
	w.wantEvent(w.waitForEvent(crier.CreditsRecharged, ""), false, "availableCredits")
}

func (w *eventWatcher) members() {
	invited := as[crier.Invitation](w.t, w.send(http.MethodPost, w.organization("/members"),
		object{"email": "grace@example.com", "role": "viewer"}, http.StatusCreated))
	e := w.waitForEvent(crier.MemberInvited, invited.ID)
	w.wantEvent(e, false)
	if strings.Contains(string(e.Data.Object), "token") {
		w.t.Error("the event has the link of the invitation")
	}
	_, token, _ := strings.Cut(invited.InviteURL, "token=")
	token, err := url.QueryUnescape(token)
	requireNoError(w.t, err)
	w.ServeHTTP(httptest.NewRecorder(), formRequest(w.t, "/invitation", url.Values{"token": {token}, "name": {"Grace"},
		"password": {"correct horse battery staple"}}))
	joined := w.waitForEvent(crier.MemberJoined, "")
	w.wantEvent(joined, false)
	path := w.organization("/members/%s", w.objectID(joined))
	w.send(http.MethodPatch, path, object{"role": "editor"}, http.StatusOK)
	w.wantEvent(w.waitForEvent(crier.MemberChanged, ""), false, "role")
	w.send(http.MethodDelete, path, nil, http.StatusOK)
	w.wantEvent(w.waitForEvent(crier.MemberRemoved, w.objectID(joined)), false)
}

func (w *eventWatcher) keys() {
	key := as[crier.APIKeyWithSecret](w.t, w.send(http.MethodPost, w.organization("/api-keys"),
		object{"name": "Other", "role": "viewer"}, http.StatusCreated))
	created := w.waitForEvent(crier.APIKeyCreated, key.ID)
	w.wantEvent(created, false)
	if strings.Contains(string(created.Data.Object), key.Secret) {
		w.t.Error("the event has the secret of the key")
	}
	w.send(http.MethodDelete, w.organization("/api-keys/%s", key.ID), nil, http.StatusOK)
	w.wantEvent(w.waitForEvent(crier.APIKeyRevoked, key.ID), false)
}

func (w *eventWatcher) webhooks() {
	deleted := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		rw.WriteHeader(http.StatusGone)
	}))
	defer deleted.Close()
	hook := as[crier.WebhookWithSecret](w.t, w.send(http.MethodPost, w.organization("/webhooks"),
		object{"url": deleted.URL, "types": []string{"post.deleted"}}, http.StatusCreated))
	path := w.organization("/webhooks/%s", hook.ID)
	w.send(http.MethodPost, path+"/test", nil, http.StatusOK)
	w.wantEvent(w.waitForEvent(crier.WebhookTest, ""), false)
	disabled := w.waitForEvent(crier.WebhookDisabled, hook.ID)
	w.wantEvent(disabled, false, "status")
	w.same(disabled, path)
	if strings.Contains(string(disabled.Data.Object), "whsec") {
		w.t.Error("the event has the secret of the webhook")
	}
}
