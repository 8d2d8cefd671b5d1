package api_test

import (
	"cmp"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crier/internal/media/mediatest"
)

// pageExample matches a command of the documentation page.
var pageExample = regexp.MustCompile(`(?s)<pre class="example"><code>(curl.*?)</code></pre>`)

// The commands of the documentation page can be pasted: the server accepts each one, apart from ids that are made up
// and what only a person or the internet could give it.
func TestDocsExamplesRunAgainstAServer(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	oneServer(t, func(t *testing.T, s *testServer) {
		posts := postServer{s}
		post := posts.CreatePost(t, object{"text": "Hello"})
		dir := t.TempDir()
		file := append(mediatest.PNG(8, 8), make([]byte, 8<<20)...)[:8<<20] // as long as the chunk of the example
		if err := os.WriteFile(filepath.Join(dir, "file"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		environ := append(os.Environ(), "CRIER_URL="+s.URL, "CRIER_API_KEY="+s.Key,
			"ORGANIZATION_ID="+string(s.Organization), "TEAM_ID="+string(s.Team), "POST_ID="+post.Text(t, "id"),
			"CONTENT_PAYLOAD_ID="+post.Text(t, "contentPayloadId"),
			"FROM=2026-11-15T00:00:00Z", "TO=2026-11-16T00:00:00Z", "Q=ada", "SETTING=youtubePlaylistId")
		for _, name := range []string{"ID", "MEMBER_ID", "INVITATION_ID", "SLOT_ID", "TAG_ID", "ASSET_ID", "UPLOAD_ID",
			"FOLDER_ID", "DELIVERY_ID"} {
			environ = append(environ, name+"="+unknownID)
		}
		examples := docsExamples(t, s.URL)
		if len(examples) < 100 {
			t.Errorf("the page has only %d commands", len(examples))
		}
		for _, example := range examples {
			if strings.Contains(example, "/stream") { // which does not end
				continue
			}
			run := exec.CommandContext(t.Context(), "sh", "-c", "uuidgen() { echo \"run-$$\"; }\n"+
				"curl() { command curl -sS -w '\n%{http_code}' \"$@\"; }\n"+example)
			run.Env, run.Dir, run.Stderr = environ, dir, os.Stderr
			output, err := run.Output()
			if err != nil {
				t.Errorf("%s: %v", example, err)
				continue
			}
			end := strings.LastIndex(string(output), "\n")
			if body, status := string(output[:end]), string(output[end+1:]); !isUsable(status, body) {
				t.Errorf("%s\nis answered with %s %s", example, status, body)
			}
		}
	})
}

// docsExamples returns the commands of the page: what reads, what writes, and then what deletes.
func docsExamples(t *testing.T, base string) (examples []string) {
	t.Helper()
	answer, err := http.Get(base + "/docs")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range pageExample.FindAllSubmatch(page, -1) {
		examples = append(examples, html.UnescapeString(string(found[1])))
	}
	order := func(example string) int {
		switch {
		case !strings.Contains(example, " -X "):
			return 0
		case strings.Contains(example, "-X DELETE"):
			return 2
		}
		return 1
	}
	slices.SortStableFunc(examples, func(a, b string) int { return cmp.Compare(order(a), order(b)) })
	return examples
}

// isUsable reports whether a server has understood a request.
func isUsable(status, body string) bool {
	const madeUp = "01985f2e-6c00-7000-8000-000000000000" // the id in bodies
	switch status[0] {
	case '2':
		return true
	case '4':
	default:
		return false
	}
	for _, fine := range []string{
		unknownID, madeUp, "There is no ", // what the path or the body names
		"a person's own login",        // sessions
		"host of the address",         // an import from the internet
		"has to set CRIER_X_CLIENT",   // the connection of an account
		`"error":"invalid_grant"`,     // a code of a device login
		`"error":"authorization_pend`, // which nobody has approved
	} {
		if strings.Contains(body, fine) {
			return status != "401" && !strings.Contains(body, "There is no such endpoint")
		}
	}
	return false
}
