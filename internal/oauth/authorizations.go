package oauth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

const (
	// codeLife is how long a code can be exchanged for tokens.
	codeLife = time.Minute
	// consentLife is how long a person may take to decide.
	consentLife = 10 * time.Minute
	// rolesShown is the maximum number of organizations shown on the consent page.
	rolesShown = 20
	// maxState bounds the state, which a client gets back unchanged.
	maxState = 2000
)

// Authorizations implements the authorization code flow with PKCE (RFC 6749, 7636, 8252, 8707, 9207), by which MCP
// clients sign in their user. It issues the same tokens as device login.
type Authorizations struct {
	store     *store.Store
	keys      *auth.Keyring
	clock     crier.Clock
	devices   *Devices
	publicURL string
	clients   clientDirectory
}

// AuthorizationRequest is a client's request, in the URL that it opens in the person's browser.
type AuthorizationRequest struct {
	ClientID        string
	RedirectURI     string
	ResponseType    string
	Challenge       string
	ChallengeMethod string
	Resource        string
	State           string
}

// Consent is the question to the person. Ticket proves, together with the person's session, that it was asked.
type Consent struct {
	Client      Client
	RedirectURI string
	Resource    string
	Roles       []OrganizationRole
	Ticket      string
}

// OrganizationRole is a person's role in an organization.
type OrganizationRole = store.OrganizationRole

// ticketData is the sealed content of a ticket: the decision is about exactly what was shown.
type ticketData struct {
	Client      Client
	RedirectURI string
	Challenge   string
	Resource    string
	State       string
	UserID      crier.ID
	ExpiresAt   time.Time
}

// SentBack is a response for the client: the person's browser is redirected to Address.
type SentBack struct{ Address string }

// Error returns a description.
func (e *SentBack) Error() string { return "the client is told at its redirect address" }

// Resource returns the resource that tokens of this flow are for: the MCP endpoint.
func (s *Authorizations) Resource() string { return s.publicURL + "/mcp" }

// RegistrationAllowed reports whether any program may register itself as a client.
func (s *Authorizations) RegistrationAllowed() bool { return s.clients.registration }

// Consent validates a request and returns the question to the person. A *crier.Error is for the person: nobody is
// redirected to an address that is not known to be the client's. A *SentBack is for the client.
func (s *Authorizations) Consent(ctx context.Context, user crier.ID, session string, r AuthorizationRequest) (Consent,
	error) {
	client, err := s.clients.find(ctx, r.ClientID)
	if err != nil {
		return Consent{}, err
	}
	if problem := redirectProblem(r.RedirectURI); problem != "" {
		return Consent{}, invalidRequest("redirect_uri " + problem)
	}
	own := func(known string) bool { return sameRedirect(known, r.RedirectURI) }
	if !slices.ContainsFunc(client.RedirectURIs, own) {
		return Consent{}, invalidRequest("redirect_uri is not one of the addresses of this program")
	}
	q := ticketData{Client: client, RedirectURI: r.RedirectURI, Challenge: r.Challenge, State: r.State, UserID: user,
		Resource: s.Resource(), ExpiresAt: s.clock().Add(consentLife)}
	if err := s.refuseRequest(r); err != nil {
		return Consent{}, s.sendBack(q, url.Values{"error": {err.Code}, "error_description": {err.Description}})
	}
	out := Consent{Client: client, RedirectURI: r.RedirectURI, Resource: q.Resource}
	if out.Roles, err = s.store.RolesOf(ctx, user, rolesShown); err != nil {
		return Consent{}, err
	}
	out.Ticket, err = s.seal(q, session)
	return out, err
}

// invalidRequest returns the error that is shown to the person for an invalid request of a client.
func invalidRequest(problem string) error {
	return &crier.Error{Kind: crier.KindInvalid,
		Message: "The program that sent you here made an invalid request: " + problem + "."}
}

// challengePattern is a SHA-256 in base64url, as used by S256.
var challengePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

func (s *Authorizations) refuseRequest(r AuthorizationRequest) *crier.OAuthError {
	switch {
	case r.ResponseType != "code":
		return &crier.OAuthError{Code: "unsupported_response_type", Description: "response_type must be code"}
	case r.ChallengeMethod != "S256":
		return &crier.OAuthError{Code: "invalid_request", Description: "code_challenge_method must be S256"}
	case !challengePattern.MatchString(r.Challenge):
		return &crier.OAuthError{Code: "invalid_request",
			Description: "code_challenge must be the SHA-256 of the verifier in base64url"}
	case !s.isResource(r.Resource):
		return &crier.OAuthError{Code: "invalid_target", Description: "resource must be " + s.Resource()}
	case len(r.State) > maxState:
		return &crier.OAuthError{Code: "invalid_request", Description: "state is too long"}
	}
	return nil
}

// isResource accepts the MCP endpoint, which is also the default.
func (s *Authorizations) isResource(resource string) bool {
	return resource == "" || strings.TrimSuffix(resource, "/") == s.Resource()
}

// sendBack returns the redirect to the client, with its state and the issuer.
func (s *Authorizations) sendBack(q ticketData, answer url.Values) *SentBack {
	if q.State != "" {
		answer.Set("state", q.State)
	}
	answer.Set("iss", s.publicURL)
	u, err := url.Parse(q.RedirectURI)
	if err != nil {
		return &SentBack{} // redirectProblem has rejected such addresses
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += answer.Encode()
	return &SentBack{Address: u.String()}
}

func consentContext(session string) string {
	return "oauth consent " + hex.EncodeToString(auth.Hash(session))
}

func (s *Authorizations) seal(q ticketData, session string) (string, error) {
	data, err := json.Marshal(q)
	if err != nil {
		return "", err
	}
	sealed, err := s.keys.Seal(data, consentContext(session))
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

var errNoConsent = crier.NotFound("This request is unknown or has expired. Start again in the program that sent you.")

func (s *Authorizations) open(ticket, session string) (q ticketData, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(ticket)
	if err != nil {
		return q, errNoConsent
	}
	data, err := s.keys.Open(sealed, consentContext(session))
	if err != nil || json.Unmarshal(data, &q) != nil || !q.ExpiresAt.After(s.clock()) {
		return ticketData{}, errNoConsent
	}
	return q, nil
}

// Decide applies the person's decision and returns where to redirect the browser.
func (s *Authorizations) Decide(ctx context.Context, user crier.ID, session, ticket string, approve bool) (*SentBack,
	error) {
	q, err := s.open(ticket, session)
	if err != nil {
		return nil, err
	}
	if q.UserID != user {
		return nil, errNoConsent
	}
	if !approve {
		return s.sendBack(q, url.Values{"error": {"access_denied"}, "error_description": {"the person declined"}}), nil
	}
	code := auth.NewLinkToken()
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		return tx.InsertAuthorizationCode(ctx, store.AuthorizationCode{
			Hash: auth.Hash(code), UserID: user, ClientID: q.Client.ID, ClientName: q.Client.Name,
			RedirectURI: q.RedirectURI, Challenge: q.Challenge, Resource: q.Resource,
			ExpiresAt: crier.TimeOf(s.clock().Add(codeLife)),
		})
	})
	if err != nil {
		return nil, err
	}
	return s.sendBack(q, url.Values{"code": {code}}), nil
}

// CodeGrant is a client's request to exchange a code for tokens.
type CodeGrant struct {
	Code        string
	ClientID    string
	RedirectURI string
	Verifier    string
	Resource    string
}

// Exchange exchanges a code for tokens, once. The reuse of a code revokes the tokens, because one of the two uses was a
// thief's.
func (s *Authorizations) Exchange(ctx context.Context, g CodeGrant) (crier.BearerTokens, error) {
	var out crier.BearerTokens
	var refused error
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		refused = nil
		c, err := tx.LockAuthorizationCode(ctx, auth.Hash(g.Code))
		if err != nil {
			return err
		}
		if c != nil && c.FamilyID != nil {
			refused = invalidGrant("the code was used before; its tokens have been revoked")
			return tx.RevokeFamily(ctx, *c.FamilyID, s.clock.Now())
		}
		if refused = s.refuseGrant(c, g); refused != nil {
			return nil //nolint:nilerr // a rejection changes nothing and is returned below
		}
		family := store.TokenFamily{ID: crier.NewID(), UserID: c.UserID, Name: c.ClientName, ClientID: &c.ClientID,
			Resource: &c.Resource, CreatedAt: s.clock.Now()}
		err = errors.Join(tx.InsertTokenFamily(ctx, family), tx.UseAuthorizationCode(ctx, c.Hash, family.ID))
		if err != nil {
			return err
		}
		out, err = s.devices.issue(ctx, tx, family.ID)
		return err
	})
	return out, cmp.Or(err, refused)
}

func invalidGrant(description string) error {
	return &crier.OAuthError{Code: "invalid_grant", Description: description}
}

func (s *Authorizations) refuseGrant(c *store.AuthorizationCode, g CodeGrant) error {
	switch {
	case c == nil || !c.ExpiresAt.After(s.clock()):
		return invalidGrant("the code is not known or has expired")
	case c.ClientID != g.ClientID:
		return invalidGrant("the code was issued to another client")
	case c.RedirectURI != g.RedirectURI:
		return invalidGrant("redirect_uri is not the one that the code was sent to")
	case !verifies(g.Verifier, c.Challenge):
		return invalidGrant("code_verifier does not belong to the challenge")
	case !s.isResource(g.Resource):
		return &crier.OAuthError{Code: "invalid_target", Description: "the code is for " + c.Resource}
	}
	return nil
}

// verifies implements PKCE's S256.
func verifies(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return len(verifier) >= 43 && len(verifier) <= 128 &&
		subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}
