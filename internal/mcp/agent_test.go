package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/internal/cli"
	"crier/internal/server/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Run(m)) }

type object = servertest.Object

// engine is a server that publishes to a sandbox. Tests share it: each has its own crew.
type engine struct {
	*servertest.Server
	box *servertest.Box
}

func eachEngine(t *testing.T, test func(t *testing.T, e *engine)) {
	t.Helper()
	servertest.EachSharedEngine(t, func(t *testing.T, s *servertest.Server, b *servertest.Box) {
		test(t, &engine{s, b})
	})
}

// agent is an MCP session with the official client, and counts the questions to its person.
type agent struct {
	*mcp.ClientSession
	questions []string
}

// person answers the questions to the person behind an agent; nil means that the client cannot ask.
type person func(question string) (action string)

func answers(action string) person { return func(string) string { return action } }

// transport connects an agent that holds a key.
type transport func(tb testing.TB, s *servertest.Server, key string) mcp.Transport

// transports are all supported transports.
var transports = map[string]transport{"stdio": overStdio, "http": overHTTP}

// bearerTransport adds a token to every request.
type bearerTransport struct{ key string }

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(r)
}

func overHTTP(_ testing.TB, s *servertest.Server, key string) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp",
		HTTPClient: &http.Client{Transport: bearerTransport{key}}}
}

// overStdio runs the command crier mcp, with pipes for its standard streams.
func overStdio(tb testing.TB, s *servertest.Server, key string) mcp.Transport {
	tb.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	shell := cli.New(cli.Config{
		Environ: []string{"CRIER_SERVER=" + s.URL, "CRIER_TOKEN=" + key, "HOME=" + tb.TempDir()}, Stdin: toServer,
		Stdout: fromServer, Stderr: io.Discard, Now: s.Config.Now, Version: "dev",
	})
	ended := make(chan error, 1)
	go func() {
		ended <- errors.Join(shell.ServeAgent(context.Background()), fromServer.Close())
	}()
	tb.Cleanup(func() {
		if err := errors.Join(fromClient.Close(), <-ended); err != nil {
			tb.Errorf("crier mcp ended with: %v", err)
		}
	})
	return &mcp.IOTransport{Reader: toClient, Writer: fromClient}
}

// connect starts a session. The person answers its questions; version is that of the protocol, the newest if empty.
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

// toolAnswer is the result of a tool.
type toolAnswer struct {
	servertest.Response
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
	out := toolAnswer{Response: servertest.Response{Body: data, JSON: got.StructuredContent}, failed: got.IsError}
	for _, c := range got.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			out.words += text.Text
		}
	}
	return out
}

// succeeds is use, for calls that must succeed.
func (a *agent) succeeds(tb testing.TB, tool string, arguments object) toolAnswer {
	tb.Helper()
	got := a.use(tb, tool, arguments)
	if got.failed {
		tb.Fatalf("%s: %s", tool, got.words)
	}
	return got
}

// confirmed is use, with the token of the preview if a call has to be confirmed.
func (a *agent) confirmed(tb testing.TB, tool string, arguments object) toolAnswer {
	tb.Helper()
	got := a.use(tb, tool, arguments)
	var preview struct{ ConfirmationToken string }
	if got.failed || json.Unmarshal(got.Body, &preview) != nil || preview.ConfirmationToken == "" {
		return got
	}
	again := maps.Clone(arguments)
	again["confirmationToken"] = preview.ConfirmationToken
	return a.use(tb, tool, again)
}

// fails is use, for calls that must fail with some words.
func (a *agent) fails(tb testing.TB, tool string, arguments object, words ...string) {
	tb.Helper()
	got := a.use(tb, tool, arguments)
	if !got.failed {
		tb.Errorf("%s succeeded: %s", tool, got.Body)
	}
	for _, w := range words {
		if !strings.Contains(got.words, w) {
			tb.Errorf("%s says %q, which does not name %q", tool, got.words, w)
		}
	}
}

func eachTransport(t *testing.T, test func(t *testing.T, e *engine, connect transport)) {
	t.Helper()
	eachEngine(t, func(t *testing.T, e *engine) {
		for name, way := range transports {
			t.Run(name, func(t *testing.T) { test(t, e, way) })
		}
	})
}

func TestAgentDraftsValidatesSchedulesAndPublishes(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x", "linkedin")
		a := connect(t, way(t, e.Server, c.Key), answers("accept"), "")
		a.succeeds(t, "get_context", nil)
		if got := a.succeeds(t, "list_accounts", nil); len(got.Get(t, "data").([]any)) != 2 {
			t.Errorf("the agent sees the accounts %s", got.Body)
		}
		post := a.succeeds(t, "create_draft", object{"text": "Written by an agent"}).Text(t, "id")
		in := object{"postId": post, "socialAccountIds": c.IDs(), "useNextSlot": true}
		if got := a.succeeds(t, "validate_post", in); got.Get(t, "accounts", 0, "ok") != true ||
			got.Get(t, "creditCost") == nil {
			t.Errorf("the dry run says %s", got.Body)
		}
		scheduled := a.succeeds(t, "schedule_post", in)
		if scheduled.Text(t, "outcome") != "none_failed" {
			t.Fatalf("schedule_post: %s", scheduled.Body)
		}
		if len(a.questions) != 1 || !strings.Contains(a.questions[0], "Written by an agent") ||
			!strings.Contains(a.questions[0], "credits") {
			t.Errorf("the person was asked %q", a.questions)
		}
		a.succeeds(t, "move_to_draft", object{"postId": post})
		now := a.succeeds(t, "publish_now", object{"postId": post, "socialAccountIds": c.IDs(), "waitSeconds": 30})
		for i := range c.Accounts {
			if now.Text(t, "accounts", i, "publication", "status") != "published" {
				t.Errorf("publish_now: %s", now.Body)
			}
			if got := servertest.Texts(e.box.Timeline(t, c.Accounts[i])); !slices.Equal(got,
				[]string{"Written by an agent"}) {
				t.Errorf("the timeline shows %q", got)
			}
		}
		id := now.Text(t, "accounts", 0, "publication", "scheduledPostId")
		if got := a.succeeds(t, "list_attempts", object{"scheduledPostId": id}); got.Text(t, "publication",
			"postId") != post {
			t.Errorf("list_attempts: %s", got.Body)
		}
	})
}

func TestAgentThreadIsPublishedInOrder(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		a := connect(t, way(t, e.Server, c.Key), answers("accept"), "")
		parts := []object{{"text": "One"}, {"text": "Two"}, {"text": "Three"}}
		a.fails(t, "create_draft", object{"text": "Both", "parts": parts}, "either text")
		post := a.succeeds(t, "create_draft", object{"parts": parts}).Text(t, "id")
		a.succeeds(t, "publish_now", object{"postId": post, "socialAccountIds": c.IDs(), "waitSeconds": 30})
		if got := servertest.Texts(e.box.Timeline(t, c.Accounts[0])); !slices.Equal(got,
			[]string{"One", "Two", "Three"}) {
			t.Errorf("the timeline shows %q", got)
		}
		if got := a.succeeds(t, "get_post", object{"postId": post}); got.Text(t, "parts", 1) != "Two" {
			t.Errorf("get_post: %s", got.Body)
		}
	})
}

func TestErrorsNameTheArgumentsOfTheTools(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 0, "x")
		a := connect(t, way(t, e.Server, c.Key), nil, "")
		a.fails(t, "create_draft", object{"parts": []object{{"text": "Alone"}}}, " parts: must have 2 to 50 items")
		a.fails(t, "create_draft", object{"text": "x", "variants": []object{{"provider": "x"}}}, "variants.0",
			"or assetIds")
		a.fails(t, "create_draft", object{"parts": []object{{"text": "One"},
			{"text": "Two", "assetIds": []string{servertest.UnknownID}}}}, "parts.1.assetIds.0")
		thread := a.succeeds(t, "create_draft", object{"parts": []object{{"text": "One"}, {"text": "Two"}}}).Text(t,
			"id")
		a.fails(t, "update_draft", object{"postId": thread, "text": "One post"}, "the post is a thread", "parts")
	})
}

func TestDecliningChangesNothing(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		post := e.NewPost(t, c, "Not to be published")
		for _, version := range []string{"", "2025-11-25"} {
			for _, action := range []string{"decline", "cancel"} {
				a := connect(t, way(t, e.Server, c.Key), answers(action), version)
				in := object{"postId": post, "socialAccountIds": c.IDs(), "confirm": true}
				a.fails(t, "publish_now", in, "did not agree")
				a.fails(t, "delete_post", object{"postId": post, "confirm": true}, "did not agree")
				if len(a.questions) != 2 {
					t.Errorf("with the version %q the person was asked %d times, want 2", version, len(a.questions))
				}
			}
		}
		if got := e.box.Timeline(t, c.Accounts[0]); len(got) != 0 {
			t.Errorf("the timeline shows %q", servertest.Texts(got))
		}
	})
}

func TestElicitationInBothProtocolVersions(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			a := connect(t, way(t, e.Server, c.Key), answers("accept"), version)
			post := a.succeeds(t, "create_draft", object{"text": "Asked in " + version}).Text(t, "id")
			a.succeeds(t, "publish_now", object{"postId": post, "socialAccountIds": c.IDs(), "waitSeconds": 30})
			if len(a.questions) != 1 {
				t.Errorf("with the version %s the person was asked %q", version, a.questions)
			}
		}
		if got := servertest.Texts(e.box.Timeline(t, c.Accounts[0])); len(got) != 3 {
			t.Errorf("the timeline shows %q", got)
		}
	})
}

func TestClientWithoutElicitationMustConfirmThePreview(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		a := connect(t, way(t, e.Server, c.Key), nil, "")
		post := a.succeeds(t, "create_draft", object{"text": "Previewed"}).Text(t, "id")
		in := object{"postId": post, "socialAccountIds": c.IDs(), "waitSeconds": 30}
		preview := a.succeeds(t, "publish_now", in)
		if preview.Text(t, "status") != "confirmation_needed" || preview.Get(t, "creditCost") == float64(0) ||
			!strings.Contains(preview.Text(t, "whatHappens"), "Previewed") {
			t.Errorf("the preview says %s", preview.Body)
		}
		if got := e.box.Timeline(t, c.Accounts[0]); len(got) != 0 {
			t.Errorf("the preview published %q", servertest.Texts(got))
		}
		in["confirm"] = true // without the token of the preview it has no effect
		if got := a.succeeds(t, "publish_now", in); got.Text(t, "status") != "confirmation_needed" {
			t.Errorf("confirm without a token: %s", got.Body)
		}
		in["confirmationToken"] = preview.Text(t, "confirmationToken")
		a.succeeds(t, "update_draft", object{"postId": post, "text": "Previewed, and changed"})
		changed := a.succeeds(t, "publish_now", in)
		if changed.Text(t, "status") != "confirmation_needed" || len(e.box.Timeline(t, c.Accounts[0])) != 0 {
			t.Errorf("the token of other content: %s", changed.Body)
		}
		in["confirmationToken"] = changed.Text(t, "confirmationToken")
		if got := a.succeeds(t, "publish_now", in); got.Text(t, "accounts", 0, "publication", "status") != "published" {
			t.Errorf("publish_now: %s", got.Body)
		}
	})
}

func TestFailedDryRunAsksNobody(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 0, "x")
		a := connect(t, way(t, e.Server, c.Key), answers("accept"), "")
		long := a.succeeds(t, "create_draft", object{"text": strings.Repeat("long ", 200)}).Text(t, "id")
		a.fails(t, "publish_now", object{"postId": long, "socialAccountIds": c.IDs()},
			"account accepts this post", "(x)")
		dear := a.succeeds(t, "create_draft", object{"text": "Costs more than nothing"}).Text(t, "id")
		a.fails(t, "publish_now", object{"postId": dear, "socialAccountIds": c.IDs()}, "0 are available")
		a.fails(t, "schedule_post", object{"postId": dear, "socialAccountIds": c.IDs()}, "scheduledAt")
		a.fails(t, "get_post", object{"postId": "../../organizations"}, "postId")
		a.fails(t, "get_post", object{"postId": servertest.UnknownID}, "post")
		if len(a.questions) != 0 {
			t.Errorf("the person was asked %q", a.questions)
		}
	})
}

func TestRepeatedCallIsAppliedOnce(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			a := connect(t, way(t, e.Server, c.Key), answers("accept"), version)
			draft := object{"text": "Once, in " + version}
			post := a.succeeds(t, "create_draft", draft).Text(t, "id")
			if again := a.succeeds(t, "create_draft", draft).Text(t, "id"); again != post {
				t.Errorf("the repeated call made another draft")
			}
			slot := object{"postId": post, "socialAccountIds": c.IDs(), "useNextSlot": true}
			first := a.succeeds(t, "schedule_post", slot).Text(t, "accounts", 0, "publication", "scheduledAt")
			if again := a.succeeds(t, "schedule_post", slot).Text(t, "accounts", 0, "publication",
				"scheduledAt"); again != first {
				t.Errorf("the repeated call moved the post from %s to %s", first, again)
			}
			a.succeeds(t, "move_to_draft", object{"postId": post})
			if again := a.succeeds(t, "schedule_post", slot); again.Text(t, "accounts", 0, "publication",
				"status") != "scheduled" {
				t.Errorf("scheduled again: %s", again.Body)
			}
			if got := a.succeeds(t, "get_post", object{"postId": post}); got.Text(t, "deliveryState") != "scheduled" {
				t.Errorf("after move_to_draft the same call did nothing: %s", got.Body)
			}
			now := object{"postId": post, "socialAccountIds": c.IDs(), "waitSeconds": 30}
			published := a.succeeds(t, "publish_now", now)
			if again := a.succeeds(t, "publish_now", now); again.Text(t, "accounts", 0, "publication",
				"permalink") != published.Text(t, "accounts", 0, "publication", "permalink") {
				t.Errorf("the repeated call says %s, the first %s", again.Body, published.Body)
			}
			// It replaces a publication that was canceled, and so does the call that is repeated.
			taken := a.succeeds(t, "create_draft", object{"text": "Taken back, in " + version}).Text(t, "id")
			slot["postId"], now["postId"] = taken, taken
			a.succeeds(t, "schedule_post", slot)
			a.succeeds(t, "move_to_draft", object{"postId": taken})
			published = a.succeeds(t, "publish_now", now)
			if again := a.succeeds(t, "publish_now", now); again.Text(t, "accounts", 0, "publication",
				"permalink") != published.Text(t, "accounts", 0, "publication", "permalink") {
				t.Errorf("after a cancellation, the repeated call says %s, the first %s", again.Body, published.Body)
			}
			a.succeeds(t, "delete_post", object{"postId": taken})
			a.succeeds(t, "delete_post", object{"postId": post})
			if again := a.succeeds(t, "create_draft", draft).Text(t, "id"); again == post {
				t.Error("a deleted draft was handed out again")
			}
		}
		if got := servertest.Texts(e.box.Timeline(t, c.Accounts[0])); len(got) != 4 {
			t.Errorf("the timeline shows %q", got)
		}
	})
}

// stage is a crew with objects for every tool.
type stage struct {
	servertest.Crew
	post, publication, slot string
	failed, unknown         string // other publications, in these states
}

// stageWords are in the post of a stage, for callers that may read it.
const stageWords = "Somebody's words"

func (e *engine) newStage(t *testing.T) stage {
	t.Helper()
	s := stage{Crew: e.NewCrew(t, 100_000, "x", "linkedin")}
	s.post = e.NewPost(t, s.Crew, stageWords)
	s.slot = e.Call(t, s.Crew, "POST", "scheduling-slots", object{"hour": 8, "minute": 15}).Want(t,
		http.StatusCreated).Text(t, "id")
	s.publication = e.Call(t, s.Crew, "POST", "posts/"+s.post+"/schedule",
		object{"socialAccountIds": s.IDs()[:1], "useNextSlot": true}).
		Want(t, http.StatusOK).Text(t, "data", 0, "scheduledPost", "id")
	for id, status := range map[*string]crier.ScheduledPostStatus{&s.failed: crier.Failed, &s.unknown: crier.Unknown} {
		other := e.NewPost(t, s.Crew, "In trouble")
		*id = e.Call(t, s.Crew, "POST", "posts/"+other+"/schedule",
			object{"socialAccountIds": s.IDs()[1:2], "useNextSlot": true}).
			Want(t, http.StatusOK).Text(t, "data", 0, "scheduledPost", "id")
		e.SetStatus(t, *id, status)
	}
	return s
}

// toolCall is a call of a tool, and the permission that it needs; none means that every caller may.
type toolCall struct {
	needs crier.Permission
	in    object
}

// reads reports whether the tool changes nothing.
func (c toolCall) reads() bool { return c.needs == "" || crier.RoleViewer.Can(c.needs) }

// toolCalls are calls of all tools with the objects of a stage.
func toolCalls(s stage) map[string]toolCall {
	in := func(more object) object {
		more["teamId"] = s.Team
		return more
	}
	on := func(id string, more object) object {
		more["postId"] = id
		return in(more)
	}
	at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	return map[string]toolCall{
		"get_context":   {"", object{}},
		"get_analytics": {crier.ReadAnalytics, in(object{})},
		"get_credits":   {crier.Read, object{"organizationId": s.Organization}},
		"list_posts":    {crier.Read, in(object{"search": "words"})},
		"get_post":      {crier.Read, on(s.post, object{})},
		"create_draft":  {crier.WritePosts, in(object{"text": "x"})},
		"update_draft":  {crier.WritePosts, on(s.post, object{"text": "y", "confirm": true})},
		"move_to_draft": {crier.WritePosts, on(s.post, object{"confirm": true})},
		"delete_post":   {crier.DeletePosts, on(s.post, object{"confirm": true})},
		"validate_post": {crier.Read, on(s.post, object{"socialAccountIds": s.IDs(), "scheduledAt": at})},
		"schedule_post": {crier.PublishPosts, on(s.post,
			object{"socialAccountIds": s.IDs(), "scheduledAt": at, "confirm": true})},
		"publish_now": {crier.PublishPosts, on(s.post,
			object{"socialAccountIds": s.IDs(), "allowRepublish": true, "confirm": true})},
		"post_metrics":    {crier.ReadAnalytics, on(s.post, object{})},
		"list_slots":      {crier.Read, in(object{})},
		"next_slots":      {crier.Read, in(object{"count": 2})},
		"create_slot":     {crier.ManageSlots, in(object{"hour": 3, "minute": 4, "confirm": true})},
		"delete_slot":     {crier.ManageSlots, in(object{"slotId": s.slot, "confirm": true})},
		"list_accounts":   {crier.Read, in(object{})},
		"get_account":     {crier.Read, in(object{"socialAccountId": s.Accounts[0].ID})},
		"connect_account": {crier.ManageSocialAccounts, in(object{"provider": "x"})},
		"list_assets":     {crier.Read, in(object{})},
		"import_asset":    {crier.ManageMedia, in(object{"url": "http://127.0.0.1/"})},
		"upload_asset":    {crier.ManageMedia, in(object{"fileName": "picture.png"})},
		"list_attempts":   {crier.Read, in(object{"scheduledPostId": s.publication})},
		"retry":           {crier.PublishPosts, in(object{"scheduledPostId": s.failed, "confirm": true})},
		"resolve": {crier.PublishPosts,
			in(object{"scheduledPostId": s.unknown, "outcome": "failed", "confirm": true})},
		"get_calendar": {crier.Read, in(object{"from": "2026-11-01T00:00:00Z", "to": "2026-11-30T00:00:00Z"})},
	}
}

func TestToolsFollowPermissions(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		stranger := e.NewTenant(t, "Stranger")
		for name, way := range transports {
			t.Run(name, func(t *testing.T) {
				s := e.newStage(t)
				key := func(body object) string {
					body["name"] = "Walker"
					return e.As(t, s.Key, "POST",
						servertest.Path("/v1/organizations/%s/api-keys", s.Organization), body).
						Want(t, http.StatusCreated).Text(t, "secret")
				}
				other := e.As(t, s.Key, "POST", "/v1/teams",
					object{"organizationId": s.Organization, "name": "Other"}).Want(t, http.StatusCreated).Text(t, "id")
				narrow := []crier.Permission{crier.Read, crier.WritePosts}
				e.walkTools(t, way, s, stranger.Key, func(toolCall) bool { return false })
				e.walkTools(t, way, s, key(object{"role": "owner", "teamIds": []string{other}}),
					func(c toolCall) bool { return c.in["organizationId"] != nil })
				e.walkTools(t, way, s, key(object{"role": "viewer"}), toolCall.reads)
				if got := e.Call(t, s.Crew, "GET", "posts/"+s.post, nil).Want(t, http.StatusOK); got.Text(t,
					"text") != stageWords {
					t.Errorf("the post was changed: %s", got.Body)
				}
				e.walkTools(t, way, s, key(object{"role": "owner", "permissions": narrow}),
					func(c toolCall) bool { return slices.Contains(narrow, c.needs) })
				e.walkTools(t, way, s, key(object{"role": "editor"}),
					func(c toolCall) bool { return crier.RoleEditor.Can(c.needs) })
			})
		}
	})
}

// walkTools calls every tool and expects the results that a key may have: what it may not do is forbidden and reveals
// nothing, what it may do is not rejected. Tools that read must succeed as long as the key cannot have changed what
// they read.
func (e *engine) walkTools(t *testing.T, way transport, s stage, key string, may func(toolCall) bool) {
	t.Helper()
	a := connect(t, way(t, e.Server, key), nil, "")
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
		got := a.confirmed(t, tool.Name, call.in)
		forbidden := got.failed && got.Text(t, "kind") == "Forbidden"
		switch allowed := call.needs == "" || may(call); {
		case allowed && (forbidden || got.failed && !changes):
			t.Errorf("%s: %s", tool.Name, got.words)
		case !allowed && !forbidden:
			t.Errorf("%s was not forbidden: %s", tool.Name, got.Body)
		case !allowed && strings.Contains(string(got.Body), stageWords):
			t.Errorf("%s tells what it must not: %s", tool.Name, got.Body)
		}
	}
}

func TestEveryToolIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	eachEngine(t, func(t *testing.T, e *engine) {
		a := connect(t, overHTTP(t, e.Server, e.NewCrew(t, 100_000).Key), nil, "")
		list, err := a.ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if !strings.Contains(string(page), "`"+tool.Name+"`") {
				t.Errorf("docs/mcp.md does not list %s", tool.Name)
			}
		}
	})
}

func TestToolAnnotations(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 100_000, "x")
		a := connect(t, overHTTP(t, e.Server, c.Key), nil, "")
		list, err := a.ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		additive := []string{"create_draft", "connect_account", "import_asset", "upload_asset"}
		calls := toolCalls(stage{Crew: c})
		for _, tool := range list.Tools {
			hints := tool.Annotations
			if hints == nil || hints.DestructiveHint == nil || hints.OpenWorldHint == nil || hints.Title == "" ||
				tool.Description == "" {
				t.Errorf("%s lacks hints or words", tool.Name)
				continue
			}
			if hints.ReadOnlyHint != calls[tool.Name].reads() {
				t.Errorf("%s: read-only is %t, and a viewer may use it: %t", tool.Name, hints.ReadOnlyHint,
					calls[tool.Name].reads())
			}
			if want := !hints.ReadOnlyHint && !slices.Contains(additive, tool.Name); *hints.DestructiveHint != want {
				t.Errorf("%s: destructive is %t, want %t", tool.Name, *hints.DestructiveHint, want)
			}
			schema, _ := tool.InputSchema.(map[string]any)
			wantSingleTypes(t, tool.Name, schema)
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

// wantSingleTypes fails for a schema with a list of types, which some clients cannot map to their model's format.
func wantSingleTypes(t *testing.T, path string, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		if several, ok := v["type"].([]any); ok {
			t.Errorf("%s has the types %v", path, several)
		}
		for name, inner := range v {
			wantSingleTypes(t, path+"."+name, inner)
		}
	case []any:
		for i, inner := range v {
			wantSingleTypes(t, fmt.Sprintf("%s.%d", path, i), inner)
		}
	}
}

func TestPostsAndTheCalendarAreResources(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		post := e.NewPost(t, c, "A resource")
		at := time.Now().Add(48 * time.Hour).UTC()
		e.Call(t, c, "POST", "posts/"+post+"/schedule",
			object{"socialAccountIds": c.IDs(), "scheduledAt": at.Format(time.RFC3339)}).Want(t, http.StatusOK)
		a := connect(t, way(t, e.Server, c.Key), nil, "")
		window := at.Format(time.DateOnly) + "/" + at.Add(24*time.Hour).Format(time.DateOnly)
		for _, uri := range []string{"crier://posts/" + post, "crier://calendar/" + window} {
			got, err := a.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				t.Fatalf("%s: %v", uri, err)
			}
			if !strings.Contains(got.Contents[0].Text, "A resource") {
				t.Errorf("%s is %s", uri, got.Contents[0].Text)
			}
			if got.CacheScope == "public" {
				t.Errorf("%s may be kept for everybody", uri)
			}
		}
		stranger := connect(t, way(t, e.Server, e.NewTenant(t, "Stranger").Key), nil, "")
		for _, uri := range []string{"crier://posts/" + post, "crier://posts/" + servertest.UnknownID,
			"crier://posts/x", "crier://calendar/yesterday/today"} {
			if got, err := stranger.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri}); err == nil {
				t.Errorf("a stranger reads %s: %s", uri, got.Contents[0].Text)
			}
		}
	})
}

func TestEndpointNeedsATokenAndKeepsSessionsApart(t *testing.T) {
	t.Parallel()
	servertest.EachShared(t, func(t *testing.T, s *servertest.Server) {
		other := s.NewTenant(t, "Other")
		hello := object{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": object{
			"protocolVersion": "2025-11-25", "capabilities": object{},
			"clientInfo": object{"name": "test", "version": "1"},
		}}
		post := func(key, session string) *http.Response {
			data, err := json.Marshal(hello)
			if err != nil {
				t.Fatal(err)
			}
			r, err := http.NewRequest(http.MethodPost, s.URL+"/mcp", strings.NewReader(string(data)))
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
			got, err := s.Client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, got.Body); err != nil {
				t.Fatal(err)
			}
			got.Body.Close()
			return got
		}
		for _, key := range []string{"", "garbage", s.Key + "0"} {
			if got := post(key, ""); got.StatusCode != http.StatusUnauthorized ||
				got.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("the token %q is answered with %d", key, got.StatusCode)
			}
		}
		session := post(s.Key, "").Header.Get("Mcp-Session-Id")
		if session == "" {
			t.Fatal("there is no session")
		}
		if got := post(other.Key, session); got.StatusCode != http.StatusForbidden {
			t.Errorf("another person speaks in the session: %d", got.StatusCode)
		}
	})
}
