package contract

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"crier"
)

// sample has a field for each rule of the contract.
type sample struct {
	Flag   bool                `json:"flag,omitempty"`
	Count  int                 `json:"count,omitempty" minimum:"1" maximum:"10"`
	Low    int                 `json:"low,omitempty" minimum:"-5"`
	High   float64             `json:"high,omitempty" maximum:"0.5"`
	Any    float64             `json:"any,omitempty"`
	Text   string              `json:"text,omitempty" minLength:"2" maxLength:"4"`
	Long   string              `json:"long,omitempty" maxLength:"3"`
	Kind   string              `json:"kind,omitempty" enum:"a,b"`
	Maybe  *string             `json:"maybe" required:"false" enum:"a,b"`
	ID     crier.ID            `json:"id,omitempty"`
	At     crier.Time          `json:"at,omitzero"`
	Mail   crier.Email         `json:"mail,omitempty"`
	Name   crier.Name          `json:"name,omitempty"`
	List   []string            `json:"list,omitempty" minItems:"1" maxItems:"2"`
	Few    []int               `json:"few,omitempty" maxItems:"1"`
	Some   []int               `json:"some,omitempty" minItems:"2"`
	Unique []crier.ID          `json:"unique,omitempty" uniqueItems:"true"`
	ByID   map[string]int      `json:"byId,omitempty" keys:"uuid"`
	Free   map[string]int      `json:"free,omitempty"`
	Inner  *inner              `json:"inner" required:"false"`
	Policy crier.MetricsPolicy `json:"policy,omitempty"`
}

type inner struct {
	Size  int    `json:"size"`
	Label string `json:"label"`
}

type answersOf struct {
	List []bool                       `json:"list,omitempty"`
	A    map[string]map[string][]bool `json:"a,omitempty"`
}

const (
	oneID = "01985f2e-6c00-7000-8000-000000000001"
	twoID = "01985f2e-6c00-7000-8000-000000000002"
)

// problems returns the issues of a body, as "path: message", separated by semicolons.
func problems(t *testing.T, r *Registry, s *huma.Schema, body string) string {
	t.Helper()
	value, err := ParseJSON([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	var out []string
	for _, issue := range r.Validate(s, value) {
		out = append(out, strings.Join(issue.Path, ".")+": "+issue.Message)
	}
	return strings.Join(out, "; ")
}

func TestValidateTakesWhatIsAllowed(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	s := r.Schema(reflect.TypeFor[sample](), true, "")
	for _, body := range []string{
		`{}`, `{"flag":false}`, `{"count":1}`, `{"count":10}`, `{"low":-5}`, `{"high":0.5}`, `{"high":-1e3}`, `{"any":1.5}`,
		`{"text":"ab"}`, `{"text":"🦉🦉🦉🦉"}`, `{"long":""}`, `{"kind":"b"}`, `{"maybe":null}`, `{"maybe":"a"}`,
		`{"id":"` + oneID + `"}`, `{"at":"2026-11-16T12:00:00Z"}`, `{"at":"2026-11-16T12:00:00.5+01:00"}`,
		`{"mail":"ada@example.com"}`, `{"name":"  Ada  "}`, `{"list":["a","b"]}`, `{"few":[]}`, `{"some":[1,1]}`,
		`{"unique":["` + oneID + `","` + twoID + `"]}`, `{"byId":{"` + oneID + `":1}}`, `{"free":{"":1,"x":2}}`,
		`{"inner":null}`, `{"inner":{"size":1,"label":""}}`, `{"policy":"free"}`,
	} {
		if got := problems(t, r, s, body); got != "" {
			t.Errorf("%s: %s", body, got)
		}
	}
}

func TestValidateNamesWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	s := r.Schema(reflect.TypeFor[sample](), true, "")
	upper := strings.ToUpper(oneID)
	for body, want := range map[string]string{
		`null`:                                  ": must not be null, expected an object",
		`[]`:                                    ": must be an object, got a list",
		`"x"`:                                   ": must be an object, got a string",
		`true`:                                  ": must be an object, got a boolean",
		`1`:                                     ": must be an object, got a number",
		`{"flag":"true"}`:                       "flag: must be true or false, got a string",
		`{"flag":null}`:                         "flag: must not be null, expected true or false",
		`{"count":0}`:                           "count: must be a whole number from 1 to 10, got 0",
		`{"count":11}`:                          "count: must be a whole number from 1 to 10, got 11",
		`{"count":1.5}`:                         "count: must be a whole number from 1 to 10, got 1.5",
		`{"count":"1"}`:                         "count: must be a whole number from 1 to 10, got a string",
		`{"count":1e400}`:                       "count: must be a whole number from 1 to 10, got 1e400",
		`{"count":null}`:                        "count: must not be null, expected a whole number from 1 to 10",
		`{"low":-6}`:                            "low: must be a whole number of at least -5, got -6",
		`{"high":0.6}`:                          "high: must be a number of at most 0.5, got 0.6",
		`{"any":{}}`:                            "any: must be a number, got an object",
		`{"text":"a"}`:                          "text: must be a string of 2 to 4 characters, got 1 characters",
		`{"text":"abcde"}`:                      "text: must be a string of 2 to 4 characters, got 5 characters",
		`{"text":[]}`:                           "text: must be a string, got a list",
		`{"long":"abcd"}`:                       "long: must be a string of at most 3 characters, got 4 characters",
		`{"kind":"c"}`:                          `kind: must be one of a, b, got "c"`,
		`{"kind":""}`:                           `kind: must be one of a, b, got ""`,
		`{"kind":null}`:                         "kind: must not be null, expected one of a, b",
		`{"maybe":"c"}`:                         `maybe: must be one of a, b, null, got "c"`,
		`{"maybe":"null"}`:                      `maybe: must be one of a, b, null, got "null"`,
		`{"maybe":"<nil>"}`:                     `maybe: must be one of a, b, null, got "<nil>"`,
		`{"policy":"paid"}`:                     `policy: must be one of free, all, got "paid"`,
		`{"id":null}`:                           "id: must not be null, expected a UUID",
		`{"at":null}`:                           "at: must not be null, expected an RFC 3339 time",
		`{"list":[]}`:                           "list: must have 1 to 2 items, got 0",
		`{"list":["a","b","c"]}`:                "list: must have 1 to 2 items, got 3",
		`{"list":["a",1]}`:                      "list.1: must be a string, got a number",
		`{"list":null}`:                         "list: must not be null, expected a list",
		`{"list":{}}`:                           "list: must be a list, got an object",
		`{"few":[1,2]}`:                         "few: must have at most 1 items, got 2",
		`{"some":[1]}`:                          "some: must have at least 2 items, got 1",
		`{"free":{"a":"b"}}`:                    "free.a: must be a whole number, got a string",
		`{"byId":{"x":1}}`:                      "byId.x: must be keyed by a UUID",
		`{"inner":{}}`:                          "inner.size: is required: a whole number; inner.label: is required: a string",
		`{"inner":{"size":1}}`:                  "inner.label: is required: a string",
		`{"inner":[]}`:                          "inner: must be an object, got a list",
		`{"zz":1,"yy":2}`:                       "yy: " + unknownKey + "; zz: " + unknownKey,
		`{"inner":{"size":1,"label":"","x":1}}`: "inner.x: is not a known key; allowed: label, size",
		`{"unique":["` + oneID + `","` + upper + `"]}`: "unique.1: is the same as item 0; each may be given once",
		`{"byId":{"` + oneID + `":1,"` + upper + `":2}}`: "byId." + upper + ": is the same id as " + oneID +
			"; each may be given once",
	} {
		got := problems(t, r, s, body)
		if strings.HasPrefix(body, `{"byId":{"`+oneID) { // either spelling may come first
			got = strings.Replace(got, "byId."+oneID+": is the same id as "+upper,
				"byId."+upper+": is the same id as "+oneID, 1)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

const unknownKey = "is not a known key; allowed: any, at, byId, count, few, flag, free, high, id, inner, kind, list, " +
	"long, low, mail, maybe, name, policy, some, text, unique"

func TestValidateChoosesTheShapeByItsKey(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	s := r.Schema(reflect.TypeFor[crier.PostInput](), true, "")
	again := r.Schema(reflect.TypeFor[crier.PostInput](), false, "")
	key, shapes := crier.PostInput{}.Shapes()
	choices := strings.Join(sortedKeys(shapes), ", ")
	if again.Discriminator == nil || again.Discriminator.PropertyName != key || len(again.OneOf) != len(shapes) {
		t.Fatalf("the schema is %+v", again)
	}
	for body, want := range map[string]string{
		`[]`:                    ": must be an object, got a list",
		`null`:                  ": must be an object, got null",
		`{}`:                    key + ": must be one of " + choices,
		`{"` + key + `":"x"}`:   key + ": must be one of " + choices,
		`{"` + key + `":1}`:     key + ": must be one of " + choices,
		`{"` + key + `":null}`:  key + ": must be one of " + choices,
		`{"` + key + `":["a"]}`: key + ": must be one of " + choices,
	} {
		if got := problems(t, r, s, body); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	for choice := range shapes {
		got := problems(t, r, s, `{"`+key+`":"`+choice+`","unknown":1}`)
		if !strings.Contains(got, "unknown: is not a known key") {
			t.Errorf("%s is not judged by its own shape: %q", choice, got)
		}
	}
}

func TestValidateBoundsItsAnswer(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	s := r.Schema(reflect.TypeFor[answersOf](), true, "")
	for wrong, want := range map[int]int{1: 1, maxIssues: maxIssues, maxIssues + 1: maxIssues + 1,
		3 * maxIssues: maxIssues + 1} {
		list := make([]any, wrong)
		for i := range list {
			list[i] = "no"
		}
		issues := r.Validate(s, map[string]any{"list": list})
		last := issues[len(issues)-1]
		if len(issues) != want {
			t.Errorf("%d wrong items have %d issues, want %d", wrong, len(issues), want)
		}
		if more := wrong > maxIssues; more != (last.Message == "there are more problems than these 1000") ||
			more != (len(last.Path) == 0) {
			t.Errorf("of %d wrong items the last issue is %+v", wrong, last)
		}
	}
}

// Issues hold their paths: one must not change when the next is found.
func TestValidateKeepsThePathsOfIssuesApart(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	s := r.Schema(reflect.TypeFor[answersOf](), true, "")
	var body []string
	for i := range 5 {
		body = append(body, fmt.Sprintf(`"k%d":{"x":[1,true,2],"y":[3]}`, i))
	}
	got := problems(t, r, s, `{"a":{`+strings.Join(body, ",")+`}}`)
	var want []string
	for i := range 5 {
		for _, rest := range []string{"x.0", "x.2", "y.0"} {
			want = append(want, "a.k"+strconv.Itoa(i)+"."+rest+": must be true or false, got a number")
		}
	}
	if got != strings.Join(want, "; ") {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestKindsOfValuesAreNamed(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{`null`: "null", `true`: "a boolean", `1`: "a number", `"x"`: "a string",
		`[]`: "a list", `{}`: "an object"} {
		value, err := ParseJSON([]byte(body))
		if got := kindOf(value); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", body, got, err, want)
		}
	}
	if got := expected(nil); got != "a value" {
		t.Errorf("without a schema %s is expected", got)
	}
}

func TestSchemasOfTypesAreNamedForReaders(t *testing.T) {
	t.Parallel()
	for want, given := range map[string]reflect.Type{"Sample": reflect.TypeFor[sample](),
		"Team":     reflect.TypeFor[crier.Team](),
		"TeamPage": reflect.TypeFor[crier.Page[crier.Team]](), "Inner": reflect.TypeFor[inner]()} {
		if got := schemaName(given); got != want {
			t.Errorf("%s is named %s, want %s", given, got, want)
		}
	}
	r := NewRegistry()
	if s := r.Schema(reflect.TypeFor[**inner](), true, ""); s.Ref != "#/components/schemas/Inner" ||
		r.TypeFromRef(s.Ref) != reflect.TypeFor[inner]() || r.SchemaFromRef(s.Ref) != r.Map()["Inner"] {
		t.Errorf("a pointer to a pointer is %+v", s)
	}
	r.RegisterTypeAlias(reflect.TypeFor[inner](), reflect.TypeFor[sample]())
	if len(r.Map()) != 1 || r.TypeFromRef("#/components/schemas/None") != nil {
		t.Errorf("the schemas are %v", sortedKeys(r.Map()))
	}
}

func TestStatusesOfErrors(t *testing.T) {
	t.Parallel()
	for kind, want := range map[crier.Kind]int{crier.KindInvalid: 400, crier.KindUnauthorized: 401,
		crier.KindPaymentRequired: 402, crier.KindForbidden: 403, crier.KindNotFound: 404, crier.KindConflict: 409,
		crier.KindPreconditionFailed: 412, crier.KindTooManyRequests: 429, crier.KindInternal: 500} {
		if got := Status(kind); got != want {
			t.Errorf("%s is %d, want %d", kind, got, want)
		}
	}
}
