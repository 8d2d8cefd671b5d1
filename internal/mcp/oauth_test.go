package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"crier/internal/server"
	"crier/internal/server/servertest"
)

// agentClient is the id of a client that publishes its metadata, and redirected its redirect URI.
const (
	agentClient = "https://agent.example/client.json"
	redirected  = "http://127.0.0.1:49152/callback"
)

// published returns the client's metadata, whatever the URL.
func published(context.Context, string) ([]byte, error) {
	return json.Marshal(object{"client_id": agentClient, "client_name": "An agent",
		"redirect_uris": []string{"http://127.0.0.1/callback"}, "token_endpoint_auth_method": "none"})
}

// withPublished starts a server at an address that clients know in advance.
func withPublished(t *testing.T) servertest.Option {
	t.Helper()
	reachable := servertest.WithReachableMedia(t)
	return func(c *server.Config) {
		reachable(c)
		c.Role, c.OAuthDocuments, c.OAuthRegistration = "api", published, true
	}
}

var ticketField = regexp.MustCompile(`name="ticket" value="([^"]+)"`)

// decide answers the question at an address as the person would, and returns what the client gets.
func decide(tb testing.TB, b *servertest.Browser, address, decision string) url.Values {
	tb.Helper()
	page := b.Get(tb, strings.TrimPrefix(address, b.Server.URL)).Want(tb, http.StatusOK)
	found := ticketField.FindStringSubmatch(page.Body)
	if found == nil {
		tb.Fatalf("the page asks nothing: %s", page.Body)
	}
	answer := b.Post(tb, "/oauth/authorize", url.Values{"ticket": {found[1]}, "decision": {decision}})
	to, err := url.Parse(answer.Want(tb, http.StatusSeeOther).Header.Get("Location"))
	if err != nil || !strings.HasPrefix(to.String(), redirected) {
		tb.Fatalf("the browser was sent to %s", to)
	}
	return to.Query()
}

func TestStockClientSignsIn(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]auth.AuthorizationCodeHandlerConfig{
		"published": {ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{URL: agentClient},
			RedirectURL: redirected},
		"registered": {DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "An agent", RedirectURIs: []string{redirected},
				TokenEndpointAuthMethod: "none"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
				signsIn(t, servertest.Start(t, db, withPublished(t)), config)
			})
		})
	}
}

// signsIn signs in with the OAuth handler of the SDK and uses a tool.
func signsIn(t *testing.T, s *servertest.Server, config auth.AuthorizationCodeHandlerConfig) {
	t.Helper()
	ada := s.NewFounder(t, "ada@example.com")
	b := s.NewBrowser(t)
	b.SignIn(t, ada.Email)
	var requested string
	config.Client = s.Client
	config.AuthorizationCodeFetcher = func(_ context.Context, args *auth.AuthorizationArgs) (
		*auth.AuthorizationResult, error) {
		requested = args.URL
		got := decide(t, b, args.URL, "approve")
		return &auth.AuthorizationResult{Code: got.Get("code"), State: got.Get("state"), Iss: got.Get("iss")}, nil
	}
	handler, err := auth.NewAuthorizationCodeHandler(&config)
	if err != nil {
		t.Fatal(err)
	}
	agent := connect(t, &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", OAuthHandler: handler}, nil, "")
	got := agent.succeeds(t, "get_context", object{})
	if !strings.Contains(string(got.Body), string(ada.Organization)) {
		t.Errorf("the agent acts for somebody else: %s", got.Body)
	}
	if !strings.Contains(requested, url.QueryEscape(s.URL+"/mcp")) {
		t.Errorf("the client did not name what the token is for: %s", requested)
	}
	source, err := handler.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	s.As(t, token.AccessToken, "GET", "/v1/agent/context", nil).Want(t, http.StatusUnauthorized)
	renewed := s.Token(t, servertest.RefreshGrant(token.RefreshToken))
	renewed.WantOAuthError(t, "invalid_grant") // it belongs to the client
}

func TestEndpointAdvertisesAuthorization(t *testing.T) {
	t.Parallel()
	servertest.EachShared(t, func(t *testing.T, s *servertest.Server) {
		for name, address := range map[string]string{
			"no token": "/mcp", "a token in the address": "/mcp?access_token=" + s.Key + "&token=" + s.Key,
		} {
			r, err := http.NewRequest(http.MethodPost, s.URL+address, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, got.Body)
			if err != nil || got.Body.Close() != nil {
				t.Fatal(err)
			}
			want := `resource_metadata="http://crier.test/.well-known/oauth-protected-resource/mcp"`
			if header := got.Header.Get("WWW-Authenticate"); got.StatusCode != http.StatusUnauthorized ||
				!strings.Contains(header, want) {
				t.Errorf("%s: %d, %s", name, got.StatusCode, header)
			}
		}
	})
}

func TestAgentOfARemovedMemberHasNoAccess(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db, withPublished(t))
		ada := s.NewFounder(t, "ada@example.com")
		link := s.As(t, ada.Key, "POST", ada.Members(), object{"email": "bob@example.com", "role": "editor"}).Want(t,
			http.StatusCreated).Text(t, "inviteUrl")
		b := s.NewBrowser(t)
		b.Accept(t, link, "Bob").Want(t, http.StatusSeeOther)
		b.SignIn(t, "bob@example.com")
		config := auth.AuthorizationCodeHandlerConfig{RedirectURL: redirected, Client: s.Client,
			ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{URL: agentClient},
			AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult,
				error) {
				got := decide(t, b, args.URL, "approve")
				return &auth.AuthorizationResult{Code: got.Get("code"), State: got.Get("state"),
					Iss: got.Get("iss")}, nil
			}}
		handler, err := auth.NewAuthorizationCodeHandler(&config)
		if err != nil {
			t.Fatal(err)
		}
		agent := connect(t, &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", OAuthHandler: handler}, nil, "")
		draft := object{"text": "Hello", "teamId": string(ada.Team)}
		agent.succeeds(t, "create_draft", draft)
		members := s.As(t, ada.Key, "GET", ada.Members(), nil).Want(t, http.StatusOK)
		for i := range members.Get(t, "data").([]any) {
			if members.Text(t, "data", i, "email") == "bob@example.com" {
				s.As(t, ada.Key, "DELETE", ada.Members(members.Text(t, "data", i, "id")), nil).Want(t, http.StatusOK)
			}
		}
		draft["text"] = "Hello again"
		agent.fails(t, "create_draft", draft, "does not belong to the organization")
	})
}
