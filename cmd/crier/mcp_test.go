package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// agent is an MCP session with the official client, and how often its person was asked.
type agent struct {
	*mcp.ClientSession
	questions []string
}

// person is how the person behind an agent answers a question; nil means that the client cannot ask.
type person func(question string) (action string)

func says(action string) person { return func(string) string { return action } }

// transport connects an agent that holds a key.
type transport func(tb testing.TB, s *server, key string) mcp.Transport

// transports are all the ways in.
var transports = map[string]transport{"stdio": overStdio, "http": overHTTP}

// bearerTransport shows a token with every request.
type bearerTransport struct{ key string }

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(r)
}

func overHTTP(_ testing.TB, s *server, key string) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearerTransport{key}}}
}

// overStdio runs the command crier mcp, with pipes for its standard streams.
func overStdio(tb testing.TB, s *server, key string) mcp.Transport {
	tb.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	a := &app{
		environ: []string{"CRIER_SERVER=" + s.url, "CRIER_TOKEN=" + key, "HOME=" + tb.TempDir()}, stdin: toServer, stdout: fromServer, stderr: io.Discard, now: s.app.now,
	}
	ended := make(chan error, 1)
	go func() {
		ended <- errors.Join((&shell{app: a}).serveAgent(context.Background()), fromServer.Close())
	}()
	tb.Cleanup(func() {
		if err := errors.Join(fromClient.Close(), <-ended); err != nil {
			tb.Errorf("crier mcp ended with: %v", err)
		}
	})
	return &mcp.IOTransport{Reader: toClient, Writer: fromClient}
}

// connect begins a session. The person answers its questions; version is that of the protocol, the newest when empty.
func connect(tb testing.TB, t mcp.Transport, p person, version string) *agent {
	tb.Helper()
	a := &agent{}
	options := &mcp.ClientOptions{}
	if p != nil {
		options.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			a.questions = append(a.questions, r.Params.Message)
			return &mcp.ElicitResult{Action: p(r.Params.Message), Content: map[string]any{}}, nil
		}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).Connect(
		context.Background(), t, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := session.Close(); err != nil {
			tb.Errorf("the session ended with: %v", err)
		}
	})
	a.ClientSession = session
	return a
}

// toolAnswer is what a tool answered.
type toolAnswer struct {
	response
	failed bool
	words  string
}

func (a *agent) use(tb testing.TB, tool string, arguments object) toolAnswer {
	tb.Helper()
	got, err := a.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		tb.Fatalf("%s: %v", tool, err)
	}
	data, err := json.Marshal(got.StructuredContent)
	if err != nil {
		tb.Fatal(err)
	}
	out := toolAnswer{response: response{body: data, json: got.StructuredContent}, failed: got.IsError}
	for _, c := range got.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			out.words += text.Text
		}
	}
	return out
}

// succeeds is use, for calls that must.
func (a *agent) succeeds(tb testing.TB, tool string, arguments object) toolAnswer {
	tb.Helper()
	got := a.use(tb, tool, arguments)
	if got.failed {
		tb.Fatalf("%s: %s", tool, got.words)
	}
	return got
}

// fails is use, for calls that must not succeed, and says why.
func (a *agent) fails(tb testing.TB, tool string, arguments object, words ...string) {
	tb.Helper()
	got := a.use(tb, tool, arguments)
	if !got.failed {
		tb.Errorf("%s succeeded: %s", tool, got.body)
	}
	for _, w := range words {
		if !strings.Contains(got.words, w) {
			tb.Errorf("%s says %q, which does not name %q", tool, got.words, w)
		}
	}
}

func eachTransport(t *testing.T, test func(t *testing.T, e *engine, connect transport)) {
	t.Helper()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		for name, way := range transports {
			t.Run(name, func(t *testing.T) { test(t, e, way) })
		}
	})
}

func TestAnAgentDraftsValidatesSchedulesAndPublishes(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.newCrew(t, 100_000, "x", "linkedin")
		a := connect(t, way(t, e.server, c.key), says("accept"), "")
		a.succeeds(t, "get_context", nil)
		if got := a.succeeds(t, "list_accounts", nil); len(got.get(t, "data").([]any)) != 2 {
			t.Errorf("the agent sees the accounts %s", got.body)
		}
		post := a.succeeds(t, "create_draft", object{"text": "Written by an agent"}).text(t, "id")
		in := object{"postId": post, "socialAccountIds": c.ids(), "useNextSlot": true}
		if got := a.succeeds(t, "validate_post", in); got.get(t, "accounts", 0, "ok") != true || got.get(t, "creditCost") == nil {
			t.Errorf("the dry run says %s", got.body)
		}
		scheduled := a.succeeds(t, "schedule_post", in)
		if scheduled.text(t, "outcome") != "none_failed" {
			t.Fatalf("schedule_post: %s", scheduled.body)
		}
		if len(a.questions) != 1 || !strings.Contains(a.questions[0], "Written by an agent") || !strings.Contains(a.questions[0], "credits") {
			t.Errorf("the person was asked %q", a.questions)
		}
		a.succeeds(t, "move_to_draft", object{"postId": post})
		now := a.succeeds(t, "publish_now", object{"postId": post, "socialAccountIds": c.ids(), "waitSeconds": 30})
		for i := range c.accounts {
			if now.text(t, "accounts", i, "publication", "status") != "published" {
				t.Errorf("publish_now: %s", now.body)
			}
			if got := texts(e.box.timeline(t, c.accounts[i])); !slices.Equal(got, []string{"Written by an agent"}) {
				t.Errorf("the timeline shows %q", got)
			}
		}
		id := now.text(t, "accounts", 0, "publication", "scheduledPostId")
		if got := a.succeeds(t, "list_attempts", object{"scheduledPostId": id}); got.text(t, "publication", "postId") != post {
			t.Errorf("list_attempts: %s", got.body)
		}
	})
}

func TestAThreadOfAnAgentIsPublishedInOrder(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.newCrew(t, 100_000, "x")
		a := connect(t, way(t, e.server, c.key), says("accept"), "")
		parts := []object{{"text": "One"}, {"text": "Two"}, {"text": "Three"}}
		a.fails(t, "create_draft", object{"text": "Both", "parts": parts}, "either text")
		post := a.succeeds(t, "create_draft", object{"parts": parts}).text(t, "id")
		a.succeeds(t, "publish_now", object{"postId": post, "socialAccountIds": c.ids(), "waitSeconds": 30})
		if got := texts(e.box.timeline(t, c.accounts[0])); !slices.Equal(got, []string{"One", "Two", "Three"}) {
			t.Errorf("the timeline shows %q", got)
		}
		if got := a.succeeds(t, "get_post", object{"postId": post}); got.text(t, "parts", 1) != "Two" {
			t.Errorf("get_post: %s", got.body)
		}
	})
}

func TestAPersonWhoDeclinesKeepsThingsAsTheyAre(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.newCrew(t, 100_000, "x")
		post := e.newPost(t, c, "Not to be published")
		for _, version := range []string{"", "2025-11-25"} {
			for _, action := range []string{"decline", "cancel"} {
				a := connect(t, way(t, e.server, c.key), says(action), version)
				in := object{"postId": post, "socialAccountIds": c.ids(), "confirm": true}
				a.fails(t, "publish_now", in, "did not agree")
				a.fails(t, "delete_post", object{"postId": post, "confirm": true}, "did not agree")
				if len(a.questions) != 2 {
					t.Errorf("with the version %q the person was asked %d times, want 2", version, len(a.questions))
				}
			}
		}
		if got := e.box.timeline(t, c.accounts[0]); len(got) != 0 {
			t.Errorf("the timeline shows %q", texts(got))
		}
	})
}

func TestAPersonIsAskedInBothVersionsOfTheProtocol(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.newCrew(t, 100_000, "x")
		for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			a := connect(t, way(t, e.server, c.key), says("accept"), version)
			post := a.succeeds(t, "create_draft", object{"text": "Asked in " + version}).text(t, "id")
			a.succeeds(t, "publish_now", object{"postId": post, "socialAccountIds": c.ids(), "waitSeconds": 30})
			if len(a.questions) != 1 {
				t.Errorf("with the version %s the person was asked %q", version, a.questions)
			}
		}
		if got := texts(e.box.timeline(t, c.accounts[0])); len(got) != 3 {
			t.Errorf("the timeline shows %q", got)
		}
	})
}

func TestAClientThatCannotAskGetsAPreviewAndMustConfirm(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.newCrew(t, 100_000, "x")
		a := connect(t, way(t, e.server, c.key), nil, "")
		post := a.succeeds(t, "create_draft", object{"text": "Previewed"}).text(t, "id")
		in := object{"postId": post, "socialAccountIds": c.ids(), "waitSeconds": 30}
		preview := a.succeeds(t, "publish_now", in)
		if preview.text(t, "status") != "confirmation_needed" || preview.get(t, "creditCost") == float64(0) || !strings.Contains(preview.text(t, "whatHappens"), "Previewed") {
			t.Errorf("the preview says %s", preview.body)
		}
		if got := e.box.timeline(t, c.accounts[0]); len(got) != 0 {
			t.Errorf("the preview published %q", texts(got))
		}
		in["confirm"] = true
		if got := a.succeeds(t, "publish_now", in); got.text(t, "accounts", 0, "publication", "status") != "published" {
			t.Errorf("publish_now: %s", got.body)
		}
	})
}

func TestADryRunThatFailsAsksNobody(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.newCrew(t, 0, "x")
		a := connect(t, way(t, e.server, c.key), says("accept"), "")
		long := a.succeeds(t, "create_draft", object{"text": strings.Repeat("long ", 200)}).text(t, "id")
		a.fails(t, "publish_now", object{"postId": long, "socialAccountIds": c.ids()}, "no account accepts", "(x)")
		dear := a.succeeds(t, "create_draft", object{"text": "Costs more than nothing"}).text(t, "id")
		a.fails(t, "publish_now", object{"postId": dear, "socialAccountIds": c.ids()}, "0 are available")
		a.fails(t, "schedule_post", object{"postId": dear, "socialAccountIds": c.ids()}, "scheduledAt")
		a.fails(t, "get_post", object{"postId": "../../organizations"}, "postId")
		a.fails(t, "get_post", object{"postId": unknownID}, "post")
		if len(a.questions) != 0 {
			t.Errorf("the person was asked %q", a.questions)
		}
	})
}

func TestARepeatedCallHasItsEffectOnce(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.newCrew(t, 100_000, "x")
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			a := connect(t, way(t, e.server, c.key), says("accept"), version)
			draft := object{"text": "Once, in " + version}
			post := a.succeeds(t, "create_draft", draft).text(t, "id")
			if again := a.succeeds(t, "create_draft", draft).text(t, "id"); again != post {
				t.Errorf("the repeated call made another draft")
			}
			slot := object{"postId": post, "socialAccountIds": c.ids(), "useNextSlot": true}
			first := a.succeeds(t, "schedule_post", slot).text(t, "accounts", 0, "publication", "scheduledAt")
			if again := a.succeeds(t, "schedule_post", slot).text(t, "accounts", 0, "publication", "scheduledAt"); again != first {
				t.Errorf("the repeated call moved the post from %s to %s", first, again)
			}
			a.succeeds(t, "move_to_draft", object{"postId": post})
			if again := a.succeeds(t, "schedule_post", slot); again.text(t, "accounts", 0, "publication", "status") != "scheduled" {
				t.Errorf("scheduled again: %s", again.body)
			}
			if got := a.succeeds(t, "get_post", object{"postId": post}); got.text(t, "deliveryState") != "scheduled" {
				t.Errorf("after move_to_draft the same call did nothing: %s", got.body)
			}
			now := object{"postId": post, "socialAccountIds": c.ids(), "waitSeconds": 30}
			published := a.succeeds(t, "publish_now", now)
			if again := a.succeeds(t, "publish_now", now); again.text(t, "accounts", 0, "publication", "permalink") != published.text(t, "accounts", 0, "publication", "permalink") {
				t.Errorf("the repeated call says %s, the first %s", again.body, published.body)
			}
			a.succeeds(t, "delete_post", object{"postId": post})
			if again := a.succeeds(t, "create_draft", draft).text(t, "id"); again == post {
				t.Error("a deleted draft was handed out again")
			}
		}
		if got := texts(e.box.timeline(t, c.accounts[0])); len(got) != 2 {
			t.Errorf("the timeline shows %q", got)
		}
	})
}

// stage is a crew with something for every tool to work on.
type stage struct {
	crew
	post, publication, slot string
}

// stageWords are in the post of a stage, for those who may read it.
const stageWords = "Somebody's words"

func (e *engine) newStage(t *testing.T) stage {
	t.Helper()
	s := stage{crew: e.newCrew(t, 100_000, "x", "linkedin")}
	s.post = e.newPost(t, s.crew, stageWords)
	s.slot = e.call(t, s.crew, "POST", "scheduling-slots", object{"hour": 8, "minute": 15}).want(t, http.StatusCreated).text(t, "id")
	s.publication = e.call(t, s.crew, "POST", "posts/"+s.post+"/schedule", object{"socialAccountIds": s.ids()[:1], "useNextSlot": true}).
		want(t, http.StatusOK).text(t, "data", 0, "scheduledPost", "id")
	return s
}

// toolCall is a call of a tool, and the permission that it needs; none is what every caller may.
type toolCall struct {
	needs crier.Permission
	in    object
}

// reads is true when the tool changes nothing.
func (c toolCall) reads() bool { return c.needs == "" || crier.RoleViewer.Can(c.needs) }

// toolCalls are calls of all tools about the things of a stage.
func toolCalls(s stage) map[string]toolCall {
	in := func(more object) object {
		more["teamId"] = s.team
		return more
	}
	on := func(id string, more object) object {
		more["postId"] = id
		return in(more)
	}
	at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	return map[string]toolCall{
		"get_context":     {"", object{}},
		"get_credits":     {crier.Read, object{"organizationId": s.organization}},
		"list_posts":      {crier.Read, in(object{"search": "words"})},
		"get_post":        {crier.Read, on(s.post, object{})},
		"create_draft":    {crier.WritePosts, in(object{"text": "x"})},
		"update_draft":    {crier.WritePosts, on(s.post, object{"text": "y", "confirm": true})},
		"move_to_draft":   {crier.WritePosts, on(s.post, object{"confirm": true})},
		"delete_post":     {crier.DeletePosts, on(s.post, object{"confirm": true})},
		"validate_post":   {crier.Read, on(s.post, object{"socialAccountIds": s.ids(), "scheduledAt": at})},
		"schedule_post":   {crier.PublishPosts, on(s.post, object{"socialAccountIds": s.ids(), "scheduledAt": at, "confirm": true})},
		"publish_now":     {crier.PublishPosts, on(s.post, object{"socialAccountIds": s.ids(), "allowRepublish": true, "confirm": true})},
		"post_metrics":    {crier.ReadAnalytics, on(s.post, object{})},
		"list_slots":      {crier.Read, in(object{})},
		"next_slots":      {crier.Read, in(object{"count": 2})},
		"create_slot":     {crier.ManageSlots, in(object{"hour": 3, "minute": 4, "confirm": true})},
		"delete_slot":     {crier.ManageSlots, in(object{"slotId": s.slot, "confirm": true})},
		"list_accounts":   {crier.Read, in(object{})},
		"get_account":     {crier.Read, in(object{"socialAccountId": s.accounts[0].id})},
		"connect_account": {crier.ManageSocialAccounts, in(object{"provider": "x"})},
		"list_assets":     {crier.Read, in(object{})},
		"import_asset":    {crier.ManageMedia, in(object{"url": "http://127.0.0.1/"})},
		"list_attempts":   {crier.Read, in(object{"scheduledPostId": s.publication})},
		"retry":           {crier.PublishPosts, in(object{"scheduledPostId": s.publication, "confirm": true})},
		"resolve":         {crier.PublishPosts, in(object{"scheduledPostId": s.publication, "outcome": "failed", "confirm": true})},
		"get_calendar":    {crier.Read, in(object{"from": "2026-11-01T00:00:00Z", "to": "2026-11-30T00:00:00Z"})},
	}
}

func TestEverybodyUsesTheToolsTheyMay(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withRole("api"))
		stranger := e.newTenant(t, "Stranger")
		for name, way := range transports {
			t.Run(name, func(t *testing.T) {
				s := e.newStage(t)
				key := func(body object) string {
					body["name"] = "Walker"
					return e.as(t, s.key, "POST", path("/v1/organizations/%s/api-keys", s.organization), body).want(t, http.StatusCreated).text(t, "secret")
				}
				other := e.as(t, s.key, "POST", "/v1/teams", object{"organizationId": s.organization, "name": "Other"}).want(t, http.StatusCreated).text(t, "id")
				narrow := []crier.Permission{crier.Read, crier.WritePosts}
				e.walkTools(t, way, s, stranger.key, func(toolCall) bool { return false })
				e.walkTools(t, way, s, key(object{"role": "owner", "teamIds": []string{other}}), func(c toolCall) bool { return c.in["organizationId"] != nil })
				e.walkTools(t, way, s, key(object{"role": "viewer"}), toolCall.reads)
				if got := e.call(t, s.crew, "GET", "posts/"+s.post, nil).want(t, http.StatusOK); got.text(t, "text") != stageWords {
					t.Errorf("the post was changed: %s", got.body)
				}
				e.walkTools(t, way, s, key(object{"role": "owner", "permissions": narrow}), func(c toolCall) bool { return slices.Contains(narrow, c.needs) })
				e.walkTools(t, way, s, key(object{"role": "editor"}), func(c toolCall) bool { return crier.RoleEditor.Can(c.needs) })
			})
		}
	})
}

// walkTools calls every tool and wants the answers that a key may have: what it may not is forbidden and tells nothing,
// what it may is not refused. Tools that read must succeed as long as the key cannot have changed what they read.
func (e *engine) walkTools(t *testing.T, way transport, s stage, key string, may func(toolCall) bool) {
	t.Helper()
	a := connect(t, way(t, e.server, key), nil, "")
	list, err := a.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := toolCalls(s)
	if len(list.Tools) != len(calls) {
		t.Errorf("there are %d tools and %d calls of them", len(list.Tools), len(calls))
	}
	changes := may(toolCall{needs: crier.WritePosts})
	for _, tool := range list.Tools {
		call, known := calls[tool.Name]
		if !known {
			t.Errorf("the tool %s is not tested: add it to toolCalls", tool.Name)
			continue
		}
		got := a.use(t, tool.Name, call.in)
		forbidden := got.failed && got.text(t, "kind") == "Forbidden"
		switch allowed := call.needs == "" || may(call); {
		case allowed && (forbidden || got.failed && !changes):
			t.Errorf("%s: %s", tool.Name, got.words)
		case !allowed && !forbidden:
			t.Errorf("%s was not forbidden: %s", tool.Name, got.body)
		case !allowed && strings.Contains(string(got.body), stageWords):
			t.Errorf("%s tells what it must not: %s", tool.Name, got.body)
		}
	}
}

func TestHintsTellWhatToolsDo(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		a := connect(t, overHTTP(t, e.server, e.crew.key), nil, "")
		list, err := a.ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		additive := []string{"create_draft", "connect_account", "import_asset"}
		calls := toolCalls(stage{crew: e.crew})
		for _, tool := range list.Tools {
			hints := tool.Annotations
			if hints == nil || hints.DestructiveHint == nil || hints.OpenWorldHint == nil || hints.Title == "" || tool.Description == "" {
				t.Errorf("%s lacks hints or words", tool.Name)
				continue
			}
			if hints.ReadOnlyHint != calls[tool.Name].reads() {
				t.Errorf("%s: read-only is %t, and a viewer may use it: %t", tool.Name, hints.ReadOnlyHint, calls[tool.Name].reads())
			}
			if want := !hints.ReadOnlyHint && !slices.Contains(additive, tool.Name); *hints.DestructiveHint != want {
				t.Errorf("%s: destructive is %t, want %t", tool.Name, *hints.DestructiveHint, want)
			}
			schema, _ := tool.InputSchema.(map[string]any)
			properties, _ := schema["properties"].(map[string]any)
			for field, property := range properties {
				if words, _ := property.(map[string]any)["description"].(string); words == "" {
					t.Errorf("%s: %s is not described", tool.Name, field)
				}
			}
			if _, asks := properties["confirm"]; asks != *hints.DestructiveHint {
				t.Errorf("%s: destructive is %t, and it can be confirmed: %t", tool.Name, *hints.DestructiveHint, asks)
			}
		}
	})
}

func TestPostsAndTheCalendarAreResources(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.newCrew(t, 100_000, "x")
		post := e.newPost(t, c, "A resource")
		at := time.Now().Add(48 * time.Hour).UTC()
		e.call(t, c, "POST", "posts/"+post+"/schedule", object{"socialAccountIds": c.ids(), "scheduledAt": at.Format(time.RFC3339)}).want(t, http.StatusOK)
		a := connect(t, way(t, e.server, c.key), nil, "")
		window := at.Format(time.DateOnly) + "/" + at.Add(24*time.Hour).Format(time.DateOnly)
		for _, uri := range []string{"crier://posts/" + post, "crier://calendar/" + window} {
			got, err := a.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				t.Fatalf("%s: %v", uri, err)
			}
			if !strings.Contains(got.Contents[0].Text, "A resource") {
				t.Errorf("%s is %s", uri, got.Contents[0].Text)
			}
		}
		stranger := connect(t, way(t, e.server, e.newTenant(t, "Stranger").key), nil, "")
		for _, uri := range []string{"crier://posts/" + post, "crier://posts/" + unknownID, "crier://posts/x", "crier://calendar/yesterday/today"} {
			if got, err := stranger.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri}); err == nil {
				t.Errorf("a stranger reads %s: %s", uri, got.Contents[0].Text)
			}
		}
	})
}

func TestTheAgentsDoorNeedsATokenAndKeepsSessionsApart(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		other := s.newTenant(t, "Other")
		hello := object{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": object{
			"protocolVersion": "2025-11-25", "capabilities": object{}, "clientInfo": object{"name": "test", "version": "1"},
		}}
		post := func(key, session string) *http.Response {
			data, err := json.Marshal(hello)
			if err != nil {
				t.Fatal(err)
			}
			r, err := http.NewRequest(http.MethodPost, s.url+"/mcp", strings.NewReader(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if key != "" {
				r.Header.Set("Authorization", "Bearer "+key)
			}
			if session != "" {
				r.Header.Set("Mcp-Session-Id", session)
			}
			got, err := s.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, got.Body); err != nil {
				t.Fatal(err)
			}
			got.Body.Close()
			return got
		}
		for _, key := range []string{"", "garbage", s.key + "0"} {
			if got := post(key, ""); got.StatusCode != http.StatusUnauthorized || got.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("the token %q is answered with %d", key, got.StatusCode)
			}
		}
		session := post(s.key, "").Header.Get("Mcp-Session-Id")
		if session == "" {
			t.Fatal("there is no session")
		}
		if got := post(other.key, session); got.StatusCode != http.StatusForbidden {
			t.Errorf("another person speaks in the session: %d", got.StatusCode)
		}
	})
}
