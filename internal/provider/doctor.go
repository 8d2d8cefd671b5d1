package provider

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"crier"
)

// CheckUp is the result of one check of an installation's setup at a network.
type CheckUp struct {
	Name   string
	OK     bool
	Detail string
	// Advice says how to fix it.
	Advice string
}

// probeCode is a code that no network has issued: the error tells whether the network knows the app.
const probeCode = "crier-doctor"

// Examine checks an installation's setup at a network: the redirect URL, the requested permissions, and whether the
// network knows its credentials. It connects nothing.
func (r *Registry) Examine(ctx context.Context, p Provider, callback string) []CheckUp {
	info := p.Info()
	list := []CheckUp{checkCallback(callback), {Name: "permissions", OK: true, Detail: permissionsOf(info)}}
	connector := r.Features(p).Connector
	if connector == nil {
		return list
	}
	return append(list, checkCredentials(ctx, connector, info, callback))
}

func checkCallback(callback string) CheckUp {
	c := CheckUp{Name: "redirect address", OK: true, Detail: callback + " has to be registered at the network"}
	u, err := url.Parse(callback)
	if err != nil || !crier.Protected(u) {
		c.OK, c.Advice = false, "networks lead people back to https addresses only: set CRIER_PUBLIC_URL to one"
	}
	return c
}

func permissionsOf(info Info) string {
	var required, optional []string
	for _, grant := range info.Scopes {
		if grant.Required {
			required = append(required, grant.Scope)
		} else {
			optional = append(optional, grant.Scope)
		}
	}
	text := "needed: " + strings.Join(required, ", ")
	if len(optional) > 0 {
		text += "; asked for as well: " + strings.Join(optional, ", ")
	}
	return text
}

// checkCredentials tries to exchange an invalid code. A network that knows the app rejects the code; one that does not
// rejects the app.
func checkCredentials(ctx context.Context, connector Connector, info Info, callback string) CheckUp {
	c := CheckUp{Name: "credentials"}
	variable := "CRIER_" + strings.ToUpper(info.Name)
	if _, err := connector.ConsentURL(ConsentRequest{RedirectURL: callback, State: "state",
		Verifier: probeCode}); errors.Is(err, ErrNoCredentials) {
		c.Detail = "this installation has none"
		c.Advice = fmt.Sprintf("create an app at %s and set %s_CLIENT_ID and %s_CLIENT_SECRET; "+
			"docs/providers/%s.md says how", info.DisplayName, variable, variable, info.Name)
		return c
	}
	_, err := connector.Exchange(ctx, CodeExchange{Code: probeCode, RedirectURL: callback, Verifier: probeCode})
	failure := AsError(err)
	switch {
	case failure == nil || failure.Kind == AuthExpired && failure.Code != CodePermissionMissing:
		c.OK, c.Detail = true, info.DisplayName+" knows the app"
	case failure.OperatorProblem():
		c.Detail = info.DisplayName + " does not accept the app: " + failure.Message
		c.Advice = fmt.Sprintf("check %s_CLIENT_ID and %s_CLIENT_SECRET, and that the app is live", variable, variable)
	default:
		c.Detail = "it could not be found out: " + failure.Message
		c.Advice = "check that this machine reaches " + info.DisplayName + ", and ask again"
	}
	return c
}
