package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"crier"
)

// ownFormsOnly refuses forms that another site sends in a person's name.
func (s *Server) ownFormsOnly(next http.HandlerFunc) http.HandlerFunc {
	protection := http.NewCrossOriginProtection()
	return func(w http.ResponseWriter, r *http.Request) {
		if err := protection.Check(r); err != nil {
			s.render(w, r, http.StatusForbidden, "message", message{
				Title: "This form was sent from another site",
				Lines: []string{"Nothing was changed. Open the page here and send the form from it."},
			})
			return
		}
		next(w, r)
	}
}

// guessesPerMinute is how often one remote address may try links and passwords.
const guessesPerMinute = 20

// fewGuesses slows down those who try secrets out.
func (s *Server) fewGuesses(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _, wait := s.guesses.take(networkID(r.RemoteAddr))
		if wait == 0 {
			next(w, r)
			return
		}
		pause := max(1, seconds(wait))
		w.Header().Set("Retry-After", strconv.Itoa(pause))
		s.render(w, r, http.StatusTooManyRequests, "message", message{
			Title: "Too many tries",
			Lines: []string{fmt.Sprintf("Wait %d s, then try again.", pause)},
		})
	}
}

// networks is the space of the ids that stand for remote addresses.
const networks crier.ID = "5d0f9f9c-5f3e-5c1b-8a53-6d1b7c0f2a11"

// networkID is what the guesses of a remote address are counted under. Whoever has one IPv6 address has the 2^64
// of its network, so these count as one.
func networkID(remote string) crier.ID {
	port, err := netip.ParseAddrPort(remote)
	if err != nil {
		return crier.DerivedID(networks, remote)
	}
	addr := port.Addr().Unmap().WithZone("")
	if addr.Is4() {
		return crier.DerivedID(networks, addr.String())
	}
	return crier.DerivedID(networks, netip.PrefixFrom(addr, 64).Masked().String())
}

// maxForm is the largest form in bytes.
const maxForm = 16 << 10

// readForm reads the fields of a form into r.PostForm. When that fails, it answers and returns false.
func (s *Server) readForm(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	if err == nil {
		return true
	}
	status, line := http.StatusBadRequest, "Its fields could not be read. Load the page again and fill it in once more."
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		status, line = http.StatusRequestEntityTooLarge, fmt.Sprintf("It may have at most %d bytes.", maxForm)
	}
	s.render(w, r, status, "message", message{Title: "This form cannot be taken", Lines: []string{line}})
	return false
}

// tidy is what a person typed, without the spaces that keyboards and pasting add.
func tidy(typed string) string { return strings.TrimSpace(strings.ToValidUTF8(typed, "\uFFFD")) }
