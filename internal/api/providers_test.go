package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"crier"
)

// wantComplete fails the test unless a value has the shape of its type: decoding it loses nothing.
func wantComplete[T any](t *testing.T, what string, data crier.JSON[T]) T {
	t.Helper()
	var value T
	decoder := json.NewDecoder(bytes.NewReader(data.Raw()))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%s: %v in %s", what, err, data.Raw())
	}
	written, err := json.Marshal(value)
	requireNoError(t, err)
	var before, after any
	requireNoError(t, json.Unmarshal(data.Raw(), &before))
	requireNoError(t, json.Unmarshal(written, &after))
	if !reflect.DeepEqual(before, after) {
		t.Errorf("%s: decoding turns %s into %s", what, data.Raw(), written)
	}
	return value
}

func TestProvidersAndCapabilitiesMatchTheDocument(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		list := as[crier.ProviderList](t, w.call(t, http.MethodGet, "/v1/providers", nil).want(t, 200))
		if len(list.Data) != len(crier.Providers()) {
			t.Errorf("%d networks", len(list.Data))
		}
		for i, data := range list.Data {
			info := wantComplete(t, string(crier.Providers()[i]), data)
			if info.Name != crier.Providers()[i] || info.DisplayName == "" || len(info.Formats) == 0 ||
				info.Settings == nil || info.Scopes == nil || info.Costs == nil || info.RateLimits == nil {
				t.Errorf("the network is %+v", info)
			}
		}
		accounts := as[crier.SocialAccountList](t,
			w.call(t, http.MethodGet, w.team("/social-accounts"), nil).want(t, 200))
		for _, a := range accounts.Data {
			can := wantComplete(t, "an account on "+string(a.Provider), a.Capabilities)
			if len(can.PostTypes) == 0 || len(can.Formats) == 0 {
				t.Errorf("an account on %s can %+v", a.Provider, can)
			}
		}
	})
}
