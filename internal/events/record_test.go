package events

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases storetest.Suite

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

var noon = crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))

// thing is an object of the API with fields of every kind.
type thing struct {
	ID     int      `json:"id"`
	Name   *string  `json:"name"`
	Note   string   `json:"note,omitempty"`
	Until  *string  `json:"until,omitempty"`
	Labels []string `json:"labels"`
	At     int      `json:"updatedAt"`
}

// named has one field of a thing: events about a part of an object have such types.
type named struct {
	Name *string `json:"name"`
	Note *string `json:"note"`
}

func word(s string) *string { return &s }

// dataOf returns the data of a fact's event.
func dataOf(t *testing.T, f Fact) string {
	t.Helper()
	event, err := New(noon, f)
	if err != nil {
		t.Fatal(err)
	}
	return string(event.Data)
}

func TestEventHasChangedFieldsWithPreviousValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		object, before any
		want           string
	}{
		{"a new thing has no previous fields", thing{ID: 1}, nil, ""},
		{"what stays the same is left out", thing{ID: 1, Name: word("a")}, thing{ID: 1, Name: word("a")}, `{}`},
		{"a value that changed", thing{ID: 1, Name: word("b")}, thing{ID: 1, Name: word("a")}, `{"name":"a"}`},
		{"a value that was null", thing{ID: 1, Name: word("b")}, thing{ID: 1}, `{"name":null}`},
		{"a value that is null now", thing{ID: 1}, thing{ID: 1, Name: word("a")}, `{"name":"a"}`},
		{"a list that was null", thing{ID: 1, Labels: []string{}}, thing{ID: 1}, `{"labels":null}`},
		{"the order of a list", thing{Labels: []string{"b", "a"}}, thing{Labels: []string{"a", "b"}},
			`{"labels":["a","b"]}`},
		{"several fields", thing{ID: 2, Note: "y"}, thing{ID: 1, Note: "x"}, `{"id":1,"note":"x"}`},
		{"a field that is no longer shown", thing{ID: 1}, thing{ID: 1, Note: "x"}, `{"note":"x"}`},
		{"a field that was not shown", thing{ID: 1, Note: "x"}, thing{ID: 1}, `{"note":null}`},
		{"an object that was not shown", thing{ID: 1, Until: word("x")}, thing{ID: 1}, `{"until":null}`},
		{"when it was changed says nothing", thing{ID: 2, At: 2}, thing{ID: 1, At: 1}, `{"id":1}`},
		{"a part of the fields says nothing about the others", thing{ID: 1, Name: word("b"), Until: word("x")},
			named{Name: word("a")}, `{"name":"a"}`},
		{"null in a part is the same as not being shown", thing{ID: 1, Name: word("a")}, named{Name: word("a")}, `{}`},
		{"the fields that are known to have changed", thing{ID: 1}, Changed{"name": "a", "note": nil},
			`{"name":"a","note":null}`},
		{"characters of HTML", thing{Name: word("<b>&")}, thing{Name: word("<i>&")}, `{"name":"\u003ci\u003e\u0026"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got struct{ Object, Previous json.RawMessage }
			if err := json.Unmarshal([]byte(dataOf(t, Fact{Type: crier.PostUpdated, Object: c.object,
				Before: c.before})), &got); err != nil {
				t.Fatal(err)
			}
			object, err := json.Marshal(c.object)
			if err != nil || string(got.Object) != string(object) {
				t.Errorf("the object is %s, want %s (%v)", got.Object, object, err)
			}
			if string(got.Previous) != c.want {
				t.Errorf("previous is %s, want %s", got.Previous, c.want)
			}
		})
	}
}

func TestUnencodableFactNamesTheEvent(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]Fact{
		"the object":                {Object: func() {}},
		"how it was":                {Object: thing{}, Before: make(chan int)},
		"how it was is no object":   {Object: thing{}, Before: []int{1}},
		"the object is a list":      {Object: []int{1}, Before: thing{}},
		"the object is a bare word": {Object: "word", Before: thing{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.Type = crier.PostUpdated
			if _, err := New(noon, f); err == nil || !strings.Contains(err.Error(), string(crier.PostUpdated)) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestFactsAreRecordedInOrderWithTheirTransaction(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		broken := errors.New("the transaction is given up")
		err := f.TryTx(func(_ context.Context, tx *store.Tx) error {
			fact := Fact{Type: crier.PostCreated, TeamID: &f.Team.ID, Object: thing{ID: 99}}
			if err := Record(tx, noon, fact); err != nil {
				return err
			}
			return broken
		})
		if !errors.Is(err, broken) {
			t.Fatal(err)
		}
		var second crier.ID
		f.Tx(func(_ context.Context, tx *store.Tx) (err error) {
			// The organization of a team's fact follows from the team.
			if err := Record(tx, f.Now, Fact{Type: crier.PostCreated, TeamID: &f.Team.ID,
				Object: thing{ID: 1}}); err != nil {
				return err
			}
			if second, err = RecordOne(tx, f.Now, Fact{Type: crier.MemberJoined, OrganizationID: f.Organization.ID,
				Object: thing{ID: 2}}); err != nil {
				return err
			}
			return Record(tx, f.Now, Fact{Type: crier.PostUpdated, TeamID: &f.Team.ID, Object: thing{ID: 3}},
				Fact{Type: crier.PostUpdated, TeamID: &f.Team.ID, Object: thing{ID: 4}})
		})
		list := written(t, f.Store)
		if len(list) != 4 {
			t.Fatalf("%d events were written", len(list))
		}
		for i, e := range list {
			shown, err := Shown(e)
			if err != nil {
				t.Fatal(err)
			}
			var object thing
			if err := json.Unmarshal(shown.Data.Object, &object); err != nil || object.ID != i+1 {
				t.Errorf("event %d is about %s (%v)", i, shown.Data.Object, err)
			}
			if shown.OrganizationID != f.Organization.ID || shown.CreatedAt != f.Now || shown.Data.Previous != nil {
				t.Errorf("event %d is %+v", i, shown)
			}
			if ofTeam := shown.TeamID != nil && *shown.TeamID == f.Team.ID; ofTeam == (i == 1) {
				t.Errorf("event %d is of the team %v", i, shown.TeamID)
			}
		}
		if list[1].ID != second {
			t.Errorf("the id is %s, RecordOne said %s", list[1].ID, second)
		}
	})
}

// written returns all events of a store, in order.
func written(t *testing.T, s *store.Store) []store.Event {
	t.Helper()
	if _, err := s.SequenceEvents(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := s.EventsAfter(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestEntryMatchesTheAPIEvent(t *testing.T) {
	t.Parallel()
	team := crier.NewID()
	e := store.Event{Event: crier.Event{ID: crier.NewID(), Sequence: 7, Type: crier.PostUpdated,
		OrganizationID: crier.NewID(), TeamID: &team, CreatedAt: noon},
		Data: []byte(`{"object":{"id":1},"previous":{"id":2}}`)}
	entry, err := NewEntry(e)
	if err != nil {
		t.Fatal(err)
	}
	var back crier.Event
	if err := json.Unmarshal(entry.JSON, &back); err != nil {
		t.Fatal(err)
	}
	if back.ID != e.ID || back.Sequence != 7 || back.Type != e.Type || back.OrganizationID != e.OrganizationID ||
		back.TeamID == nil || *back.TeamID != team || back.CreatedAt != noon ||
		string(back.Data.Object) != `{"id":1}` || string(back.Data.Previous) != `{"id":2}` {
		t.Errorf("the entry is %s", entry.JSON)
	}
	e.Data = []byte(`{"object":`)
	if _, err := NewEntry(e); err == nil || !strings.Contains(err.Error(), string(e.ID)) {
		t.Errorf("the error about an event that is cut off does not name it: %v", err)
	}
}
