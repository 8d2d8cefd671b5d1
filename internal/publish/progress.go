package publish

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// Progress is the engine's own state of a publication between steps. The state of the network's client is in
// provider.State.
type Progress struct {
	// Renewed means that the token was refreshed after a rejection, and no call has succeeded since.
	Renewed bool `json:"renewed,omitempty"`
	// FirstSend is when the first call with an unknown outcome was made.
	FirstSend time.Time `json:"firstSend,omitzero"`
	// LostAt is when the worker gave up waiting for the answer to the last of them; zero if the worker died.
	LostAt time.Time `json:"lostAt,omitzero"`
	// EarlyLookups counts the lookups since then that were too early to prove absence.
	EarlyLookups int `json:"earlyLooks,omitempty"`
	// Absences counts consecutive lookups, made late enough to count, that did not find the post.
	Absences int `json:"absences,omitempty"`
	// ClockAhead is by how much this machine's clock is ahead of the network's.
	ClockAhead time.Duration `json:"clockAhead,omitempty"`
	// LookedFor is the first start since a restore (store.Restoration), after which the publication was looked up.
	LookedFor time.Time `json:"lookedFor,omitzero"`
	// LikesReached means that the post has the likes its comment waits for.
	LikesReached bool `json:"likesReached,omitempty"`
	// ReadPaidOn is the UTC day of the last reading of the post that was paid for, where a network charges for them.
	ReadPaidOn string `json:"readPaidOn,omitempty"`
}

// settled clears the fields about calls whose outcome is now known.
func (p *Progress) settled() {
	*p = Progress{ClockAhead: p.ClockAhead, LookedFor: p.LookedFor, LikesReached: p.LikesReached,
		ReadPaidOn: p.ReadPaidOn}
}

// storedState is the encoding of both in a row: the provider state, and the engine's progress under its own key.
type storedState struct {
	provider.State
	Progress Progress `json:"engine,omitzero"`
}

// loadState decodes the provider state, with its secrets, and the engine's progress.
func (s *Publisher) loadState(p store.Publication) (provider.State, Progress, error) {
	var stored storedState
	if err := json.Unmarshal(p.State, &stored); err != nil {
		return stored.State, stored.Progress, fmt.Errorf("decode the state of %s: %w", p.ID, err)
	}
	stored.readOldProgress()
	if p.StateSecrets == nil {
		return stored.State, stored.Progress, nil
	}
	data, err := s.keys.Open(p.StateSecrets, StateContext(p.ID))
	if err != nil {
		return stored.State, stored.Progress, err
	}
	plain := map[string]string{}
	if err := json.Unmarshal(data, &plain); err != nil {
		return stored.State, stored.Progress, fmt.Errorf("decode the secrets of %s: %w", p.ID, err)
	}
	for key, secret := range plain {
		stored.Hide(key, provider.Secret(secret))
	}
	return stored.State, stored.Progress, nil
}

// encodeState encodes state and progress into the row, with sealed secrets.
func (s *Publisher) encodeState(p *store.Publication, st provider.State, progress Progress) error {
	data, err := json.Marshal(storedState{State: withOldProgress(st, progress), Progress: progress})
	if err != nil {
		return fmt.Errorf("encode the state of %s: %w", p.ID, err)
	}
	p.State, p.StateSecrets = data, nil
	if len(st.Secrets) == 0 {
		return nil
	}
	plain := map[string]string{}
	for key, secret := range st.Secrets {
		plain[key] = secret.Reveal()
	}
	if data, err = json.Marshal(plain); err != nil {
		return fmt.Errorf("encode the secrets of %s: %w", p.ID, err)
	}
	p.StateSecrets, err = s.keys.Seal(data, StateContext(p.ID))
	return err
}

// StateContext is what the secrets in the state of a publication are sealed for.
func StateContext(publication crier.ID) string { return "state of " + string(publication) }

// The keys under which earlier versions stored the engine's progress in the provider state.
const (
	oldRenewed    = "crier.renewed"
	oldAbsences   = "crier.absences"
	oldFirstSend  = "crier.firstSend"
	oldClockAhead = "crier.clockAhead"
	oldLikes      = "crier.likes"
)

// readOldProgress migrates progress that an earlier version stored in the provider state.
func (s *storedState) readOldProgress() {
	p := &s.Progress
	for key, value := range maps.Clone(s.Data) {
		switch key {
		case oldRenewed:
			p.Renewed = value != ""
		case oldAbsences:
			p.Absences, _ = strconv.Atoi(value) // malformed: none yet
		case oldFirstSend:
			p.FirstSend, _ = time.Parse(time.RFC3339Nano, value) // malformed: the last call counts
		case oldClockAhead:
			p.ClockAhead, _ = time.ParseDuration(value) // malformed: it is measured again
		case oldLikes:
			p.LikesReached = value != ""
		default:
			continue
		}
		delete(s.Data, key)
	}
	if len(s.Data) == 0 {
		s.Data = nil
	}
}

// withOldProgress also stores the first send time where nodes of the previous version look for it: it bounds how long a
// request may be resent.
func withOldProgress(st provider.State, progress Progress) provider.State {
	if progress.FirstSend.IsZero() {
		return st
	}
	st.Data = maps.Clone(st.Data)
	st.Note(oldFirstSend, progress.FirstSend.Format(time.RFC3339Nano))
	return st
}
