package crier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// JSON is a value of type T as it came over the wire or out of the database: it is passed on as it is, and decoded by
// who needs it. The interface's document describes it as T.
type JSON[T any] struct{ raw json.RawMessage }

// RawJSON takes what is known to be a value of type T.
func RawJSON[T any](raw json.RawMessage) JSON[T] { return JSON[T]{raw: raw} }

// Value decodes it.
func (j JSON[T]) Value() (T, error) {
	var value T
	if len(j.raw) == 0 {
		return value, nil
	}
	if err := json.Unmarshal(j.raw, &value); err != nil {
		return value, fmt.Errorf("decode %T: %w", value, err)
	}
	return value, nil
}

// Raw returns what was written.
func (j JSON[T]) Raw() json.RawMessage { return j.raw }

// JSONType tells the type of the value to who describes the wire format.
func (JSON[T]) JSONType() reflect.Type { return reflect.TypeFor[T]() }

// MarshalJSON writes the value as it is; nothing is written as an empty object.
func (j JSON[T]) MarshalJSON() ([]byte, error) {
	if len(j.raw) == 0 {
		return []byte("{}"), nil
	}
	return j.raw, nil
}

// UnmarshalJSON keeps the value as it is.
func (j *JSON[T]) UnmarshalJSON(data []byte) error {
	j.raw = bytes.Clone(data)
	return nil
}
