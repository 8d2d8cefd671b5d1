package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"crier"
	"crier/internal/service"
)

// choosePage lets a person pick accounts that a consent gave access to.
type choosePage struct {
	Provider string
	Network  string // its name for people
	State    string
	Choices  []service.Choice
}

// oauthCallback is where a network sends the person's browser after its consent page.
func (s *Server) oauthCallback(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	in := service.Callback{Provider: crier.Provider(chi.URLParam(r, "provider")), State: q.Get("state"), Code: q.Get("code"), Error: q.Get("error")}
	out, err := s.services.Connections.Complete(connecting(r), in)
	if err != nil {
		s.failConnection(w, r, err)
		return
	}
	if len(out.Choices) > 0 {
		s.render(w, r, http.StatusOK, "choose", choosePage{Provider: string(in.Provider), Network: out.Network, State: in.State, Choices: out.Choices})
		return
	}
	if to := out.ReturnURL(); to != "" {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	s.connected(w, r, out)
}

// connecting has the accounts that a consent connects written into the audit log. The query of the address stays out of it: it
// holds the network's code.
func connecting(r *http.Request) context.Context {
	return service.WithAction(r.Context(), service.Caller{}, service.Action{Operation: "completeConnection", Target: r.URL.Path, RequestID: infoOf(r).id})
}

// oauthChoose takes the accounts that a person picked.
func (s *Server) oauthChoose(w http.ResponseWriter, r *http.Request) {
	if !s.readForm(w, r) {
		return
	}
	network := crier.Provider(chi.URLParam(r, "provider"))
	out, err := s.services.Connections.Choose(connecting(r), network, r.PostForm.Get("state"), r.PostForm["account"])
	if err != nil {
		s.failConnection(w, r, err)
		return
	}
	s.connected(w, r, out)
}

// connectedPage tells what came of a consent. Browsers do not let a form lead to another site, so the way on is a link.
type connectedPage struct {
	Title string
	Lines []string
	Link  string
}

// connected tells the person what came of the consent.
func (s *Server) connected(w http.ResponseWriter, r *http.Request, out service.Outcome) {
	told := connectedPage{Title: "Connected", Link: out.ReturnURL()}
	status := http.StatusOK
	if out.Failure != "" {
		told, status = connectedPage{Title: "Not connected", Lines: []string{"No account was connected: " + out.Failure + ".", "Begin again where you came from."}}, http.StatusBadRequest
	}
	for _, a := range out.Connected {
		told.Lines = append(told.Lines, a.DisplayName+" is connected.")
	}
	if len(out.MissingScopes) > 0 {
		told.Lines = append(told.Lines, "These permissions were not granted, and publishing needs them: "+strings.Join(out.MissingScopes, ", ")+". Connect again to grant them.")
	}
	s.render(w, r, status, "connected", told)
}

func (s *Server) failConnection(w http.ResponseWriter, r *http.Request, err error) {
	var known *crier.Error
	if !errors.As(err, &known) {
		s.failPage(w, r, err)
		return
	}
	s.render(w, r, statusOf[known.Kind], "message", message{Title: "Not connected", Lines: []string{known.Error()}})
}
