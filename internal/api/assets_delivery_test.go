package api_test

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
)

var contentRules = map[string]func(*testing.T, library){
	"content is given whole, in parts, or not at all if it is known": contentOfAssets,
	"a signed address needs no token and gives exactly its file":     signedAddresses,
}

func contentOfAssets(t *testing.T, l library) {
	file := mediatest.VerticalMP4()
	id := l.Ready(t, "clip.mp4", file)
	address := l.Assets(id, "content")
	resp, body := l.Fetch(t, address)
	tag := resp.Header.Get("ETag")
	sum := l.Do(t, "GET", l.Assets(id), nil).Text(t, "sha256")
	if resp.StatusCode != http.StatusOK || !bytes.Equal(body, file) || tag != `"`+sum+`"` ||
		resp.Header.Get("Content-Type") != "video/mp4" {
		t.Errorf("the content is answered with %d %v", resp.StatusCode, resp.Header)
	}
	tests := map[string]struct {
		header []string
		status int
		want   []byte
	}{
		"the beginning": {[]string{"Range", "bytes=0-99"}, http.StatusPartialContent, file[:100]},
		"the middle":    {[]string{"Range", "bytes=1000-1999"}, http.StatusPartialContent, file[1000:2000]},
		"the end":       {[]string{"Range", "bytes=-10"}, http.StatusPartialContent, file[len(file)-10:]},
		"to the end":    {[]string{"Range", "bytes=70000-"}, http.StatusPartialContent, file[70000:]},
		"if it is still this": {[]string{"Range", "bytes=0-9", "If-Range", tag}, http.StatusPartialContent,
			file[:10]},
		"another one than expected": {[]string{"Range", "bytes=0-9", "If-Range", `"other"`}, http.StatusOK, file},
		"known already":             {[]string{"If-None-Match", tag}, http.StatusNotModified, []byte{}},
		"behind the end": {[]string{"Range", "bytes=999999999-"}, http.StatusRequestedRangeNotSatisfiable,
			nil},
	}
	for name, test := range tests {
		resp, body := l.Fetch(t, address, test.header...)
		if resp.StatusCode != test.status || test.want != nil && !bytes.Equal(body, test.want) {
			t.Errorf("%s: %d with %d bytes", name, resp.StatusCode, len(body))
		}
	}
	if resp, _ := l.Raw(t, "GET", address); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token the content is answered with %d", resp.StatusCode)
	}
	l.Do(t, "GET", l.Assets(unknownID, "content"), nil).WantError(t, http.StatusNotFound, "NotFound")
	l.Do(t, "DELETE", l.Assets(id), nil).Want(t, http.StatusOK)
	l.Do(t, "GET", address, nil).WantError(t, http.StatusNotFound, "NotFound")
}

func signedAddresses(t *testing.T, l library) {
	id := l.Ready(t, "a.png", mediatest.PNG(64, 48))
	other := l.Ready(t, "b.png", mediatest.PNG(64, 48))
	address := l.Do(t, "GET", l.Assets(id), nil).Text(t, "thumbnailUrl")
	if !strings.HasPrefix(address, "http://crier.test/media/"+id+"/thumbnail?") {
		t.Fatalf("the thumbnail is at %s", address)
	}
	post := l.CreatePost(t, object{"text": "Look", "assetIds": []string{id}})
	if shown := post.Text(t, "postInput", "attachments", 0, "asset", "thumbnailUrl"); shown != address {
		t.Errorf("a post shows the thumbnail at %q", shown)
	}
	whole, body := l.Raw(t, "GET", address)
	head, nothing := l.Raw(t, "HEAD", address)
	part, beginning := l.Raw(t, "GET", address, "Range", "bytes=0-9")
	if whole.StatusCode != http.StatusOK || whole.Header.Get("Content-Type") != "image/jpeg" || len(body) == 0 {
		t.Errorf("the thumbnail is answered with %d %v", whole.StatusCode, whole.Header)
	}
	if head.StatusCode != http.StatusOK || head.ContentLength != int64(len(body)) || len(nothing) > 0 {
		t.Errorf("HEAD is answered with %d %v", head.StatusCode, head.Header)
	}
	if part.StatusCode != http.StatusPartialContent || !bytes.Equal(beginning, body[:10]) {
		t.Errorf("a part is answered with %d", part.StatusCode)
	}
	for name, bad := range map[string]string{
		"another variant":   strings.Replace(address, "/thumbnail", "/original", 1),
		"another asset":     strings.Replace(address, id, other, 1),
		"another signature": tampered(t, address),
		"no signature":      strings.SplitN(address, "?", 2)[0],
	} {
		l.Send(t, servertest.Request{Method: "GET", Path: strings.TrimPrefix(bad, "http://crier.test")}).WantError(t,
			http.StatusForbidden, "Forbidden")
		if t.Failed() {
			t.Fatalf("with %s", name)
		}
	}
	l.Send(t, servertest.Request{Method: "GET", Path: "/media/x/original?signature=x"}).WantError(t,
		http.StatusNotFound,
		"NotFound")
	l.Do(t, "DELETE", l.Assets(id), nil).Want(t, http.StatusOK)
	l.Send(t, servertest.Request{Method: "GET", Path: strings.TrimPrefix(address, "http://crier.test")}).WantError(t,
		http.StatusNotFound, "NotFound")
	kept := l.Do(t, "GET", l.Assets(other), nil).Text(t, "thumbnailUrl")
	l.Do(t, "DELETE", path("/v1/teams/%s", l.Team), nil).Want(t, http.StatusOK)
	l.Send(t, servertest.Request{Method: "GET", Path: strings.TrimPrefix(kept, "http://crier.test")}).WantError(t,
		http.StatusNotFound, "NotFound")
}

// tampered changes one character in the middle of a signature.
func tampered(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	signature := []byte(u.Query().Get("signature"))
	middle := len(signature) / 2
	signature[middle] = map[bool]byte{true: 'B', false: 'A'}[signature[middle] == 'A']
	u.RawQuery = url.Values{"signature": {string(signature)}}.Encode()
	return u.String()
}

func addressesExpire(t *testing.T, l library) {
	id := l.Ready(t, "a.png", mediatest.PNG(64, 48))
	// Advance to the start of an hour, so that nothing changes within a few seconds.
	l.Clock.Advance(time.Until(time.Now().Truncate(time.Hour).Add(time.Hour)))
	first := l.Do(t, "GET", l.Assets(id), nil).Text(t, "thumbnailUrl")
	l.Clock.Advance(58 * time.Minute)
	if again := l.Do(t, "GET", l.Assets(id), nil).Text(t, "thumbnailUrl"); again != first {
		t.Error("the address has changed within the hour: caches cannot know it again")
	}
	l.Clock.Advance(23 * time.Hour)
	if resp, _ := l.Raw(t, "GET", first); resp.StatusCode != http.StatusOK {
		t.Errorf("after a day the address is answered with %d", resp.StatusCode)
	}
	l.Clock.Advance(2 * time.Hour)
	resp, body := l.Raw(t, "GET", first)
	if resp.StatusCode != http.StatusForbidden || !strings.Contains(string(body), "expired") {
		t.Errorf("after 26 hours the address is answered with %d %s", resp.StatusCode, body)
	}
	if fresh := l.Do(t, "GET", l.Assets(id), nil).Text(t, "thumbnailUrl"); fresh == first {
		t.Error("the asset still shows the address that has expired")
	}
}
