package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/client"
)

// documented returns the operations of the API, as method and path, without alternative paths of the same operation.
func documented(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("../internal/api/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	var list []string
	for path, methods := range document.Paths {
		for method, operation := range methods {
			if !strings.HasSuffix(operation.OperationID, "Alias") {
				list = append(list, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(list)
	return list
}

// argument returns a value of any parameter type of the client's methods.
func argument(t *testing.T, kind reflect.Type) reflect.Value {
	t.Helper()
	for _, v := range []any{t.Context(), team, func(int64, int64) {}} {
		if reflect.TypeOf(v).AssignableTo(kind) {
			return reflect.ValueOf(v)
		}
	}
	switch kind {
	case reflect.TypeFor[io.Reader](), reflect.TypeFor[io.ReaderAt]():
		return reflect.ValueOf(strings.NewReader("x"))
	case reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case reflect.TypeFor[crier.Upload]():
		return reflect.ValueOf(crier.Upload{UploadID: team})
	}
	return reflect.Zero(kind)
}

// fitting returns the operation of a request: the one with the most literal segments.
func fitting(operations []string, request string) string {
	best := ""
	parts := strings.Split(request, "/")
	for _, o := range operations {
		pattern := strings.Split(o, "/")
		fits := len(pattern) == len(parts)
		for i := 0; fits && i < len(parts); i++ {
			fits = pattern[i] == parts[i] || strings.HasPrefix(pattern[i], "{") && parts[i] == string(team)
		}
		if fits && (best == "" || strings.Count(o, "{") < strings.Count(best, "{")) {
			best = o
		}
	}
	return best
}

func TestEveryOperationOfTheInterfaceHasAMethod(t *testing.T) {
	t.Parallel()
	operations := documented(t)
	missing := slices.Clone(operations)
	c, s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if kind := r.Header.Get("Accept"); kind != "" { // a stream
			w.Header().Set("Content-Type", kind)
		}
		reply(w, http.StatusOK, map[string]any{"uploadId": team})
	})
	methods := reflect.ValueOf(c)
	for i := range methods.NumMethod() {
		name, method := methods.Type().Method(i).Name, methods.Method(i)
		if method.Type().NumIn() == 0 { // about the client itself
			continue
		}
		var in []reflect.Value
		for j := range method.Type().NumIn() {
			if method.Type().IsVariadic() && j == method.Type().NumIn()-1 {
				break
			}
			in = append(in, argument(t, method.Type().In(j)))
		}
		before := len(s.seen)
		out := method.Call(in)
		if err, failed := reflect.TypeAssert[error](out[len(out)-1]); failed && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(s.seen) == before {
			t.Errorf("%s calls nothing", name)
		}
		for _, r := range s.seen[before:] {
			operation := fitting(operations, r.Method+" "+r.URL.Path)
			if operation == "" {
				t.Errorf("%s calls %s %s, which the document does not have", name, r.Method, r.URL.Path)
			}
			missing = slices.DeleteFunc(missing, func(o string) bool { return o == operation })
		}
	}
	if len(missing) > 0 {
		t.Errorf("no method calls %q", missing)
	}
}

func TestGetPostIncludesScheduledPosts(t *testing.T) {
	t.Parallel()
	c, s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{"id": team, "scheduledPosts": []any{map[string]any{"id": team}}})
	})
	post, err := c.GetPost(t.Context(), team, team, client.IncludeScheduledPosts)
	if err != nil || post.ScheduledPosts == nil || len(*post.ScheduledPosts) != 1 ||
		s.seen[0].URL.RawQuery != "include=scheduledPosts" {
		t.Errorf("%+v, %v", post, err)
	}
}

func TestFileIsSentAsMultipart(t *testing.T) {
	t.Parallel()
	alt := "An owl"
	c, _ := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		data, err := io.ReadAll(file)
		if err != nil || string(data) != "bytes" || header.Filename != "owl.jpg" || r.FormValue("altText") != alt ||
			r.Form.Has("folderId") {
			t.Errorf("%q %+v %v %v", data, header, r.Form, err)
		}
		reply(w, http.StatusCreated, map[string]any{"id": team})
	})
	asset, err := c.CreateAsset(t.Context(), team, "owl.jpg", bytes.NewReader([]byte("bytes")),
		crier.AssetDetails{AltText: &alt})
	if err != nil || asset.ID != team {
		t.Errorf("%+v, %v", asset, err)
	}
	refusing, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusForbidden, map[string]string{"_tag": "Forbidden", "message": "no"})
	})
	endless := io.MultiReader(strings.NewReader("x"), neverEnding{})
	if _, err := refusing.CreateAsset(t.Context(), team, "owl.jpg", endless, crier.AssetDetails{}); !client.IsKind(err,
		crier.KindForbidden) {
		t.Errorf("a refusal in the middle of a file: %v", err)
	}
}

// neverEnding is a file without an end.
type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) { return len(p), nil }

func TestRefreshTokenIsNeverSentTwice(t *testing.T) {
	t.Parallel()
	c, s := serve(t, func(_ int, w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if _, err := c.RefreshTokens(context.Background(), "token"); err == nil || len(s.seen) != 1 {
		t.Errorf("sent %d times: %v", len(s.seen), err)
	}
	if got := s.seen[0].Header.Get("Authorization"); got != "" {
		t.Errorf("a token endpoint was sent %q", got)
	}
	refusing, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusBadRequest, crier.OAuthError{Code: "authorization_pending"})
	})
	_, err := refusing.RedeemDeviceCode(t.Context(), "code")
	if refused, ok := errors.AsType[*crier.OAuthError](err); !ok || refused.Code != "authorization_pending" {
		t.Errorf("%v", err)
	}
}
