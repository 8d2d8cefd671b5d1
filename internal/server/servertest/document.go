package servertest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document is the OpenAPI document as a server returns it, with its schemas compiled: JSON Schema draft 2020-12,
// formats asserted.
type Document struct {
	Root     map[string]any
	mu       sync.Mutex // the compiler is not safe for concurrent use
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // compiled, by their pointers
}

const documentURL = "https://crier.test/openapi.json"

// cachedDocument caches the document for the run: all servers return the same one, and generating it is expensive.
var cachedDocument struct {
	sync.Mutex
	*Document
}

// OpenAPI returns the document that the server serves.
func (s *Server) OpenAPI(tb testing.TB) *Document {
	tb.Helper()
	cachedDocument.Lock()
	defer cachedDocument.Unlock()
	if cachedDocument.Document != nil {
		return cachedDocument.Document
	}
	got, err := s.RoundTrip(Request{Method: "GET", Path: "/openapi.json"})
	if err != nil || got.Status != 200 {
		tb.Fatalf("read the OpenAPI document: status %d, %v", got.Status, err)
	}
	if cachedDocument.Document, err = ParseDocument(got.Body); err != nil {
		tb.Fatalf("read the OpenAPI document: %v", err)
	}
	return cachedDocument.Document
}

// ParseDocument parses an OpenAPI document.
func ParseDocument(data []byte) (*Document, error) {
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(documentURL, root); err != nil {
		return nil, err
	}
	object, ok := root.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the document is a %T", root)
	}
	return &Document{Root: object, compiler: compiler, schemas: map[string]*jsonschema.Schema{}}, nil
}

// Check validates a response against the document's description of its route and status. Responses of paths that the
// document does not describe are checked only if they are errors.
func (d *Document) Check(r Request, got Response) error {
	path, operation := d.Operation(r.Method, r.Path)
	if operation == nil {
		if got.Status < 400 || got.JSON == nil || got.Tag() == "" {
			return nil
		}
		return d.Validate("/components/schemas/"+got.Tag(), got.JSON)
	}
	if _, ok := Walk(operation, []any{"responses", strconv.Itoa(got.Status)}); !ok {
		return fmt.Errorf("the status %d is not described", got.Status)
	}
	if contentType := got.Header.Get("Content-Type"); contentType != "application/json" {
		return fmt.Errorf("the content type is %q", contentType)
	}
	pointer := fmt.Sprintf("/paths/%s/%s/responses/%d/content/application~1json/schema", escape(path),
		strings.ToLower(r.Method), got.Status)
	return d.Validate(pointer, got.JSON)
}

// Validate validates a value against the schema at a JSON pointer.
func (d *Document) Validate(pointer string, value any) error {
	schema, err := d.compiled(pointer)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (d *Document) compiled(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	schema, ok := d.schemas[pointer]
	if ok {
		return schema, nil
	}
	schema, err := d.compiler.Compile(documentURL + "#" + pointer)
	if err == nil {
		d.schemas[pointer] = schema
	}
	return schema, err
}

// Operation finds the operation of a request: the matching path of the document with the most literal segments.
func (d *Document) Operation(method, address string) (string, map[string]any) {
	address, _, _ = strings.Cut(address, "?")
	method = strings.ToLower(method)
	paths, _ := d.Root["paths"].(map[string]any)
	best, found := "", map[string]any(nil)
	for path, item := range paths {
		if !fits(path, address) {
			continue
		}
		operation, ok := Walk(item, []any{method})
		if ok && (best == "" || strings.Count(path, "{") < strings.Count(best, "{")) {
			best, found = path, operation.(map[string]any)
		}
	}
	return best, found
}

func fits(path, address string) bool {
	for more := true; more; {
		var want, got string
		var other bool
		want, path, more = strings.Cut(path, "/")
		got, address, other = strings.Cut(address, "/")
		if more != other || want != got && !(strings.HasPrefix(want, "{") && got != "") {
			return false
		}
	}
	return true
}

// escape escapes a key as a segment of a JSON pointer in a URL.
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(key)
}
