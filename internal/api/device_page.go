package api

import (
	"errors"
	"net/http"

	"crier"
	"crier/internal/api/contract"
)

// devicePage asks a person about a device that wants to act for them.
type devicePage struct {
	Code    string
	Client  string
	Person  string
	Problem string
}

// deviceForm asks for the code, or about the device that has it. Guessing codes is rate-limited.
func (s *Server) deviceForm(w http.ResponseWriter, r *http.Request) {
	user, ok := s.signedInUser(w, r)
	if !ok {
		return
	}
	code := r.URL.Query().Get("user_code")
	if code == "" {
		s.render(w, r, http.StatusOK, "device", devicePage{Person: user.Name})
		return
	}
	s.fewGuesses(func(w http.ResponseWriter, r *http.Request) { s.confirmDevice(w, r, user, code) })(w, r)
}

func (s *Server) confirmDevice(w http.ResponseWriter, r *http.Request, user *crier.User, code string) {
	page := devicePage{Code: code, Person: user.Name}
	login, err := s.services.Devices.Pending(r.Context(), code)
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	if login == nil {
		page.Problem = "This code is not known, was used already, or has expired."
	} else {
		page.Client, page.Code = login.ClientName, login.UserCode
	}
	s.render(w, r, http.StatusOK, "device", page)
}

// decideDevice applies the person's decision.
func (s *Server) decideDevice(w http.ResponseWriter, r *http.Request) {
	user, ok := s.signedInUser(w, r)
	if !ok || !s.readForm(w, r) {
		return
	}
	approve := r.PostForm.Get("decision") == "approve"
	err := s.services.Devices.Decide(r.Context(), user.ID, r.PostForm.Get("user_code"), approve)
	if known, ok := errors.AsType[*crier.Error](err); ok {
		s.render(w, r, contract.Status(known.Kind), "device", devicePage{Person: user.Name, Problem: known.Message})
		return
	}
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	title, line := "Approved", "The device is logged in. You can close this window."
	if !approve {
		title, line = "Refused", "The device was not let in. You can close this window."
	}
	s.render(w, r, http.StatusOK, "message", message{Title: title, Lines: []string{line}})
}
