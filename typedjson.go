package crier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// JSON is an encoded value of type T from the wire or the database: it is passed on unchanged, and decoded on demand.
// The OpenAPI document describes it as T.
type JSON[T any] struct{ raw json.RawMessage }

// RawJSON returns data that is known to be a value of type T.
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

// Raw returns the encoded value.
func (j JSON[T]) Raw() json.RawMessage { return j.raw }

// JSONType returns the type of the value, for descriptions of the wire format.
func (JSON[T]) JSONType() reflect.Type { return reflect.TypeFor[T]() }

// MarshalJSON writes the value unchanged; no value is written as an empty object.
func (j JSON[T]) MarshalJSON() ([]byte, error) {
	if len(j.raw) == 0 {
		return []byte("{}"), nil
	}
	return j.raw, nil
}

// UnmarshalJSON stores the value unchanged.
func (j *JSON[T]) UnmarshalJSON(data []byte) error {
	j.raw = bytes.Clone(data)
	return nil
}
