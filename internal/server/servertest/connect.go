package servertest

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crier"
)

// Back is the address that the browser returns to after a consent.
const Back = "https://dashboard.crier.test/accounts"

// Screen is a page that a browser shows, or a redirect.
type Screen struct {
	Status     int
	Body, Sent string
	address    string // of the request
}

// Browse requests a page as a browser does, but does not follow redirects.
func Browse(tb testing.TB, address string, form url.Values) Screen {
	tb.Helper()
	browser := http.Client{Transport: controls.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func() (*http.Response, error) { return browser.Get(address) }
	if form != nil {
		get = func() (*http.Response, error) { return browser.PostForm(address, form) }
	}
	answer, err := get()
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return Screen{Status: answer.StatusCode, Body: string(body), Sent: answer.Header.Get("Location"), address: address}
}

// RedirectParam returns a query parameter of the address that the browser is redirected to.
func (p Screen) RedirectParam(tb testing.TB, name string) string {
	tb.Helper()
	u, err := url.Parse(p.Sent)
	if err != nil || !strings.HasPrefix(p.Sent, Back) {
		tb.Fatalf("the browser is shown %d %s and sent to %q (%v), not back", p.Status, p.Body, p.Sent, err)
	}
	return u.Query().Get(name)
}

// Consent asks for a connection and grants it as a user of the network, except for the refused scopes. It returns the
// address of the callback.
func (s *Server) Consent(tb testing.TB, c Crew, network, person string, refused ...string) string {
	tb.Helper()
	address := s.Call(tb, c, "POST", "social-accounts/connect", Object{"provider": network, "returnUrl": Back}).Want(tb,
		http.StatusOK).Text(tb, "authorizationUrl")
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	granted := strings.FieldsFunc(u.Query().Get("scope"), func(r rune) bool { return r == ' ' || r == ',' })
	granted = slices.DeleteFunc(granted, func(s string) bool { return slices.Contains(refused, s) })
	agreed := Browse(tb, address, url.Values{"name": {person}, "decision": {"allow"}, "scope": granted})
	if agreed.Status != http.StatusSeeOther || !strings.Contains(agreed.Sent, "/oauth/"+network+"/callback?") {
		tb.Fatalf("the consent page of %s: %d %s", network, agreed.Status, agreed.Body)
	}
	return agreed.Sent
}

var (
	offeredAccount = regexp.MustCompile(`name="account" value="([^"]+)"`)
	offeredState   = regexp.MustCompile(`name="state" value="([^"]+)"`)
)

// Offers returns the accounts that a page lists for selection.
func (p Screen) Offers(tb testing.TB) []string {
	tb.Helper()
	var ids []string
	for _, found := range offeredAccount.FindAllStringSubmatch(p.Body, -1) {
		ids = append(ids, found[1])
	}
	if p.Status != http.StatusOK || len(ids) == 0 {
		tb.Fatalf("a page to choose from: %d %s", p.Status, p.Body)
	}
	return ids
}

// Choose selects accounts on the page that a callback led to.
func (p Screen) Choose(tb testing.TB, ids ...string) Screen {
	tb.Helper()
	state := offeredState.FindStringSubmatch(p.Body)
	if state == nil {
		tb.Fatalf("a page to choose from: %d %s", p.Status, p.Body)
	}
	address := strings.TrimSuffix(strings.Split(p.address, "?")[0], "callback") + "choose"
	return Browse(tb, address, url.Values{"state": {state[1]}, "account": ids})
}

// AccountOf reads an account.
func (s *Server) AccountOf(tb testing.TB, c Crew, id string) crier.SocialAccount {
	tb.Helper()
	var a crier.SocialAccount
	s.Call(tb, c, "GET", "social-accounts/"+id, nil).Want(tb, http.StatusOK).Into(tb, &a)
	return a
}

// Connect connects the only account, or the first of several, of a consent.
func (s *Server) Connect(tb testing.TB, c Crew, network, person string) crier.SocialAccount {
	tb.Helper()
	landed := Browse(tb, s.Consent(tb, c, network, person), nil)
	return s.AccountOf(tb, c, landed.Choose(tb, landed.Offers(tb)[0]).RedirectParam(tb, "socialAccountIds"))
}

// ConnectedAs returns the account of a crew with the given id on its network.
func (s *Server) ConnectedAs(tb testing.TB, c Crew, network, remote string) crier.SocialAccount {
	tb.Helper()
	var list struct{ Data []crier.SocialAccount }
	s.Call(tb, c, "GET", "social-accounts?limit=100", nil).Want(tb, http.StatusOK).Into(tb, &list)
	for _, a := range list.Data {
		if string(a.Provider) == network && a.ProviderAccountID == remote {
			return a
		}
	}
	tb.Fatalf("no account %s of %s is connected", remote, network)
	return crier.SocialAccount{}
}
