package providertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crier/internal/sandbox/simtest"
)

// A vendor file holds one exchange from the vendor's own documentation, in the format of golden files, below a header
// that names its source:
//
//	Page: https://docs.x.com/x-api/posts/manage-tweets/quickstart
//	Also: tweet.fields
//	===
//	POST /2/tweets
//	...
//
// The request is the vendor's, not the client's. The client's request has to contain all of it; what it sends in
// addition has to be listed in Also, and what it chooses itself (a list of fields, a form instead of JSON) in Own. The
// token is not compared: vendors show it in the query, in the body or in a header. The body of a file is its length, in
// Bytes. The response is the vendor's too: the client has to understand it, and the sandbox has to return one of the
// same shape for the same request. Values that the sandbox cannot repeat are listed in Unlike, with dots between keys.

// VendorExample is one exchange of a vendor's documentation.
type VendorExample struct {
	Name string
	// Page is where the vendor publishes it. Sheet is true if the page was not seen and the example was taken from
	// crier's notes on it: such an example is replayed, but does not count as one of the vendor's.
	Page  string
	Sheet bool

	also, own, unlike []string
	method            string
	target            *url.URL
	header            http.Header
	body              string
	bytes             int64 // of a file instead of the body
	status            int
	answerHeader      http.Header
	answer            string
}

// VendorExamples reads the examples in testdata/vendor, by name. At least five per network must be the vendor's own.
func VendorExamples(t *testing.T) map[string]VendorExample {
	t.Helper()
	files, err := filepath.Glob("testdata/vendor/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	examples, own := map[string]VendorExample{}, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e := VendorExample{Name: strings.TrimSuffix(filepath.Base(file), ".txt")}
		if err := e.parse(string(data)); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		examples[e.Name] = e
		if !e.Sheet {
			own++
		}
	}
	if own < 5 {
		t.Fatalf("%d examples of the vendor, want at least 5", own)
	}
	return examples
}

func (e *VendorExample) parse(text string) error {
	head, exchange, ok := strings.Cut(text, betweenExchanges)
	request, answer, ok2 := strings.Cut(exchange, betweenSides)
	if !ok || !ok2 {
		return fmt.Errorf("needs a head, a request and an answer")
	}
	for name, values := range headerOf(strings.Split(head, "\n")) {
		switch value := values[0]; name {
		case "Page":
			e.Page = value
		case "Also":
			e.also = strings.Fields(value)
		case "Own":
			e.own = strings.Fields(value)
		case "Unlike":
			e.unlike = strings.Fields(value)
		case "Bytes":
			var err error
			if e.bytes, err = strconv.ParseInt(value, 10, 64); err != nil {
				return err
			}
		case "Sheet":
			e.Sheet = value == "true"
		default:
			return fmt.Errorf("unknown line %q in the head", name)
		}
	}
	if !strings.HasPrefix(e.Page, "https://") {
		return fmt.Errorf("does not name the page")
	}
	lines, body := cutHead(request)
	method, target, _ := strings.Cut(lines[0], " ")
	parsed, err := url.Parse(target)
	if err != nil {
		return err
	}
	e.method, e.target, e.header, e.body = method, parsed, headerOf(lines[1:]), body
	lines, e.answer = cutHead(answer)
	e.answerHeader = headerOf(lines[1:])
	e.status, err = strconv.Atoi(strings.TrimSpace(lines[0]))
	return err
}

func cutHead(text string) (lines []string, body string) {
	head, body, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	return strings.Split(head, "\n"), strings.TrimSpace(body)
}

func headerOf(lines []string) http.Header {
	header := http.Header{}
	for _, line := range lines {
		if name, value, ok := strings.Cut(line, ":"); ok {
			header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return header
}

// tokenParameters are the places where vendors show the token.
var tokenParameters = []string{"access_token", "Authorization"}

// Serve responds to one request as the example does, if it matches, and returns the address. More requests, or none,
// fail the test.
func (e VendorExample) Serve(t *testing.T) string {
	t.Helper()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		for _, problem := range e.differences(r) {
			t.Errorf("%s (%s): %s", e.Name, e.Page, problem)
		}
		for name, values := range e.answerHeader {
			w.Header()[name] = []string{strings.ReplaceAll(values[0], serverMark, "http://"+r.Host)}
		}
		w.WriteHeader(e.status)
		if _, err := io.WriteString(w, strings.ReplaceAll(e.answer, serverMark, "http://"+r.Host)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(func() {
		server.Close()
		if calls != 1 {
			t.Errorf("%s: the client made %d requests, want 1", e.Name, calls)
		}
	})
	return server.URL
}

// differences lists how a request differs from the example's.
func (e VendorExample) differences(r *http.Request) []string {
	var problems []string
	if r.Method != e.method || r.URL.Path != e.target.Path {
		return []string{fmt.Sprintf("the client asks %s %s, the vendor %s %s", r.Method, r.URL.Path, e.method,
			e.target.Path)}
	}
	for name := range e.header {
		if want := e.header.Get(name); name != "Authorization" && !slices.Contains(e.own, name) &&
			!sameHeader(r.Header.Get(name), want) {
			problems = append(problems, fmt.Sprintf("header %s is %q, the vendor's is %q", name, r.Header.Get(name),
				want))
		}
	}
	if e.bytes > 0 && r.ContentLength != e.bytes {
		problems = append(problems, fmt.Sprintf("the client sends %d bytes, the vendor %d", r.ContentLength, e.bytes))
	}
	got, err := parametersOf(r)
	if err != nil {
		return append(problems, err.Error())
	}
	want, err := e.parameters(nil)
	if err != nil {
		return append(problems, err.Error())
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if value, ok := got[path]; !ok || !slices.Contains(e.own, path) && !reflect.DeepEqual(value, want[path]) {
			problems = append(problems, fmt.Sprintf("%s is %v, the vendor's is %v", path, value, want[path]))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[path]; !ok && !slices.Contains(e.also, path) {
			problems = append(problems, fmt.Sprintf("the client sends %s (%v), which the vendor does not", path,
				got[path]))
		}
	}
	return problems
}

// sameHeader compares the media types of headers that have one, and the whole values of others.
func sameHeader(got, want string) bool {
	gotType, _, gotErr := mime.ParseMediaType(got)
	wantType, _, wantErr := mime.ParseMediaType(want)
	return got == want || gotErr == nil && wantErr == nil && strings.Contains(wantType, "/") && gotType == wantType
}

// parameters returns the values of the example's request by path, with some texts replaced.
func (e VendorExample) parameters(replace map[string]string) (map[string]any, error) {
	r, err := http.NewRequest(e.method, replaced(e.target.String(), replace),
		strings.NewReader(replaced(e.body, replace)))
	if err != nil {
		return nil, err
	}
	r.Header = e.header
	return parametersOf(r)
}

// parametersOf returns all values of a request by path: of the query, of a form and of JSON alike, since the vendors
// whose examples mix them accept either. File contents are replaced with their length.
func parametersOf(r *http.Request) (map[string]any, error) {
	values := map[string]any{}
	for name, list := range r.URL.Query() {
		flatten(values, name, fromText(list[0]))
	}
	mediaType, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body := io.Reader(r.Body)
	if r.Body == nil {
		body = strings.NewReader("")
	}
	if mediaType == "multipart/form-data" && params["boundary"] != "" {
		return values, addParts(values, multipart.NewReader(body, params["boundary"]))
	}
	data, err := io.ReadAll(body)
	if err != nil || len(data) == 0 {
		return values, err
	}
	var decoded any
	switch {
	case mediaType == "application/x-www-form-urlencoded" || mediaType == "multipart/form-data":
		form, err := url.ParseQuery(string(data))
		if err != nil {
			return nil, err
		}
		for name, list := range form {
			flatten(values, name, fromText(list[0]))
		}
	case json.Unmarshal(data, &decoded) == nil:
		flatten(values, "", decoded)
	}
	for _, name := range tokenParameters {
		delete(values, name)
	}
	return values, nil
}

func addParts(values map[string]any, form *multipart.Reader) error {
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return err
		}
		if part.FileName() == "" {
			flatten(values, part.FormName(), fromText(string(data)))
		}
	}
}

// fromText decodes JSON in a parameter, or returns the text.
func fromText(text string) any {
	var value any
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if json.Unmarshal([]byte(text), &value) == nil {
			return value
		}
	}
	return text
}

// flatten adds a value under its path. Numbers and booleans become strings, as in queries.
func flatten(values map[string]any, path string, value any) {
	join := func(key string) string { return strings.TrimPrefix(path+"."+key, ".") }
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			flatten(values, join(key), item)
		}
	case []any:
		for i, item := range v {
			flatten(values, join(strconv.Itoa(i)), item)
		}
	case float64:
		values[path] = strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		values[path] = strconv.FormatBool(v)
	default:
		values[path] = value
	}
}

func replaced(text string, replace map[string]string) string {
	for from, to := range replace {
		text = strings.ReplaceAll(text, from, to)
	}
	return text
}

// Send sends the example's request to a sandbox, below a path, with some texts replaced by ones that exist there, and
// fails the test unless the response has the status and the shape of the example's.
func (e VendorExample) Send(t *testing.T, s *simtest.Sandbox, base, token string, replace map[string]string) {
	t.Helper()
	request := simtest.Request{Method: e.method, Token: token, Path: base + replaced(e.target.RequestURI(), replace),
		Header: map[string]string{}, Body: []byte(replaced(e.body, replace))}
	if e.bytes > 0 {
		request.Body = make([]byte, e.bytes)
	}
	for name := range e.header {
		if name != "Authorization" {
			request.Header[name] = replaced(e.header.Get(name), replace)
		}
	}
	got := s.Do(request)
	if got.Status != e.status {
		t.Errorf("%s (%s): the sandbox answers %d %s, the vendor %d", e.Name, e.Page, got.Status, got.Body, e.status)
		return
	}
	for name := range e.answerHeader {
		if got.Header.Get(name) == "" {
			t.Errorf("%s: the sandbox's answer has no header %s", e.Name, name)
		}
	}
	if e.answer == "" {
		return
	}
	var want any
	if err := json.Unmarshal([]byte(e.answer), &want); err != nil {
		t.Fatalf("%s: the vendor's response is not JSON: %v", e.Name, err)
	}
	for _, problem := range e.unlikeShape("", want, got.Value()) {
		t.Errorf("%s (%s): the sandbox's answer %s: %s", e.Name, e.Page, problem, got.Body)
	}
}

// unlikeShape lists the keys of the example's response that are missing or of another type.
func (e VendorExample) unlikeShape(path string, want, got any) []string {
	if slices.Contains(e.unlike, path) {
		return nil
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("has no object at %q", path)}
		}
		var problems []string
		for _, key := range slices.Sorted(maps.Keys(w)) {
			at := strings.TrimPrefix(path+"."+key, ".")
			if _, ok := g[key]; !ok && !slices.Contains(e.unlike, at) {
				problems = append(problems, "lacks "+at)
				continue
			}
			problems = append(problems, e.unlikeShape(at, w[key], g[key])...)
		}
		return problems
	case []any:
		g, ok := got.([]any)
		if !ok || len(w) > 0 && len(g) == 0 {
			return []string{fmt.Sprintf("has no items at %q", path)}
		}
		if len(w) == 0 {
			return nil
		}
		return e.unlikeShape(path+".0", w[0], g[0])
	}
	if got == nil || reflect.TypeOf(want) != reflect.TypeOf(got) {
		return []string{fmt.Sprintf("has %v (%T) at %q, the vendor's has %v (%T)", got, got, path, want, want)}
	}
	return nil
}

// Vendor defines how to run a network's client and sandbox through the examples.
type Vendor struct {
	// Calls make the client send the request of an example to an address, and check the result.
	Calls map[string]func(t *testing.T, address string)
	// Sandbox runs an example against a sandbox that has the required objects.
	Sandbox map[string]func(t *testing.T, e VendorExample)
}

// RunVendor replays all examples of a network against its client and its sandbox.
func RunVendor(t *testing.T, v Vendor) {
	t.Helper()
	for name, e := range VendorExamples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call, ask := v.Calls[name], v.Sandbox[name]
			if call == nil && ask == nil {
				t.Fatal("nothing replays this example")
			}
			if call != nil {
				call(t, e.Serve(t))
			}
			if ask != nil {
				ask(t, e)
			}
		})
	}
}
