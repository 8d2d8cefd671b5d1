package api

import (
	"encoding/json"
	"net/http"
	"testing"

	"crier"
)

// eventsOf returns the events of a type, oldest first.
func (w *world) eventsOf(t *testing.T, kind crier.EventType) []crier.Event {
	t.Helper()
	_, err := w.store.SequenceEvents(t.Context())
	requireNoError(t, err)
	return as[crier.EventPage](t, w.call(t, http.MethodGet, w.organization("/events?limit=100&types=%s", kind), nil).
		want(t, 200)).Data
}

func TestFirstCreditsAreAnEvent(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		list := w.eventsOf(t, crier.CreditsGranted)
		if len(list) != 1 {
			t.Fatalf("%d grants were recorded", len(list))
		}
		var got crier.CreditsEvent
		requireNoError(t, json.Unmarshal(list[0].Data.Object, &got))
		if want := (crier.CreditsEvent{CreditsBalance: 10_000, AvailableCredits: 10_000, Amount: 10_000}); got != want {
			t.Errorf("granted %+v, want %+v", got, want)
		}
	})
}
