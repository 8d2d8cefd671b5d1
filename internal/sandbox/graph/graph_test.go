package graph

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"crier/internal/sandbox/sim"
)

// harness is a network with only the Graph API.
type harness struct {
	t   *testing.T
	api *API
	sim.Service
	world *sim.World
	token string
}

func (b *harness) Welcome(*sim.Tx, sim.Account) {}

func setup(t *testing.T) *harness {
	t.Helper()
	b := &harness{t: t}
	network := sim.Network{Name: "toy", Title: "Toy", New: func(env *sim.Env) sim.Service {
		b.api = New(env, Terms{UseCase: "toy", CallsPerDay: 3, Throttled: Problem{Code: 4, Message: "too many"}})
		return b
	}}
	var err error
	if b.world, err = sim.Open(sim.Options{LimitFactor: 1}, []sim.Network{network}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.world.Close(); err != nil {
			t.Error(err)
		}
	})
	seed, err := sim.NewSeed("toy", sim.Account{ID: "1", Handle: "ada"}, sim.SeedTerms{})
	if err != nil {
		t.Fatal(err)
	}
	b.token = seed.AccessToken
	return b
}

func (b *harness) get(path string) *httptest.ResponseRecorder {
	b.t.Helper()
	rec := httptest.NewRecorder()
	b.world.ServeHTTP(rec, httptest.NewRequest("GET", "/toy"+path+"access_token="+url.QueryEscape(b.token), nil))
	return rec
}

func TestListsHavePages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.api.Edge("GET", "things", Always(sim.Read), func(c *Call) sim.Reply {
		return c.List("http://host/things", []string{"a", "b", "c"},
			func(id string) (Object, *sim.Reply) { return Object{"id": id}, nil })
	})
	first := b.get("/v1.0/me/things?limit=2&").Body.String()
	want := `{"data":[{"id":"a"},{"id":"b"}],"paging":{"cursors":{"before":"YQ","after":"Yg"},"next":"http://host/things?`
	if !strings.HasPrefix(first, want) || !strings.Contains(first, "after=Yg") {
		t.Errorf("first page is %s", first)
	}
	if second := b.get("/v1.0/me/things?limit=2&after=Yg&").Body.String(); !strings.HasPrefix(second,
		`{"data":[{"id":"c"}]`) || strings.Contains(second, `"next"`) || !strings.Contains(second, `"previous"`) {
		t.Errorf("second page is %s", second)
	}
	if back := b.get("/v1.0/me/things?limit=1&before=Yw&").Body.String(); !strings.HasPrefix(back,
		`{"data":[{"id":"b"}]`) {
		t.Errorf("page before is %s", back)
	}
}

func TestCallBudgetRunsOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.api.Node("GET", Always(sim.Read), func(*Call) sim.Reply { return OK(Object{}) })
	for range 3 {
		if rec := b.get("/v1.0/me?"); rec.Code != http.StatusOK {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
	}
	rec := b.get("/v1.0/me?")
	if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), `"code":4`) ||
		!strings.Contains(rec.Header().Get("X-Business-Use-Case-Usage"),
			`"call_count":100,"total_cputime":50,"total_time":50,"estimated_time_to_regain_access":1440`) {
		t.Errorf("%d %s %v", rec.Code, rec.Body, rec.Header())
	}
}

func TestPathsNeedAVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.api.Node("GET", Always(sim.Read), func(*Call) sim.Reply { return OK(Object{}) })
	if rec := b.get("/latest/me?"); rec.Code != http.StatusBadRequest ||
		!strings.Contains(rec.Body.String(), `"code":2500`) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

func TestParseFields(t *testing.T) {
	t.Parallel()
	c := &Call{Params: Params{
		"fields": "id, picture.type(large){url},reactions.summary(total_count).limit(0),a{b{c},d}"}}
	fields, refusal := c.Fields("id")
	if refusal != nil || len(fields) != 4 {
		t.Fatalf("%+v %+v", fields, refusal)
	}
	if f := fields[1]; f.Name != "picture" || f.Options["type"] != "large" || f.Sub[0].Name != "url" {
		t.Errorf("field is %+v", f)
	}
	if f := fields[2]; f.Options["summary"] != "total_count" || f.Options["limit"] != "0" {
		t.Errorf("field is %+v", f)
	}
	if f := fields[3]; f.Sub[0].Sub[0].Name != "c" || f.Sub[1].Name != "d" {
		t.Errorf("field is %+v", f)
	}
	for _, text := range []string{"a{b", "a}", "a.b", "a.b(c", "a)", strings.Repeat("a{", 100)} {
		if _, refusal := (&Call{Params: Params{"fields": text}}).Fields("id"); refusal == nil {
			t.Errorf("%q was parsed", text)
		}
	}
}

func FuzzFields(f *testing.F) {
	for _, text := range []string{"id", "a.b(c){d}", "a{b{c}},", "{}", "a.(", "é.ü(ö)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fields, refusal := (&Call{Params: Params{"fields": text}}).Fields("id")
		if refusal == nil && len(text) > 0 && len(fields) > len(text) {
			t.Errorf("%q has %d fields", text, len(fields))
		}
	})
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	t.Parallel()
	source := Lookup(map[string]any{"id": "1", "name": "a", "empty": nil})
	object, refusal := Show("Thing", []Field{{Name: "name"}, {Name: "empty"}}, source)
	if refusal != nil || len(object) != 2 || object["id"] != "1" {
		t.Errorf("%+v %+v", object, refusal)
	}
	if _, refusal := Show("Thing", []Field{{Name: "colour"}}, source); refusal == nil {
		t.Error("an unknown field was shown")
	}
}

func TestNestedFields(t *testing.T) {
	t.Parallel()
	fields, refusal := (&Call{Params: Params{"fields": "picture{url},list{a}"}}).Fields("id")
	if refusal != nil {
		t.Fatal(refusal)
	}
	object, refusal := Show("Thing", fields, Lookup(map[string]any{"id": "1",
		"picture": Object{"data": Object{"url": "u", "width": 1}},
		"list":    Object{"data": []Object{{"id": "2", "a": 1, "b": 2}}}}))
	text, err := sim.EncodeJSON(object)
	if refusal != nil || err != nil ||
		string(text) != `{"id":"1","list":{"data":[{"a":1,"id":"2"}]},"picture":{"data":{"url":"u"}}}` {
		t.Errorf("%s %+v %v", text, refusal, err)
	}
}

func TestParameterEncodings(t *testing.T) {
	t.Parallel()
	multipart := "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nhello\r\n--b\r\nContent-Disposition: " +
		"form-data; name=\"source\"; filename=\"a.jpg\"\r\n\r\nbytes\r\n--b--\r\n"
	for kind, body := range map[string]string{
		"application/json":                           `{"text":"hello","list":["1",2],"flag":true,"none":null}`,
		"application/x-www-form-urlencoded":          "text=hello&list=1,2&flag=true",
		"application/x-www-form-urlencoded; version": "text=hello&list[0]=1&list[1]=2&flag=1",
		"multipart/form-data; boundary=b":            multipart,
	} {
		r := httptest.NewRequest("POST", "/v1.0/me/things?query=yes", strings.NewReader(body))
		kind, _, _ = strings.Cut(kind, "; version")
		r.Header.Set("Content-Type", kind)
		c, err := ReadCall(r)
		if err != nil || c.Params["text"] != "hello" || c.Params["query"] != "yes" {
			t.Errorf("%s: %v %v", kind, c, err)
			continue
		}
		if list := c.Params.List("list"); kind != "multipart/form-data; boundary=b" &&
			(strings.Join(list, " ") != "1 2" || !c.Params.Bool("flag", false)) {
			t.Errorf("%s: %v", kind, c.Params)
		}
		var again bytes.Buffer
		if _, err := again.ReadFrom(r.Body); err != nil || again.String() != body {
			t.Errorf("%s: the body is %q afterwards (%v)", kind, again.String(), err)
		}
	}
	r := httptest.NewRequest("POST", "/v1.0/me/things", strings.NewReader(`[1]`))
	r.Header.Set("Content-Type", "application/json")
	if _, err := ReadCall(r); err == nil {
		t.Error("a body that is not an object was accepted")
	}
}

func TestShortcodeRoundTrip(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"1", "64", "380123456789012345", "18446744073709551615"} {
		if code := Shortcode(id); FromShortcode(code) != id {
			t.Errorf("%s has the shortcode %s, which decodes to %s", id, code, FromShortcode(code))
		}
	}
	if FromShortcode("a b") != "" {
		t.Error("a code with a space was decoded")
	}
}
