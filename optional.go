package crier

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Optional is a field of an update request that distinguishes absent, null and a value: absent keeps the value, null
// clears it, a value sets it. Use it with the JSON option omitzero.
type Optional[T any] struct {
	// Set is true if the field is present, null or not.
	Set bool
	// Null is true if it is null.
	Null bool
	// Value is the zero value unless Set and not Null.
	Value T
}

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Set: true, Value: v} }

// Null returns a field that is null.
func Null[T any]() Optional[T] { return Optional[T]{Set: true, Null: true} }

// HasValue reports whether the field is present and not null.
func (o Optional[T]) HasValue() bool { return o.Set && !o.Null }

// Ptr returns a pointer to the value; nil for null and absent.
func (o Optional[T]) Ptr() *T {
	if !o.HasValue() {
		return nil
	}
	return &o.Value
}

// IsZero reports whether the field is absent, so that omitzero omits it.
func (o Optional[T]) IsZero() bool { return !o.Set }

// OptionalType returns the type of the value, for descriptions of the wire format.
func (o Optional[T]) OptionalType() reflect.Type { return reflect.TypeFor[T]() }

// UnmarshalJSON is called for fields that are present. If a field is present twice, the last one counts.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	*o = Optional[T]{Set: true}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		o.Null = true
		return nil
	}
	return json.Unmarshal(data, &o.Value)
}

// MarshalJSON writes null or the value.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.HasValue() {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}
