package mcp_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
)

func TestAgentUploadsALocalFile(t *testing.T) {
	t.Parallel()
	servertest.EachShared(t, func(t *testing.T, s *servertest.Server) {
		mine := s.NewTenant(t, "Uploads")
		a := connect(t, overHTTP(t, s, mine.Key), nil, "")
		offer := a.succeeds(t, "upload_asset", object{"teamId": mine.Team, "fileName": "-it's an owl.png",
			"mimeType": "image/png", "altText": "An owl"})
		address := offer.Text(t, "url")
		want := `curl --fail-with-body -T './-it'\''s an owl.png' '` + address + `'`
		if offer.Text(t, "command") != want || offer.Text(t, "method") != http.MethodPut {
			t.Errorf("the offer is %s", offer.Body)
		}
		r, err := http.NewRequest(http.MethodPut, s.URL+strings.TrimPrefix(address, "http://crier.test"),
			bytes.NewReader(mediatest.PNG(40, 30)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Body.Close(); err != nil || got.StatusCode != http.StatusCreated {
			t.Fatalf("status %d, %v", got.StatusCode, err)
		}
		found := a.succeeds(t, "list_assets", object{"teamId": mine.Team})
		if !strings.Contains(string(found.Body), "it's an owl.png") {
			t.Errorf("the library has %s", found.Body)
		}
		a.fails(t, "upload_asset", object{"teamId": mine.Team, "fileName": "notes.txt", "mimeType": "text/plain"},
			"mimeType")
		for _, name := range []string{"", ".", "..", "/", "folder/.."} {
			a.fails(t, "upload_asset", object{"teamId": mine.Team, "fileName": name},
				"fileName: must be the name of a file")
		}
	})
}
