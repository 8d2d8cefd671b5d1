package provider_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

func TestScopeNamesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	got := provider.ScopeNames([]provider.Grant{{Scope: "write", Required: true}, {Scope: "read"}})
	if !slices.Equal(got, []string{"write", "read"}) {
		t.Errorf("names %v", got)
	}
	if got := provider.ScopeNames(nil); got == nil || len(got) != 0 {
		t.Errorf("names of no grants: %#v", got)
	}
	for text, want := range map[string][]string{"": nil, "a": {"a"}, "a b": {"a", "b"}, "a,b": {"a", "b"},
		"a, b,,c ": {"a", "b", "c"}, " ": nil, "https://a.test/x.y z": {"https://a.test/x.y", "z"}} {
		if got := provider.SplitScopes(text); !slices.Equal(got, want) {
			t.Errorf("scopes of %q: %q, want %q", text, got, want)
		}
	}
}

func TestOAuth2ExchangeFollowsRFC6749(t *testing.T) {
	t.Parallel()
	for _, pkce := range []bool{false, true} {
		server := newFixed(t, http.StatusOK, `{"access_token":"a"}`)
		oauth2 := newOAuth2(server)
		oauth2.PKCE = pkce
		_, err := oauth2.Exchange(context.Background(), provider.CodeExchange{Code: "c+d", RedirectURL: "https://crier.test/cb",
			Verifier: "verifier"})
		want := url.Values{"grant_type": {"authorization_code"}, "code": {"c+d"}, "redirect_uri": {"https://crier.test/cb"},
			"client_id": {"client"}, "client_secret": {"secret"}}
		if pkce {
			want.Set("code_verifier", "verifier")
		}
		if got := url.Values(server.form); err != nil || got.Encode() != want.Encode() ||
			server.last.URL.Path != "/token" {
			t.Errorf("PKCE %t: sent %v to %s, %v; want %v", pkce, got, server.last.URL, err, want)
		}
		if got := server.last.Header.Get("Content-Type"); got != "application/x-www-form-urlencoded" {
			t.Errorf("content type %s", got)
		}
	}
}

func TestOAuth2RefreshSendsTheRefreshToken(t *testing.T) {
	t.Parallel()
	server := newFixed(t, http.StatusOK, `{"access_token":"new","refresh_token":"next","expires_in":60,"scope":"two",`+
		`"refresh_token_expires_in":120}`)
	oauth2 := newOAuth2(server)
	now := providertest.NewClock().Now()
	got, err := oauth2.Refresh(context.Background(), provider.Token{Access: "old", Refresh: "r",
		Scopes: []string{"one"}, RefreshExpiresAt: now})
	if err != nil || got.Access != "new" || got.Refresh != "next" || !slices.Equal(got.Scopes, []string{"two"}) ||
		!got.ExpiresAt.Equal(now.Add(time.Minute)) || !got.RefreshExpiresAt.Equal(now.Add(2*time.Minute)) {
		t.Errorf("token %+v, %v", got, err)
	}
	if form := url.Values(server.form); form.Get("grant_type") != "refresh_token" || form.Get("refresh_token") != "r" {
		t.Errorf("sent %v", form)
	}
	oauth2.NoRefreshToken = "connect again"
	_, err = oauth2.Refresh(context.Background(), provider.Token{Access: "old"})
	if failure := provider.AsError(err); failure == nil || failure.Message != "connect again" ||
		failure.Scope != provider.ScopeAccount || failure.Code != provider.CodeAuthExpired {
		t.Errorf("without a refresh token: %+v", failure)
	}
}

// TestOAuth2RefreshFailsNoPost: whatever the token endpoint refuses, it is not the content of the post that needs the
// token.
func TestOAuth2RefreshFailsNoPost(t *testing.T) {
	t.Parallel()
	oauth2 := newOAuth2(newFixed(t, http.StatusBadRequest, `{"errors":[{"message":"odd"}]}`))
	oauth2.Classify = func(answer *provider.Response) *provider.Error {
		return answer.Fail(provider.Rejected, provider.CodeContentRejected, "odd", nil)
	}
	_, err := oauth2.Refresh(context.Background(), provider.Token{Refresh: "r"})
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary {
		t.Errorf("%v, want a temporary error", err)
	}
}

// TestOAuth2TokenExpiry: an expiry beyond the clock's range means none; otherwise it would overflow into the past,
// and the token would be refreshed again and again.
func TestOAuth2TokenExpiry(t *testing.T) {
	t.Parallel()
	now := providertest.NewClock().Now()
	for text, want := range map[string]time.Time{
		`5184000`: now.Add(60 * 24 * time.Hour), `"60"`: now.Add(time.Minute), `0`: {}, `-5`: {}, `null`: {}, `"soon"`: {},
		`1.5`: {}, `{}`: {}, `99999999999`: {}, `9223372036854775807`: {}, `99999999999999999999`: {},
	} {
		token, err := newOAuth2(newFixed(t, http.StatusOK, `{"access_token":"a","expires_in":`+text+`}`)).Exchange(
			context.Background(), provider.CodeExchange{})
		if err != nil || !token.ExpiresAt.Equal(want) {
			t.Errorf("%s: token expires %v, %v; want %v", text, token.ExpiresAt, err, want)
		}
	}
}

// TestOAuth2RevokeOfAnInvalidTokenSucceeds: a token that the network no longer knows counts as revoked.
func TestOAuth2RevokeOfAnInvalidTokenSucceeds(t *testing.T) {
	t.Parallel()
	classify := func(answer *provider.Response) *provider.Error {
		if strings.Contains(string(answer.Body), "invalid_token") {
			return answer.Fail(provider.AuthExpired, provider.CodeAuthExpired, "", nil)
		}
		return answer.Unavailable("busy")
	}
	for _, tc := range []struct {
		status int
		body   string
		good   bool
	}{
		{http.StatusOK, "", true}, {http.StatusNoContent, "", true}, {http.StatusBadRequest, "invalid_token", true},
		{http.StatusServiceUnavailable, "", false}, {http.StatusFound, "", false},
	} {
		server := newFixed(t, tc.status, tc.body)
		oauth2 := newOAuth2(server)
		oauth2.Classify = classify
		form := url.Values{"token_type_hint": {"access_token"}}
		err := oauth2.Revoke(context.Background(), form, "token-1")
		if (err == nil) != tc.good {
			t.Errorf("%d %s: %v", tc.status, tc.body, err)
		}
		if sent := url.Values(server.form); sent.Get("token") != "token-1" ||
			sent.Get("token_type_hint") != "access_token" || server.last.URL.Path != "/revoke" {
			t.Errorf("sent %v to %s", sent, server.last.URL)
		}
		if len(form) != 1 {
			t.Errorf("the caller's form was changed to %v", form)
		}
	}
}
