package graph

import (
	"net/http"
	"strings"

	"crier/internal/sandbox/sim"
)

// Call is one call of the API.
type Call struct {
	*http.Request
	// Node is the node of the path; "me" is the account of the token, once that is known.
	Node   string
	Params Params
	// Token is valid. It is empty on open paths and while the operation is determined.
	Token sim.Token
}

// ReadCall reads a call's parameters. The body can be read again afterwards, so that a call can be read twice: once to
// determine the operation, once to carry it out. A token among the parameters of the body is copied into the header,
// where faults of one account look for it.
func ReadCall(r *http.Request) (*Call, error) {
	params, err := readParams(r)
	if err != nil {
		return nil, err
	}
	c := &Call{Request: r, Node: r.PathValue("node"), Params: params}
	if token := params["access_token"]; token != "" && r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return c, nil
}

// GraphPath returns the path of the call below the network's prefix.
func (c *Call) GraphPath() string {
	path := "/" + c.PathValue("version") + "/" + c.PathValue("node")
	if edge := c.PathValue("edge"); edge != "" {
		path += "/" + edge
	}
	return path
}

// TokenOf returns the token of a call: in the header, with either scheme, or among the parameters.
func (c *Call) TokenOf() string {
	scheme, value, found := strings.Cut(c.Header.Get("Authorization"), " ")
	if found && (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "OAuth")) {
		return strings.TrimSpace(value)
	}
	return c.Params["access_token"]
}

// authenticate finds the call's token, and rejects invalid ones.
func (a *API) authenticate(c *Call) *sim.Reply {
	token, problem, err := a.LiveToken(c.TokenOf())
	switch {
	case err != nil:
		return Refuse(a.Broken(err))
	case problem != nil:
		return problem.Refuse()
	case !a.provesSecret(c, token):
		return InvalidParameter("Invalid appsecret_proof provided in the API argument").Refuse()
	}
	c.Token = token
	return nil
}

// LiveToken returns a valid token, or the problem with it.
func (a *API) LiveToken(value string) (sim.Token, *Problem, error) {
	if value == "" {
		problem := noToken()
		return sim.Token{}, &problem, nil
	}
	token, standing, err := a.Env.FindToken(value)
	if err != nil {
		return token, nil, err
	}
	var problem Problem
	switch standing {
	case sim.TokenLive:
		return token, nil, nil
	case sim.TokenExpired:
		problem = Expired(token.ExpiresAt, a.Env.Now())
	case sim.TokenRevoked:
		problem = removed()
	default:
		problem = unreadableToken()
	}
	return token, &problem, nil
}
