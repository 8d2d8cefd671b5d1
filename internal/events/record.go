// Package events is the log of what happened: facts are recorded in the transaction that makes them true, put in order
// after the commit, and handed to everybody who follows the log. docs/decisions/0005-event-order.md says why so.
package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"crier"
	"crier/internal/store"
)

// Fact is something that a transaction makes true.
type Fact struct {
	Type crier.EventType
	// OrganizationID may be left out for the fact of a team.
	OrganizationID crier.ID
	// TeamID is nil for what concerns the whole organization.
	TeamID *crier.ID
	// Object is what the fact is about, as the API shows it.
	Object any
	// Before is the object as it was, or some of its fields; nil when there was none. The event tells which changed.
	Before any
}

// Record has facts written as events with the transaction, in their order.
func Record(tx *store.Tx, now crier.Time, facts ...Fact) error {
	for _, f := range facts {
		if _, err := RecordOne(tx, now, f); err != nil {
			return err
		}
	}
	return nil
}

// RecordOne is Record for one fact, and tells the id of its event.
func RecordOne(tx *store.Tx, now crier.Time, f Fact) (crier.ID, error) {
	event, err := New(now, f)
	if err != nil {
		return "", err
	}
	tx.RecordEvents(event)
	return event.ID, nil
}

// New returns the event of a fact, for a transaction that begins later.
func New(now crier.Time, f Fact) (store.NewEvent, error) {
	data, err := encode(f)
	if err != nil {
		return store.NewEvent{}, fmt.Errorf("encode the event %s: %w", f.Type, err)
	}
	return store.NewEvent{ID: crier.NewID(), Type: f.Type, OrganizationID: f.OrganizationID, TeamID: f.TeamID,
		Data:      data,
		CreatedAt: now}, nil
}

// encode returns crier.EventData as JSON. It is put together by hand: an encoder would read the object once more.
func encode(f Fact) ([]byte, error) {
	object, err := json.Marshal(f.Object)
	if err != nil {
		return nil, err
	}
	data := append([]byte(`{"object":`), object...)
	if f.Before != nil {
		previous, err := changedFields(f, object)
		if err != nil {
			return nil, err
		}
		data = append(append(data, `,"previous":`...), previous...)
	}
	return append(data, '}'), nil
}

// changedFields returns the fields of what was before that differ in the object. If that was the whole object, a field
// that it does not show was null.
func changedFields(f Fact, object []byte) (json.RawMessage, error) {
	before, err := json.Marshal(f.Before)
	if err != nil {
		return nil, err
	}
	whole := reflect.TypeOf(f.Before) == reflect.TypeOf(f.Object)
	if !whole { // of a large object only these fields count
		same := reflect.New(reflect.TypeOf(f.Before)).Interface()
		if err := json.Unmarshal(object, same); err != nil {
			return nil, err
		}
		if object, err = json.Marshal(same); err != nil {
			return nil, err
		}
	}
	var had, has map[string]json.RawMessage
	if err := json.Unmarshal(before, &had); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(object, &has); err != nil {
		return nil, err
	}
	if whole {
		for field := range has {
			if _, was := had[field]; !was {
				had[field] = json.RawMessage("null")
			}
		}
	}
	for field, value := range had {
		present, there := has[field]
		if bytes.Equal(value, present) || !there && string(value) == "null" {
			delete(had, field)
		}
	}
	return json.Marshal(had)
}

// Shown returns a written event as the API shows it.
func Shown(e store.Event) (crier.Event, error) {
	shown := e.Event
	if err := json.Unmarshal(e.Data, &shown.Data); err != nil {
		return shown, fmt.Errorf("decode the event %s: %w", e.ID, err)
	}
	return shown, nil
}
