package graph

import (
	"strings"

	"crier/internal/sandbox/sim"
)

type tokenFacts struct {
	AppID         string          `json:"app_id,omitempty"`
	Type          string          `json:"type,omitempty"`
	Application   string          `json:"application,omitempty"`
	IsValid       bool            `json:"is_valid"`
	IssuedAt      int64           `json:"issued_at,omitempty"`
	ExpiresAt     *int64          `json:"expires_at,omitempty"` // 0 is never
	DataAccessEnd int64           `json:"data_access_expires_at,omitempty"`
	Scopes        []string        `json:"scopes"`
	Granular      []granularScope `json:"granular_scopes,omitempty"`
	ProfileID     string          `json:"profile_id,omitempty"`
	UserID        string          `json:"user_id,omitempty"`
	Error         *tokenError     `json:"error,omitempty"`
}

type granularScope struct {
	Scope     string   `json:"scope"`
	TargetIDs []string `json:"target_ids"`
}

type tokenError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Subcode int    `json:"subcode,omitempty"`
}

// DebugToken returns the validity of a token. The caller presents an app token (id and secret), or a valid one.
func (a *API) DebugToken(c *Call) sim.Reply {
	if refusal := a.mayDebug(c.TokenOf()); refusal != nil {
		return *refusal
	}
	token, problem, err := a.LiveToken(c.Params["input_token"])
	if err != nil {
		return a.Broken(err)
	}
	if problem != nil {
		return OK(map[string]any{"data": tokenFacts{Scopes: []string{},
			Error: &tokenError{Code: problem.Code, Message: problem.Message, Subcode: problem.Subcode}}})
	}
	return OK(map[string]any{"data": a.describe(token)})
}

func (a *API) mayDebug(value string) *sim.Reply {
	if id, secret, isApp := strings.Cut(strings.TrimPrefix(value, a.terms.AppTokenPrefix), "|"); isApp &&
		a.Env.Options.KnowsClient(id, secret) {
		return nil
	}
	_, problem, err := a.LiveToken(value)
	switch {
	case err != nil:
		return Refuse(a.Broken(err))
	case problem != nil:
		return problem.Refuse()
	}
	return nil
}

// dataAccess is how long an app can access a person's data after the last consent.
const dataAccess = 90 * day

func (a *API) describe(token sim.Token) tokenFacts {
	facts := tokenFacts{AppID: token.ClientID, Type: "USER", Application: "crier", IsValid: true,
		IssuedAt: token.IssuedAt.Unix(), ExpiresAt: new(int64),
		DataAccessEnd: token.IssuedAt.Add(dataAccess).Unix(), Scopes: token.Scopes, UserID: token.AccountID}
	a.Env.View(func() {
		if account, _ := a.Env.Accounts.Get(token.AccountID); account.OwnerID != "" {
			facts.UserID = account.OwnerID
		}
	})
	if !token.ExpiresAt.IsZero() {
		*facts.ExpiresAt = token.ExpiresAt.Unix()
	}
	if strings.HasPrefix(token.Value, FacebookPrefix) && token.Kind != UserToken {
		facts.Type, facts.ProfileID = "PAGE", token.AccountID
		for _, scope := range token.Scopes {
			facts.Granular = append(facts.Granular, granularScope{Scope: scope, TargetIDs: []string{token.AccountID}})
		}
	}
	return facts
}
