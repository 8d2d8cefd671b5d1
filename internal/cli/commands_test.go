package cli_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"crier/internal/cli"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// silent are commands that print nothing, or no report.
var silent = map[string]bool{"crier mcp": true}

func TestEveryCommandHasAnExampleAndPrintsJSON(t *testing.T) {
	t.Parallel()
	root := cli.New(cli.Config{Now: time.Now, Version: "test"}).Root("  crier whoami")
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if !strings.Contains(cmd.Example, "  crier ") || cmd.Short == "" {
			t.Errorf("%s has no example or no summary", cmd.CommandPath())
		}
		leaf := len(cmd.Commands()) == 0
		if leaf && !silent[cmd.CommandPath()] && cmd.Flag("json") == nil {
			t.Errorf("%s has no --json", cmd.CommandPath())
		}
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			if _, after, ok := strings.Cut(line, "crier "); ok {
				exampleLeadsSomewhere(t, root, after)
			}
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
}

// exampleLeadsSomewhere fails for an example whose command or flags do not exist.
func exampleLeadsSomewhere(t *testing.T, root *cobra.Command, line string) {
	t.Helper()
	words := strings.Fields(line)
	cmd, _, err := root.Find(words)
	if err != nil || cmd == root {
		t.Errorf("the example %q leads to no command", line)
		return
	}
	for _, word := range words {
		name, isFlag := strings.CutPrefix(word, "--")
		if name, _, _ = strings.Cut(name, "="); isFlag && cmd.Flag(name) == nil {
			t.Errorf("the example %q has the flag --%s, which %s has not", line, name, cmd.CommandPath())
		}
	}
}

func TestUsageErrorsExitWith2(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "http://127.0.0.1:1", "crier_key")
	for _, c := range []struct {
		args     []string
		wantText string
	}{
		{args: []string{"psots"}, wantText: "did you mean 'posts'"},
		{args: []string{"posts", "shw"}, wantText: "did you mean"},
		{args: []string{"help", "psots"}, wantText: "did you mean 'posts'"},
		{args: []string{"help", "posts", "shw"}, wantText: "or 'show'"},
		{args: []string{"post", "a", "--wait", "100", "--yes"}, wantText: "from 0 to 30"},
		{args: []string{"post", "a", "--wait", "long", "--yes"}, wantText: "\"long\" for \"--wait\" flag\n"},
		{args: []string{"posts", "status", "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d", "liked"},
			wantText: "\"liked\" is not a status: use idea, proposed_render, draft, approved, rejected, archived\n"},
		{args: []string{"posts", "status", "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d", "deleted"},
			wantText: "crier posts delete 018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"},
		{args: []string{"listen", "--forward-to", "ftp://localhost/hook"}, wantText: "http://localhost:3000/hook"},
		{args: []string{"listen", "--forward-to", "/hook"}, wantText: "http://localhost:3000/hook"},
		{args: []string{"listen", "--forward-to", "nonsense"}, wantText: `got "nonsense"`},
		{args: []string{"listen", "--forward-to", "99999"}, wantText: "a port of this machine"},
		{args: []string{"auth", "status"}, wantText: "did you mean 'list'"},
		{args: []string{"posts", "show"}, wantText: "Usage: crier posts show POST"},
		{args: []string{"posts", "show"}, wantText: "POST is missing"},
		{args: []string{"posts", "status"}, wantText: "POST and STATUS are missing"},
		{args: []string{"media", "upload"}, wantText: "FILE is missing"},
		{args: []string{"teams", "create", "My", "team"}, wantText: "put quotes around"},
		{args: []string{"slots", "create"}, wantText: "HH:MM is missing"},
		{args: []string{"posts", "view", "no-id"}, wantText: "crier posts list"},
		{args: []string{"posts", "show", "no-id"}, wantText: "crier posts list"},
		{args: []string{"posts", "list", "--colour"}, wantText: "--colour"},
		{args: []string{"posts", "list", "--all", "--cursor", "x"}, wantText: "give --all or --cursor, not both"},
		{args: []string{"posts", "move", "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"}, wantText: "give --at\n"},
		{args: []string{"post", "a", "--text", "b", "--yes"}, wantText: "once"},
		{args: []string{"post", "a", "--at", "someday", "--yes"}, wantText: "tomorrow 9:00"},
		{args: []string{"post", "a", "--at", "+3h", "--next-slot", "--yes"},
			wantText: "give --at or --next-slot, not both"},
		{args: []string{"post", "a", "--set", "x", "--yes"}, wantText: "key=value"},
		{args: []string{"post", "a", "--repeat", "often", "--yes"}, wantText: "weekly"},
		{args: []string{"post", "a", "--thread", "--yes"}, wantText: "---"},
		{args: []string{"post", "a", "--alt", "b", "--yes"}, wantText: "--media"},
		{args: []string{"post", "-f", "missing.md", "--yes"}, wantText: "missing.md"},
		{args: []string{"post", "--yes"}, wantText: "there is no text"},
		{args: []string{"post", "Hello", "world", "--yes"}, wantText: "put quotes around it"},
		{args: []string{"post", "a", "--to", "", "--yes"}, wantText: "--to is empty"},
		{args: []string{"post", "a", "--at", "", "--yes"}, wantText: "--at is empty"},
		{args: []string{"post", "a", "--team", "", "--yes"}, wantText: "--team is empty"},
		{args: []string{"post", "a", "--media", "", "--yes"}, wantText: "--media is empty"},
		{args: []string{"keys", "create", "CI", "--teams", ""}, wantText: "--teams is empty"},
		{args: []string{"keys", "create", "CI", "--permissions="}, wantText: "--permissions is empty"},
		{args: []string{"slots", "add", "25:00"}, wantText: "09:30"},
		{args: []string{"slots", "add", "09:00", "--days", "someday"}, wantText: "not a day"},
		{args: []string{"calendar", "soon"}, wantText: "2026-12"},
		{args: []string{"whoami", "--server", "nonsense"}, wantText: "https://crier.example.com"},
		{args: []string{"teams", "edit", "Berlin"}, wantText: "nothing to change"},
		{args: []string{"keys", "rotate", "CI", "--grace", "48h"}, wantText: "24h"},
		{args: []string{"media", "upload", "missing.png"}, wantText: "crier: cannot open missing.png: "},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			if got := p.run(t, c.args...); got.code != 2 || !strings.Contains(got.stderr, c.wantText) {
				t.Errorf("%v: %+v", c.args, got)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	viewer := c.server.As(t, c.Key, "POST", servertest.Path("/v1/organizations/%s/api-keys", c.Organization),
		servertest.Object{"name": "Viewer", "role": "viewer"}).Want(t, http.StatusCreated).Text(t, "secret")
	for _, try := range []struct {
		key  string
		args []string
		want int
	}{
		{c.Key, []string{"posts", "list"}, 0},
		{c.Key, []string{"posts", "list", "--limit", "1000"}, 2},
		{"crier_wrong", []string{"posts", "list"}, 3},
		{viewer, []string{"slots", "add", "09:30", "--yes"}, 4},
		{c.Key, []string{"posts", "show", servertest.UnknownID}, 5},
		{c.Key, []string{"slots", "add", "09:30", "--yes"}, 0},
		{c.Key, []string{"slots", "add", "09:30", "--yes"}, 6},
		{c.Key, []string{"post", "--text", "Hello", "--to", "nowhere", "--next-slot", "--yes"}, 5},
		{c.Key, []string{"whoami", "--server", "nonsense"}, 2},
	} {
		got := newPerson(t, c.server.URL, try.key).run(t, try.args...)
		if got.code != try.want || try.want != 0 && got.stderr == "" {
			t.Errorf("%v: %+v, want exit code %d", try.args, got, try.want)
		}
	}
	if c.posts(t) != 0 {
		t.Error("posts were made by commands that failed")
	}
	c.run(t, "posts", "list", "--status", "failed").want(t, 2, "--state failed")
	c.run(t, "webhooks", "create", "https://example.com/hook", "--types", "nonsense").want(t, 2,
		`--types has "nonsense", which is not a type of event; TAB after --types lists them`)
	stranger := newPerson(t, c.server.URL, "")
	stranger.run(t, "whoami").want(t, 3, "crier login")
	stranger.run(t, "post", "Hello").want(t, 3, "crier login") // and is not told to add --yes first
	stranger.run(t, "auth", "list").want(t, 0, "crier login")
	stranger.run(t, "auth", "list", "--json").want(t, 0, "[]")
}

func TestConfirmationOfCommands(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	p := newPerson(t, s.URL, s.Key)
	draft := p.run(t, "posts", "create", "Hello", "--json").id(t)
	before := s.Snapshot(t)
	for _, args := range [][]string{
		{"post", "Hello", "--to", "x"},
		{"posts", "delete", draft},
		{"slots", "delete", servertest.UnknownID},
		{"tags", "delete", servertest.UnknownID},
		{"teams", "delete", string(s.Team)},
		{"keys", "revoke", servertest.UnknownID},
		{"keys", "rotate", servertest.UnknownID},
		{"members", "invite", "ada@example.com"},
		{"members", "remove", servertest.UnknownID},
		{"members", "withdraw", servertest.UnknownID},
		{"webhooks", "delete", servertest.UnknownID},
	} {
		if got := p.run(t, args...); got.code != 10 || !strings.Contains(got.stderr, "--yes") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	s.WantUnchanged(t, before)
}

func TestHelpIsAlsoACommand(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "http://127.0.0.1:1", "crier_key")
	p.run(t, "help").want(t, 0, "attention")
	p.run(t, "help", "posts", "schedule").want(t, 0, "crier posts schedule POST")
	p.run(t, "__complete", "help", "posts", "").want(t, 0, "schedule\t")
}

func TestVersionFlagAndCommand(t *testing.T) {
	t.Parallel()
	newPerson(t, "", "").run(t, "--version").want(t, 0, "crier test")
}

func TestRateLimitExitsWith8AndShowsTheWait(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"),
		servertest.WithRateLimit(1))
	p := newPerson(t, s.URL, s.Key)
	p.run(t, "whoami").want(t, 0)
	p.run(t, "whoami").want(t, 8, "More than 1 requests in a minute", "Wait")
}
