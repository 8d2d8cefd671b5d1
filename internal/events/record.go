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
	// Object is what the fact is about, as the interface shows it.
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

// New is the event of a fact, for a transaction that begins later.
func New(now crier.Time, f Fact) (store.NewEvent, error) {
	data, err := encode(f)
	if err != nil {
		return store.NewEvent{}, fmt.Errorf("encode the event %s: %w", f.Type, err)
	}
	return store.NewEvent{ID: crier.NewID(), Type: f.Type, OrganizationID: f.OrganizationID, TeamID: f.TeamID,
		Data:      data,
		CreatedAt: now}, nil
}

func encode(f Fact) ([]byte, error) {
	object, err := json.Marshal(f.Object)
	if err != nil {
		return nil, err
	}
	data := crier.EventData{Object: object}
	if f.Before != nil {
		before, err := json.Marshal(f.Before)
		if err != nil {
			return nil, err
		}
		whole := reflect.TypeOf(f.Before) == reflect.TypeOf(f.Object)
		if data.Previous, err = changedFields(before, object, whole); err != nil {
			return nil, err
		}
	}
	return json.Marshal(data)
}

// changedFields are the fields of before that differ afterwards. If before is the whole object, a field that it does
// not show was null.
func changedFields(before, after []byte, whole bool) (json.RawMessage, error) {
	var had, has map[string]json.RawMessage
	if err := json.Unmarshal(before, &had); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(after, &has); err != nil {
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

// Shown is a written event as the interface shows it.
func Shown(e store.Event) (crier.Event, error) {
	shown := e.Event
	if err := json.Unmarshal(e.Data, &shown.Data); err != nil {
		return shown, fmt.Errorf("decode the event %s: %w", e.ID, err)
	}
	return shown, nil
}
