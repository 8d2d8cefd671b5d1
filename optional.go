package crier

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Optional is a field of a change request that tells absent, null and a value apart: absent leaves things as they
// are, null clears, a value sets. Use it with the JSON option omitzero.
type Optional[T any] struct {
	// Set is true when the field was there, null or not.
	Set bool
	// Null is true when it was null.
	Null bool
	// Value is the zero value unless Set and not Null.
	Value T
}

// Some returns a field that is there with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Set: true, Value: v} }

// Null returns a field that is there and null.
func Null[T any]() Optional[T] { return Optional[T]{Set: true, Null: true} }

// HasValue reports whether the field is there and not null.
func (o Optional[T]) HasValue() bool { return o.Set && !o.Null }

// Ptr is nil for null and absent.
func (o Optional[T]) Ptr() *T {
	if !o.HasValue() {
		return nil
	}
	return &o.Value
}

// IsZero makes an absent field vanish when it is written with omitzero.
func (o Optional[T]) IsZero() bool { return !o.Set }

// OptionalType tells the type of the value to who describes the wire format.
func (o Optional[T]) OptionalType() reflect.Type { return reflect.TypeFor[T]() }

// UnmarshalJSON is called for fields that are there. Of a field that is there twice, the last one counts.
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
