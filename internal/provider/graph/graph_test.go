package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// answering returns a client for a server that always sends the same response.
func answering(t *testing.T, status int, header map[string]string, body string, rules ...Rule) Client {
	t.Helper()
	return NewClient(ClientConfig{Caller: providertest.NewCaller(providertest.NewClock()),
		BaseURL: providertest.NewAnswering(t, status, header, body), Rules: rules})
}

func problem(code, subcode int, rest string) string {
	return fmt.Sprintf(`{"error":{"message":"m","type":"OAuthException","code":%d,"error_subcode":%d%s}}`, code,
		subcode, rest)
}

func TestErrorsAreClassifiedByBody(t *testing.T) {
	t.Parallel()
	const business = "X-Business-Use-Case-Usage"
	for _, tc := range []struct {
		name      string
		status    int
		header    map[string]string
		body      string
		publishes bool
		kind      provider.Kind
		code      provider.Code
		scope     provider.Scope
		retry     time.Duration
	}{
		{"expired token", 400, nil, problem(190, 463, ""), false, provider.AuthExpired, provider.CodeAuthExpired,
			provider.ScopeAccount, 0},
		{"checkpointed user", 400, nil, problem(190, 459, ""), false, provider.AuthExpired, provider.CodeAuthExpired,
			provider.ScopeAccount, 0},
		{"session", 400, nil, problem(102, 0, ""), false, provider.AuthExpired, provider.CodeAuthExpired,
			provider.ScopeAccount, 0},
		{"unauthorized without a body", 401, nil, "", false, provider.AuthExpired, provider.CodeAuthExpired,
			provider.ScopeAccount, 0},
		{"permission", 403, nil, problem(10, 0, ""), false, provider.AuthExpired, provider.CodePermissionMissing,
			provider.ScopeAccount, 0},
		{"permission of a family", 403, nil, problem(230, 0, ""), false, provider.AuthExpired,
			provider.CodePermissionMissing, provider.ScopeAccount, 0},
		{"app limit", 403, nil, problem(4, 0, ""), true, provider.RateLimited, provider.CodeRateLimited,
			provider.ScopeInstallation, RatePause},
		{"page limit with a time", 400,
			map[string]string{business: `{"1":[{"type":"pages","estimated_time_to_regain_access":19}]}`},
			problem(80001, 0, ""), true,
			provider.RateLimited, provider.CodeRateLimited, provider.ScopeAccount, 19 * time.Minute},
		{"limit by status", 429, nil, "slow down", true, provider.RateLimited, provider.CodeRateLimited,
			provider.ScopeAccount, RatePause},
		{"a limit that is transient", 400, nil, problem(613, 0, `,"is_transient":true`), true, provider.RateLimited,
			provider.CodeRateLimited, provider.ScopeAccount, RatePause},
		{"blocked", 400, nil, problem(368, 1390008, ""), true, provider.Temporary, provider.CodeAccountRestricted,
			provider.ScopeAccount, BlockedPause},
		{"duplicate", 400, nil, problem(506, 1455006, ""), true, provider.Rejected, provider.CodeDuplicateContent,
			provider.ScopePost, 0},
		{"server error of a reading", 500, nil, problem(2, 0, ""), false, provider.Temporary,
			provider.CodeProviderUnavailable, provider.ScopePost, 0},
		{"server error of a publication", 500, nil, problem(2, 0, ""), true, provider.OutcomeUnknown,
			provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"server error with a status of the caller's", 400, nil, problem(1, 0, ""), true, provider.OutcomeUnknown,
			provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"transient", 400, nil, problem(9999, 0, `,"is_transient":true`), true, provider.OutcomeUnknown,
			provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"HTML", 502, nil, "<html>", true, provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost, 0},
		{"redirect", 302, nil, "", false, provider.Temporary, provider.CodeProviderUnavailable, provider.ScopePost, 0},
		{"parameter", 400, nil, problem(100, 0, ""), true, provider.Rejected, provider.CodeContentRejected,
			provider.ScopePost, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			client := answering(t, tc.status, tc.header, tc.body)
			_, err := client.Send(context.Background(), "token-1",
				provider.Request{Method: http.MethodPost, URL: "/x", Publishes: tc.publishes})
			failure := provider.AsError(err)
			if failure == nil || failure.Kind != tc.kind || failure.Code != tc.code || failure.Scope != tc.scope ||
				failure.RetryAfter != tc.retry {
				t.Errorf("failure %+v; want %s, %s, scope %q, retry %v", failure, tc.kind, tc.code, tc.scope, tc.retry)
			}
		})
	}
}

func TestNetworkSpecificRulesComeFirst(t *testing.T) {
	t.Parallel()
	own := Rule{Subcode: 2207051, Kind: provider.Rejected, As: provider.CodeAccountRestricted, Mark: ErrMissing}
	client := answering(t, 400, nil, problem(4, 2207051, ""), own)
	_, err := client.Send(context.Background(), "token-1", provider.Request{Method: http.MethodGet, URL: "/x"})
	if failure := provider.AsError(err); failure.Kind != provider.Rejected || !IsMissing(failure) {
		t.Errorf("failure %+v; want the network's own kind and error", failure)
	}
}

func tokensOf(c Client) provider.OAuth2 {
	return NewTokens("Test", c.Caller, providertest.NewClock().Now, provider.Credentials{})
}

func TestWrongAppSecretIsTheOperatorsProblem(t *testing.T) {
	t.Parallel()
	for body, scope := range map[string]provider.Scope{
		`{"error":{"message":"Error validating client secret.","type":"OAuthException","code":1}}`:                              provider.ScopeInstallation,
		`{"error_type":"OAuthException","code":400,"error_message":"Matching code was not found or was already used"}`:          provider.ScopeAccount,
		`{"error":{"message":"Error validating access token: expired","type":"OAuthException","code":190,"error_subcode":463}}`: provider.ScopeAccount,
	} {
		client := answering(t, 400, nil, body)
		_, err := FetchToken(context.Background(), tokensOf(client),
			TokenRequest{Method: http.MethodGet, URL: client.BaseURL})
		if failure := provider.AsError(err); failure.Scope != scope ||
			(scope == provider.ScopeAccount) != (failure.Kind == provider.AuthExpired) {
			t.Errorf("%s: failure %+v, want scope %q", body, failure, scope)
		}
	}
}

func TestTokenResponseShapes(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"data":[{"access_token":"t","user_id":"1","permissions":"a,b"}]}`,
		`{"access_token":"t","user_id":17841400000000000,"permissions":["a","b"]}`,
	} {
		client := answering(t, 200, nil, body)
		token, err := FetchToken(context.Background(), tokensOf(client),
			TokenRequest{Method: http.MethodPost, URL: client.BaseURL})
		if err != nil || token.Access != "t" || strings.Join(token.Scopes, " ") != "a b" || !token.ExpiresAt.IsZero() {
			t.Errorf("%s: token %+v, %v", body, token, err)
		}
	}
}

func TestParseIDsAndTimes(t *testing.T) {
	t.Parallel()
	var v struct {
		Text, Number, None ID
		At, RFC, Unix      Time
	}
	err := json.Unmarshal([]byte(`{"Text":"12","Number":17841405793187218,"None":null,"At":"2026-11-15T13:00:00+0100","RFC":"2026-11-15T12:00:00Z","Unix":"1794744000"}`), &v)
	want := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	if err != nil || v.Text != "12" || v.Number != "17841405793187218" || v.None != "" || !v.At.Equal(want) ||
		!v.RFC.Equal(want) || !v.Unix.Equal(want) {
		t.Errorf("read %+v, %v", v, err)
	}
	if json.Unmarshal([]byte(`"yesterday"`), &v.At) == nil {
		t.Error("a time in no known form was read")
	}
}

func TestInsightsAreSummed(t *testing.T) {
	t.Parallel()
	var insights Insights
	err := json.Unmarshal([]byte(`{"data":[{"name":"views","values":[{"value":1},{"value":2}]},{"name":"reactions","values":[{"value":{"like":3,"love":4}}]},
		{"name":"likes","total_value":{"value":5}},{"name":"empty","values":[]}]}`), &insights)
	n := insights.Numbers()
	if err != nil || n["views"] != 3 || n["reactions"] != 7 || *n.Get("likes") != 5 || n.Get("empty") != nil {
		t.Errorf("insights %v, %v", n, err)
	}
}

func TestAppSecretProofFollowsTheToken(t *testing.T) {
	t.Parallel()
	const want = "https://g.test/me?fields=id&appsecret_proof=646b8eac0c4ae4178299c9bd924e2bf073dfb07e024901a8c864f65b9462bf0d"
	got := prove("https://g.test/me?fields=id", "key", "token")
	if got != want {
		t.Errorf("address %q, want %q", got, want)
	}
	if got == prove("https://g.test/me?fields=id", "key", "other") {
		t.Error("two tokens have the same proof")
	}
}

// containers returns the containers of a network, all of which have the same status.
func containers(clock *providertest.Clock, status *string) Containers {
	created := 0
	return Containers{
		Network: "Test", Now: clock.Now, Patience: time.Hour, RefusalPause: 5 * time.Second,
		Create: func(context.Context, provider.Account, provider.Content, provider.State, int) (string, error) {
			created++
			return fmt.Sprintf("container-%d", created), nil
		},
		Read: func(context.Context, provider.Account, string) (ContainerStatus, error) {
			return ContainerStatus{Word: *status}, nil
		},
		Explain: func(ContainerStatus) *provider.Error {
			return &provider.Error{Kind: provider.Temporary, Code: provider.CodeMediaRejected, Err: ErrTryAnew}
		},
	}
}

var onePart = provider.Content{Parts: []provider.Part{{Text: "x"}}}

// ready prepares until the next part can be published.
func ready(t *testing.T, k Containers, st *provider.State, clock *providertest.Clock) {
	t.Helper()
	for range 20 {
		done, err := k.Prepare(context.Background(), provider.Account{}, onePart, st)
		if err != nil {
			t.Fatalf("Prepare: %v", err)
		}
		if done {
			return
		}
		clock.Advance(time.Minute)
	}
	t.Fatal("the container is never ready")
}

func refusal(mark error) *provider.Error {
	return &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected, Err: mark}
}

func TestRejectedContainerIsRetriedRecreatedThenFailed(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	var st provider.State
	for container := 1; container <= 1+maxRedone; container++ {
		ready(t, k, &st, clock)
		if want := fmt.Sprintf("container-%d", container); st.ContainerID != want {
			t.Fatalf("container %q, want %q", st.ContainerID, want)
		}
		for try := 1; try <= maxRefusals; try++ {
			failure := k.Refused(&st, refusal(ErrUnknownContainer))
			last := container == 1+maxRedone && try == maxRefusals
			if want := map[bool]provider.Kind{true: provider.Rejected,
				false: provider.Temporary}[last]; failure.Kind != want {
				t.Fatalf("refusal %d of container %d is %s, want %s", try, container, failure.Kind, want)
			}
		}
	}
}

func TestRejectionAfterALostAttemptIsReconciled(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	var st provider.State
	ready(t, k, &st, clock)
	at := provider.Attempt{StartedAt: clock.Now()}
	if outcome, err := k.Outcome(context.Background(), provider.Account{}, &st, at); err != nil ||
		outcome != provider.OutcomeAbsent {
		t.Fatalf("Outcome = %q, %v; want absent", outcome, err)
	}
	if failure := k.Refused(&st, refusal(ErrUnknownContainer)); failure.Kind != provider.OutcomeUnknown {
		t.Errorf("refusal is %s, want an unknown outcome: the earlier attempt may have worked", failure.Kind)
	}
	status = Published
	if outcome, err := k.Outcome(context.Background(), provider.Account{}, &st, at); err != nil ||
		outcome != provider.OutcomePending || !NeedsListing(st) {
		t.Errorf("Outcome = %q, %v; want the post searched for", outcome, err)
	}
}

func TestAnyRejectionAfterALostAttemptIsReconciledForAWhile(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	st := provider.State{}
	Suspect(&st, clock.Now())
	kinds := map[provider.Kind]int{}
	for range 20 {
		ready(t, k, &st, clock)
		failure := k.Refused(&st, refusal(errors.New("published already")))
		kinds[failure.Kind]++
		if failure.Kind == provider.Rejected {
			break
		}
		if outcome, err := k.Outcome(context.Background(), provider.Account{}, &st,
			provider.Attempt{StartedAt: clock.Now()}); err != nil || outcome != provider.OutcomeAbsent {
			t.Fatalf("Outcome = %q, %v; want absent", outcome, err)
		}
	}
	if kinds[provider.Rejected] != 1 || kinds[provider.OutcomeUnknown] != maxRefusals*maxRedone {
		t.Errorf("refusals became %v; want them reconciled first, then rejected", kinds)
	}
}

func TestPostWithoutAnIDIsPublished(t *testing.T) {
	t.Parallel()
	now := providertest.NewClock().Now()
	for note, want := range map[string]provider.Outcome{notePublished: provider.OutcomePublished,
		noteUntold: provider.OutcomeUnclear} {
		st := provider.State{Data: map[string]string{note: "true"}}
		for range maxListings - 1 {
			if outcome := Unlisted(&st, now); outcome != provider.OutcomePending {
				t.Fatalf("%s: outcome %q, want it pending", note, outcome)
			}
		}
		if outcome := Unlisted(&st, now); outcome != want {
			t.Errorf("%s: outcome %q, want %q", note, outcome, want)
		}
	}
}

func TestOtherRejectionsReturnToPreparing(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	for mark, step := range map[error]string{ErrNotReady: stepProcessing, ErrExpired: stepNew} {
		var st provider.State
		ready(t, k, &st, clock)
		failure := k.Refused(&st, refusal(mark))
		if failure.Kind != provider.Temporary || st.Upload(0, Whole).Step != step || st.Ready {
			t.Errorf("%v: failure %+v, state %+v; want step %q", mark, failure, st, step)
		}
		if _, err := Publishable(st); err == nil {
			t.Errorf("%v: the container can still be published", mark)
		}
	}
	var st provider.State
	rejected := refusal(errors.New("other"))
	if got := k.Refused(&st, rejected); got.Kind != provider.Rejected {
		t.Errorf("kind of another refusal: %s", got.Kind)
	}
}

func TestLongProcessingIsReportedAndKeepsTheContainer(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), InProgress
	k := containers(clock, &status)
	k.Patience = 10 * time.Minute
	var st provider.State
	var err error
	for range 30 {
		if _, err = k.Prepare(context.Background(), provider.Account{}, onePart, &st); err != nil {
			break
		}
		clock.Advance(time.Minute)
	}
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
		st.ContainerID != "container-1" {
		t.Errorf("failure %v, container %q; want the first container kept", err, st.ContainerID)
	}
}

// TestObjectsThatCannotBeDeletedAreNotGone: Meta answers in the same way to objects that do not exist, that the token
// may not delete, and that nobody can delete, such as stories.
func TestObjectsThatCannotBeDeletedAreNotGone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		status int
		read   string
		want   provider.Deletion
		kind   provider.Kind
		code   provider.Code
	}{
		{"gone", 400, problem(100, 33, ""), provider.AlreadyGone, "", ""},
		{"still there", 200, `{"id":"7"}`, "", provider.Rejected, provider.CodePermissionMissing},
		{"not readable", 403, problem(10, 0, ""), "", provider.AuthExpired, provider.CodePermissionMissing},
		{"outage", 503, "", "", provider.Temporary, provider.CodeProviderUnavailable},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, problem(100, 33, ""))
				return
			}
			if r.URL.String() != "/7?fields=id" {
				t.Errorf("%s: %s", tc.name, r.URL)
			}
			w.WriteHeader(tc.status)
			fmt.Fprint(w, tc.read)
		}))
		t.Cleanup(server.Close)
		client := NewClient(ClientConfig{Caller: providertest.NewCaller(providertest.NewClock()), BaseURL: server.URL})
		got, err := client.Delete(context.Background(), "t", "/7")
		failure := provider.AsError(err)
		if got != tc.want || (failure == nil) != (tc.kind == "") ||
			failure != nil && (failure.Kind != tc.kind || failure.Code != tc.code) {
			t.Errorf("%s: Delete = %q, %v; want %q, %s %s", tc.name, got, err, tc.want, tc.kind, tc.code)
		}
	}
}
