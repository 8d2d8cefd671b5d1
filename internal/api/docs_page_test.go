package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"crier"
)

// describedServer is a server whose document is still at hand: its routes are there, and nothing else.
func describedServer(add func(*Server)) *Server {
	s := &Server{registry: newRegistry(), router: chi.NewRouter(), now: time.Now}
	s.document = newDocument(s.registry, "1.2.3")
	add(s)
	return s
}

// docsOf renders the documentation of a server.
func docsOf(t *testing.T, s *Server) *pageAnswer {
	t.Helper()
	rendered, err := newPages("1.2.3").renderDocs(newDocsPage(s.document, s.registry, s.routes))
	requireNoError(t, err)
	root, err := html.Parse(bytes.NewReader(rendered.plain))
	requireNoError(t, err)
	return &pageAnswer{status: http.StatusOK, header: http.Header{}, body: string(rendered.plain), root: root}
}

func TestDocsHaveEveryOperation(t *testing.T) {
	t.Parallel()
	s := newFacade()
	a := s.get(t, "/docs")
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Summary     string `json:"summary"`
		} `json:"paths"`
	}
	requireNoError(t, json.Unmarshal(s.openAPI(), &document))
	operations := 0
	for path, methods := range document.Paths {
		for method, op := range methods {
			operations++
			n := a.element(op.OperationID)
			if n == nil {
				t.Errorf("%s %s is missing", method, path)
				continue
			}
			part := &pageAnswer{root: n}
			part.says(t, op.Summary)
			part.says(t, strings.ToUpper(method)+" "+path)
		}
	}
	if operations < 14 {
		t.Errorf("only %d operations in the document", operations)
	}
}

func TestDocsLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	a := newFacade().get(t, "/docs")
	ids := a.attributes("id")
	for _, link := range a.attributes("href") {
		if id, ok := strings.CutPrefix(link, "#"); ok && !slices.Contains(ids, id) {
			t.Errorf("%s leads nowhere", link)
		}
	}
	slices.Sort(ids)
	if unique := slices.Compact(slices.Clone(ids)); len(unique) != len(ids) {
		t.Errorf("an id is there twice: %v", ids)
	}
}

func TestDocsTellThePermissionOnce(t *testing.T) {
	t.Parallel()
	a := newFacade().get(t, "/docs")
	for id, want := range map[string]string{
		"deleteTeam": "Needs the permission delete_teams.", "listTeams": "Needs a valid token.",
	} {
		part := &pageAnswer{root: a.element(id)}
		if got := strings.Count(part.text(), want); got != 1 {
			t.Errorf("%s says %d times %q: %s", id, got, want, part.text())
		}
	}
}

func TestDocsEscapeEverything(t *testing.T) {
	t.Parallel()
	const evil = `<script>alert("x")</script>`
	s := describedServer(func(s *Server) {
		schema := &huma.Schema{Type: huma.TypeObject, Required: []string{evil}, Properties: map[string]*huma.Schema{
			evil: {Type: huma.TypeString, Description: evil + " `" + evil + "`", Enum: []any{evil}, Default: evil, Pattern: evil},
		}}
		s.document.Info.Description = "* " + evil
		s.routes = []Route{{Method: http.MethodPost, Path: "/" + evil, Permission: evil}}
		s.document.AddOperation(&huma.Operation{
			OperationID: evil, Method: http.MethodPost, Path: "/" + evil, Summary: evil, Description: evil, Tags: []string{evil},
			Parameters:  []*huma.Param{{Name: evil, In: "query", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}},
			RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}},
			Responses:   map[string]*huma.Response{"200": jsonResponse(evil, schema), "400": jsonResponse(evil, schema)},
		})
	})
	a := docsOf(t, s)
	for n := range a.root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "script" {
			t.Fatalf("a description became markup in <%s>", n.Parent.Data)
		}
	}
	if got := strings.Count(a.text(), evil); got < 12 {
		t.Errorf("it is shown %d times", got)
	}
}

type node struct {
	Name     string          `json:"name" minLength:"2" doc:"What it is called."`
	Parent   *node           `json:"parent"`
	Children []node          `json:"children" maxItems:"3"`
	Labels   map[string]leaf `json:"labels,omitempty"`
}

type leaf struct {
	Size int `json:"size" minimum:"1" maximum:"1000000"`
}

func TestDocsEndWhereTypesContainThemselves(t *testing.T) {
	t.Parallel()
	b := docsFields{registry: newRegistry(), answer: true}
	got := b.value(b.registry.Schema(typeOf[node](), true, ""))
	want := docsValue{Type: "Node object", Fields: []docsField{
		{Name: "name", docsValue: docsValue{Type: "string", Rules: []string{"at least 2 characters"}}, Text: prose("What it is called.")},
		{Name: "parent", docsValue: docsValue{Type: "Node object or null", Again: "Node"}},
		{Name: "children", docsValue: docsValue{Type: "list of Node objects", Rules: []string{"at most 3 items"}, Again: "Node"}},
		{Name: "labels", Mark: "may be absent", docsValue: docsValue{Type: "map to Leaf objects", Fields: []docsField{
			{Name: "any key", docsValue: docsValue{Type: "Leaf object", Fields: []docsField{
				{Name: "size", docsValue: docsValue{Type: "integer", Rules: []string{"1 to 1,000,000"}}},
			}}},
		}}},
	}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(docsField{})); diff != "" {
		t.Error(diff)
	}
}

func TestDocsShowTheShapesOfAChoice(t *testing.T) {
	t.Parallel()
	r := newRegistry()
	node, leaf := r.Schema(typeOf[node](), true, ""), r.Schema(typeOf[leaf](), true, "")
	choice := &huma.Schema{OneOf: []*huma.Schema{node, leaf}, Discriminator: &huma.Discriminator{
		PropertyName: "kind", Mapping: map[string]string{"node": node.Ref, "leaf": leaf.Ref},
	}}
	var names []string
	for _, shape := range (docsFields{registry: r}).value(choice).Shapes {
		names = append(names, fmt.Sprintf("%s, %d fields", shape.Name, len(shape.Fields)))
	}
	if diff := cmp.Diff([]string{"kind: leaf, 1 fields", "kind: node, 4 fields"}, names); diff != "" {
		t.Error(diff)
	}
}

// ladder is as deep as a type can be: each step has two ways down to the next.
func ladder(r *registry, steps int) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for i := range steps {
		name := fmt.Sprintf("Step%d", i)
		r.schemas[name] = &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"left": schema, "right": schema}}
		schema = &huma.Schema{Ref: schemaPrefix + name}
	}
	return schema
}

func TestDocsStaySmallWithManyDeepOperations(t *testing.T) {
	t.Parallel()
	s := describedServer(func(s *Server) {
		deep := ladder(s.registry, 5)
		for i := range 80 {
			path, id := fmt.Sprintf("/v1/things/%d", i), fmt.Sprintf("changeThing%d", i)
			s.routes = append(s.routes, Route{Method: http.MethodPost, Path: path})
			s.document.AddOperation(&huma.Operation{
				OperationID: id, Method: http.MethodPost, Path: path, Tags: []string{fmt.Sprintf("Things %d", i%9)},
				RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: deep}}},
				Responses:   map[string]*huma.Response{"200": jsonResponse("OK", deep)},
			})
		}
	})
	rendered, err := newPages("1.2.3").renderDocs(newDocsPage(s.document, s.registry, s.routes))
	requireNoError(t, err)
	if plain, zipped := len(rendered.plain), len(rendered.zipped); plain > 3<<20 || zipped > 128<<10 {
		t.Errorf("the page has %d bytes, %d on the wire", plain, zipped)
	}
}

func TestDocsBoundTheirDepth(t *testing.T) {
	t.Parallel()
	r := newRegistry()
	value, depth := docsFields{registry: r}.value(ladder(r, 15)), 0
	for ; len(value.Fields) > 0; depth++ {
		value = value.Fields[0].docsValue
	}
	if depth != maxDocsDepth || value.Again == "" {
		t.Errorf("shown %d levels deep, ending with %+v", depth, value)
	}
}

func TestDocsExamplesAreValid(t *testing.T) {
	t.Parallel()
	s := describedServer((*Server).addRoutes)
	bodies := 0
	for _, route := range s.routes {
		op := operationAt(s.document, route)
		if op == nil || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
			continue
		}
		bodies++
		_, media := contentOf(op.RequestBody.Content)
		text := curl{fields: docsFields{registry: s.registry}}.value(media.Schema, nil)
		value, err := parseJSON([]byte(text))
		if err != nil {
			t.Errorf("%s: %v: %s", op.OperationID, err, text)
			continue
		}
		v := &validator{registry: s.registry}
		v.check(media.Schema, value, nil)
		if len(v.issues) > 0 {
			t.Errorf("%s: %s: %v", op.OperationID, text, v.issues)
		}
	}
	if bodies < 6 {
		t.Errorf("only %d operations with a body", bodies)
	}
}

func TestDocsExamplesCanBePasted(t *testing.T) {
	t.Parallel()
	r := newRegistry()
	c := curl{fields: docsFields{registry: r}}
	named := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"name": {Type: huma.TypeString, Examples: []any{"Ada's"}}}}
	file := &huma.Schema{Type: huma.TypeObject, Required: []string{"altText", "file"}, Properties: map[string]*huma.Schema{
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
		`curl -X POST "$CRIER_URL/v1/names"` + " \\\n  " + `-H "Authorization: Bearer $CRIER_API_KEY"` + " \\\n  " + `-H "Idempotency-Key: $(uuidgen)"` +
			" \\\n  " + `-H "Content-Type: application/json"` + " \\\n  " + `-d '{` + "\n    " + `"name": "Ada'\''s"` + "\n  }'": {
			Method: http.MethodPost, Path: "/v1/names", Security: bearer, RequestBody: content("application/json", named),
		},
		`curl -X POST "$CRIER_URL/v1/assets"` + " \\\n  -F altText=Example \\\n  -F file=@file": {
			Method: http.MethodPost, Path: "/v1/assets", RequestBody: content("multipart/form-data", file),
		},
		`curl -X PUT "$CRIER_URL/v1/uploads/$ID"` + " \\\n  " + `-H "Content-Type: video/mp4"` + " \\\n  --data-binary @file": {
			Method: http.MethodPut, Path: "/v1/uploads/{id}", RequestBody: content("video/mp4", nil),
		},
	} {
		if diff := cmp.Diff(want, c.command(op)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestProseReadsParagraphsBulletsAndCode(t *testing.T) {
	t.Parallel()
	text := func(s string) []span { return []span{{Text: s}} }
	for given, want := range map[string][]block{
		"":                   nil,
		"One\ntwo.\n\nThree": {{Text: []span{{Text: "One"}, {Text: " "}, {Text: "two."}}}, {Text: text("Three")}},
		"Say:\n* a\n- b\n  c": {
			{Text: text("Say:")}, {Items: [][]span{text("a"), {{Text: "b"}, {Text: " "}, {Text: "c"}}}},
		},
		"Use `a` or `b`": {{Text: []span{{Text: "Use "}, {Text: "a", Code: true}, {Text: " or "}, {Text: "b", Code: true}}}},
		"A `lone quote":  {{Text: text("A `lone quote")}},
		"`a` and `":      {{Text: []span{{Text: "a", Code: true}, {Text: " and `"}}}},
		"*not a bullet*": {{Text: text("*not a bullet*")}},
	} {
		if diff := cmp.Diff(want, prose(given)); diff != "" {
			t.Errorf("%q: %s", given, diff)
		}
	}
}

func TestBoundsAreToldInWords(t *testing.T) {
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
	name := docsFields{registry: newRegistry()}
	if got := name.rules(name.registry.Schema(typeOf[crier.Name](), true, "")); !slices.Equal(got, []string{"2 to 64 characters"}) {
		t.Errorf("a name is said to have %v", got)
	}
}

func TestDocsComeCompressedToThoseWhoTakeIt(t *testing.T) {
	t.Parallel()
	s := newFacade()
	plain := s.get(t, "/docs")
	for accepted, want := range map[string]string{
		"gzip": "gzip", "deflate, gzip, br": "gzip", "": "", "identity": "", "gzip;q=0": "", "x-gzipped": "",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs", nil)
		r.Header.Set("Accept-Encoding", accepted)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q: encoding %q, want %q", accepted, got, want)
		}
		var body io.Reader = w.Body
		if want == "gzip" {
			unzipped, err := gzip.NewReader(w.Body)
			requireNoError(t, err)
			body = unzipped
		}
		got, err := io.ReadAll(body)
		requireNoError(t, err)
		if string(got) != plain.body {
			t.Errorf("%q: another page", accepted)
		}
	}
}
