package publish

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"crier/internal/provider"
	"crier/internal/store"
)

// Progress is what the engine remembers of a publication from one step to the next. What a network's client remembers
// is in provider.State.
type Progress struct {
	// Renewed means that the token was renewed because of a refusal, and that no success has followed yet.
	Renewed bool `json:"renewed,omitempty"`
	// FirstSend is when the first of the calls was made whose outcome is open.
	FirstSend time.Time `json:"firstSend,omitzero"`
	// LostAt is when the answer to the last of them was given up; zero when nobody was there to give it up.
	LostAt time.Time `json:"lostAt,omitzero"`
	// EarlyLooks is how often its effect was looked for since, before it could be believed to be absent.
	EarlyLooks int `json:"earlyLooks,omitempty"`
	// Absences is how many readings in a row, made late enough to count, have missed the post.
	Absences int `json:"absences,omitempty"`
	// ClockAhead is by how much this machine's clock is ahead of the network's.
	ClockAhead time.Duration `json:"clockAhead,omitempty"`
	// LookedFor is the time of the restore after which the publication was looked for.
	LookedFor time.Time `json:"lookedFor,omitzero"`
	// LikesReached means that the post has the likes that its comment waits for.
	LikesReached bool `json:"likesReached,omitempty"`
	// ReadPaidOn is the UTC day of the last reading of the post that was paid for, where a network charges for them.
	ReadPaidOn string `json:"readPaidOn,omitempty"`
}

// settled drops what was remembered about calls whose outcome is known now.
func (p *Progress) settled() {
	*p = Progress{ClockAhead: p.ClockAhead, LookedFor: p.LookedFor, LikesReached: p.LikesReached,
		ReadPaidOn: p.ReadPaidOn}
}

// storedState is how a row keeps both: the state of the network, and the engine's own memory under a key of its own.
type storedState struct {
	provider.State
	Progress Progress `json:"engine,omitzero"`
}

// loadState reads how far the network is, with the secrets that belong to it, and what the engine remembers.
func (s *Publisher) loadState(p store.Publication) (provider.State, Progress, error) {
	var stored storedState
	if err := json.Unmarshal(p.State, &stored); err != nil {
		return stored.State, stored.Progress, fmt.Errorf("decode the state of %s: %w", p.ID, err)
	}
	stored.readNotes()
	if p.StateSecrets == nil {
		return stored.State, stored.Progress, nil
	}
	data, err := s.keys.Open(p.StateSecrets, stateContext(p))
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

// keepState puts state and progress into the row, secrets sealed.
func (s *Publisher) keepState(p *store.Publication, st provider.State, progress Progress) error {
	data, err := json.Marshal(storedState{State: withOldNotes(st, progress), Progress: progress})
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
	p.StateSecrets, err = s.keys.Seal(data, stateContext(*p))
	return err
}

func stateContext(p store.Publication) string { return "state of " + string(p.ID) }

// The keys under which earlier versions kept the engine's memory among the notes of the network's client.
const (
	oldRenewed    = "crier.renewed"
	oldAbsences   = "crier.absences"
	oldFirstSend  = "crier.firstSend"
	oldClockAhead = "crier.clockAhead"
	oldLikes      = "crier.likes"
)

// readNotes moves what an earlier version remembered to where it belongs.
func (s *storedState) readNotes() {
	p := &s.Progress
	for key, value := range maps.Clone(s.Data) {
		switch key {
		case oldRenewed:
			p.Renewed = value != ""
		case oldAbsences:
			p.Absences, _ = strconv.Atoi(value) // of another form: none yet
		case oldFirstSend:
			p.FirstSend, _ = time.Parse(time.RFC3339Nano, value) // of another form: the last call counts
		case oldClockAhead:
			p.ClockAhead, _ = time.ParseDuration(value) // of another form: it is measured again
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

// withOldNotes also notes where a node of the version before looks for it what would be dangerous to forget: when the
// first request left bounds how long it may be sent again.
func withOldNotes(st provider.State, progress Progress) provider.State {
	if progress.FirstSend.IsZero() {
		return st
	}
	st.Data = maps.Clone(st.Data)
	st.Note(oldFirstSend, progress.FirstSend.Format(time.RFC3339Nano))
	return st
}
