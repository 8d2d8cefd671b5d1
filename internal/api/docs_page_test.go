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
	"golang.org/x/net/html"

	"crier/internal/api/contract"
)

// describedServer returns a server with its document: it has its routes, and nothing else.
func describedServer(add func(*Server)) *Server {
	s := &Server{document: contract.NewDocument(), router: chi.NewRouter(), now: time.Now}
	add(s)
	return s
}

// docsOf renders the documentation of a server.
func docsOf(t *testing.T, s *Server) *pageAnswer {
	t.Helper()
	rendered, err := newPages("1.2.3").renderDocs(s.document.Reference())
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
			part.wantText(t, op.Summary)
			part.wantText(t, strings.ToUpper(method)+" "+path)
		}
	}
	if operations < 14 {
		t.Errorf("only %d operations in the document", operations)
	}
}

func TestDocsLinksResolve(t *testing.T) {
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

func TestDocsShowThePermissionOnce(t *testing.T) {
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
			evil: {Type: huma.TypeString, Description: evil + " `" + evil + "`", Enum: []any{evil}, Default: evil,
				Pattern: evil},
		}}
		s.document.OpenAPI().Info.Description = "* " + evil
		s.document.AddRoute(Route{Method: http.MethodPost, Path: "/" + evil, Permission: evil})
		s.document.OpenAPI().AddOperation(&huma.Operation{
			OperationID: evil, Method: http.MethodPost, Path: "/" + evil, Summary: evil, Description: evil,
			Tags: []string{evil},
			Parameters: []*huma.Param{{Name: evil, In: "query", Required: true,
				Schema: &huma.Schema{Type: huma.TypeString}}},
			RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}},
			Responses: map[string]*huma.Response{"200": jsonResponse(evil, schema),
				"400": jsonResponse(evil, schema)},
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

// nestedSchema returns a type of the greatest depth: each step has two references to the next.
func nestedSchema(r *contract.Registry, steps int) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for i := range steps {
		name := fmt.Sprintf("Step%d", i)
		r.Map()[name] = &huma.Schema{Type: huma.TypeObject,
			Properties: map[string]*huma.Schema{"left": schema, "right": schema}}
		schema = &huma.Schema{Ref: "#/components/schemas/" + name}
	}
	return schema
}

func jsonResponse(description string, schema *huma.Schema) *huma.Response {
	return &huma.Response{Description: description,
		Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
}

func TestDocsStaySmallWithManyDeepOperations(t *testing.T) {
	t.Parallel()
	s := describedServer(func(s *Server) {
		deep := nestedSchema(s.document.Registry(), 5)
		for i := range 80 {
			path, id := fmt.Sprintf("/v1/things/%d", i), fmt.Sprintf("changeThing%d", i)
			s.document.AddRoute(Route{Method: http.MethodPost, Path: path})
			s.document.OpenAPI().AddOperation(&huma.Operation{
				OperationID: id, Method: http.MethodPost, Path: path, Tags: []string{fmt.Sprintf("Things %d", i%9)},
				RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: deep}}},
				Responses:   map[string]*huma.Response{"200": jsonResponse("OK", deep)},
			})
		}
	})
	rendered, err := newPages("1.2.3").renderDocs(s.document.Reference())
	requireNoError(t, err)
	if plain, zipped := len(rendered.plain), len(rendered.zipped); plain > 3<<20 || zipped > 128<<10 {
		t.Errorf("the page has %d bytes, %d on the wire", plain, zipped)
	}
}

func TestDocsExamplesAreValid(t *testing.T) {
	t.Parallel()
	s := describedServer((*Server).addRoutes)
	bodies := 0
	for _, group := range s.document.Reference().Groups {
		for _, op := range group.Operations {
			_, text, found := strings.Cut(op.Example, "-d '")
			if !found {
				continue
			}
			bodies++
			value, err := contract.ParseJSON([]byte(strings.TrimSuffix(text, "'")))
			if err != nil {
				t.Errorf("%s: %v: %s", op.ID, err, text)
				continue
			}
			schema := requestSchema(s.document.OpenAPI(), op.Method, op.Path)
			if issues := s.document.Registry().Validate(schema, value); len(issues) > 0 {
				t.Errorf("%s: %s: %v", op.ID, text, issues)
			}
		}
	}
	if bodies < 25 {
		t.Errorf("only %d operations with a body", bodies)
	}
}

// requestSchema returns the schema of the JSON body of an operation.
func requestSchema(document *huma.OpenAPI, method, path string) *huma.Schema {
	item := document.Paths[path]
	op := map[string]*huma.Operation{http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodPatch: item.Patch,
		http.MethodDelete: item.Delete}[method]
	return op.RequestBody.Content["application/json"].Schema
}

func TestDocsAreCompressed(t *testing.T) {
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
