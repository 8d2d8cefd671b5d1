package publish

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier/internal/auth"
	"crier/internal/provider"
	"crier/internal/store"
)

func testPublisher(t *testing.T) *Publisher {
	t.Helper()
	keys, err := auth.NewKeyring(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	return &Publisher{keys: keys}
}

func TestStateAndProgressRoundTrip(t *testing.T) {
	t.Parallel()
	s := testPublisher(t)
	full := Progress{Renewed: true, FirstSend: time.Date(2026, 11, 15, 9, 0, 0, 123456000, time.UTC), Absences: 2,
		ClockAhead: 3 * time.Second, LikesReached: true}
	for name, progress := range map[string]Progress{"full": full, "empty": {}} {
		p := store.Publication{ID: "p"}
		st := provider.State{Ready: true, ContainerID: "c", Data: map[string]string{"note": "of the network"},
			Secrets: map[string]provider.Secret{"upload": "https://secret.test"}}
		if err := s.encodeState(&p, st, progress); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(p.State), "secret.test") || len(st.Data) != 1 {
			t.Errorf("%s: stored %s, notes %v", name, p.State, st.Data)
		}
		gotState, got, err := s.loadState(p)
		if err != nil || cmp.Diff(progress, got) != "" || cmp.Diff(st, gotState) != "" {
			t.Errorf("%s: %v\n%s%s", name, err, cmp.Diff(progress, got), cmp.Diff(st, gotState))
		}
	}
}

func TestLegacyProgressIsReadFromProviderState(t *testing.T) {
	t.Parallel()
	s := testPublisher(t)
	p := store.Publication{State: json.RawMessage(`{"ready":true,"done":false,"requiresPolling":false,"data":{
		"crier.renewed":"yes","crier.absences":"2","crier.firstSend":"2026-11-15T09:00:00.123456Z",
		"crier.clockAhead":"1m3s","crier.likes":"reached","note":"of the network"}}`)}
	st, got, err := s.loadState(p)
	want := Progress{Renewed: true, FirstSend: time.Date(2026, 11, 15, 9, 0, 0, 123456000, time.UTC), Absences: 2,
		ClockAhead: 63 * time.Second, LikesReached: true}
	if err != nil || got != want || len(st.Data) != 1 || st.Data["note"] == "" || !st.Ready {
		t.Errorf("%+v, notes %v, %v", got, st.Data, err)
	}
	p.State = json.RawMessage(`{"data":{"crier.absences":"many","crier.firstSend":"once","crier.clockAhead":"a bit"}}`)
	if st, got, err = s.loadState(p); err != nil || got != (Progress{}) || st.Data != nil {
		t.Errorf("notes that cannot be read: %+v, %v, %v", got, st.Data, err)
	}
}

func TestPreviousVersionCanReadFirstSendTime(t *testing.T) {
	t.Parallel()
	p := store.Publication{}
	first := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	if err := testPublisher(t).encodeState(&p, provider.State{}, Progress{FirstSend: first}); err != nil {
		t.Fatal(err)
	}
	var before provider.State
	if err := json.Unmarshal(p.State, &before); err != nil || before.Data["crier.firstSend"] != "2026-11-15T09:00:00Z" {
		t.Errorf("%s: %v", p.State, err)
	}
}

func TestEmptyStateHoldsNoProgress(t *testing.T) {
	t.Parallel()
	p := store.Publication{State: EmptyState()}
	st, progress, err := testPublisher(t).loadState(p)
	if err != nil || progress != (Progress{}) || st.Ready {
		t.Errorf("%+v %+v %v", st, progress, err)
	}
}

func TestSettledProgressKeepsFieldsForTheNextCall(t *testing.T) {
	t.Parallel()
	p := Progress{Renewed: true, FirstSend: time.Now(), Absences: 1, ClockAhead: time.Minute, LikesReached: true}
	p.settled()
	if p != (Progress{ClockAhead: time.Minute, LikesReached: true}) {
		t.Errorf("%+v", p)
	}
}
