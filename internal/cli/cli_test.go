package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/cli"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestMain(m *testing.M) { os.Exit(servertest.Run(m)) }

// person is a person who types commands.
type person struct {
	environ []string
	home    string
}

// result is the output and exit code of a command.
type result struct {
	stdout, stderr string
	code           int
}

// newPerson uses a server with a key.
func newPerson(t *testing.T, server, key string) person {
	t.Helper()
	home := t.TempDir()
	environ := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if server != "" {
		environ = append(environ, "CRIER_SERVER="+server)
	}
	if key != "" {
		environ = append(environ, "CRIER_TOKEN="+key)
	}
	return person{environ: environ, home: home}
}

// run runs a command without a person to ask.
func (p person) run(t *testing.T, args ...string) result {
	t.Helper()
	return p.runWith(t, strings.NewReader(""), args...)
}

func (p person) runWith(t *testing.T, stdin io.Reader, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	return p.execute(t.Context(), stdin, &stdout, &stderr, args...)
}

func (p person) execute(ctx context.Context, stdin io.Reader, stdout, stderr *bytes.Buffer, args ...string) result {
	code := p.start(ctx, stdin, stdout, stderr, args...)
	return result{stdout: stdout.String(), stderr: stderr.String(), code: code}
}

// start runs a command as the program does.
func (p person) start(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args ...string) int {
	shell := cli.New(cli.Config{
		Environ: p.environ, Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now, Version: "test",
		Terminal: func() (io.ReadCloser, error) { return nil, errors.New("there is no terminal") },
	})
	err := cli.Execute(ctx, shell.Root("  crier whoami"), args)
	if err == nil {
		return 0
	}
	_, _ = io.WriteString(stderr, "crier: "+cli.ErrorText(err)+"\n")
	return cli.ExitCode(err)
}

// want fails unless a command has the exit code and printed some texts.
func (r result) want(t *testing.T, code int, texts ...string) result {
	t.Helper()
	if r.code != code {
		t.Errorf("the command ended with %d, want %d", r.code, code)
	}
	for _, text := range texts {
		if !strings.Contains(r.stdout+r.stderr, text) {
			t.Errorf("nothing says %q", text)
		}
	}
	if t.Failed() {
		t.Fatalf("stdout:\n%s\nstderr:\n%s", r.stdout, r.stderr)
	}
	return r
}

// lacks fails if a command printed a text.
func (r result) lacks(t *testing.T, text string) result {
	t.Helper()
	if strings.Contains(r.stdout+r.stderr, text) {
		t.Fatalf("something says %q:\n%s%s", text, r.stdout, r.stderr)
	}
	return r
}

// into decodes the JSON that a command printed.
func (r result) into(t *testing.T, value any) result {
	t.Helper()
	if err := json.Unmarshal([]byte(r.stdout), value); err != nil {
		t.Fatalf("%v: %s %s", err, r.stdout, r.stderr)
	}
	return r
}

// id returns the id in a command's JSON output.
func (r result) id(t *testing.T) string {
	t.Helper()
	var created struct{ ID crier.ID }
	r.want(t, 0).into(t, &created)
	return string(created.ID)
}

// crew is a person with a server and connected accounts.
type crew struct {
	person
	servertest.Crew
	server *servertest.Server
	box    *servertest.Box
}

func newCrew(t *testing.T, networks ...string) crew {
	t.Helper()
	s, box := servertest.SharedEngine(t, store.SQLite)
	created := s.NewCrew(t, 100_000, networks...)
	return crew{person: newPerson(t, s.URL, created.Key), Crew: created, server: s, box: box}
}

// posts counts the posts that are not deleted.
func (c crew) posts(t *testing.T) int64 {
	t.Helper()
	return c.server.Number(t, `SELECT count(*) FROM posts WHERE status <> 'deleted' AND team_id = $1`, c.Team)
}

// assets counts the files in the media library.
func (c crew) assets(t *testing.T) int64 {
	t.Helper()
	var page crier.Page[crier.Asset]
	c.run(t, "media", "list", "--json").want(t, 0).into(t, &page)
	return page.Total
}
