package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
)

// Fuzzed is a client to test with invalid responses.
type Fuzzed struct {
	New     func(caller *provider.Caller, clock *Clock) (provider.Provider, error)
	Account provider.Account
	// Content is published by one request on the State Ready.
	Content provider.Content
	Ready   provider.State
	// IDInHeader means that a success may lack an id in its body.
	IDInHeader bool
}

// fixedAnswer responds to every request in the same way.
type fixedAnswer struct {
	status int
	body   string
}

// RoundTrip implements http.RoundTripper.
func (a fixedAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(a.body))}, nil
}

// FuzzAnswers feeds a client mutated responses of its golden files: wrong types, missing ids, HTML pages, errors with a
// status of success, numbers as strings, nothing at all. None may panic, lose an attempt, or count as published what
// the network did not confirm.
func FuzzAnswers(f *testing.F, target Fuzzed) {
	f.Helper()
	for _, answer := range goldenAnswers(f) {
		for _, body := range mutations(answer.body) {
			f.Add(answer.status, body)
		}
		f.Add(http.StatusOK, answer.body)
		f.Add(http.StatusServiceUnavailable, answer.body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		answer := fixedAnswer{status: 200 + (max(status, -status)%400+200)%400, body: body}
		if status >= 200 && status < 600 {
			answer.status = status
		}
		clock := NewClock()
		p, err := target.New(provider.NewCaller(provider.CallerConfig{Version: "test", Transport: answer,
			Now: clock.Now}), clock)
		if err != nil {
			t.Fatal(err)
		}
		checkCommit(t, target, p, answer)
		for name, err := range callEverything(p, target, clock) {
			if failure := (*provider.Error)(nil); err != nil && !errors.As(err, &failure) {
				t.Errorf("%s: %v is not a provider error", name, err)
			}
		}
	})
}

// checkCommit publishes once and checks how the client interprets the response.
func checkCommit(t *testing.T, target Fuzzed, p provider.Provider, answer fixedAnswer) {
	t.Helper()
	st, err := p.Commit(context.Background(), target.Account, target.Content, target.Ready.Clone())
	succeeded := answer.status >= 200 && answer.status < 300
	published := len(st.Published) > len(target.Ready.Published)
	switch {
	case err != nil && published:
		t.Errorf("status %d, body %q: published and failed: %v", answer.status, answer.body, err)
	case published && !succeeded:
		t.Errorf("status %d, body %q: counts as published", answer.status, answer.body)
	case published && !target.IDInHeader && st.PlatformPostID != "" &&
		!says(answer.body, strings.TrimPrefix(st.PlatformPostID, target.Account.ProviderAccountID+"_")):
		t.Errorf("status %d, body %q: published as %q", answer.status, answer.body, st.PlatformPostID)
	case published && !target.IDInHeader && st.PlatformPostID == "" && st.PublishID == "":
		t.Errorf("status %d, body %q: published as nothing", answer.status, answer.body)
	case err == nil:
		return
	}
	failure := (*provider.Error)(nil)
	if err != nil && !errors.As(err, &failure) {
		t.Fatalf("status %d, body %q: %v is not a provider error", answer.status, answer.body, err)
	}
	// A request whose response states no error may have been carried out.
	silent := succeeded || answer.status >= 500
	if failure != nil && silent && !strings.Contains(strings.ToLower(answer.body), "err") &&
		failure.Kind != provider.OutcomeUnknown {
		t.Errorf("status %d, body %q: %s, which would lose the attempt", answer.status, answer.body, failure.Kind)
	}
}

// says reports whether a response contains an id, plain or with escaped characters.
func says(body, id string) bool {
	return strings.Contains(body, id) || strings.Contains(unescape(body), id)
}

// unescape decodes the escape sequences of JSON strings.
func unescape(body string) string {
	return escaped.ReplaceAllStringFunc(body, func(s string) string {
		var text string
		if err := json.Unmarshal([]byte(`"`+s+`"`), &text); err != nil {
			return s
		}
		return text
	})
}

// escaped matches runs of escape sequences: a character may need two.
var escaped = regexp.MustCompile(`(\\(u[0-9a-fA-F]{4}|["\\/bfnrt]))+`)

// callEverything makes all other calls of a client.
func callEverything(p provider.Provider, target Fuzzed, clock *Clock) map[string]error {
	ctx, a, c := context.Background(), target.Account, target.Content
	registry, err := provider.NewRegistry(p)
	if err != nil {
		return map[string]error{"NewRegistry": err}
	}
	f, errs := registry.Features(p), map[string]error{}
	_, errs["Prepare"] = p.Prepare(ctx, a, c, provider.State{})
	st := target.Ready.Clone()
	st.PlatformPostID, st.PublishID = "1", "1"
	_, errs["Poll"] = p.Poll(ctx, a, c, st)
	_, errs["Exchange"] = f.Connector.Exchange(ctx, provider.CodeExchange{Code: "c"})
	_, errs["Accounts"] = f.Connector.Accounts(ctx, a.Token)
	_, errs["Profile"] = f.Profiler.Profile(ctx, a)
	if f.Refresher != nil {
		_, errs["Refresh"] = f.Refresher.Refresh(ctx, a)
	}
	if f.Deleter != nil {
		_, errs["Delete"] = f.Deleter.Delete(ctx, a, "1")
	}
	if f.Meter != nil {
		_, errs["PostMetrics"] = f.Meter.PostMetrics(ctx, a, []string{"1"})
	}
	if f.AccountMeter != nil {
		_, errs["AccountMetrics"] = f.AccountMeter.AccountMetrics(ctx, a, clock.Now().Add(-24*time.Hour), clock.Now())
	}
	if f.Reconciler != nil {
		_, _, errs["Reconcile"] = f.Reconciler.Reconcile(ctx, a, c, target.Ready.Clone(),
			provider.Attempt{StartedAt: clock.Now()})
	}
	if f.Mentioner != nil {
		_, errs["Mentions"] = f.Mentioner.Mentions(ctx, a, "ada")
	}
	if f.Chooser != nil {
		_, errs["Choices"] = f.Chooser.Choices(ctx, a, "", "ada")
	}
	return errs
}

// goldenAnswers returns the responses of all golden files beside the test.
func goldenAnswers(f *testing.F) []fixedAnswer {
	f.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("there are no golden files: %v", err)
	}
	var answers []fixedAnswer
	seen := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(data), betweenExchanges) {
			_, answer, _ := strings.Cut("\n"+part, betweenSides)
			head, body, _ := strings.Cut(answer, "\n\n")
			first, _, _ := strings.Cut(head, "\n")
			status, err := strconv.Atoi(strings.TrimSpace(first))
			if body = strings.TrimSpace(body); err != nil || seen[body] {
				continue
			}
			seen[body] = true
			answers = append(answers, fixedAnswer{status: status, body: body})
		}
	}
	return answers
}

var (
	wireNumbers = regexp.MustCompile(`:(-?\d+)`)
	wireTexts   = regexp.MustCompile(`:"[^"]*"`)
	wireLists   = regexp.MustCompile(`\[[^\[\]]*\]`)
)

// mutations returns invalid variations of a response.
func mutations(body string) []string {
	return []string{
		body,
		"",
		"null",
		"[]",
		`{"data":null}`,
		"<html><body>Bad gateway</body></html>",
		body[:len(body)/2],
		wireNumbers.ReplaceAllString(body, `:"$1"`),
		wireTexts.ReplaceAllString(body, ":7"),
		wireTexts.ReplaceAllString(body, ":null"),
		wireTexts.ReplaceAllString(body, `:{"a":1}`),
		wireLists.ReplaceAllString(body, "{}"),
		wireLists.ReplaceAllString(body, "[null]"),
		strings.ReplaceAll(body, `"id"`, `"di"`),
		`{"error":{"code":"internal_error","message":"no"},"errors":[{"message":"no"}]}`,
	}
}
