package main

import (
	"bytes"

	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"crier/internal/auth"
	"crier/internal/nettest"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// The tests in this file run the program itself, as an operator does.

// program returns the path of the program, built once per run.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(servertest.RunDir(), "crier")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
})

// command prepares a run of the program with a clean environment: no settings of the developer leak in.
func command(tb testing.TB, environment []string, args ...string) *exec.Cmd {
	tb.Helper()
	path, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	return commandOf(tb, path, environment, args...)
}

// commandOf is command for another executable.
func commandOf(tb testing.TB, path string, environment []string, args ...string) *exec.Cmd {
	tb.Helper()
	cmd := exec.Command(path, args...)
	cmd.Dir = tb.TempDir()
	cmd.Env = append([]string{"HOME=" + cmd.Dir, "CRIER_SANDBOX=off"}, environment...)
	return cmd
}

// settingsOf returns the settings for a database.
func settingsOf(db database) []string {
	list := []string{"CRIER_SECRET_KEY=" + servertest.Secret, "CRIER_MEDIA_DIR=" + servertest.MediaDir(db)}
	if db.URL != "" {
		return append(list, "CRIER_DATABASE_URL="+db.URL)
	}
	return append(list, "CRIER_DATA_DIR="+db.DataDir)
}

// output is the output and exit code of a finished run.
type output struct {
	code           int
	stdout, stderr string
}

// runProgram runs the program until it exits.
func runProgram(tb testing.TB, environment []string, args ...string) output {
	tb.Helper()
	cmd := command(tb, environment, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	// SIGQUIT makes a program that hangs print its stacks.
	hangs := time.AfterFunc(5*servertest.WaitTimeout, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	defer hangs.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		tb.Fatal(err)
	}
	return output{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// process is a running server.
type process struct {
	*testServer
	cmd    *exec.Cmd
	stdout *servertest.LogBuffer
	// exited receives what the program ended with, and is closed.
	exited <-chan error
}

// start starts the program without waiting for it.
func (p *process) start(tb testing.TB) {
	tb.Helper()
	if err := p.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	exited := make(chan error, 1)
	p.exited = exited
	go func(cmd *exec.Cmd) {
		defer close(exited)
		exited <- cmd.Wait()
	}(p.cmd)
}

// serveProcess starts the server and waits until it is ready.
func serveProcess(tb testing.TB, environment []string, args ...string) *process {
	tb.Helper()
	address := nettest.FreeAddress(tb)
	return serveCommand(tb, address, command(tb, append(environment, "CRIER_LISTEN="+address),
		append([]string{"serve"}, args...)...))
}

// serveCommand starts a server that listens on an address and waits until it is ready.
func serveCommand(tb testing.TB, address string, cmd *exec.Cmd) *process {
	tb.Helper()
	p := &process{stdout: &servertest.LogBuffer{}, cmd: cmd}
	p.testServer = &testServer{&servertest.Server{URL: "http://" + address, Log: &servertest.LogBuffer{},
		Client: servertest.NewClient()}}
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.testServer.Log
	p.start(tb)
	tb.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		if tb.Failed() {
			tb.Logf("stdout:\n%s\nstderr:\n%s", p.stdout, p.testServer.Log)
		}
	})
	p.waitReady(tb)
	return p
}

func (p *process) waitReady(tb testing.TB) {
	tb.Helper()
	servertest.Eventually(tb, func() (any, bool) {
		select {
		case err := <-p.exited:
			tb.Fatalf("the server ended: %v\n%s", err, p.testServer.Log)
		default:
		}
		got, err := p.RoundTrip(servertest.Request{Method: "GET", Path: "/readyz"})
		return nil, err == nil && got.Status == http.StatusOK
	})
}

// terminate sends SIGTERM to the server and returns its exit code.
func (p *process) terminate(tb testing.TB) int {
	tb.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		tb.Fatal(err)
	}
	return p.wait(tb)
}

func (p *process) wait(tb testing.TB) int {
	tb.Helper()
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(40 * time.Second):
		tb.Fatal("the server has not ended after 40 s")
		return -1
	}
}

// report decodes the output of init and admin create-organization.
func (o output) report(tb testing.TB) tenantReport {
	tb.Helper()
	if o.code != 0 {
		tb.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	decoder := json.NewDecoder(strings.NewReader(o.stdout))
	decoder.DisallowUnknownFields()
	var report tenantReport
	if err := decoder.Decode(&report); err != nil {
		tb.Fatalf("%v: %s", err, o.stdout)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		tb.Errorf("something is behind the JSON: %s", o.stdout)
	}
	return report
}

func TestInitInitializesAnEmptyStoreOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		environment := append(settingsOf(db), "CRIER_PUBLIC_URL=https://crier.example.com/")
		first := runProgram(t, environment, "init", "--json", "--name", "Acme").report(t)
		if !auth.ValidKeySecret(first.APIKey) || len(first.OrganizationID) != 36 || len(first.TeamID) != 36 ||
			first.BaseURL != "https://crier.example.com" ||
			!strings.HasPrefix(first.SetupURL, "https://crier.example.com/setup?token=") ||
			first.SocialAccounts == nil {
			t.Errorf("init printed %+v", first)
		}
		var raw map[string]any
		if err := json.Unmarshal([]byte(runProgram(t, environment, "admin", "create-organization", "--name", "Second",
			"--json").stdout), &raw); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"organizationId", "teamId", "apiKey", "setupUrl", "baseUrl", "sandboxUrl",
			"socialAccounts"} {
			if _, ok := raw[key]; !ok {
				t.Errorf("admin create-organization printed no %s", key)
			}
		}
		before := contents(t, db)
		for _, args := range [][]string{{"init", "--json"}, {"init"}, {"init", "--name", "Other"}} {
			again := runProgram(t, environment, args...)
			if again.code != 1 || again.stdout != "" || !strings.Contains(again.stderr, "in use") ||
				strings.Count(strings.TrimSpace(again.stderr), "\n") != 0 {
				t.Errorf("%v on a store in use: %+v", args, again)
			}
		}
		if after := contents(t, db); after != before {
			t.Error("a second init changed the store")
		}
	})
}

// contents returns everything in a store that no server uses: the bytes of the file, or the rows of all tables.
func contents(t *testing.T, db database) string {
	t.Helper()
	if db.Dialect == store.SQLite {
		data, err := os.ReadFile(filepath.Join(db.DataDir, "crier.db"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	s := &testServer{&servertest.Server{Node: &server.Node{Store: db.Open(t)}}}
	return s.Dump(t)
}

func TestServeOnAnEmptyStorePrintsSetupInstructions(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		first := serveProcess(t, settingsOf(db))
		banner := first.stdout.String()
		for _, part := range []string{first.URL, first.URL + "/setup?token=", first.URL + "/docs",
			"crier login --server " + first.URL + "\n"} {
			if !strings.Contains(banner, part) {
				t.Errorf("the banner does not say %s:\n%s", part, banner)
			}
		}
		if strings.Contains(banner, "crier_") {
			t.Errorf("what is not a terminal was told the key:\n%s", banner)
		}
		link := strings.TrimPrefix(regexp.MustCompile(`http\S+/setup\?token=\S+`).FindString(banner), first.URL)
		first.Send(t, servertest.Request{Method: "GET", Path: link}).Want(t, http.StatusOK)
		if log := first.testServer.Log.String(); strings.Contains(log, "crier_") || strings.Contains(log, "token=") {
			t.Error("a secret of the banner is in the log")
		}
		if code := first.terminate(t); code != 0 {
			t.Errorf("the server ended with %d", code)
		}
		second := serveProcess(t, settingsOf(db))
		if banner := second.stdout.String(); strings.Contains(banner, "crier_") || strings.Contains(banner, "token=") ||
			!strings.Contains(banner, second.URL) {
			t.Errorf("the second start printed:\n%s", banner)
		}
		if code := second.terminate(t); code != 0 {
			t.Errorf("the server ended with %d", code)
		}
	})
}

func TestOrganizationsCanBeAddedWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		first := runProgram(t, settingsOf(db), "init", "--json").report(t)
		p := serveProcess(t, settingsOf(db))
		for i := range 3 {
			more := runProgram(t, settingsOf(db), "admin", "create-organization", "--name", fmt.Sprint("Tenant ", i),
				"--json").report(t)
			p.As(t, more.APIKey, "GET", path("/v1/teams/%s", more.TeamID), nil).Want(t, http.StatusOK)
			p.As(t, more.APIKey, "GET", path("/v1/teams/%s", first.TeamID), nil).WantError(t, http.StatusForbidden,
				"Forbidden")
			got := p.As(t, more.APIKey, "GET", path("/v1/organizations/%s", more.OrganizationID), nil).Want(t,
				http.StatusOK)
			if fmt.Sprint(got.Get(t, "creditsBalance")) != "10000" || got.Text(t, "name") != fmt.Sprint("Tenant ", i) {
				t.Errorf("the new Tenant: %s", got.Body)
			}
		}
		for _, bad := range [][]string{{"--name", "x"}, {"--name", ""}, {}, {"--name", "Good", "extra"}} {
			if got := runProgram(t, settingsOf(db),
				append([]string{"admin", "create-organization"}, bad...)...); got.code != 2 || got.stdout != "" ||
				got.stderr == "" {
				t.Errorf("%q: %+v", bad, got)
			}
		}
	})
}

func TestWrongSecretKeyIsRejected(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		const wrong, fresh = "ffffffffffffffffffffffffffffffff", "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
		with := func(secret string) []string { return append(settingsOf(db), "CRIER_SECRET_KEY="+secret) }
		tenant := runProgram(t, settingsOf(db), "init", "--json").report(t)
		for _, args := range [][]string{{"serve"}, {"init"}, {"admin", "create-organization", "--name", "Acme"},
			{"migrate"}} {
			got := runProgram(t, append(with(wrong), "CRIER_LISTEN="+nettest.FreeAddress(t)), args...)
			if got.code != 1 || !strings.Contains(got.stderr, "another secret key") ||
				strings.Contains(got.stderr, wrong) || got.stdout != "" {
				t.Errorf("%v with another key: %+v", args, got)
			}
		}
		if got := runProgram(t, with("short"), "migrate"); got.code != 1 ||
			!strings.Contains(got.stderr, "CRIER_SECRET_KEY") {
			t.Errorf("a short key: %+v", got)
		}
		// Rotation: the new key first, the old one after a comma, until the records are sealed again; then the new one
		// alone is enough.
		both := with(fresh + "," + servertest.Secret)
		p := serveProcess(t, both)
		p.As(t, tenant.APIKey, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
		servertest.Eventually(t, func() (any, bool) {
			return nil, strings.Contains(runProgram(t, both, "doctor").stdout, "the others can be removed")
		})
		p.terminate(t)
		p = serveProcess(t, with(fresh))
		p.As(t, tenant.APIKey, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
		p.terminate(t)
		if got := runProgram(t, append(settingsOf(db), "CRIER_LISTEN="+nettest.FreeAddress(t)),
			"serve"); got.code != 1 ||
			!strings.Contains(got.stderr, "another secret key") {
			t.Errorf("the old key alone after the rotation: %+v", got)
		}
	})
}

func TestSecretKeyIsCreatedOnceWithPrivateMode(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	environment := []string{"CRIER_DATA_DIR=" + dir}
	tenant := runProgram(t, environment, "init", "--json").report(t)
	for _, name := range []string{"secret.key", "crier.db"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the data directory: mode %v, %v", info.Mode(), err)
	}
	p := serveProcess(t, environment)
	p.As(t, tenant.APIKey, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
}

func TestSecondServerOnTheSameDataDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.SQLite)
	tenant := runProgram(t, settingsOf(db), "init", "--json").report(t)
	p := serveProcess(t, settingsOf(db))
	second := runProgram(t, append(settingsOf(db), "CRIER_LISTEN="+nettest.FreeAddress(t)), "serve")
	if second.code != 1 || !strings.Contains(second.stderr, "another crier serves") {
		t.Errorf("the second server: %+v", second)
	}
	taken := runProgram(t, []string{"CRIER_DATA_DIR=" + t.TempDir(), "CRIER_LISTEN=" +
		strings.TrimPrefix(p.URL, "http://")}, "serve")
	if taken.code != 1 || !strings.Contains(taken.stderr, "--listen") {
		t.Errorf("an address that is taken: %+v", taken)
	}
	p.As(t, tenant.APIKey, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
	// The lock ends with the process, however it ends.
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait(t)
	serveProcess(t, settingsOf(db)).As(t, tenant.APIKey, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
}

func TestTwoServersShareAPostgresDatabase_postgres(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.Postgres)
	tenant := runProgram(t, settingsOf(db), "init", "--json").report(t)
	one, two := serveProcess(t, settingsOf(db)), serveProcess(t, settingsOf(db))
	id := one.As(t, tenant.APIKey, "POST", "/v1/teams",
		object{"organizationId": tenant.OrganizationID, "name": "Shared"}).Want(t, http.StatusCreated).Text(t, "id")
	two.As(t, tenant.APIKey, "DELETE", "/v1/teams/"+id, nil).Want(t, http.StatusOK)
	one.As(t, tenant.APIKey, "GET", "/v1/teams/"+id, nil).WantError(t, http.StatusNotFound, "NotFound")
	if a, b := one.terminate(t), two.terminate(t); a != 0 || b != 0 {
		t.Errorf("the servers ended with %d and %d", a, b)
	}
}

func TestAcknowledgedWriteSurvivesAKill(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		tenant := runProgram(t, settingsOf(db), "init", "--json").report(t)
		p := serveProcess(t, append(settingsOf(db), "CRIER_RATE_LIMIT=0"))
		var mu sync.Mutex
		acknowledged := map[string]bool{}
		var writers sync.WaitGroup
		for range 8 {
			writers.Go(func() {
				for {
					got, err := p.RoundTrip(servertest.Request{Method: "POST", Path: "/v1/teams",
						Body: object{"organizationId": tenant.OrganizationID, "name": "Kept"}, Key: tenant.APIKey})
					if err != nil || got.Status != http.StatusCreated {
						return // killed
					}
					var team struct{ ID string }
					if json.Unmarshal(got.Body, &team) != nil {
						return
					}
					mu.Lock()
					acknowledged[team.ID] = true
					mu.Unlock()
				}
			})
		}
		servertest.Eventually(t, func() (any, bool) {
			mu.Lock()
			defer mu.Unlock()
			return nil,
				len(acknowledged) >= 100
		})
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		writers.Wait()
		p.wait(t)
		again := serveProcess(t, append(settingsOf(db), "CRIER_RATE_LIMIT=0"))
		total, err := strconv.Atoi(fmt.Sprint(again.As(t, tenant.APIKey, "GET", "/v1/teams", nil).Want(t,
			http.StatusOK).Get(t, "total")))
		if err != nil || total < len(acknowledged)+1 {
			t.Errorf("%d teams after the kill, %d were acknowledged, %v", total, len(acknowledged)+1, err)
		}
		for id := range acknowledged {
			again.As(t, tenant.APIKey, "GET", "/v1/teams/"+id, nil).Want(t, http.StatusOK)
		}
	})
}

func TestSIGTERMLetsRunningRequestsFinish(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		tenant := runProgram(t, settingsOf(db), "init", "--json").report(t)
		p := serveProcess(t, settingsOf(db))
		body, rest := io.Pipe()
		answer := make(chan error, 1)
		var got servertest.Response
		go func() {
			var err error
			got, err = p.RoundTrip(servertest.Request{Method: "POST", Path: "/v1/organizations", Body: body,
				Key: tenant.APIKey})
			answer <- err
		}()
		if _, err := io.WriteString(rest, `{"name":`); err != nil { // the server waits for the rest
			t.Fatal(err)
		}
		servertest.Eventually(t, func() (any, bool) { // until the server has the request
			got, err := p.RoundTrip(servertest.Request{Method: "GET", Path: "/metrics"})
			return nil, err == nil && bytes.Contains(got.Body, []byte("crier_http_requests_running 2"))
		})
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		servertest.Eventually(t, func() (any, bool) { // new connections are refused
			conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
			if err == nil {
				_ = conn.Close()
			}
			return nil, err != nil
		})
		if _, err := io.WriteString(rest, `"Finished"}`); err != nil {
			t.Fatal(err)
		}
		_ = rest.Close()
		if err := <-answer; err != nil || got.Status != http.StatusCreated {
			t.Errorf("the running request: %d, %v", got.Status, err)
		}
		if code := p.wait(t); code != 0 {
			t.Errorf("the server ended with %d", code)
		}
	})
}

func TestSettingsPrecedence(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "crier.conf")
	text := "# settings\n\nCRIER_LISTEN=127.0.0.1:1\nCRIER_ROLE = worker\nCRIER_RATE_LIMIT=\"7\"\nCRIER_SECRET_KEY=" +
		servertest.Secret + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	environment := []string{"CRIER_CONFIG=" + file, "CRIER_LISTEN=127.0.0.1:2", "CRIER_ROLE=api",
		"CRIER_DATABASE_URL=postgres://crier:hunter2@db/crier"}
	got := runProgram(t, environment, "config", "--json", "--listen", "127.0.0.1:3")
	if got.code != 0 {
		t.Fatal(got.stderr)
	}
	var lines []struct{ Name, Value, Origin, Help string }
	if err := json.Unmarshal([]byte(got.stdout), &lines); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, l := range lines {
		found[l.Name] = l.Value + " from " + l.Origin
		if l.Help == "" {
			t.Errorf("%s has no help", l.Name)
		}
	}
	for name, want := range map[string]string{
		"CRIER_LISTEN": "127.0.0.1:3 from flag --listen", "CRIER_ROLE": "api from environment",
		"CRIER_RATE_LIMIT": "7 from " + file,
		"CRIER_DATA_DIR":   "crier-data from default", "CRIER_SECRET_KEY": "******** from " + file,
		"CRIER_DATABASE_URL": "******** from environment",
	} {
		if found[name] != want {
			t.Errorf("%s is %q, want %q", name, found[name], want)
		}
	}
	people := runProgram(t, environment, "config")
	for _, secret := range []string{servertest.Secret, "hunter2"} {
		if strings.Contains(got.stdout+people.stdout, secret) {
			t.Error("a secret is shown")
		}
	}
	for _, part := range []string{"CRIER_LISTEN", "127.0.0.1:2", "environment", "default"} {
		if !strings.Contains(people.stdout, part) {
			t.Errorf("the table does not show %s:\n%s", part, people.stdout)
		}
	}
}

func TestAllInvalidSettingsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	got := runProgram(t, []string{"CRIER_LISTEN=nowhere", "CRIER_ROLE=boss", "CRIER_RATE_LIMIT=-1",
		"CRIER_GRANT_CREDITS=much", "CRIER_PUBLIC_URL=ftp://x", "CRIER_LOG_LEVEL=loud", "CRIER_LOG_FORMAT=xml"},
		"serve")
	for _, name := range []string{"CRIER_LISTEN", "CRIER_ROLE", "CRIER_RATE_LIMIT", "CRIER_GRANT_CREDITS",
		"CRIER_PUBLIC_URL", "CRIER_LOG_LEVEL", "CRIER_LOG_FORMAT"} {
		if !strings.Contains(got.stderr, name) {
			t.Errorf("%s is not told: %s", name, got.stderr)
		}
	}
	if got.code != 1 {
		t.Errorf("exit code %d", got.code)
	}
	if typed := runProgram(t, nil, "serve", "--role", "boss"); typed.code != 2 ||
		!strings.Contains(typed.stderr, "CRIER_ROLE (from flag --role)") {
		t.Errorf("a wrong flag: %+v", typed)
	}
	file := filepath.Join(t.TempDir(), "crier.conf")
	if err := os.WriteFile(file, []byte("CRIER_LISTEN=127.0.0.1:1\nCRIER_COLOUR=red\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := runProgram(t, nil, "config", "--config", file); got.code != 1 ||
		!strings.Contains(got.stderr, "line 2") || !strings.Contains(got.stderr, "CRIER_COLOUR") {
		t.Errorf("an unknown setting in the file: %+v", got)
	}
	if got := runProgram(t, nil, "config", "--config", file+".missing"); got.code != 1 {
		t.Errorf("a missing file: %+v", got)
	}
	if got := runProgram(t, []string{"CRIER_DATABASE_URL=postgres://crier:hunter2@/%zz", "CRIER_SECRET_KEY=" +
		servertest.Secret}, "migrate"); got.code != 1 || strings.Contains(got.stderr, "hunter2") {
		t.Errorf("a broken database address: %+v", got)
	}
}

func TestEveryCommandHelpHasExamples(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"serve"}, {"init"}, {"admin", "create-organization"}, {"migrate"}, {"version"},
		{"config"}} {
		got := runProgram(t, nil, append(slices.Clone(args), "--help")...)
		if got.code != 0 || !strings.Contains(got.stdout, "Examples:") ||
			!strings.Contains(got.stdout, "crier "+strings.Join(args, " ")) {
			t.Errorf("crier %s --help: %+v", strings.Join(args, " "), got)
		}
	}
	if got := runProgram(t, nil, "version"); got.code != 0 || !strings.HasPrefix(got.stdout, "crier ") ||
		!strings.Contains(got.stdout, "go1.") {
		t.Errorf("version: %+v", got)
	}
	for _, args := range [][]string{{"surve"}, {"serve", "--colour"}, {"serve", "extra"}} {
		if got := runProgram(t, nil, args...); got.code != 2 || got.stderr == "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestMigrateReportsItsWork(t *testing.T) {
	t.Parallel()
	environment := []string{"CRIER_DATA_DIR=" + t.TempDir()}
	first := runProgram(t, environment, "migrate")
	if first.code != 0 || !strings.Contains(first.stdout, "applied 00001_foundation.sql") ||
		!strings.Contains(first.stdout, "up to date") {
		t.Errorf("the first time: %+v", first)
	}
	if again := runProgram(t, environment, "migrate"); again.code != 0 || strings.Contains(again.stdout, "applied") {
		t.Errorf("the second time: %+v", again)
	}
}

func TestWorkerServesOnlyHealth(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		tenant := runProgram(t, settingsOf(db), "init", "--json").report(t)
		p := serveProcess(t, append(settingsOf(db), "CRIER_ROLE=worker"))
		for address, status := range map[string]int{"/healthz": 200, "/readyz": 200, "/v1/teams": 404,
			"/openapi.json": 404, "/docs": 404} {
			got, err := p.RoundTrip(servertest.Request{Method: "GET", Path: address, Key: tenant.APIKey})
			if err != nil || got.Status != status {
				t.Errorf("%s: %d, want %d, %v", address, got.Status, status, err)
			}
		}
		if code := p.terminate(t); code != 0 {
			t.Errorf("the worker ended with %d", code)
		}
	})
}

func TestMetricsListenOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db)
		s.Do(t, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
		s.Do(t, "GET", "/v1/teams/1", nil).Want(t, http.StatusBadRequest)
		got := s.Send(t, servertest.Request{Method: "GET", Path: "/metrics"}).Want(t, http.StatusOK)
		for _, line := range []string{
			`crier_http_request_duration_seconds_count{method="GET",route="/v1/teams",status="200"}`,
			`route="/v1/teams/{teamId}",status="400"`,
			`crier_http_request_duration_seconds_bucket`, `crier_jobs{state="available"}`,
			`go_sql_open_connections{db_name="writer"}`, `process_resident_memory_bytes`,
		} {
			if !strings.Contains(string(got.Body), line) {
				t.Errorf("the metrics have no %s", line)
			}
		}
		for _, header := range []string{"X-Forwarded-For", "Forwarded"} {
			s.Send(t, servertest.Request{Method: "GET", Path: "/metrics",
				Header: map[string]string{header: "203.0.113.7"}}).WantError(t, http.StatusNotFound, "NotFound")
		}
	})
	db := servertest.Databases.Fresh(t, store.SQLite)
	address := nettest.FreeAddress(t)
	p := serveProcess(t, append(settingsOf(db), "CRIER_METRICS_LISTEN="+address))
	p.Send(t, servertest.Request{Method: "GET", Path: "/metrics"}).WantError(t, http.StatusNotFound, "NotFound")
	apart := &testServer{&servertest.Server{URL: "http://" + address, Client: p.Client}}
	if got, err := apart.RoundTrip(servertest.Request{Method: "GET", Path: "/metrics"}); err != nil ||
		got.Status != http.StatusOK {
		t.Errorf("the listener of the metrics: %d, %v", got.Status, err)
	}
	if got, err := apart.RoundTrip(servertest.Request{Method: "GET", Path: "/v1/teams"}); err != nil ||
		got.Status != http.StatusNotFound {
		t.Errorf("the listener of the metrics serves more: %d, %v", got.Status, err)
	}
}

// Nobody is told that a server is ready which ends at once.
func TestOccupiedMetricsAddressIsReportedBeforeTheServerIsReady(t *testing.T) {
	t.Parallel()
	occupied, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = occupied.Close() })
	got := runProgram(t, []string{"CRIER_DATA_DIR=" + t.TempDir(), "CRIER_LISTEN=" + nettest.FreeAddress(t)}, "serve",
		"--metrics-listen", occupied.Addr().String())
	if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, "choose another one with --metrics-listen") {
		t.Errorf("it ended with %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

func TestEachRequestLeavesOneLogLine(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.SQLite)
	tenant := runProgram(t, settingsOf(db), "init", "--json").report(t)
	p := serveProcess(t, append(settingsOf(db), "CRIER_LOG_FORMAT=json"))
	p.As(t, tenant.APIKey, "PATCH", path("/v1/teams/%s", tenant.TeamID), object{"name": "Telltale name"},
		"X-Request-Id", "my-request-id").Want(t, http.StatusOK)
	p.terminate(t)
	lines := 0
	for line := range strings.Lines(p.testServer.Log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("not JSON: %s", line)
		}
		if entry["request"] != "my-request-id" {
			continue
		}
		lines++
		for key, want := range map[string]any{"method": "PATCH", "route": "/v1/teams/{teamId}", "status": float64(200),
			"msg": "request", "level": "INFO"} {
			if entry[key] != want {
				t.Errorf("%s is %v, want %v", key, entry[key], want)
			}
		}
	}
	if lines != 1 || strings.Contains(p.testServer.Log.String(), "Telltale") ||
		strings.Contains(p.testServer.Log.String(), tenant.APIKey) {
		t.Errorf("%d lines about one request, or content in the log:\n%s", lines, p.testServer.Log)
	}
}

func TestServerStartsFastAndUsesLittleMemory(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.SQLite)
	runProgram(t, settingsOf(db), "init", "--json").report(t)
	start := time.Now()
	p := serveProcess(t, settingsOf(db))
	took, memory := time.Since(start), residentMemory(t, p.cmd.Process.Pid)
	t.Logf("ready after %v with %d MiB", took.Round(time.Millisecond), memory>>20)
	// the limits are in the benchmarks; this catches gross regressions
	if took > 10*time.Second || memory > 100<<20 {
		t.Errorf("ready after %v with %d MiB", took, memory>>20)
	}
}

// residentMemory returns the resident memory of a process, in bytes.
func residentMemory(tb testing.TB, pid int) int64 {
	tb.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		tb.Skipf("this system does not tell: %v", err)
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				tb.Fatal(err)
			}
			return kilobytes << 10
		}
	}
	tb.Fatal("no VmRSS")
	return 0
}

func TestOperatorCanIssueAPasswordResetLink(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, servertest.WithRole("api"), servertest.WithClock(c))
		ada := s.NewFounder(t, "ada@example.com")
		thief := s.NewBrowser(t)
		thief.SignIn(t, ada.Email)
		reset := func(email string) output {
			return runProgram(t, append(settingsOf(db), "CRIER_PUBLIC_URL="+s.URL), "admin", "reset-password", "--json",
				"--email", email)
		}
		if out := reset("nobody@example.com"); out.code != 5 || !strings.Contains(out.stderr, "nobody signs in") {
			t.Errorf("%+v", out)
		}
		var output struct{ ResetURL string }
		if out := reset("ADA@example.com"); out.code != 0 || json.Unmarshal([]byte(out.stdout), &output) != nil {
			t.Fatalf("%+v", out)
		}
		link := strings.TrimPrefix(output.ResetURL, s.URL)
		_, token, _ := strings.Cut(link, "token=")
		b := s.NewBrowser(t)
		b.Get(t, link).Want(t, http.StatusOK)
		for _, forged := range []string{"", "x", "a.b.c", servertest.UnknownID + token[len(servertest.UnknownID):],
			strings.Replace(token, ".", ".9", 1), token + "A"} {
			b.Get(t, "/reset-password?token="+url.QueryEscape(forged)).Want(t, http.StatusNotFound)
		}
		b.Post(t, "/reset-password", url.Values{"token": {token}, "password": {"short"}}).Want(t, http.StatusBadRequest)
		b.Post(t, "/reset-password", url.Values{"token": {token},
			"password": {"another horse, another battery"}}).Want(t,
			http.StatusSeeOther)
		b.Get(t, "/account").Want(t, http.StatusOK)
		thief.Get(t, "/account").Want(t, http.StatusSeeOther)
		b.Post(t, "/reset-password", url.Values{"token": {token}, "password": {servertest.Passphrase}}).Want(t,
			http.StatusNotFound)
		s.NewBrowser(t).Post(t, "/sign-in", servertest.Credentials(ada.Email, "another horse, another battery")).Want(t,
			http.StatusSeeOther)
		if out := reset(ada.Email); json.Unmarshal([]byte(out.stdout), &output) != nil {
			t.Fatalf("%+v", out)
		}
		c.Advance(25 * time.Hour)
		b.Get(t, strings.TrimPrefix(output.ResetURL, s.URL)).Want(t, http.StatusNotFound)
	})
}
