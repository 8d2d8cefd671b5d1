package providertest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const vendorFile = `Page: https://docs.example.com/posts
Also: notify
Own: fields
Unlike: data.time
===
POST /2/posts?fields=id
Content-Type: application/json

{"text": "Hello", "media": {"ids": ["1", "2"]}, "count": 3}
---
201
Content-Type: application/json

{"data": {"id": "1", "time": "now"}, "list": [{"name": "a"}]}
`

func TestVendorExampleMatchesTheRequest(t *testing.T) {
	t.Parallel()
	var e VendorExample
	if err := e.parse(vendorFile); err != nil {
		t.Fatal(err)
	}
	const target = "/2/posts?fields=id"
	for _, tc := range []struct{ name, target, contentType, body, problem string }{
		{"the same", target, "application/json", `{"text":"Hello","media":{"ids":["1","2"]},"count":3}`, ""},
		{"a form, further parameters that are named, and fields of its own", "/2/posts?fields=id,time&notify=true",
			"application/json; charset=UTF-8", `{"text":"Hello","media":{"ids":["1","2"]},"count":3}`, ""},
		{"another path", "/2/post", "application/json", `{}`, "the client asks POST /2/post"},
		{"a value is missing", target, "application/json", `{"text":"Hello","media":{"ids":["1"]},"count":3}`,
			"media.ids.1 is"},
		{"another value", target, "application/json", `{"text":"Hullo","media":{"ids":["1","2"]},"count":3}`,
			"text is Hullo"},
		{"one value more", target, "application/json",
			`{"text":"Hello","media":{"ids":["1","2"]},"count":3,"x":1}`, "the client sends x"},
		{"another content type", target, "application/x-www-form-urlencoded", `text=Hello`,
			"header Content-Type"},
	} {
		r := httptest.NewRequest(http.MethodPost, tc.target, strings.NewReader(tc.body))
		r.Header.Set("Content-Type", tc.contentType)
		got := strings.Join(e.differences(r), "\n")
		if tc.problem == "" && got != "" || !strings.Contains(got, tc.problem) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.problem)
		}
	}
}

func TestVendorResponseIsComparedByShape(t *testing.T) {
	t.Parallel()
	var e VendorExample
	if err := e.parse(vendorFile); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"data": map[string]any{"id": "1", "time": "now"}, "list": []any{map[string]any{"name": "a"}}}
	named := []any{map[string]any{"name": "b"}}
	for problem, got := range map[string]any{
		"":                    map[string]any{"data": map[string]any{"id": "9"}, "list": named},
		"lacks data":          map[string]any{"list": named},
		"(float64) at":        map[string]any{"data": map[string]any{"id": 9.0}, "list": named},
		`has no items at`:     map[string]any{"data": map[string]any{"id": "9"}, "list": []any{}},
		`lacks list.0.name`:   map[string]any{"data": map[string]any{"id": "9"}, "list": []any{map[string]any{}}},
		`has no object at ""`: []any{},
	} {
		if found := strings.Join(e.unlikeShape("", want, got), "\n"); problem == "" && found != "" ||
			!strings.Contains(found, problem) {
			t.Errorf("%v: %q, want %q", got, found, problem)
		}
	}
}
