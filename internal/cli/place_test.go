package cli_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/cli"
	"crier/internal/media/mediatest"
)

// The team of a command decides where a post is published.
func TestTeamFlagSelectsTheTeam(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	c.run(t, "teams", "create", "Second").want(t, 0)
	other := c.run(t, "orgs", "create", "Elsewhere", "--json").id(t)
	c.run(t, "teams", "create", "Far away", "--organization", "elsewhere").want(t, 0)
	for i, k := range []struct {
		team     string // in the environment
		args     []string
		code     int
		wantText string
	}{
		{"", nil, 0, "A crew"},
		{"", []string{"--team", "second"}, 0, "Second"},
		{"Second", nil, 0, "Second"},
		{"Second", []string{"--team", "a crew"}, 0, "A crew"},
		{"", []string{"--organization", other}, 0, "Elsewhere"},
		{"Second", []string{"--organization", "Elsewhere"}, 0, "Elsewhere"},
		{"Second", []string{"--organization", "Elsewhere", "--team", "A crew"}, 0, "A crew"},
		{"Nowhere", nil, 5, "crier teams list"},
		{"", []string{"--organization", "Nowhere"}, 5, "crier orgs list"},
	} {
		p := c.person
		if k.team != "" {
			p.environ = append([]string{"CRIER_TEAM=" + k.team}, p.environ...)
		}
		tag := "tag" + string(rune('a'+i))
		r := p.run(t, append([]string{"tags", "create", tag, "--json"}, k.args...)...).want(t, k.code)
		if k.code != 0 {
			r.want(t, k.code, k.wantText)
			continue
		}
		var created crier.Tag
		r.into(t, &created)
		var team crier.Team
		c.server.As(t, c.Key, "GET", "/v1/teams/"+string(created.TeamID), nil).Want(t, http.StatusOK).Into(t, &team)
		if team.Name != k.wantText {
			t.Errorf("CRIER_TEAM=%s %v works in %s, want %s", k.team, k.args, team.Name, k.wantText)
		}
	}
	// The organization follows from the team, too.
	c.run(t, "credits", "--team", "Far away").want(t, 0, "Balance   0\n")
	c.run(t, "credits").want(t, 0, "Balance   100000\n")
}

func TestCompletionOfNames(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	asset := c.run(t, "media", "upload", writeFile(t, "owl.png", mediatest.PNG(8, 8), 0o600), "--json").id(t)
	post := c.run(t, "posts", "create", "Words of a post", "--json").id(t)
	c.run(t, "post", "Later", "--to", "x", "--at", "+3h", "--yes").want(t, 0)
	c.run(t, "tags", "create", "launch").want(t, 0)
	c.run(t, "slots", "add", "9:30", "--days", "mon").want(t, 0)
	c.run(t, "members", "invite", "ada@example.com", "--yes").want(t, 0)
	hook := c.run(t, "webhooks", "create", "https://example.com/hook", "--json").id(t)
	for _, k := range []struct {
		words []string
		want  string
	}{
		{[]string{"posts", "show", ""}, post},
		{[]string{"tags", "delete", ""}, "launch"},
		{[]string{"media", "delete", ""}, asset},
		{[]string{"slots", "delete", ""}, "09:30"},
		{[]string{"members", "withdraw", ""}, "ada@example.com"},
		{[]string{"members", "remove", ""}, "owner"},
		{[]string{"webhooks", "delete", ""}, hook},
		{[]string{"keys", "revoke", ""}, "owner"},
		{[]string{"tags", "list", "--team", ""}, "A crew"},
		{[]string{"tags", "list", "--organization", ""}, "\t"},
		{[]string{"post", "Hello", "--to", ""}, "twitter"},
	} {
		r := c.run(t, append([]string{"__complete"}, k.words...)...)
		if r.code != 0 || !strings.Contains(r.stdout, k.want) {
			t.Errorf("%v completes to %q, want %q", k.words, r.stdout, k.want)
		}
	}
	// Without a login there are no completions, and no error in the command line.
	nobody := newPerson(t, c.server.URL, "")
	if r := nobody.run(t, "__complete", "posts", "show", ""); r.code != 0 || strings.Contains(r.stdout, "logged in") {
		t.Errorf("without a login: %+v", r)
	}
}

func TestDoctorChecksARemoteServer(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	for name, k := range map[string]struct {
		server, key string
		checks      string
		away        bool
	}{
		"all is well": {c.server.URL, c.Key, "server:true clock:true networks:true login:true", false},
		"a key that is none": {c.server.URL, "crier_nonsense", "server:true clock:true networks:true login:false",
			false},
		"no key":       {c.server.URL, "", "server:true clock:true networks:true login:false", false},
		"nobody there": {"http://127.0.0.1:1", c.Key, "server:false", true},
	} {
		p := newPerson(t, k.server, k.key)
		shell := cli.New(cli.Config{Environ: p.environ, Stdin: strings.NewReader(""), Stdout: &strings.Builder{},
			Stderr: &strings.Builder{}, Now: time.Now, Version: "test"})
		findings, away := shell.CheckServer(t.Context(), k.server)
		var checks []string
		for _, f := range findings {
			checks = append(checks, f.Check+":"+map[bool]string{true: "true", false: "false"}[f.OK])
			if !f.OK && f.Advice == "" && !strings.Contains(f.Detail, "crier login") {
				t.Errorf("%s: nobody is told what to do about %+v", name, f)
			}
		}
		if got := strings.Join(checks, " "); got != k.checks || away != k.away {
			t.Errorf("%s: %s, away: %v; want %s", name, got, away, k.checks)
		}
		var table strings.Builder
		cli.WriteFindings(&table, findings)
		if strings.Count(table.String(), "PROBLEM") != strings.Count(k.checks, "false") {
			t.Errorf("%s: the table is\n%s", name, table.String())
		}
	}
}

func TestUploadIsResumedForTheSameFileOnly(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	data := mediatest.PNG(32, 32)
	photo := writeFile(t, "owl.png", data, 0o600)
	var prefix crier.Upload
	c.server.As(t, c.Key, "POST", "/v1/teams/"+string(c.Team)+"/assets/uploads", map[string]any{"fileName": "owl.png",
		"mimeType": "image/png", "byteSize": len(data)}).Want(t, http.StatusCreated).Into(t, &prefix)
	c.run(t, "media", "upload", photo, "--resume", "nonsense").want(t, 2, "must be the id of an upload")
	c.run(t, "media", "upload", photo, "--resume", string(crier.NewID())).want(t, 5)
	longer := writeFile(t, "longer.png", append(data, 0), 0o600)
	c.run(t, "media", "upload", longer, "--resume", string(prefix.UploadID)).want(t, 1, "the upload is for a file of")
	c.run(t, "media", "upload", photo, photo, "--resume", string(prefix.UploadID)).want(t, 2, "give one file")
	c.run(t, "media", "upload", photo, "--resume", string(prefix.UploadID)).want(t, 0, "Uploaded owl.png")
	c.run(t, "media", "upload", photo, "--alt", "one", "--alt", "two").want(t, 2, "more --alt than files")
	if err := os.Mkdir(filepath.Join(c.home, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.run(t, "media", "upload", filepath.Join(c.home, "folder")).want(t, 2, "is a directory")
	if n := c.assets(t); n != 1 {
		t.Errorf("%d files are in the library", n)
	}
}

func TestPaidMetricsNeedConfirmation(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	c.run(t, "metrics", "--account", "x").want(t, 10, "may cost credits")
	c.run(t, "metrics", "--account", "x", "--yes").want(t, 0, "followers", "impressions")
	c.run(t, "metrics", "--account", "x", "--from", "someday", "--yes").want(t, 2, "someday")
	yesterday, before := time.Now().AddDate(0, 0, -1), time.Now().AddDate(0, 0, -2)
	c.run(t, "metrics", "--account", "x", "--from", yesterday.Format(time.DateOnly), "--until",
		before.Format(time.DateOnly), "--yes").want(t, 2, "--from must be before --until")
	var read crier.AccountAnalytics
	c.run(t, "metrics", "--account", "x", "--from", before.Format(time.DateOnly), "--until",
		before.Format(time.DateOnly), "--yes", "--json").want(t, 0).into(t, &read)
	if day := read.From.Local(); !day.AddDate(0, 0, 1).Equal(read.To.Time) || day.Day() != before.Day() {
		t.Errorf("the day of %s is read from %s to %s", before, read.From, read.To)
	}
	c.run(t, "metrics", "--account", "x", "--from", time.Now().Format(time.DateOnly), "--until",
		time.Now().Format(time.DateOnly), "--yes").want(t, 0, "Until")
	c.run(t, "metrics", "--account", "nobody", "--yes").want(t, 5, "crier accounts list")
	c.run(t, "metrics").want(t, 2, "--account")
	c.run(t, "metrics", "nonsense").want(t, 2, "--account nonsense")
	post := c.run(t, "posts", "create", "Not published", "--json").id(t)
	c.run(t, "metrics", post).want(t, 0, "was not published yet")
}
