package contract

import (
	"bytes"
	"encoding"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"crier"
)

// Input describes how a request is decoded into an input type: which fields come from the path and the query, and
// whether there is a body. It is compiled once per route, for both decoding and the document.
type Input struct {
	registry *Registry
	params   []param
	body     []int // index of the field Body; nil when there is none
	optional bool  // a request without a body is fine
	schema   *huma.Schema
	stream   []int // index of the field Stream; nil when there is none
	media    string
}

type param struct {
	name, in string
	index    []int
	schema   *huma.Schema
	doc      string
	required bool
}

// NewInput compiles an input type. Its fields have path:"name", query:"name" or header:"name" tags and are strings; a
// field Body is the JSON body, which is optional with the tag body:"optional"; a field Stream is a body of the media
// type in its tag, read as it arrives; if it is a form, the input describes it.
func NewInput(r *Registry, t reflect.Type) *Input {
	in := &Input{registry: r}
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous {
			continue
		}
		if f.Name == "Body" {
			in.body, in.schema = f.Index, r.Schema(f.Type, true, "")
			in.optional = f.Tag.Get("body") == "optional"
			continue
		}
		if f.Type == reflect.TypeFor[*Stream]() {
			in.stream, in.media, in.schema = f.Index, f.Tag.Get("stream"),
				&huma.Schema{Type: huma.TypeString, Format: "binary"}
			if form, ok := reflect.TypeAssert[formed](reflect.New(t)); ok {
				in.schema = r.Schema(reflect.TypeOf(form.Form()), true, "")
			}
			continue
		}
		for _, where := range []string{"path", "query", "header"} {
			if name := f.Tag.Get(where); name != "" {
				s := huma.SchemaFromField(r, f, "")
				in.params = append(in.params, param{
					name: name, in: where, index: f.Index, schema: s, doc: f.Tag.Get("doc"),
					required: where == "path" || where == "header" && f.Tag.Get("required") != "false" ||
						f.Tag.Get("required") == "true",
				})
			}
		}
	}
	return in
}

// TakesForm reports whether the stream is a form.
func (in *Input) TakesForm() bool { return in.stream != nil && in.media == "multipart/form-data" }

// formed is an input whose stream is a form with the fields of a struct.
type formed interface{ Form() any }

// Target returns the path of a request with the query parameters of the operation.
func (in *Input) Target(r *http.Request) string {
	known, given := url.Values{}, r.URL.Query()
	for _, p := range in.params {
		if p.in == "query" && given.Has(p.name) {
			known.Set(p.name, given.Get(p.name))
		}
	}
	if len(known) == 0 {
		return r.URL.Path
	}
	return r.URL.Path + "?" + known.Encode()
}

// Receive reads the body, unless it is to be read as it arrives.
func (in *Input) Receive(w http.ResponseWriter, r *http.Request) (Body, error) {
	if in.stream != nil {
		return Body{Stream: NewStream(w, r)}, nil
	}
	return readBody(w, r)
}

// validated is a body with rules beyond its schema.
type validated interface {
	Validate(now time.Time) []crier.Issue
}

// Decode fills dst from the request and returns every issue it finds.
func (in *Input) Decode(r *http.Request, body Body, now time.Time, dst reflect.Value) []crier.Issue {
	v := &validator{registry: in.registry}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		v.add(nil, "the query string is malformed: %s", err.Error())
	}
	for _, p := range in.params {
		in.param(v, r, query, p, dst.FieldByIndex(p.index))
	}
	if in.stream != nil {
		dst.FieldByIndex(in.stream).Set(reflect.ValueOf(body.Stream))
	}
	if in.body == nil {
		if in.stream == nil && (body.Large || !isNothing(body.Data)) {
			v.add(nil, "the operation takes no body; send none, or an empty JSON object")
		}
		return v.issues
	}
	if in.optional && len(body.Data) == 0 && !body.Large {
		return v.issues
	}
	field := dst.FieldByIndex(in.body).Addr().Interface()
	in.decodeBody(v, r, body, field)
	if rules, ok := field.(validated); ok && !v.full() {
		v.issues = append(v.issues, UnlessKnown(v.issues, rules.Validate(now))...)
	}
	return v.issues
}

func (in *Input) param(v *validator, r *http.Request, query url.Values, p param, field reflect.Value) {
	value := chi.URLParam(r, p.name)
	switch p.in {
	case "header":
		if value = strings.Join(r.Header.Values(p.name), ", "); value == "" {
			if !p.required {
				return
			}
			v.add([]string{p.name}, "the request needs this header: %s", p.doc)
			return
		}
	case "query":
		if !query.Has(p.name) {
			if fallback, ok := p.schema.Default.(string); ok {
				field.SetString(fallback)
			}
			return
		}
		value = query.Get(p.name)
	}
	path := []string{p.name}
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		v.add(path, "must be valid UTF-8 without the character U+0000")
		return
	}
	before := len(v.issues)
	v.check(p.schema, value, path)
	if len(v.issues) > before {
		return
	}
	if t, ok := reflect.TypeAssert[encoding.TextUnmarshaler](field.Addr()); ok {
		if err := t.UnmarshalText([]byte(value)); err != nil {
			v.add(path, "%s", err.Error())
		}
		return
	}
	field.SetString(value)
}

func (in *Input) decodeBody(v *validator, r *http.Request, body Body, dst any) {
	none := []string{}
	if body.Large {
		v.add(none, "the body is larger than %d bytes", maxBody)
		return
	}
	if len(body.Data) == 0 {
		v.add(none, "the request needs a JSON body")
		return
	}
	if !isJSON(r.Header.Get("Content-Type")) {
		v.add(none, "the Content-Type must be application/json, got %.100q", r.Header.Get("Content-Type"))
		return
	}
	value, err := ParseJSON(body.Data)
	if err != nil {
		v.add(none, "%s", err.Error())
		return
	}
	data := body.Data
	if integers(value) {
		if data, err = json.Marshal(value); err != nil {
			v.add(none, "the body is not valid: %s", err.Error())
			return
		}
	}
	before := len(v.issues)
	v.check(in.schema, value, none)
	// Invalid bodies are decoded too, as far as possible, so that the rules across fields find their issues.
	if err := json.Unmarshal(data, dst); err != nil {
		if len(v.issues) == before {
			v.add(none, "the body is not valid: %s", strings.TrimPrefix(err.Error(), "json: "))
		}
		if !v.full() {
			decodeMembers(data, dst)
		}
	}
}

// decodeMembers decodes the members of an object one by one. An id or a time that is none ends the decoding of a whole
// body, and the rules across fields would find missing what follows it.
func decodeMembers(data []byte, dst any) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return // no object, which is an issue
	}
	for _, name := range sortedKeys(members) {
		if one, err := json.Marshal(map[string]json.RawMessage{name: members[name]}); err == nil {
			_ = json.Unmarshal(one, dst) // what cannot be decoded has an issue
		}
	}
}

// isNothing reports whether a body counts as absent.
func isNothing(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) == 0 || bytes.Equal(data, []byte("{}"))
}

// isJSON accepts application/json with parameters, and a body without a type.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	charset := strings.ToLower(params["charset"])
	return err == nil && media == "application/json" && (charset == "" || charset == "utf-8")
}

// UnlessKnown omits issues of values that already have one.
func UnlessKnown(known, more []crier.Issue) []crier.Issue {
	var out []crier.Issue
	for _, issue := range more {
		if !covered(known, issue.Path) {
			out = append(out, issue)
		}
	}
	return out
}

func covered(known []crier.Issue, path []string) bool {
	at := strings.Join(path, "\x00") + "\x00"
	for _, k := range known {
		if strings.HasPrefix(at, strings.Join(k.Path, "\x00")+"\x00") || len(k.Path) == 0 {
			return true
		}
	}
	return false
}

// sortBy sets the sort fields of a list; the first is the default.
func (in *Input) sortBy(sorts []string) {
	for _, p := range in.params {
		if p.name != "sortBy" || len(sorts) == 0 {
			continue
		}
		p.schema.Default = sorts[0]
		for _, name := range sorts {
			p.schema.Enum = append(p.schema.Enum, name)
		}
	}
}

// document adds the parameters and the body to an operation.
func (in *Input) document(op *huma.Operation) {
	for _, p := range in.params {
		op.Parameters = append(op.Parameters, &huma.Param{Name: p.name, In: p.in, Required: p.required,
			Description: p.doc, Schema: p.schema})
	}
	if op.Method != http.MethodGet {
		op.Parameters = append(op.Parameters, &huma.Param{Name: "Idempotency-Key", In: "header",
			Description: "A repeat of the request with the same key within 24 hours gets the first response.",
			Schema: &huma.Schema{Type: huma.TypeString, MinLength: ptrTo(1), MaxLength: ptrTo(255),
				Pattern: "^[!-~]+$"}})
	}
	media := "application/json"
	if in.stream != nil {
		media = in.media
	}
	if in.schema != nil {
		op.RequestBody = &huma.RequestBody{Required: !in.optional,
			Content: map[string]*huma.MediaType{media: {Schema: in.schema}}}
	}
}

func ptrTo[T any](v T) *T { return &v }
