package contract_test

import (
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"crier"
	"crier/internal/api/contract"
)

type scheduleInput struct {
	Body crier.ScheduleRequest
}

func scheduling() contract.Operation {
	return contract.Operation{
		Route: contract.Route{Method: http.MethodPost, Path: "/v1/schedule"}, ID: "schedule", Tag: "Posts",
		Status: http.StatusOK, In: reflect.TypeFor[scheduleInput](), Out: reflect.TypeFor[crier.ScheduledPost](),
	}
}

func TestCompleteDocumentResolvesItsInputs(t *testing.T) {
	t.Parallel()
	d := contract.NewDocument()
	in := d.Add(scheduling())
	d.Complete()
	before := d.JSON()
	if again := d.Add(scheduling()); again != in {
		t.Error("an operation that is known is compiled again")
	}
	if !bytes.Equal(before, d.JSON()) {
		t.Error("a complete document has changed")
	}
	defer func() {
		if recover() == nil {
			t.Error("a complete document takes an operation that it does not have")
		}
	}()
	unknown := scheduling()
	unknown.Path = "/v1/unknown"
	d.Add(unknown)
}

func TestDocumentForAServerDoesNotChangeTheOriginal(t *testing.T) {
	t.Parallel()
	d := contract.NewDocument()
	d.Add(scheduling())
	d.Complete()
	before := d.JSON()
	document := string(d.For("1.2.3", map[string]any{"xPoll": map[string]any{"type": "object"}}).JSON())
	for _, part := range []string{`"x-program-version": "1.2.3"`, `"xPoll"`,
		`"$ref": "#/components/schemas/PlatformSettings"`} {
		if !strings.Contains(document, part) {
			t.Errorf("a server with settings does not tell %s", part)
		}
	}
	if plain := string(d.For("1.2.4", nil).JSON()); strings.Contains(plain, "xPoll") ||
		strings.Contains(plain, "1.2.3") {
		t.Error("a server tells what another one has")
	}
	if !bytes.Equal(before, d.JSON()) {
		t.Error("the description has changed")
	}
}

func TestFormFieldsAreValidatedLikeAnObject(t *testing.T) {
	t.Parallel()
	fields := contract.NewFields(reflect.TypeFor[crier.AssetDetails]())
	var details crier.AssetDetails
	if err := fields.Decode([]byte(`{"altText":"An owl"}`), &details); err != nil {
		t.Errorf("good fields: %v", err)
	}
	if err := fields.Decode([]byte(`{"unknown":"x"}`), &details); err == nil {
		t.Error("a field that nobody knows is taken")
	}
}
