package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"crier"
	"crier/internal/api/contract"
	"crier/internal/oauth"
)

// authorizePage asks a person about a program that wants to act for them.
type authorizePage struct {
	Ticket string
	Person string
	Client string
	// Host is the host that published the program's metadata, which proves its name; empty if nothing does.
	Host string
	// Known is true for programs that the operator configured.
	Known bool
	// RedirectHost is the host of the redirect; Local is true for a program on the person's own machine.
	RedirectHost string
	Local        bool
	Roles        []oauth.OrganizationRole
}

// authorizeForm asks the person. A client's metadata is fetched only for people who are signed in.
func (s *Server) authorizeForm(w http.ResponseWriter, r *http.Request) {
	user, ok := s.signedInUser(w, r)
	if !ok {
		return
	}
	s.fewGuesses(func(w http.ResponseWriter, r *http.Request) { s.confirmClient(w, r, user) })(w, r)
}

func (s *Server) confirmClient(w http.ResponseWriter, r *http.Request, user *crier.User) {
	query := r.URL.Query()
	for name, values := range query {
		if len(values) > 1 {
			s.refuseClient(w, r, &crier.Error{Kind: crier.KindInvalid, Message: "The program that sent you here did " +
				"not ask properly: it sent " + printableName(name) + " more than once."})
			return
		}
	}
	consent, err := s.services.Authorizations.Consent(r.Context(), user.ID, sessionToken(r), oauth.AuthorizationRequest{
		ClientID: query.Get("client_id"), RedirectURI: query.Get("redirect_uri"),
		ResponseType: query.Get("response_type"), Challenge: query.Get("code_challenge"),
		ChallengeMethod: query.Get("code_challenge_method"), Resource: query.Get("resource"),
		State: query.Get("state"),
	})
	if err != nil {
		s.refuseClient(w, r, err)
		return
	}
	page := authorizePage{Ticket: consent.Ticket, Person: user.Name, Client: consent.Client.Name,
		Host: consent.Client.Host, Known: consent.Client.Configured, Roles: consent.Roles}
	if u, err := url.Parse(consent.RedirectURI); err == nil {
		page.RedirectHost, page.Local = u.Host, u.Scheme == "http"
	}
	s.renderWith(w, r, http.StatusOK, "authorize", page, s.pages.leadingTo(consent.RedirectURI))
}

// printableName shortens the name of a parameter for a page.
func printableName(name string) string {
	if len(name) > 40 {
		return "a parameter"
	}
	return name
}

// refuseClient sends the error to the client if its redirect is known, else to the person.
func (s *Server) refuseClient(w http.ResponseWriter, r *http.Request, err error) {
	infoOf(r).secret = true
	if back, ok := errors.AsType[*oauth.SentBack](err); ok {
		http.Redirect(w, r, back.Address, http.StatusSeeOther)
		return
	}
	known, ok := errors.AsType[*crier.Error](err)
	if !ok {
		s.failPage(w, r, err)
		return
	}
	s.render(w, r, contract.Status(known.Kind), "message", message{Title: "This program cannot be let in",
		Lines: []string{known.Message, "Nothing was changed."}, Home: true})
}

// decideAuthorization applies the person's decision and redirects the browser to the program.
func (s *Server) decideAuthorization(w http.ResponseWriter, r *http.Request) {
	user, ok := s.signedInUser(w, r)
	if !ok || !s.readForm(w, r) {
		return
	}
	back, err := s.services.Authorizations.Decide(r.Context(), user.ID, sessionToken(r), r.PostForm.Get("ticket"),
		r.PostForm.Get("decision") == "approve")
	if err == nil {
		err = back
	}
	s.refuseClient(w, r, err)
}

// registerClient lets a program register itself (RFC 7591), where that is allowed.
func (s *Server) registerClient(w http.ResponseWriter, r *http.Request) {
	if !s.services.Authorizations.RegistrationAllowed() {
		s.notFound(w, r)
		return
	}
	var in oauth.ClientRegistration
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		s.oauthAnswer(w, r, nil, &crier.OAuthError{Code: "invalid_client_metadata",
			Description: "the description could not be read as JSON"})
		return
	}
	out, err := s.services.Authorizations.Register(in)
	if err != nil {
		s.oauthAnswer(w, r, nil, err)
		return
	}
	write(w, http.StatusCreated, out)
}
