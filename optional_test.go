package crier_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"crier"
)

// TestOptionalTakesTheLastOfTwo: RFC 8259 leaves open what a repeated name means; encoding/json takes the last value,
// and so do fields that may be null.
func TestOptionalTakesTheLastOfTwo(t *testing.T) {
	t.Parallel()
	type body struct {
		Name crier.Optional[string] `json:"name,omitzero"`
	}
	for text, want := range map[string]crier.Optional[string]{
		`{"name":null,"name":"x"}`: crier.Some("x"), `{"name":"x","name":null}`: crier.Null[string](),
		`{"name":"x","name":"y"}`: crier.Some("y"), `{"name":null,"name":null}`: crier.Null[string](),
	} {
		var got body
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Name != want {
			t.Errorf("%s is read as %+v, %v; want %+v", text, got.Name, err, want)
		}
	}
}

func TestOptionalKeepsNothingOfAnEarlierValue(t *testing.T) {
	t.Parallel()
	got := crier.Some(crier.Comment{Text: "before", MediaIDs: []crier.ID{assetA}})
	if err := json.Unmarshal([]byte(`{"text":"after"}`), &got); err != nil || got.Value.Text != "after" ||
		got.Value.MediaIDs != nil {
		t.Errorf("read over an earlier value it is %+v, %v", got.Value, err)
	}
	if err := json.Unmarshal([]byte(`{"text":5}`), &got); err == nil || !got.Set {
		t.Errorf("a wrong type is read as %+v, %v", got, err)
	}
}

func TestOptionalOfEachTypeIsWrittenAsItsValue(t *testing.T) {
	t.Parallel()
	seven := 7
	for want, v := range map[string]any{
		`{"a":7,"b":[],"c":false,"d":null}`: struct {
			A crier.Optional[*int]  `json:"a,omitzero"`
			B crier.Optional[[]int] `json:"b,omitzero"`
			C crier.Optional[bool]  `json:"c,omitzero"`
			D crier.Optional[int]   `json:"d,omitzero"`
			E crier.Optional[int]   `json:"e,omitzero"`
		}{crier.Some(&seven), crier.Some([]int{}), crier.Some(false), crier.Null[int](), crier.Optional[int]{}},
		`null`: crier.Optional[int]{},
		`0`:    crier.Some(0),
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("written as %s, %v; want %s", got, err, want)
		}
	}
	if crier.Some(0).Ptr() == nil || crier.Null[int]().Ptr() != nil || (crier.Optional[int]{}).Ptr() != nil {
		t.Error("a pointer does not tell a value from none")
	}
	if got := (crier.Optional[crier.Zone]{}).OptionalType(); got != reflect.TypeFor[crier.Zone]() {
		t.Errorf("it is described as %s", got)
	}
	value := crier.Some("x")
	*value.Ptr() = "y"
	if value.Value != "x" {
		t.Error("the pointer leads into the field")
	}
}
