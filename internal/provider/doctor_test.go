package provider_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"crier/internal/provider"
)

// connector is a network with a fixed response to a code.
type connector struct {
	plain
	consent  error
	exchange error
	request  *provider.CodeExchange
}

func (c connector) ConsentURL(provider.ConsentRequest) (string, error) {
	return "https://my.test", c.consent
}

func (c connector) Exchange(_ context.Context, r provider.CodeExchange) (provider.Token, error) {
	if c.request != nil {
		*c.request = r
	}
	return provider.Token{}, c.exchange
}

func (connector) Accounts(context.Context, provider.Token) ([]provider.ConnectedAccount, error) {
	return nil, errors.New("a check-up connects nothing")
}

func doctorInfo() provider.Info {
	info := plainInfo("my")
	info.DisplayName = "My Network"
	info.Scopes = []provider.Grant{{Scope: "write", Required: true}, {Scope: "stats"}, {Scope: "read", Required: true},
		{Scope: "mail"}}
	return info
}

func TestExamineReportsWhetherTheNetworkAcceptsTheApp(t *testing.T) {
	t.Parallel()
	const callback = "https://crier.test/oauth/my/callback"
	const check = "check CRIER_MY_CLIENT_ID and CRIER_MY_CLIENT_SECRET, and that the app is live"
	const again = "check that this machine reaches My Network, and ask again"
	for _, tc := range []struct {
		name              string
		consent, exchange error
		want              provider.CheckUp
	}{
		{name: "no credentials", consent: provider.ErrNoCredentials, want: provider.CheckUp{
			Detail: "this installation has none",
			Advice: "create an app at My Network and set CRIER_MY_CLIENT_ID and " +
				"CRIER_MY_CLIENT_SECRET; docs/providers/my.md says how"}},
		{name: "the code is refused",
			exchange: &provider.Error{Kind: provider.AuthExpired, Code: provider.CodeAuthExpired},
			want:     provider.CheckUp{OK: true, Detail: "My Network knows the app"}},
		{name: "the code is taken", want: provider.CheckUp{OK: true, Detail: "My Network knows the app"}},
		{name: "the app is refused", exchange: &provider.Error{Kind: provider.Temporary,
			Scope: provider.ScopeInstallation, Message: "invalid_client"},
			want: provider.CheckUp{Detail: "My Network does not accept the app: invalid_client", Advice: check}},
		{name: "a permission is missing", exchange: &provider.Error{Kind: provider.AuthExpired,
			Code: provider.CodePermissionMissing, Scope: provider.ScopeInstallation, Message: "not approved"},
			want: provider.CheckUp{Detail: "My Network does not accept the app: not approved", Advice: check}},
		{name: "a permission of the person's is missing", exchange: &provider.Error{Kind: provider.AuthExpired,
			Code: provider.CodePermissionMissing, Message: "no"},
			want: provider.CheckUp{Detail: "it could not be found out: no", Advice: again}},
		{name: "out of reach", exchange: &provider.Error{Kind: provider.Temporary, Message: "no route"},
			want: provider.CheckUp{Detail: "it could not be found out: no route", Advice: again}},
		{name: "a fault", exchange: errors.New("oops"),
			want: provider.CheckUp{Detail: "it could not be found out: the outcome is not known", Advice: again}},
	} {
		var request provider.CodeExchange
		p := connector{plain: plain{info: doctorInfo()}, consent: tc.consent, exchange: tc.exchange, request: &request}
		list := newRegistry(t, p).Examine(context.Background(), p, callback)
		tc.want.Name = "credentials"
		if want := []provider.CheckUp{
			{Name: "redirect address", OK: true, Detail: callback + " has to be registered at the network"},
			{Name: "permissions", OK: true, Detail: "needed: write, read; asked for as well: stats, mail"},
			tc.want,
		}; !slices.Equal(list, want) {
			t.Errorf("%s: %+v, want %+v", tc.name, list, want)
		}
		if tc.consent == nil && (request.RedirectURL != callback || request.Code == "" || request.Verifier == "") {
			t.Errorf("%s: request %+v", tc.name, request)
		}
	}
}

func TestExamineRefusesCallbacksWithoutTLS(t *testing.T) {
	t.Parallel()
	info := plainInfo("my")
	info.Scopes = []provider.Grant{{Scope: "write", Required: true}}
	p := plain{info: info}
	for callback, ok := range map[string]bool{
		"https://crier.test/oauth/my/callback": true, "http://localhost:8080/oauth/my/callback": true,
		"http://127.0.0.1/oauth/my/callback": true, "http://crier.test/oauth/my/callback": false, "": false,
		"://": false, "crier.test": false, "ftp://crier.test": false,
	} {
		list := newRegistry(t, p).Examine(context.Background(), p, callback)
		if len(list) != 2 || list[0].OK != ok || (list[0].Advice == "") != ok {
			t.Errorf("%q: %+v", callback, list)
		}
		if list[1].Detail != "needed: write" {
			t.Errorf("the permissions are %q", list[1].Detail)
		}
	}
}
