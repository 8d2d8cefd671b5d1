package api_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/internal/media/mediatest"
	"crier/internal/server"
	"crier/internal/server/servertest"
)

// address returns a new upload address of a key, relative to the server's own.
func (l library) address(tb testing.TB, key string, in object) string {
	tb.Helper()
	created := l.As(tb, key, "POST", l.Assets("upload-addresses"), in).Want(tb, http.StatusCreated)
	rest, ok := strings.CutPrefix(created.Text(tb, "url"), "http://crier.test")
	if !ok {
		tb.Fatalf("the address is %s", created.Text(tb, "url"))
	}
	return rest
}

// put sends bytes to an address, without any credential.
func (l library) put(tb testing.TB, address string, data []byte) servertest.Response {
	tb.Helper()
	r, err := http.NewRequest(http.MethodPut, l.URL+address, bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	got, err := l.Client.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return servertest.Response{Status: got.StatusCode, Header: got.Header, Body: body}
}

func wantRefused(tb testing.TB, got servertest.Response, status int, words string) {
	tb.Helper()
	if got.Status != status || !strings.Contains(string(got.Body), words) {
		tb.Errorf("status %d, want %d with %q: %s", got.Status, status, words, got.Body)
	}
}

func TestSignedUploadURLWorksOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		l := startLibrary(t, db)
		picture := mediatest.PNG(40, 30)
		at := l.address(t, l.Key, object{"fileName": "owl.png", "altText": "An owl"})
		wantRefused(t, l.put(t, at, []byte("no picture")), http.StatusBadRequest, "file")
		altered := strings.Replace(at, "/media/uploads/ey", "/media/uploads/fy", 1)
		wantRefused(t, l.put(t, altered, picture), http.StatusForbidden, "signature is wrong")
		wantRefused(t, l.put(t, at+"x", picture), http.StatusForbidden, "signature is wrong")
		wantRefused(t, l.put(t, "/media/uploads/nonsense", picture), http.StatusForbidden, "signature is wrong")
		created := l.put(t, at, picture)
		if created.Status != http.StatusCreated || !strings.Contains(string(created.Body), `"fileName":"owl.png"`) ||
			!strings.Contains(string(created.Body), `"altText":"An owl"`) {
			t.Fatalf("status %d: %s", created.Status, created.Body)
		}
		wantRefused(t, l.put(t, at, picture), http.StatusConflict, "already used")
		late := l.address(t, l.Key, object{})
		l.Clock.Advance(16 * time.Minute)
		wantRefused(t, l.put(t, late, picture), http.StatusForbidden, "has expired")
		if n := l.Number(t, `SELECT count(*) FROM assets`); n != 1 {
			t.Errorf("there are %d assets, want 1", n)
		}
		if n := l.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'uploadToAddress' AND created_id IS NOT NULL
			AND target = '/media/uploads'`); n != 1 {
			t.Errorf("the upload has %d entries in the audit log, want 1", n)
		}
		if strings.Contains(l.Log.String(), strings.TrimPrefix(at, "/media/uploads/")) {
			t.Error("the log has the address")
		}
		if err := l.Node.Services.Upkeep.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := l.Number(t, `SELECT count(*) FROM used_upload_addresses`); n != 0 {
			t.Errorf("%d expired addresses are remembered", n)
		}
	})
}

func TestUploadsToOneAddressAtOnceCreateOneAsset(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		l := startLibrary(t, db)
		at, picture := l.address(t, l.Key, object{}), mediatest.PNG(40, 30)
		statuses, sent := make([]int, 4), sync.WaitGroup{}
		for i := range statuses {
			sent.Go(func() { statuses[i] = l.put(t, at, picture).Status })
		}
		sent.Wait()
		count := map[int]int{}
		for _, status := range statuses {
			count[status]++
		}
		if count[http.StatusCreated] != 1 || count[http.StatusConflict] != len(statuses)-1 {
			t.Errorf("the answers are %v", statuses)
		}
		if n := l.Number(t, `SELECT count(*) FROM assets`); n != 1 {
			t.Errorf("there are %d assets, want 1", n)
		}
	})
}

func TestUploadURLLimits(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		l := startLibrary(t, db, func(c *server.Config) { c.StorageQuota = 5000 })
		picture := mediatest.PNG(40, 30)
		l.As(t, l.Key, "POST", l.Assets("upload-addresses"), object{"mimeType": "text/plain", "maxBytes": 0}).
			WantIssues(t, "maxBytes")
		l.As(t, l.Key, "POST", l.Assets("upload-addresses"), object{"mimeType": "text/plain"}).WantIssues(t, "mimeType")
		small := l.address(t, l.Key, object{"maxBytes": len(picture) - 1})
		wantRefused(t, l.put(t, small, picture), http.StatusBadRequest, "larger than the address allows")
		film := l.address(t, l.Key, object{"mimeType": "video/mp4"})
		wantRefused(t, l.put(t, film, picture), http.StatusBadRequest, "file")
		l.WantNothing(t)
		exact := l.address(t, l.Key, object{"maxBytes": len(picture), "mimeType": "image/png"})
		if got := l.put(t, exact, picture); got.Status != http.StatusCreated {
			t.Errorf("status %d: %s", got.Status, got.Body)
		}
		l.Exec(t, `UPDATE teams SET asset_bytes = 5000 WHERE id = $1`, l.Team)
		full := l.address(t, l.Key, object{})
		wantRefused(t, l.put(t, full, picture), http.StatusPaymentRequired, "may store")
	})
}

func TestUploadURLEndsWithThePermission(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		l := startLibrary(t, db)
		picture := mediatest.PNG(40, 30)
		l.As(t, l.NewKey(t, object{"role": "viewer"}), "POST", l.Assets("upload-addresses"), object{}).Want(t,
			http.StatusForbidden)
		key := l.CreateKey(t, l.Key, object{"role": "editor"})
		at := l.address(t, key.Secret, object{})
		l.Do(t, "DELETE", path("/v1/organizations/%s/api-keys/%s", l.Organization, key.ID), nil).Want(t, http.StatusOK)
		wantRefused(t, l.put(t, at, picture), http.StatusForbidden, "no longer valid")
		ada := l.NewFounder(t, "ada@example.com")
		link := l.As(t, ada.Key, "POST", ada.Members(), object{"email": "bob@example.com", "role": "editor"}).Want(t,
			http.StatusCreated).Text(t, "inviteUrl")
		b := l.NewBrowser(t)
		b.Accept(t, link, "Bob").Want(t, http.StatusSeeOther)
		b.SignIn(t, "bob@example.com")
		token := l.LogIn(t, b).Text(t, "access_token")
		his := l
		his.Server.Team = ada.Team
		at = his.address(t, token, object{})
		l.Exec(t, `DELETE FROM memberships WHERE organization_id = $1 AND principal_id IN
			(SELECT id FROM users WHERE email = 'bob@example.com')`, ada.Organization)
		wantRefused(t, l.put(t, at, picture), http.StatusForbidden, "does not belong")
		if n := l.Number(t, `SELECT count(*) FROM assets`); n != 0 {
			t.Errorf("%d assets were made", n)
		}
	})
}
