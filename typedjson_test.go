package crier_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"crier"
)

func TestTypedJSONIsPassedOnAsItIs(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{"likes":5,"new":{"deep":[1,2]}}`, `{"likes": 5}`, `{}`, `null`, `{"likes":null}`} {
		var stored struct {
			Metrics crier.JSON[crier.Metrics] `json:"metrics"`
		}
		err := json.Unmarshal([]byte(`{"metrics":`+raw+`}`), &stored)
		if err != nil || string(stored.Metrics.Raw()) != raw {
			t.Errorf("%s is kept as %s, %v", raw, stored.Metrics.Raw(), err)
		}
		written, err := json.Marshal(stored)
		if want := `{"metrics":` + strings.ReplaceAll(raw, " ", "") + `}`; err != nil || string(written) != want {
			t.Errorf("%s is written as %s, %v", raw, written, err)
		}
	}
}

func TestTypedJSONDecodesWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	metrics := crier.RawJSON[crier.Metrics](json.RawMessage(`{"likes":5,"views":null,"extra":{"plays":7},"new":1}`))
	got, err := metrics.Value()
	if err != nil || got.Likes == nil || *got.Likes != 5 || got.Views != nil || got.Extra["plays"] != 7 {
		t.Errorf("decoded as %+v, %v", got, err)
	}
	var none crier.JSON[crier.Metrics]
	if got, err := none.Value(); err != nil || !reflect.DeepEqual(got, crier.Metrics{}) {
		t.Errorf("nothing is %+v, %v", got, err)
	}
	if written, err := json.Marshal(none); err != nil || string(written) != "{}" {
		t.Errorf("nothing is written as %s, %v", written, err)
	}
	_, err = crier.RawJSON[crier.Metrics](json.RawMessage(`{"likes":"many"}`)).Value()
	if err == nil || !strings.HasPrefix(err.Error(), "decode crier.Metrics: json: cannot unmarshal string") {
		t.Errorf("a wrong type: %v", err)
	}
	if _, err := crier.RawJSON[[]int](json.RawMessage(`[1,`)).Value(); err == nil {
		t.Error("half a list is decoded")
	}
	if got := none.JSONType(); got != reflect.TypeFor[crier.Metrics]() {
		t.Errorf("it is described as %s", got)
	}
}

// TestTypedJSONKeepsACopy: the decoder reuses its buffer.
func TestTypedJSONKeepsACopy(t *testing.T) {
	t.Parallel()
	buffer := []byte(`{"likes":1}`)
	var stored crier.JSON[crier.Metrics]
	if err := stored.UnmarshalJSON(buffer); err != nil {
		t.Fatal(err)
	}
	copy(buffer, `{"xxxxx":9}`)
	if string(stored.Raw()) != `{"likes":1}` {
		t.Errorf("kept as %s", stored.Raw())
	}
}
