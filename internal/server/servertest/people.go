package servertest

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"crier"
	"crier/internal/service"
)

// Passphrase is the password of every user in the tests.
const Passphrase = "correct horse battery staple"

// Founder is a user who has set up an organization and can sign in.
type Founder struct {
	Tenant
	Email string
}

// NewFounder creates a tenant whose owner has chosen an e-mail address and the passphrase.
func (s *Server) NewFounder(tb testing.TB, email string) Founder {
	tb.Helper()
	ctx := context.Background()
	tenant, err := s.Node.Services.Instance.CreateTenant(ctx,
		service.TenantRequest{Name: "Organization of " + crier.Name(email), Credits: 10_000})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := s.Node.Services.Instance.SetUpOwner(ctx, tenant.SetupToken, "Ada", crier.Email(email), Passphrase,
		service.Browser{}); err != nil {
		tb.Fatal(err)
	}
	return Founder{Tenant{Key: tenant.APIKey, Organization: tenant.OrganizationID, Team: tenant.TeamID}, email}
}

// Browser stores cookies and does not follow redirects.
type Browser struct {
	Server *Server
	Client *http.Client
}

// NewBrowser returns a browser that is not signed in.
func (s *Server) NewBrowser(tb testing.TB) *Browser {
	tb.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Browser{s, &http.Client{Jar: jar, Transport: s.Client.Transport, CheckRedirect: stay}}
}

// PageSeen is a page as the browser received it.
type PageSeen struct {
	Status int
	Header http.Header
	Body   string
}

// Get opens a page.
func (b *Browser) Get(tb testing.TB, address string) PageSeen {
	tb.Helper()
	return b.Send(tb, http.MethodGet, address, nil, nil)
}

// Post sends a form.
func (b *Browser) Post(tb testing.TB, address string, form url.Values) PageSeen {
	tb.Helper()
	return b.Send(tb, http.MethodPost, address, form, nil)
}

// Send sends a form with any method and headers.
func (b *Browser) Send(tb testing.TB, method, address string, form url.Values, header map[string]string) PageSeen {
	tb.Helper()
	r, err := http.NewRequest(method, b.Server.URL+address, strings.NewReader(form.Encode()))
	if err != nil {
		tb.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := b.Client.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return PageSeen{answer.StatusCode, answer.Header, string(body)}
}

// Want fails the test unless the page has the status.
func (p PageSeen) Want(tb testing.TB, status int) PageSeen {
	tb.Helper()
	if p.Status != status {
		tb.Fatalf("status %d, want %d: %s", p.Status, status, p.Body)
	}
	return p
}

// Session returns the session cookie that the page set.
func (p PageSeen) Session(tb testing.TB) *http.Cookie {
	tb.Helper()
	for _, c := range (&http.Response{Header: p.Header}).Cookies() {
		if strings.HasSuffix(c.Name, "crier_session") {
			return c
		}
	}
	tb.Fatalf("no session was set: %v", p.Header)
	return nil
}

// SignIn signs in and fails the test if that fails.
func (b *Browser) SignIn(tb testing.TB, email string) PageSeen {
	tb.Helper()
	return b.Post(tb, "/sign-in", Credentials(email, Passphrase)).Want(tb, http.StatusSeeOther)
}

// Credentials returns the form of a sign-in.
func Credentials(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

// StockClient returns the configuration of a generic OAuth library for the installation.
func (s *Server) StockClient() oauth2.Config {
	return oauth2.Config{ClientID: "a laptop", Endpoint: oauth2.Endpoint{DeviceAuthURL: s.URL + "/v1/auth/device",
		TokenURL: s.URL + "/v1/auth/token"}}
}

// StartDeviceLogin starts a device login.
func (s *Server) StartDeviceLogin(tb testing.TB) *oauth2.DeviceAuthResponse {
	tb.Helper()
	config := s.StockClient()
	device, err := config.DeviceAuth(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return device
}

// Token sends one request to the token endpoint.
func (s *Server) Token(tb testing.TB, form url.Values) Response {
	tb.Helper()
	got, err := s.RoundTrip(Request{
		Method: "POST", Path: "/v1/auth/token", Body: form.Encode(),
		Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
	})
	if err != nil {
		tb.Fatal(err)
	}
	if got.Header.Get("Cache-Control") != "no-store" {
		tb.Errorf("tokens may be cached: %q", got.Header.Get("Cache-Control"))
	}
	return got
}

// DeviceGrant returns the form that requests the tokens of a device login.
func DeviceGrant(device *oauth2.DeviceAuthResponse) url.Values {
	return url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
		"device_code": {device.DeviceCode}}
}

// RefreshGrant returns the form that refreshes tokens.
func RefreshGrant(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}
}

// Decide approves or refuses a device.
func (b *Browser) Decide(tb testing.TB, device *oauth2.DeviceAuthResponse, decision string) PageSeen {
	tb.Helper()
	return b.Post(tb, "/device", url.Values{"user_code": {device.UserCode}, "decision": {decision}})
}

// LogIn runs a device login from its start to its tokens.
func (s *Server) LogIn(tb testing.TB, b *Browser) Response {
	tb.Helper()
	device := s.StartDeviceLogin(tb)
	b.Decide(tb, device, "approve").Want(tb, http.StatusOK)
	return s.Token(tb, DeviceGrant(device)).Want(tb, http.StatusOK)
}

// WantKnown fails the test unless a token is accepted, or rejected, as expected.
func (s *Server) WantKnown(tb testing.TB, token string, known bool) {
	tb.Helper()
	want := http.StatusUnauthorized
	if known {
		want = http.StatusOK
	}
	s.As(tb, token, "GET", "/v1/agent/context", nil).Want(tb, want)
}

// OpenInvitations lists the open invitations of an organization.
func (s *Server) OpenInvitations(tb testing.TB, p Founder) crier.Page[crier.Invitation] {
	tb.Helper()
	var page crier.Page[crier.Invitation]
	s.As(tb, p.Key, "GET", p.Invitations(), nil).Want(tb, http.StatusOK).Into(tb, &page)
	if page.Total != int64(len(page.Data)) {
		tb.Errorf("the total is %d, but there are %d invitations", page.Total, len(page.Data))
	}
	return page
}

// CreateKey creates an API key using another key.
func (s *Server) CreateKey(tb testing.TB, by string, body Object) CreatedKey {
	tb.Helper()
	if body["name"] == nil {
		body["name"] = "Key of a test"
	}
	got := s.As(tb, by, "POST", Path("/v1/organizations/%s/api-keys", s.Organization), body).Want(tb,
		http.StatusCreated)
	return CreatedKey{ID: got.Text(tb, "id"), Secret: got.Text(tb, "secret")}
}

// NewKey creates a key of the server's first tenant and returns its secret.
func (s *Server) NewKey(tb testing.TB, body Object) string {
	tb.Helper()
	if body["name"] == nil {
		body["name"] = "Key of a test"
	}
	return s.Do(tb, "POST", Path("/v1/organizations/%s/api-keys", s.Organization), body).Want(tb,
		http.StatusCreated).Text(tb, "secret")
}

// CreatedKey is a created key: its id and its secret.
type CreatedKey struct{ ID, Secret string }

// Invitations returns the path of the invitations, or of one.
func (p Founder) Invitations(rest ...string) string {
	return Path("/v1/organizations/%s/invitations", p.Organization) + strings.Join(append([]string{""}, rest...), "/")
}

// Members returns the path of the members, or of one.
func (p Founder) Members(rest ...string) string {
	return Path("/v1/organizations/%s/members", p.Organization) + strings.Join(append([]string{""}, rest...), "/")
}

// Accept follows the link of an invitation.
func (b *Browser) Accept(tb testing.TB, link, name string) PageSeen {
	tb.Helper()
	_, token, _ := strings.Cut(link, "token=")
	return b.Post(tb, "/invitation", url.Values{"token": {token}, "name": {name}, "password": {Passphrase}})
}
