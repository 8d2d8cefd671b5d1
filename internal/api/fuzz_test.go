package api

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/service"
)

// TestFuzzedRequestsNeverFail sends requests derived from the OpenAPI document, valid ones and damaged ones, to every
// operation: no response is a 5xx, and every status is documented. More requests, with a seed that is printed:
// CRIER_FUZZ_REQUESTS=100000, as make fuzz does.
func TestFuzzedRequestsNeverFail(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		requests, seed := 600, uint64(1)
		if n, err := strconv.Atoi(os.Getenv("CRIER_FUZZ_REQUESTS")); err == nil {
			requests, seed = n, uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
		}
		f := newFuzzer(t, w, seed)
		for i := range requests {
			f.request(t, i)
			if t.Failed() {
				return
			}
		}
		t.Logf("%v answers by class of status", f.answers)
		for _, kind := range []int{2, 4} {
			if f.answers[kind] < requests/20 {
				t.Errorf("of %d requests %v were answered by class of status: too few to prove anything",
					requests, f.answers)
			}
		}
	})
}

// fuzzedOperation is an operation of the document.
type fuzzedOperation struct {
	method, path string
	parameters   []map[string]any
	body         map[string]any // schema; nil if there is none
	statuses     map[string]any
}

// fuzzer generates random requests, always the same ones for a seed and an empty database.
type fuzzer struct {
	*world
	*rand.Rand
	schemas    map[string]any
	operations []fuzzedOperation
	ids        []string // seen in responses
	key        string
	teamID     crier.ID
	tenantID   crier.ID
	answers    map[int]int // by class of status
}

func newFuzzer(t *testing.T, w *world, seed uint64) *fuzzer {
	t.Helper()
	var document struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]any }
	}
	requireNoError(t, json.Unmarshal(w.OpenAPI(), &document))
	f := &fuzzer{world: w, Rand: rand.New(rand.NewPCG(seed, 1)), schemas: document.Components.Schemas,
		key: w.key, teamID: w.tenant.TeamID, tenantID: w.tenant.OrganizationID, answers: map[int]int{}}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			var operation struct {
				Parameters  []map[string]any
				RequestBody struct {
					Content map[string]struct{ Schema map[string]any }
				}
				Responses map[string]any
			}
			requireNoError(t, json.Unmarshal(document.Paths[path][method], &operation))
			if strings.HasSuffix(path, "/stream") { // it does not end
				continue
			}
			f.operations = append(f.operations, fuzzedOperation{method: strings.ToUpper(method), path: path,
				parameters: operation.Parameters, body: operation.RequestBody.Content["application/json"].Schema,
				statuses: operation.Responses})
		}
	}
	if len(f.operations) < 50 {
		t.Fatalf("the document has %d operations", len(f.operations))
	}
	for _, a := range w.tenant.Accounts {
		f.ids = append(f.ids, string(a.ID))
	}
	return f
}

// request sends one request and checks its response.
func (f *fuzzer) request(t *testing.T, i int) {
	t.Helper()
	op := f.operations[f.IntN(len(f.operations))]
	path, query := op.path, url.Values{}
	for _, p := range op.parameters {
		name, _ := p["name"].(string)
		value := f.text(f.value(p["schema"], 0))
		switch p["in"] {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(f.pathValue(name, value)))
		case "query":
			if required, _ := p["required"].(bool); required || f.IntN(4) == 0 {
				query.Set(name, value)
			}
		}
	}
	var body io.Reader
	var sent []byte
	if op.body != nil {
		sent, _ = json.Marshal(f.value(op.body, 0))
		if f.IntN(20) == 0 && len(sent) > 0 {
			sent[f.IntN(len(sent))] ^= byte(1 << f.IntN(8))
		}
		body = strings.NewReader(string(sent))
	}
	r := httptest.NewRequestWithContext(t.Context(), op.method, "/", body)
	r.URL = &url.URL{Path: unescaped(path), RawPath: path, RawQuery: query.Encode()}
	r.Header.Set("Authorization", "Bearer "+f.key)
	if op.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if f.IntN(8) == 0 {
		r.Header.Set(keyHeader, "key-"+strconv.Itoa(f.IntN(20)))
	}
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, r)
	f.answers[recorder.Code/100]++
	if _, documented := op.statuses[strconv.Itoa(recorder.Code)]; recorder.Code >= 500 || !documented {
		t.Errorf("request %d, %s %s %s: status %d %s",
			i, op.method, r.URL.RequestURI(), sent, recorder.Code, recorder.Body)
	}
	f.learn(recorder.Body.Bytes())
	if recorder.Code == http.StatusUnauthorized || recorder.Code == http.StatusForbidden || f.IntN(100) == 0 {
		f.newTenant(t)
	}
}

func unescaped(path string) string {
	out, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	return out
}

// newTenant continues with a new organization: the requests may have revoked the key or deleted the team.
func (f *fuzzer) newTenant(t *testing.T) {
	t.Helper()
	tenant, err := f.services.Instance.CreateTenant(t.Context(), service.TenantRequest{Name: "Acme", Credits: 1000,
		Accounts: f.accounts})
	requireNoError(t, err)
	f.key, f.teamID, f.tenantID, f.ids = tenant.APIKey, tenant.TeamID, tenant.OrganizationID, nil
	for _, a := range tenant.Accounts {
		f.ids = append(f.ids, string(a.ID))
	}
}

// pathValue prefers ids that exist.
func (f *fuzzer) pathValue(name, random string) string {
	switch n := f.IntN(10); {
	case name == "teamId" && n > 0:
		return string(f.teamID)
	case name == "organizationId" && n > 0:
		return string(f.tenantID)
	case n > 2 && len(f.ids) > 0:
		return f.ids[f.IntN(len(f.ids))]
	case random == "" || random == "." || random == "..":
		return "x"
	}
	return random
}

// learn collects the ids of a response.
func (f *fuzzer) learn(answer []byte) {
	var value any
	if json.Unmarshal(answer, &value) != nil {
		return
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if id, ok := v["id"].(string); ok && len(f.ids) < 200 {
				f.ids = append(f.ids, id)
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name])
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(value)
}

// odd are values that often cause bugs.
var odd = []any{nil, true, -1, 0, 1e300, 9223372036854775807, "", " ", "\x00", "\u202e", "null", "../etc/passwd",
	"%00", "'; --", strings.Repeat("ä", 3000), []any{}, map[string]any{}, []any{nil}, "0001-01-01T00:00:00Z",
	"9999-12-31T23:59:60Z", "2026-11-01T01:30:00-05:00", "https://[::1]/", "http://169.254.169.254/"}

// value generates a value of a schema, sometimes an invalid one.
func (f *fuzzer) value(schema any, depth int) any {
	s, _ := schema.(map[string]any)
	if f.IntN(25) == 0 {
		return odd[f.IntN(len(odd))]
	}
	if ref, ok := s["$ref"].(string); ok {
		return f.value(f.schemas[strings.TrimPrefix(ref, "#/components/schemas/")], depth)
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[name].([]any); ok && len(list) > 0 {
			return f.value(list[f.IntN(len(list))], depth)
		}
	}
	if list, ok := s["enum"].([]any); ok {
		return list[f.IntN(len(list))]
	}
	if fixed, ok := s["const"]; ok {
		return fixed
	}
	kind := s["type"]
	if list, ok := kind.([]any); ok {
		kind = list[f.IntN(len(list))]
	}
	switch kind {
	case "object":
		return f.object(s, depth)
	case "array":
		list := []any{}
		for range f.IntN(3) {
			list = append(list, f.value(s["items"], depth+1))
		}
		return list
	case "integer", "number":
		return f.number(s)
	case "boolean":
		return f.IntN(2) == 0
	case "null":
		return nil
	}
	return f.string(s)
}

func (f *fuzzer) object(s map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) && f.IntN(30) > 0 || depth < 4 && f.IntN(3) == 0 {
			out[name] = f.value(properties[name], depth+1)
		}
	}
	if f.IntN(40) == 0 {
		out["unknown"] = 1
	}
	return out
}

func (f *fuzzer) number(s map[string]any) any {
	low, _ := s["minimum"].(float64)
	high, bounded := s["maximum"].(float64)
	if !bounded || high > 1e6 {
		high = low + 100
	}
	return int64(low) + f.Int64N(int64(high-low)+1)
}

func (f *fuzzer) string(s map[string]any) any {
	at := f.now().Add(time.Duration(f.IntN(90*24)-24) * time.Hour).UTC()
	switch s["format"] {
	case "uuid":
		if len(f.ids) > 0 && f.IntN(5) > 0 {
			return f.ids[f.IntN(len(f.ids))]
		}
		return string(crier.NewID())
	case "date-time":
		return at.Format(time.RFC3339)
	case "date":
		return at.Format(time.DateOnly)
	case "uri":
		return "https://example.com/" + strconv.Itoa(f.IntN(100))
	case "email":
		return fmt.Sprintf("p%d@example.com", f.IntN(50))
	}
	words := []string{"Hello", "spring sale", "Europe/Berlin", "09:00", "https://example.com", "published", "🎉", "#tag"}
	return words[f.IntN(len(words))] + strings.Repeat("x", f.IntN(3))
}

// text formats a value for a query.
func (*fuzzer) text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	out, _ := json.Marshal(value)
	return strings.Trim(string(out), `"`)
}
