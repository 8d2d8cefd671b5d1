package contract

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"crier"
)

type node struct {
	Name     string          `json:"name" minLength:"2" doc:"What it is called."`
	Parent   *node           `json:"parent"`
	Children []node          `json:"children" maxItems:"3"`
	Labels   map[string]leaf `json:"labels,omitempty"`
}

type leaf struct {
	Size int `json:"size" minimum:"1" maximum:"1000000"`
}

func TestDocsHandleRecursiveTypes(t *testing.T) {
	t.Parallel()
	b := referenceFields{registry: NewRegistry(), answer: true}
	got := b.value(b.registry.Schema(reflect.TypeFor[node](), true, ""))
	want := referenceValue{Type: "Node object", Fields: []referenceField{
		{Name: "name", referenceValue: referenceValue{Type: "string", Rules: []string{"at least 2 characters"}},
			Text: prose("What it is called.")},
		{Name: "parent", referenceValue: referenceValue{Type: "Node object or null", Again: "Node"}},
		{Name: "children", referenceValue: referenceValue{Type: "list of Node objects",
			Rules: []string{"at most 3 items"},
			Again: "Node"}},
		{Name: "labels", Mark: "may be absent", referenceValue: referenceValue{Type: "map to Leaf objects",
			Fields: []referenceField{
				{Name: "any key", referenceValue: referenceValue{Type: "Leaf object", Fields: []referenceField{
					{Name: "size", referenceValue: referenceValue{Type: "integer", Rules: []string{"1 to 1,000,000"}}},
				}}},
			}}},
	}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(referenceField{})); diff != "" {
		t.Error(diff)
	}
}

func TestDocsShowTheVariantsOfAOneOf(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	node, leaf := r.Schema(reflect.TypeFor[node](), true, ""), r.Schema(reflect.TypeFor[leaf](), true, "")
	choice := &huma.Schema{OneOf: []*huma.Schema{node, leaf}, Discriminator: &huma.Discriminator{
		PropertyName: "kind", Mapping: map[string]string{"node": node.Ref, "leaf": leaf.Ref},
	}}
	var names []string
	for _, shape := range (referenceFields{registry: r}).value(choice).Shapes {
		names = append(names, fmt.Sprintf("%s, %d fields", shape.Name, len(shape.Fields)))
	}
	if diff := cmp.Diff([]string{"kind: leaf, 1 fields", "kind: node, 4 fields"}, names); diff != "" {
		t.Error(diff)
	}
}

// nestedSchema returns a type of the greatest depth: each step has two references to the next.
func nestedSchema(r *Registry, steps int) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for i := range steps {
		name := fmt.Sprintf("Step%d", i)
		r.schemas[name] = &huma.Schema{Type: huma.TypeObject,
			Properties: map[string]*huma.Schema{"left": schema, "right": schema}}
		schema = &huma.Schema{Ref: schemaPrefix + name}
	}
	return schema
}

func TestDocsDepthIsBounded(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	value, depth := referenceFields{registry: r}.value(nestedSchema(r, 15)), 0
	for ; len(value.Fields) > 0; depth++ {
		value = value.Fields[0].referenceValue
	}
	if depth != maxReferenceDepth || value.Again == "" {
		t.Errorf("shown %d levels deep, ending with %+v", depth, value)
	}
}

func TestDocsExamplesCanBePasted(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	c := curl{fields: referenceFields{registry: r}}
	named := &huma.Schema{Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{"name": {Type: huma.TypeString, Examples: []any{"Ada's"}}}}
	file := &huma.Schema{Type: huma.TypeObject, Required: []string{"altText", "file"},
		Properties: map[string]*huma.Schema{
			"altText": {Type: huma.TypeString}, "file": {Type: huma.TypeString, Format: "binary"},
		}}
	bearer := []map[string][]string{{"bearer": {}}}
	content := func(mediaType string, s *huma.Schema) *huma.RequestBody {
		return &huma.RequestBody{Content: map[string]*huma.MediaType{mediaType: {Schema: s}}}
	}
	for want, op := range map[string]*huma.Operation{
		`curl "$CRIER_URL/v1/teams/$TEAM_ID?from=$FROM"` + " \\\n  " + `-H "Authorization: Bearer $CRIER_API_KEY"`: {
			Method: http.MethodGet, Path: "/v1/teams/{teamId}", Security: bearer,
			Parameters: []*huma.Param{{Name: "from", In: "query", Required: true}, {Name: "to", In: "query"}},
		},
		`curl -X POST "$CRIER_URL/v1/names"` + " \\\n  " + `-H "Authorization: Bearer $CRIER_API_KEY"` + " \\\n  " +
			`-H "Idempotency-Key: $(uuidgen)"` +
			" \\\n  " + `-H "Content-Type: application/json"` + " \\\n  " + `-d '{` + "\n    " + `"name": "Ada'\''s"` +
			"\n  }'": {
			Method: http.MethodPost, Path: "/v1/names", Security: bearer,
			RequestBody: content("application/json", named),
		},
		`curl -X POST "$CRIER_URL/v1/assets"` + " \\\n  -F altText=Example \\\n  -F file=@file": {
			Method: http.MethodPost, Path: "/v1/assets", RequestBody: content("multipart/form-data", file),
		},
		`curl -X POST "$CRIER_URL/v1/login"` + " \\\n  " + `-H "X-Reason: Example"` + " \\\n  " +
			`-d 'name=Ada'\''s'`: {
			Method: http.MethodPost, Path: "/v1/login",
			Parameters: []*huma.Param{{Name: "X-Reason", In: "header", Required: true,
				Schema: &huma.Schema{Type: huma.TypeString}}, {Name: "X-Other", In: "header"}},
			RequestBody: content("application/x-www-form-urlencoded", named),
		},
		`curl -X PUT "$CRIER_URL/v1/uploads/$ID"` + " \\\n  " + `-H "Content-Type: video/mp4"` +
			" \\\n  --data-binary @file": {
			Method: http.MethodPut, Path: "/v1/uploads/{id}", RequestBody: content("video/mp4", nil),
		},
	} {
		if diff := cmp.Diff(want, c.command(op)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestProseParsesParagraphsBulletsAndCode(t *testing.T) {
	t.Parallel()
	text := func(s string) []span { return []span{{Text: s}} }
	for given, want := range map[string][]block{
		"":                   nil,
		"One\ntwo.\n\nThree": {{Text: []span{{Text: "One"}, {Text: " "}, {Text: "two."}}}, {Text: text("Three")}},
		"Say:\n* a\n- b\n  c": {
			{Text: text("Say:")}, {Items: [][]span{text("a"), {{Text: "b"}, {Text: " "}, {Text: "c"}}}},
		},
		"Use `a` or `b`": {{Text: []span{{Text: "Use "}, {Text: "a", Code: true}, {Text: " or "},
			{Text: "b", Code: true}}}},
		"A `lone quote":  {{Text: text("A `lone quote")}},
		"`a` and `":      {{Text: []span{{Text: "a", Code: true}, {Text: " and `"}}}},
		"*not a bullet*": {{Text: text("*not a bullet*")}},
	} {
		if diff := cmp.Diff(want, prose(given)); diff != "" {
			t.Errorf("%q: %s", given, diff)
		}
	}
}

func TestBoundsAreDescribedInWords(t *testing.T) {
	t.Parallel()
	one, many, half := 1, 64, 0.5
	low, high, negative := 0.0, 23.0, -1234567.0
	for want, s := range map[string]*huma.Schema{
		"":                             {},
		"0 to 23":                      {Minimum: &low, Maximum: &high},
		"at least -1,234,567":          {Minimum: &negative},
		"at most 0.5":                  {Maximum: &half},
		"more than 0; less than 23":    {ExclusiveMinimum: &low, ExclusiveMaximum: &high},
		"at least 1 character":         {MinLength: &one},
		"1 to 64 characters":           {MinLength: &one, MaxLength: &many},
		"exactly 64 characters":        {MinLength: &many, MaxLength: &many},
		"at most 1 item":               {MaxItems: &one},
		"1 to 64 items; no item twice": {MinItems: &one, MaxItems: &many, UniqueItems: true},
		"matches ^a$":                  {Pattern: "^a$"},
	} {
		if got := strings.Join(bounds(s), "; "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	name := referenceFields{registry: NewRegistry()}
	if got := name.rules(name.registry.Schema(reflect.TypeFor[crier.Name](), true, "")); !slices.Equal(got,
		[]string{"2 to 64 characters"}) {
		t.Errorf("a name is said to have %v", got)
	}
}
