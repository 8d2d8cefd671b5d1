package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"crier"
	"crier/internal/access"
	"crier/internal/api/contract"
	"crier/internal/social"
)

// choosePage asks a person whether a team should get the accounts that a consent gave access to.
type choosePage struct {
	social.Outcome
	// Asked is true for a single account, where there is nothing to choose.
	Asked bool
}

// oauthCallback is where a network redirects the person's browser after its consent page.
func (s *Server) oauthCallback(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	in := social.Callback{Provider: crier.Provider(chi.URLParam(r, "provider")), State: q.Get("state"),
		Code: q.Get("code"), Error: q.Get("error")}
	user, err := s.services.People.User(r.Context(), sessionToken(r))
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	if user != nil {
		in.Person = user.ID
	}
	out, err := s.services.Connections.Complete(connecting(r), in)
	if err != nil {
		s.failConnection(w, r, err)
		return
	}
	if len(out.Choices) > 0 {
		s.renderWith(w, r, http.StatusOK, "choose", choosePage{Outcome: out, Asked: len(out.Choices) == 1},
			s.pages.leadingTo(out.ReturnURL()))
		return
	}
	if to := out.ReturnURL(); to != "" {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	s.connected(w, r, out)
}

// connecting records the accounts that a consent connects in the audit log, without the query of the URL, which
// contains the network's code.
func connecting(r *http.Request) context.Context {
	return access.WithAction(r.Context(), access.Caller{},
		access.Action{Operation: "completeConnection", Target: r.URL.Path, RequestID: infoOf(r).id})
}

// oauthChoose handles the accounts that a person selected, or that they declined.
func (s *Server) oauthChoose(w http.ResponseWriter, r *http.Request) {
	if !s.readForm(w, r) {
		return
	}
	network := crier.Provider(chi.URLParam(r, "provider"))
	out, err := s.decide(r, network)
	if err != nil {
		s.failConnection(w, r, err)
		return
	}
	if to := out.ReturnURL(); to != "" {
		http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // sealed with the connection that asked for it
		return
	}
	s.connected(w, r, out)
}

func (s *Server) decide(r *http.Request, network crier.Provider) (social.Outcome, error) {
	state := r.PostForm.Get("state")
	if r.PostForm.Get("decision") == "decline" {
		return s.services.Connections.Decline(r.Context(), network, state)
	}
	return s.services.Connections.Choose(connecting(r), network, state, r.PostForm["account"])
}

// connectedPage shows the result of a consent.
type connectedPage struct {
	Title string
	Lines []string
	Link  string
}

// connected shows the person the result of the consent.
func (s *Server) connected(w http.ResponseWriter, r *http.Request, out social.Outcome) {
	result := connectedPage{Title: "Connected", Link: out.ReturnURL()}
	status := http.StatusOK
	if out.Failure != "" {
		result, status = connectedPage{Title: "Not connected",
			Lines: []string{"No account was connected: " + out.Failure + ".", "Go back and start again."}},
			http.StatusBadRequest
	}
	for _, a := range out.Connected {
		result.Lines = append(result.Lines, a.DisplayName+" is connected.")
	}
	if len(out.MissingScopes) > 0 {
		result.Lines = append(result.Lines,
			"These permissions were not granted, and publishing needs them: "+strings.Join(out.MissingScopes,
				", ")+". Connect again to grant them.")
	}
	s.render(w, r, status, "connected", result)
}

func (s *Server) failConnection(w http.ResponseWriter, r *http.Request, err error) {
	var known *crier.Error
	if !errors.As(err, &known) {
		s.failPage(w, r, err)
		return
	}
	s.render(w, r, contract.Status(known.Kind), "message",
		message{Title: "Not connected", Lines: []string{known.Error()}})
}
