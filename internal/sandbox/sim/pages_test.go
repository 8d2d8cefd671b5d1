package sim_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

func TestTimelinesEscapeText(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"<script>alert(1)</script> & \"quotes\""}`)
	id := b.posts()[0].PlatformPostID
	for _, path := range []string{"/", "/toy", "/toy/", "/toy/p/" + id} {
		page := b.must(http.StatusOK, "GET", path, "")
		if strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;") {
			t.Errorf("%s does not escape the post: %s", path, page)
		}
		if !strings.Contains(page, "simulator") {
			t.Errorf("%s does not say that it is a sandbox", path)
		}
	}
}

func TestRepliesAreUnderTheirParents(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"root one"}`)
	root := b.posts()[0].PlatformPostID
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"root two"}`)
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"part two","parent":"`+root+`"}`)
	part := b.posts()[2].PlatformPostID
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"part three","parent":"`+part+`"}`)
	page := b.must(http.StatusOK, "GET", "/toy", "")
	last := -1
	for _, text := range []string{"root two", "root one", "part two", "part three"} {
		at := strings.Index(page, text)
		if at <= last {
			t.Errorf("%q is in the wrong place", text)
		}
		last = at
	}
}

func TestPagesLoadNoExternalResources(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	resp, err := http.Get(b.url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("policy is %q", policy)
	}
}

// consent submits the consent page as a person does, and returns the redirect.
func (b *harness) consent(form url.Values) (int, *url.URL) {
	b.t.Helper()
	address := b.url + "/toy/authorize?" + url.Values{"client_id": {"app"},
		"redirect_uri": {"https://app.example/cb?keep=1"}, "state": {"s 1"}}.Encode()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.PostForm(address, form)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		return resp.StatusCode, nil
	}
	return resp.StatusCode, to
}

func TestConsentPageRedirectsToTheApp(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	page := b.must(http.StatusOK, "GET",
		"/toy/authorize?client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=%3Cb%3E", "")
	if !strings.Contains(page, "Allow") || !strings.Contains(page, "Deny") || strings.Contains(page, "<b>") {
		t.Errorf("consent page: %s", page)
	}
	for _, words := range []string{"Connect an account of Toy?", "<strong>app</strong>",
		"<strong>app.example</strong>"} {
		if !strings.Contains(page, words) {
			t.Errorf("the consent page does not say %q: %s", words, page)
		}
	}
	status, to := b.consent(url.Values{"decision": {"allow"}, "name": {"carol"}})
	if status != http.StatusSeeOther || to.Query().Get("code") == "" || to.Query().Get("state") != "s 1" ||
		to.Query().Get("keep") != "1" {
		t.Errorf("allowed: %d %v", status, to)
	}
	if status, to = b.consent(url.Values{"decision": {"deny"}}); status != http.StatusSeeOther ||
		to.Query().Get("error") != "access_denied" {
		t.Errorf("denied: %d %v", status, to)
	}
	page = b.must(http.StatusOK, "GET", "/toy/authorize?client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb", "")
	if !strings.Contains(page, "@carol") {
		t.Error("the new account is not offered the next time")
	}
}

func TestConsentRejectsInvalidChoices(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	for name, form := range map[string]url.Values{
		"no decision": {"name": {"carol"}},
		"no account":  {"decision": {"allow"}},
		"bad name":    {"decision": {"allow"}, "name": {"<carol>"}},
	} {
		if status, to := b.consent(form); status != http.StatusBadRequest || to != nil {
			t.Errorf("%s: %d %v", name, status, to)
		}
	}
	b.must(http.StatusBadRequest, "GET", "/toy/authorize?client_id=app&redirect_uri=javascript:alert(1)", "")
}

func TestSeededTokensWorkInAnotherSandbox(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	b := setup(t, sim.Options{Now: func() time.Time { return now }})
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"hello"}`)
	if post := b.posts()[0]; post.AccountID != b.seed.AccountID {
		t.Errorf("posted as %s, want %s", post.AccountID, b.seed.AccountID)
	}
	again, err := toySeed("ada")
	if err != nil || again.AccessToken != b.seed.AccessToken {
		t.Errorf("the same handle gave another token (%v)", err)
	}
	good := b.seed.AccessToken
	b.seed.AccessToken = good[:len(good)-1] + "!"
	b.must(http.StatusUnauthorized, "POST", "/toy/posts", `{"text":"forged"}`)
	b.seed.AccessToken = good
	now = now.Add(time.Hour)
	b.must(http.StatusUnauthorized, "POST", "/toy/posts", `{"text":"too late"}`)
}

func TestUnknownPathsUseTheNetworksErrorFormat(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	for _, call := range [][2]string{{"GET", "/toy/nosuch"}, {"PUT", "/toy/posts"}} {
		if text := b.must(http.StatusNotFound, call[0], call[1], ""); text != `{"toy":"not found"}` {
			t.Errorf("%s %s: %s", call[0], call[1], text)
		}
	}
}

func TestFaultsPage(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	if page := b.must(http.StatusOK, "GET", "/", ""); !strings.Contains(page, `href="/_faults"`) {
		t.Error("the timelines do not link to the faults")
	}
	choose := func(form url.Values, header ...string) (status int, page string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "POST", b.url+"/_faults", strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	refuse := url.Values{"network": {"toy"}, "kind": {"reject"}}
	if status, _ := choose(refuse, "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden {
		t.Errorf("a page of another site gets %d", status)
	}
	if status, page := choose(url.Values{"network": {"toy"}, "kind": {"tired"}}); status != http.StatusBadRequest ||
		!strings.Contains(page, "is not one of") {
		t.Errorf("an unknown kind: %d %s", status, page)
	}
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"before"}`)
	if status, page := choose(refuse); status != http.StatusOK ||
		!strings.Contains(page, "refuses the next post</li>") {
		t.Errorf("the fault is not shown: %d %s", status, page)
	}
	if status, _ := b.do("POST", "/toy/posts", `{"text":"refused"}`); status < http.StatusBadRequest {
		t.Errorf("the next post got %d", status)
	}
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"after"}`)
	choose(refuse)
	if _, page := choose(url.Values{"clear": {"all"}}); strings.Contains(page, "Still to come") {
		t.Errorf("the fault was not removed: %s", page)
	}
}
