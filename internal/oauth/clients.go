package oauth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/media"
)

const (
	// clientTimeout is the time-out for fetching a client's metadata.
	clientTimeout = 5 * time.Second
	maxClientID   = 4000
	// maxRedirects and maxRedirectURI bound the redirect URIs of a client that registers itself.
	maxRedirects   = 10
	maxRedirectURI = 250
	// registeredPrefix is the prefix of the ids of clients that registered themselves.
	registeredPrefix = "registered."
	// registrationPurpose separates the signatures of such ids from all others of the instance.
	registrationPurpose = "oauth client registration"
)

// Client is a program that requests access from people.
type Client struct {
	ID           string
	Name         string
	RedirectURIs []string
	// Host is the host that published the client's metadata; empty if nobody vouches for its name.
	Host string
	// Configured is true for clients that the operator configured.
	Configured bool
}

// Documents fetches a small document from an untrusted URL, which must not lead into private networks.
type Documents func(ctx context.Context, address string) ([]byte, error)

// clientDirectory finds clients of three kinds: configured by the operator, identified by the URL of their published
// metadata (client ID metadata document), or self-registered, where that is allowed (RFC 7591).
type clientDirectory struct {
	configured   []Client
	registration bool
	keys         *auth.Keyring
	documents    Documents
}

var errUnknownClient = crier.NotFound("The program that sent you here is not known to this server.")

func (d clientDirectory) find(ctx context.Context, id string) (Client, error) {
	if i := slices.IndexFunc(d.configured, func(c Client) bool { return c.ID == id }); i >= 0 {
		return d.configured[i], nil
	}
	switch {
	case len(id) > maxClientID:
		return Client{}, errUnknownClient
	case strings.HasPrefix(id, "https://"):
		return d.fetch(ctx, id)
	case d.registration && strings.HasPrefix(id, registeredPrefix):
		return d.registered(id)
	}
	return Client{}, errUnknownClient
}

// clientDocument is a client's metadata, published or registered.
type clientDocument struct {
	ClientID     string   `json:"client_id"`
	ClientName   string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	AuthMethod   string   `json:"token_endpoint_auth_method"`
	Secret       string   `json:"client_secret"`
}

func (d clientDocument) problem() string {
	if d.AuthMethod != "" && d.AuthMethod != "none" || d.Secret != "" {
		return "token_endpoint_auth_method must be none: clients are public here and prove themselves with PKCE"
	}
	if len(d.RedirectURIs) == 0 {
		return "redirect_uris is missing"
	}
	return ""
}

// fetch returns the client that is described at its id.
func (d clientDirectory) fetch(ctx context.Context, id string) (Client, error) {
	u, err := url.Parse(id)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || strings.Trim(u.Path, "/") == "" ||
		u.JoinPath().String() != u.String() {
		return Client{}, invalidRequest("client_id must be the plain https address of its description")
	}
	document, err := d.read(ctx, id)
	if err != nil {
		reason := media.RefusedAddress(err)
		if reason == "" {
			reason = "Its description could not be read from " + u.Host + "."
		}
		return Client{}, crier.NotFound("The program that sent you here cannot be verified. %s", reason)
	}
	problem := document.problem()
	if document.ClientID != id {
		problem = "client_id is not the address of the description"
	}
	if problem != "" {
		return Client{}, crier.NotFound("The program that sent you here cannot be verified. Its description at "+
			"%s is not valid: %s.", u.Host, problem)
	}
	name := crier.Printable(document.ClientName, crier.MaxNameLength)
	if name == "" {
		name = u.Hostname()
	}
	return Client{ID: id, Name: name, RedirectURIs: document.RedirectURIs, Host: u.Hostname()}, nil
}

// read fetches a client's metadata.
func (d clientDirectory) read(ctx context.Context, id string) (out clientDocument, err error) {
	ctx, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	data, err := d.documents(ctx, id)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(data, &out)
}

// redirectProblem returns what is wrong with a redirect URI: only TLS or the person's own machine protect a code.
func redirectProblem(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return "must be an absolute address"
	case u.User != nil || strings.Contains(address, "#"):
		return "must have no user name and no fragment"
	case !crier.Protected(u):
		return "must begin with https://, or lead to this machine (http://127.0.0.1, http://[::1] or http://localhost)"
	}
	return ""
}

func isLoopback(u *url.URL) bool { return u.Scheme == "http" && crier.OnThisMachine(u) }

// sameRedirect compares exactly, except for the port of an address on the person's own machine (RFC 8252, section 7.3).
func sameRedirect(known, requested string) bool {
	if known == requested {
		return true
	}
	k, err := url.Parse(known)
	if err != nil {
		return false
	}
	a, err := url.Parse(requested)
	if err != nil || !isLoopback(k) || !isLoopback(a) {
		return false
	}
	k.Host, a.Host = k.Hostname(), a.Hostname()
	return k.String() == a.String()
}

// ClientRegistration is a client's registration request and, with its id, the response.
type ClientRegistration struct {
	ClientID     string   `json:"client_id,omitempty"`
	ClientName   string   `json:"client_name,omitempty"`
	RedirectURIs []string `json:"redirect_uris"`
	AuthMethod   string   `json:"token_endpoint_auth_method,omitempty"`
	GrantTypes   []string `json:"grant_types,omitempty"`
	Responses    []string `json:"response_types,omitempty"`
}

// Register registers a client. The id is the signed metadata itself, so that untrusted clients fill no table.
func (s *Authorizations) Register(r ClientRegistration) (ClientRegistration, error) {
	if len(r.RedirectURIs) == 0 || len(r.RedirectURIs) > maxRedirects {
		return r, &crier.OAuthError{Code: "invalid_redirect_uri",
			Description: fmt.Sprintf("redirect_uris must have 1 to %d addresses", maxRedirects)}
	}
	for _, address := range r.RedirectURIs {
		if problem := redirectProblem(address); problem != "" || len(address) > maxRedirectURI {
			return r, &crier.OAuthError{Code: "invalid_redirect_uri", Description: fmt.Sprintf(
				"%.60q %s; at most %d characters", address, problem, maxRedirectURI)}
		}
	}
	if r.AuthMethod != "" && r.AuthMethod != "none" {
		return r, &crier.OAuthError{Code: "invalid_client_metadata",
			Description: "token_endpoint_auth_method must be none"}
	}
	out := ClientRegistration{
		ClientName: crier.Printable(r.ClientName, crier.MaxNameLength), RedirectURIs: r.RedirectURIs,
		AuthMethod: "none", GrantTypes: []string{"authorization_code", "refresh_token"},
		Responses: []string{"code"},
	}
	if out.ClientName == "" {
		out.ClientName = "A program"
	}
	var err error
	out.ClientID, err = s.signedID(ClientRegistration{ClientName: out.ClientName, RedirectURIs: out.RedirectURIs})
	return out, err
}

// signedID returns the id of a client that registers itself. It fails if find would not accept the id.
func (s *Authorizations) signedID(r ClientRegistration) (string, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false) // an & in a URL would take six bytes
	if err := encoder.Encode(r); err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	id := registeredPrefix + encode(data.Bytes()) + "." + encode(s.keys.Sign(data.Bytes(), registrationPurpose))
	if len(id) > maxClientID {
		return "", &crier.OAuthError{Code: "invalid_client_metadata",
			Description: "the name and the redirect_uris are too long together"}
	}
	return id, nil
}

// registered decodes the metadata in the id of a client that registered itself.
func (d clientDirectory) registered(id string) (Client, error) {
	text, signature, _ := strings.Cut(strings.TrimPrefix(id, registeredPrefix), ".")
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return Client{}, errUnknownClient
	}
	signed, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || !d.keys.Verify(data, signed, registrationPurpose) {
		return Client{}, errUnknownClient
	}
	var document clientDocument
	if err := json.Unmarshal(data, &document); err != nil {
		return Client{}, errUnknownClient
	}
	return Client{ID: id, Name: document.ClientName, RedirectURIs: document.RedirectURIs}, nil
}

// ParseClients parses the clients that an operator configures: "name=address address, name=address".
func ParseClients(text string) ([]Client, error) {
	var list []Client
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, addresses, _ := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		c := Client{ID: name, Name: name, RedirectURIs: strings.Fields(addresses), Configured: true}
		if name == "" || len(c.RedirectURIs) == 0 || strings.ContainsAny(name, " :/.") {
			return nil, errors.New("must be clients separated by commas, each a name, = and redirect addresses, " +
				"such as mcp-inspector=http://localhost:6274/oauth/callback")
		}
		for _, address := range c.RedirectURIs {
			if problem := redirectProblem(address); problem != "" {
				return nil, fmt.Errorf("the address %.80q of %s %s", address, name, problem)
			}
		}
		list = append(list, c)
	}
	return list, nil
}
