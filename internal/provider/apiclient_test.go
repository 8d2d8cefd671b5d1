package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// fixed is a server that always sends the same response and records the last request.
type fixed struct {
	*httptest.Server
	last *http.Request
	form map[string][]string
}

func newFixed(t *testing.T, status int, body string) *fixed {
	t.Helper()
	f := &fixed{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Errorf("parse form: %v", err)
		}
		f.last, f.form = r, r.Form
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(f.Close)
	return f
}

func refuse(response *provider.Response) *provider.Error {
	return response.Fail(provider.Rejected, provider.CodeContentRejected, "no", nil)
}

func TestBaseURLFallsBackToTheUsualOne(t *testing.T) {
	t.Parallel()
	for configured, want := range map[string]string{
		"": "https://api.test", "https://other.test": "https://other.test",
		"https://other.test//": "https://other.test",
	} {
		if got := provider.BaseURL(configured, "https://api.test"); got != want {
			t.Errorf("BaseURL(%q) = %q, want %q", configured, got, want)
		}
	}
}

func TestAPIClientSendsBelowItsBaseWithTheToken(t *testing.T) {
	t.Parallel()
	server := newFixed(t, http.StatusOK, `{"id":"7"}`)
	client := provider.APIClient{
		Caller: providertest.NewCaller(providertest.NewClock()), BaseURL: server.URL + "/v1",
		Failure: provider.FailureOf(refuse),
		Sign:    func(address string, token provider.Secret) string { return address + "?proof=" + token.Reveal() },
	}
	var response struct {
		ID string `json:"id"`
	}
	err := client.Get(context.Background(), "token-1", "/things/7", &response)
	if err != nil || response.ID != "7" || server.last.URL.String() != "/v1/things/7?proof=token-1" ||
		server.last.Header.Get("Authorization") != "Bearer token-1" {
		t.Errorf("response %+v, %v; request %s %v", response, err, server.last.URL, server.last.Header)
	}
}

func TestAPIClientReturnsErrorsOfResponses(t *testing.T) {
	t.Parallel()
	caller := providertest.NewCaller(providertest.NewClock())
	refused := provider.APIClient{Caller: caller, BaseURL: newFixed(t, http.StatusTeapot, "").URL,
		Failure: provider.FailureOf(refuse)}
	publish := provider.Request{Method: http.MethodPost, URL: "/", Publishes: true}
	err := refused.Call(context.Background(), "token-1", publish, map[string]string{"a": "b"}, nil)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Rejected {
		t.Errorf("error %v of a refusal", err)
	}
	html := provider.APIClient{Caller: caller, BaseURL: newFixed(t, http.StatusOK, "<html>").URL,
		Failure: provider.FailureOf(refuse)}
	var v struct{}
	err = html.Call(context.Background(), "token-1", publish, nil, &v)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
		t.Errorf("error %v of an HTML response, want an unknown outcome", err)
	}
	err = html.Call(context.Background(), "token-1", publish, func() {}, &v)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Rejected {
		t.Errorf("error %v of a body that cannot be encoded", err)
	}
}

func newOAuth2(server *fixed) provider.OAuth2 {
	clock := providertest.NewClock()
	return provider.OAuth2{
		Caller: providertest.NewCaller(clock), Now: clock.Now, Network: "Test", TokenURL: server.URL + "/token",
		RevokeURL: server.URL + "/revoke", Classify: refuse,
		Credentials: provider.Credentials{ClientID: "client", ClientSecret: "secret"},
	}
}

func TestOAuth2ReadsTokensInAllFormats(t *testing.T) {
	t.Parallel()
	now := providertest.NewClock().Now()
	hour := now.Add(time.Hour)
	for _, tc := range []struct {
		name, body string
		want       provider.Token
	}{
		{"RFC 6749", `{"access_token":"a","refresh_token":"r","expires_in":3600,"scope":"one two"}`,
			provider.Token{Access: "a", Refresh: "r", ExpiresAt: hour, Scopes: []string{"one", "two"}}},
		{"commas and the end of the refresh token",
			`{"access_token":"a","refresh_token":"r","expires_in":"3600","refresh_expires_in":3600,"scope":"one,two"}`,
			provider.Token{Access: "a", Refresh: "r", ExpiresAt: hour, RefreshExpiresAt: hour,
				Scopes: []string{"one", "two"}}},
		{"the other name of that end", `{"access_token":"a","refresh_token_expires_in":3600}`,
			provider.Token{Access: "a", RefreshExpiresAt: hour}},
		{"permissions in a list of one", `{"data":[{"access_token":"a","permissions":["one","two"]}]}`,
			provider.Token{Access: "a", Scopes: []string{"one", "two"}}},
		{"an invalid expiry", `{"access_token":"a","expires_in":null}`, provider.Token{Access: "a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			token, err := newOAuth2(newFixed(t, http.StatusOK, tc.body)).Exchange(context.Background(),
				provider.CodeExchange{Code: "c"})
			if err != nil || token.Access != tc.want.Access || token.Refresh != tc.want.Refresh ||
				!token.ExpiresAt.Equal(tc.want.ExpiresAt) || !token.RefreshExpiresAt.Equal(tc.want.RefreshExpiresAt) ||
				!slices.Equal(token.Scopes, tc.want.Scopes) {
				t.Errorf("token %+v, %v; want %+v", token, err, tc.want)
			}
		})
	}
}

func TestOAuth2RefreshKeepsMissingFields(t *testing.T) {
	t.Parallel()
	old := provider.Token{Refresh: "old", RefreshExpiresAt: providertest.NewClock().Now(), Scopes: []string{"one"}}
	oauth2 := newOAuth2(newFixed(t, http.StatusOK, `{"access_token":"new"}`))
	token, err := oauth2.Refresh(context.Background(), old)
	if err != nil || token.Access != "new" || token.Refresh != "old" || token.RefreshExpiresAt.IsZero() ||
		!slices.Equal(token.Scopes, old.Scopes) {
		t.Errorf("token %+v, %v", token, err)
	}
	_, err = oauth2.Refresh(context.Background(), provider.Token{Access: "a"})
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.AuthExpired {
		t.Errorf("a connection without a refresh token: %v", err)
	}
}

func TestOAuth2RefusalsAreClassified(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		body   string
		want   provider.Kind
	}{
		{http.StatusBadRequest, `{"error":"invalid_grant"}`, provider.Rejected},
		{http.StatusOK, `{"error":"invalid_grant"}`, provider.Rejected},
		{http.StatusOK, `{"error":{"code":190}}`, provider.Rejected},
		{http.StatusBadRequest, `{"error_type":"OAuthException","error_message":"no"}`, provider.Rejected},
		{http.StatusUnauthorized, `{"message":"Unauthorized"}`, provider.Temporary}, // of a gateway
		{http.StatusForbidden, `{}`, provider.Temporary},
		{http.StatusOK, `{}`, provider.Temporary},
		{http.StatusOK, `<html>`, provider.Temporary},
	} {
		_, err := newOAuth2(newFixed(t, tc.status, tc.body)).Exchange(context.Background(), provider.CodeExchange{})
		if failure := provider.AsError(err); failure == nil || failure.Kind != tc.want {
			t.Errorf("%d %s: %v, want %s", tc.status, tc.body, err, tc.want)
		}
	}
}

func TestOAuth2CredentialStyles(t *testing.T) {
	t.Parallel()
	server := newFixed(t, http.StatusOK, `{}`)
	for _, tc := range []struct {
		name           string
		change         func(*provider.OAuth2)
		id, idName     string
		secret, header bool
	}{
		{"form", func(*provider.OAuth2) {}, "client", "client_id", true, false},
		{"another name", func(o *provider.OAuth2) { o.ClientIDName = "client_key" }, "client", "client_key", true,
			false},
		{"header", func(o *provider.OAuth2) { o.BasicAuth = true }, "", "client_id", false, true},
		{"public client", func(o *provider.OAuth2) { o.BasicAuth, o.Credentials.ClientSecret = true, "" }, "client",
			"client_id", false, false},
	} {
		oauth2 := newOAuth2(server)
		tc.change(&oauth2)
		if err := oauth2.Revoke(context.Background(), map[string][]string{}, "token-1"); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		_, _, header := server.last.BasicAuth()
		_, secret := server.form["client_secret"]
		if server.last.Form.Get(tc.idName) != tc.id || secret != tc.secret || header != tc.header ||
			server.last.Form.Get("token") != "token-1" {
			t.Errorf("%s: form %v, header %v", tc.name, server.form, header)
		}
	}
}
