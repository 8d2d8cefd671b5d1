// Package events is the event log: events are recorded in the transaction of the change, sequenced after the commit,
// and delivered to all listeners. See docs/decisions/0005-event-order.md.
package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"crier"
	"crier/internal/store"
)

// Fact describes a change for the event log.
type Fact struct {
	Type crier.EventType
	// OrganizationID may be omitted for a fact of a team.
	OrganizationID crier.ID
	// TeamID is nil for facts of the whole organization.
	TeamID *crier.ID
	// Object is the subject, as the API shows it.
	Object any
	// Before is the previous object, or some of its fields; nil if there was none. The event lists the changed ones.
	Before any
}

// Changed is a Before of those fields that changed: finding them takes longer than encoding the object.
type Changed map[string]any

// Record writes facts as events with the transaction, in order.
func Record(tx *store.Tx, now crier.Time, facts ...Fact) error {
	for _, f := range facts {
		if _, err := RecordOne(tx, now, f); err != nil {
			return err
		}
	}
	return nil
}

// RecordOne is Record for one fact, and returns the id of its event.
func RecordOne(tx *store.Tx, now crier.Time, f Fact) (crier.ID, error) {
	event, err := New(now, f)
	if err != nil {
		return "", err
	}
	tx.RecordEvents(event)
	return event.ID, nil
}

// New returns the event of a fact, for a later transaction.
func New(now crier.Time, f Fact) (store.NewEvent, error) {
	data, err := encode(f)
	if err != nil {
		return store.NewEvent{}, fmt.Errorf("encode the event %s: %w", f.Type, err)
	}
	return store.NewEvent{ID: crier.NewID(), Type: f.Type, OrganizationID: f.OrganizationID, TeamID: f.TeamID,
		Data:      data,
		CreatedAt: now}, nil
}

// encode returns crier.EventData as JSON. It is assembled manually: an encoder would parse the object again.
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

// changedFields returns the previous fields that differ in the object. If before was the whole object, a missing field
// was null. updatedAt is left out: it changes with everything.
func changedFields(f Fact, object []byte) (json.RawMessage, error) {
	before, err := json.Marshal(f.Before)
	if _, known := f.Before.(Changed); err != nil || known {
		return before, err
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
	delete(had, "updatedAt")
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
