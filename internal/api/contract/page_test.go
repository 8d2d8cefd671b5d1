package contract

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"crier"
)

// The input types of a small API.
type (
	listInput struct {
		TeamID crier.ID `path:"teamId"`
		SortBy string   `query:"sortBy"`
		Limit  int      `query:"limit" minimum:"1" maximum:"100" doc:"How many at once."`
	}
	changeInput struct {
		TeamID crier.ID            `path:"teamId"`
		Match  *crier.VersionMatch `header:"If-Match"`
		Body   leaf
	}
	openInput struct{}
	tokenForm struct {
		Code string `json:"code" doc:"The code."`
	}
)

// smallInterface has an operation of each kind.
func smallInterface(d *Document) *Document {
	op := func(method, path, id, tag string, change func(*Operation)) {
		o := Operation{Route: Route{Method: method, Path: path, Permission: "read"}, ID: id, Tag: tag, Status: 200,
			Summary: "Do " + id, Description: "It does.", In: reflect.TypeFor[openInput](),
			Out: reflect.TypeFor[leaf]()}
		change(&o)
		d.Add(o)
	}
	op(http.MethodGet, "/v1/teams/{teamId}/leaves", "listLeaves", "Leaves", func(o *Operation) {
		o.In, o.Sorts, o.CSV = reflect.TypeFor[listInput](), []string{"size", "name"}, true
	})
	op(http.MethodPatch, "/v1/teams/{teamId}/leaves", "changeLeaf", "Leaves", func(o *Operation) {
		o.In, o.Costs = reflect.TypeFor[changeInput](), true
	})
	op(http.MethodGet, "/v1/file", "readFile", "Old things", func(o *Operation) { o.Out = nil })
	op(http.MethodGet, "/v1/events", "streamEvents", "Old things", func(o *Operation) { o.Out, o.Events = nil, true })
	op(http.MethodGet, "/v1/health", "health", "", func(o *Operation) {
		o.Open, o.Permission, o.Summary = true, "",
			""
	})
	op(http.MethodPost, "/v1/leaves", "makeLeaf", "Leaves", func(o *Operation) { o.Status = 201 })
	d.AddForm(Operation{Route: Route{Method: http.MethodPost, Path: "/oauth/token", Open: true}, ID: "token",
		Tag: "Login",
		Out: reflect.TypeFor[leaf]()}, reflect.TypeFor[tokenForm]())
	d.AddRoute(Route{Method: http.MethodGet, Path: "/docs"})
	return d
}

// statuses returns the response statuses of an operation, sorted.
func statuses(op *huma.Operation) string { return strings.Join(sortedKeys(op.Responses), " ") }

func TestDocumentTellsWhichErrorsAnOperationHas(t *testing.T) {
	t.Parallel()
	d := smallInterface(NewDocument())
	paths := d.OpenAPI().Paths
	for _, c := range []struct {
		name string
		op   *huma.Operation
		want string
	}{
		{"a list", paths["/v1/teams/{teamId}/leaves"].Get, "200 400 401 403 404 429 500 503"},
		{"a change that costs, of a version", paths["/v1/teams/{teamId}/leaves"].Patch,
			"200 400 401 402 403 404 409 412 429 500 503"},
		{"a file", paths["/v1/file"].Get, "200 206 304 400 401 403 404 416 429 500 503"},
		{"a stream", paths["/v1/events"].Get, "200 400 401 403 404 429 500 503"},
		{"what needs no token", paths["/v1/health"].Get, "200 500"},
		{"what makes something", paths["/v1/leaves"].Post, "201 400 401 403 404 409 429 500 503"},
		{"a form", paths["/oauth/token"].Post, "200 400 429 500 503"},
	} {
		if got := statuses(c.op); got != c.want {
			t.Errorf("%s answers %s, want %s", c.name, got, c.want)
		}
	}
	list := paths["/v1/teams/{teamId}/leaves"].Get
	if list.Description != "It does.\n\nNeeds the permission `read`." || len(list.Security) != 2 ||
		len(paths["/v1/health"].Get.Security) != 0 || list.Responses["200"].Content["text/csv"] == nil {
		t.Errorf("the list is %+v", list)
	}
	for _, status := range []string{"200", "206"} {
		content := paths["/v1/file"].Get.Responses[status].Content
		if got, err := json.Marshal(content); err != nil ||
			string(got) != `{"*/*":{"schema":{"format":"binary","type":"string"}}}` {
			t.Errorf("a file has any type, not %s (%v)", got, err)
		}
		if got := (referenceFields{registry: NewRegistry()}).typeName(content["*/*"].Schema); got != "file" {
			t.Errorf("the reference calls a file %q", got)
		}
	}
	if list.Responses["404"] != paths["/v1/file"].Get.Responses["404"] {
		t.Error("operations do not share what they say of errors")
	}
	keyed := func(op *huma.Operation) bool {
		return slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "Idempotency-Key" })
	}
	if keyed(list) || !keyed(paths["/v1/leaves"].Post) || !keyed(paths["/v1/teams/{teamId}/leaves"].Patch) {
		t.Error("writes take an idempotency key, reads do not")
	}
	for _, p := range list.Parameters {
		if p.Name == "sortBy" && (p.Schema.Default != "size" || !slices.Equal(p.Schema.Enum, []any{"size", "name"})) {
			t.Errorf("the sorts are %v, %v by default", p.Schema.Enum, p.Schema.Default)
		}
	}
}

func TestDocumentIsOpenAPI(t *testing.T) {
	t.Parallel()
	d := smallInterface(NewDocument())
	var read struct {
		OpenAPI    string `json:"openapi"`
		Info       struct{ Title, Version string }
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(d.JSON(), &read); err != nil {
		t.Fatal(err)
	}
	if read.OpenAPI != "3.1.0" || read.Info.Title != "crier" || read.Info.Version != interfaceVersion ||
		len(read.Paths) != 6 {
		t.Errorf("the document is %+v", read.Info)
	}
	for _, name := range []string{"Leaf", "HttpApiDecodeError", "NotFound", "PreconditionFailed", "TokenForm",
		"OAuthError"} {
		if read.Components.Schemas[name] == nil {
			t.Errorf("%s has no schema", name)
		}
	}
	var failed struct {
		Required   []string
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(read.Components.Schemas["PreconditionFailed"], &failed); err != nil ||
		!slices.Equal(failed.Required, []string{"message", "_tag", "contentPayloadId"}) || len(failed.Properties) != 3 {
		t.Errorf("a failed precondition is %+v, %v", failed, err)
	}
	// Every reference resolves.
	for part := range strings.SplitSeq(string(d.JSON()), `"$ref": "#/components/schemas/`) {
		name, _, _ := strings.Cut(part, `"`)
		if !strings.HasPrefix(part, "{") && d.Registry().Map()[name] == nil {
			t.Errorf("%s is not described", name)
		}
	}
}

// A server whose document is never requested keeps none in memory.
func TestInputsAloneReadLikeTheDocument(t *testing.T) {
	t.Parallel()
	d := NewInputs()
	smallInterface(d)
	if d.OpenAPI() != nil || d.Registry() == nil || len(d.inputs) != 6 {
		t.Errorf("there are %d inputs and the document %v", len(d.inputs), d.OpenAPI())
	}
	d.Complete()
	d.AddForm(Operation{Route: Route{Path: "/again"}}, reflect.TypeFor[tokenForm]())
	if slices.ContainsFunc(d.routes, func(r Route) bool { return r.Path == "/again" }) {
		t.Error("a complete description takes another form")
	}
}

func TestReferenceIsTheDocumentInTheOrderOfRoutes(t *testing.T) {
	t.Parallel()
	page := smallInterface(NewDocument()).Reference()
	var groups []string
	for _, g := range page.Groups {
		var ids []string
		for _, op := range g.Operations {
			ids = append(ids, op.ID)
		}
		groups = append(groups, g.Tag+" ("+g.Anchor+"): "+strings.Join(ids, ", "))
	}
	want := []string{"Leaves (tag-leaves): listLeaves, changeLeaf, makeLeaf",
		"Old things (tag-old-things): readFile, streamEvents", "Other (tag-other): health", "Login (tag-login): token"}
	if page.Title != "crier" || page.Version != interfaceVersion || len(page.Intro) == 0 || !slices.Equal(groups,
		want) {
		t.Errorf("%s %s has %q, want %q", page.Title, page.Version, groups, want)
	}
	var errors []string
	for _, e := range page.Errors {
		errors = append(errors, e.Status)
	}
	if got := strings.Join(errors, " "); got != "400 401 402 403 404 409 412 416 429 500 503" {
		t.Errorf("the errors are %s", got)
	}
	list, change := page.Groups[0].Operations[0], page.Groups[0].Operations[1]
	if list.Permission != "read" || list.Open || list.Body != nil || len(list.Answers) != 1 ||
		list.Answers[0].Status != "200" ||
		list.Answers[0].Type != "Leaf object" || len(list.Description) != 1 ||
		list.Description[0].Text[0].Text != "It does." {
		t.Errorf("the list is %+v", list)
	}
	if len(list.Parameters) != 2 || list.Parameters[0].Title != "Path" || list.Parameters[0].Fields[0].Type != "UUID" ||
		list.Parameters[0].Fields[0].Mark != "required" || list.Parameters[1].Title != "Query" {
		t.Errorf("its parameters are %+v", list.Parameters)
	}
	if change.Body == nil || change.Body.MediaType != "application/json" || change.Body.Optional ||
		change.Body.Fields[0].Name != "size" || change.Parameters[1].Title != "Headers" {
		t.Errorf("a change has the body %+v", change.Body)
	}
	health, token := page.Groups[2].Operations[0], page.Groups[3].Operations[0]
	if !health.Open || health.Summary != "health" || health.Permission != "" ||
		health.Example != `curl "$CRIER_URL/v1/health"` {
		t.Errorf("what needs no token is %+v", health)
	}
	if token.Example != `curl -X POST "$CRIER_URL/oauth/token"`+" \\\n  -d code=Example" ||
		token.Body.MediaType != "application/x-www-form-urlencoded" {
		t.Errorf("a form is %+v", token)
	}
}

func TestOperationsAreFoundByTheirMethod(t *testing.T) {
	t.Parallel()
	item := &huma.PathItem{Get: &huma.Operation{}, Post: &huma.Operation{}, Put: &huma.Operation{},
		Patch: &huma.Operation{}, Delete: &huma.Operation{}}
	document := &huma.OpenAPI{Paths: map[string]*huma.PathItem{"/x": item}}
	for method, want := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put,
		"PATCH": item.Patch, "DELETE": item.Delete, "OPTIONS": nil} {
		if operationAt(document, Route{Method: method, Path: "/x"}) != want {
			t.Errorf("%s finds another operation", method)
		}
	}
	if operationAt(document, Route{Method: "GET", Path: "/y"}) != nil {
		t.Error("a route that is not described has an operation")
	}
}

func TestTypesAreNamedInWords(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	b := referenceFields{registry: r}
	text := func(format string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Format: format} }
	list := func(of *huma.Schema) *huma.Schema { return &huma.Schema{Type: huma.TypeArray, Items: of} }
	for want, s := range map[string]*huma.Schema{
		"string": text(""), "UUID": text("uuid"), "time": text("date-time"), "e-mail address": text("email"),
		"web address": text("uri"), "file": text("binary"), "boolean": {Type: huma.TypeBoolean},
		"number": {Type: huma.TypeInteger, Extensions: map[string]any{"type": "number"}}, "any value": {},
		"string or null": {Type: huma.TypeString, Nullable: true}, "list of UUIDs": list(text("uuid")),
		"list of e-mail addresses": list(text("email")), "list of list of times": list(list(text("date-time"))),
		"list of any value": list(&huma.Schema{}), "object": {Type: huma.TypeObject},
		"list of string or null": list(&huma.Schema{Type: huma.TypeString, Nullable: true}),
		"map to files":           {Type: huma.TypeObject, AdditionalProperties: text("binary")},
		"Leaf object":            r.Schema(reflect.TypeFor[leaf](), true, ""),
		"Leaf object or null": {AnyOf: []*huma.Schema{r.Schema(reflect.TypeFor[leaf](), true, ""),
			{Type: "null"}}},
	} {
		if got := b.typeName(s); got != want {
			t.Errorf("%+v is a %q, want %q", s, got, want)
		}
	}
	for value, want := range map[any]string{"a": "a", 1: "1", true: "true", 1.5: "1.5", nil: "null",
		make(chan int): ""} {
		if got := literal(value); want != "" && got != want || want == "" && !strings.HasPrefix(got, "0x") {
			t.Errorf("%v is written %q, want %q", value, got, want)
		}
	}
}

func TestRulesAreThoseOfTheValueAndItsItems(t *testing.T) {
	t.Parallel()
	b := referenceFields{registry: NewRegistry()}
	two, five := 2, 5
	low, high := 1.0, 9.0
	for want, s := range map[string]*huma.Schema{
		"2 to 5 characters; default ab": {Type: huma.TypeString, MinLength: &two, MaxLength: &five, Default: "ab"},
		"at most 5 items; each 1 to 9": {Type: huma.TypeArray, MaxItems: &five,
			Items: &huma.Schema{Type: huma.TypeInteger, Minimum: &low, Maximum: &high}},
		"a name": {Type: huma.TypeString, Pattern: "^x$", PatternDescription: "a name"},
		"":       {Type: huma.TypeString, Format: "uuid", Pattern: "^x$"},
	} {
		if got := strings.Join(b.rules(s), "; "); got != want {
			t.Errorf("the rules are %q, want %q", got, want)
		}
	}
}

func TestExamplesKeepTheBoundsOfTheirSchema(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	c := curl{fields: referenceFields{registry: r}}
	long, low, high := 12, 7.0, -3.0
	node := r.Schema(reflect.TypeFor[node](), true, "")
	for _, s := range []struct {
		schema *huma.Schema
		want   string
	}{
		{nil, "null"}, {&huma.Schema{}, "{}"}, {&huma.Schema{Nullable: true}, "null"},
		{&huma.Schema{Type: huma.TypeBoolean}, "true"}, {&huma.Schema{Type: huma.TypeInteger}, "1"},
		{&huma.Schema{Type: huma.TypeNumber, Minimum: &low}, "7"}, {&huma.Schema{Type: huma.TypeNumber, Minimum: &high},
			"1"},
		{&huma.Schema{Type: huma.TypeString}, `"Example"`},
		{&huma.Schema{Type: huma.TypeString, MinLength: &long}, `"Example-----"`},
		{&huma.Schema{Type: huma.TypeString, Format: "uuid"}, `"01985f2e-6c00-7000-8000-000000000000"`},
		{&huma.Schema{Type: huma.TypeString, Format: "date-time"}, `"2027-01-15T09:00:00Z"`},
		{&huma.Schema{Type: huma.TypeString, Format: "email"}, `"ada@example.com"`},
		{&huma.Schema{Type: huma.TypeString, Format: "uri"}, `"https://example.com"`},
		{&huma.Schema{Type: huma.TypeString, Default: "x", Enum: []any{"y"}}, `"x"`},
		{&huma.Schema{Type: huma.TypeString, Enum: []any{"y", "z"}}, `"y"`},
		{&huma.Schema{Type: huma.TypeString, Examples: []any{"e"}, Default: "x"}, `"e"`},
		{&huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeInteger}}, "[1]"},
		{node, `{"name":"Example","parent":null,"children":[null]}`},
		{&huma.Schema{Discriminator: &huma.Discriminator{PropertyName: "k", Mapping: map[string]string{"b": node.Ref,
			"a": r.Schema(reflect.TypeFor[leaf](), true, "").Ref}}}, `{"size":1}`},
	} {
		if got := c.value(s.schema, nil); got != s.want {
			t.Errorf("an example of %+v is %s, want %s", s.schema, got, s.want)
		}
	}
}
