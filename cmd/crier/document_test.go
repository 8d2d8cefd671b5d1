package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is the OpenAPI document as a server gives it out, with its schemas compiled: JSON Schema draft 2020-12, formats
// asserted.
type document struct {
	root     map[string]any
	compiler *jsonschema.Compiler
	mu       sync.Mutex // the compiler is not safe for concurrent use
}

const documentURL = "https://crier.test/openapi.json"

// givenOut is the document of the run: all servers give out the same one, and writing it is work.
var givenOut struct {
	sync.Mutex
	*document
}

func (s *server) openAPI(tb testing.TB) *document {
	tb.Helper()
	givenOut.Lock()
	defer givenOut.Unlock()
	if givenOut.document != nil {
		return givenOut.document
	}
	got, err := s.roundTrip(request{method: "GET", path: "/openapi.json"})
	if err != nil || got.status != 200 {
		tb.Fatalf("read the OpenAPI document: status %d, %v", got.status, err)
	}
	if givenOut.document, err = parseDocument(got.body); err != nil {
		tb.Fatalf("read the OpenAPI document: %v", err)
	}
	return givenOut.document
}

func parseDocument(data []byte) (*document, error) {
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
	return &document{root: object, compiler: compiler}, nil
}

// check compares an answer with what the document says about its route and status. Answers of paths that the document
// does not describe are checked only if they are errors.
func (d *document) check(r request, got response) error {
	path, operation := d.operation(r.method, r.path)
	if operation == nil {
		if got.status < 400 || got.json == nil || got.tag() == "" {
			return nil
		}
		return d.validate("/components/schemas/"+got.tag(), got.json)
	}
	if _, ok := walk(operation, []any{"responses", strconv.Itoa(got.status)}); !ok {
		return fmt.Errorf("the status %d is not described", got.status)
	}
	if contentType := got.header.Get("Content-Type"); contentType != "application/json" {
		return fmt.Errorf("the content type is %q", contentType)
	}
	pointer := fmt.Sprintf("/paths/%s/%s/responses/%d/content/application~1json/schema", escape(path), strings.ToLower(r.method), got.status)
	return d.validate(pointer, got.json)
}

// validate compares a value with the schema at a JSON pointer.
func (d *document) validate(pointer string, value any) error {
	d.mu.Lock()
	schema, err := d.compiler.Compile(documentURL + "#" + pointer)
	d.mu.Unlock()
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// operation finds the operation of a request: the path of the document that fits, with the most literal parts.
func (d *document) operation(method, address string) (string, map[string]any) {
	address, _, _ = strings.Cut(address, "?")
	paths, _ := d.root["paths"].(map[string]any)
	best, found := "", map[string]any(nil)
	for path, item := range paths {
		operation, ok := walk(item, []any{strings.ToLower(method)})
		if ok && fits(path, address) && (best == "" || strings.Count(path, "{") < strings.Count(best, "{")) {
			best, found = path, operation.(map[string]any)
		}
	}
	return best, found
}

func fits(path, address string) bool {
	want, got := strings.Split(path, "/"), strings.Split(address, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && !(strings.HasPrefix(want[i], "{") && got[i] != "") {
			return false
		}
	}
	return true
}

// escape writes a key as a part of a JSON pointer within an address.
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(key)
}
