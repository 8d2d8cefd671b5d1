//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
	"crier/internal/cli"
	"crier/internal/media/mediatest"
	"crier/internal/nettest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// environment returns the environment of a user who runs the command line with a key.
func (s *testServer) environment(key string) []string {
	return []string{"CRIER_SERVER=" + s.URL, "CRIER_TOKEN=" + key}
}

// terminal opens a pseudo-terminal: the end of the user, and the end of the program.
func terminal(t *testing.T) (person, screen *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	var locked, number int32
	control := func(request uintptr, value *int32) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request,
			uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Skipf("this machine has no pseudo-terminals: %v", errno)
		}
	}
	control(syscall.TIOCSPTLCK, &locked)
	control(syscall.TIOCGPTN, &number)
	if screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	return person, screen
}

// atTerminal runs the program at a terminal where a user types once prompted; piped, when it is not empty, is its
// standard input.
func atTerminal(t *testing.T, environment []string, typed, piped string, args ...string) (shown string, code int) {
	t.Helper()
	person, screen := terminal(t)
	cmd := command(t, environment, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if piped != "" {
		cmd.Stdin = strings.NewReader(piped)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = screen.Close()
	var seen bytes.Buffer
	piece := make([]byte, 4096)
	for {
		n, err := person.Read(piece)
		if err != nil { // the program has closed its end
			break
		}
		seen.Write(piece[:n])
		if typed != "" && strings.HasSuffix(seen.String(), "[y/N] ") {
			if _, err := io.WriteString(person, typed); err != nil {
				t.Fatal(err)
			}
			typed = ""
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return seen.String(), cmd.ProcessState.ExitCode()
}

func TestCLIConfirmsBeforePublishing(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite))
	environment := e.environment(e.crew.Key)
	posts := func() int64 { return e.Number(t, `SELECT count(*) FROM posts WHERE status <> 'deleted'`) }
	for _, piped := range []string{"", "Hello from a pipe"} {
		args := []string{"post", "--to", "x,linkedin", "--next-slot"}
		if piped == "" {
			args = append(args, "--text", "Hello from a flag")
		}
		before := posts()
		shown, code := atTerminal(t, environment, "n\n", piped, args...)
		if code != 1 || !strings.Contains(shown, "Schedule this on 2 accounts? [y/N]") ||
			!strings.Contains(shown, "credits") ||
			!strings.Contains(shown, "nothing was changed") {
			t.Errorf("refused: exit code %d:\n%s", code, shown)
		}
		if posts() != before {
			t.Error("a refusal left a post behind")
		}
		shown, code = atTerminal(t, environment, "y\n", piped, args...)
		if code != 0 || strings.Count(shown, "scheduled") != 2 {
			t.Errorf("accepted: exit code %d:\n%s", code, shown)
		}
		if posts() != before+1 {
			t.Error("an accepted post was not kept")
		}
	}
}

func TestInterruptedPromptStoresNothing(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite))
	for _, piped := range []string{"", "Hello from a pipe"} {
		args := []string{"post", "--to", "x", "--next-slot"}
		if piped == "" {
			args = append(args, "--text", "Hello from a flag")
		}
		shown, code := atTerminal(t, e.environment(e.crew.Key), "\x03", piped, args...)
		if code != 130 || !strings.Contains(shown, "interrupted: nothing was changed") {
			t.Errorf("exit code %d:\n%s", code, shown)
		}
	}
	if n := e.Number(t, `SELECT count(*) FROM posts WHERE status <> 'deleted'`); n != 0 {
		t.Errorf("%d posts stayed behind", n)
	}
}

// A closing terminal sends SIGHUP more than once: the kernel does when its last user is gone, and so does the shell.
func TestClosedTerminalStoresNothing(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite))
	target, err := url.Parse(e.URL)
	if err != nil {
		t.Fatal(err)
	}
	tidies, goOn := make(chan struct{}, 2), make(chan struct{})
	pass := httputil.NewSingleHostReverseProxy(target)
	way := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			tidies <- struct{}{}
			<-goOn
		}
		pass.ServeHTTP(w, r)
	}))
	defer way.Close()
	files := make([]string, 2)
	for i := range files {
		files[i] = filepath.Join(t.TempDir(), fmt.Sprintf("photo%d.png", i))
		if err := os.WriteFile(files[i], mediatest.PNG(64, 64+i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	person, screen := terminal(t)
	cmd := command(t, []string{"CRIER_SERVER=" + way.URL, "CRIER_TOKEN=" + e.crew.Key}, "post", "Hello", "--to", "x",
		"--media", files[0], "--media", files[1])
	cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = screen.Close()
	readUntilPrompt(t, person)
	_ = person.Close()
	servertest.Receive(t, tidies, "the command removes its uploads")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	_ = cmd.Wait() // ProcessState has the result
	if !cmd.ProcessState.Exited() {
		t.Errorf("the command did not tidy up to its end: %s", cmd.ProcessState)
	}
	if n := e.Number(t, `SELECT count(*) FROM assets WHERE deleted_at IS NULL`); n != 0 {
		t.Errorf("%d files stayed in the media library", n)
	}
}

// readUntilPrompt reads the output of a program until it prompts.
func readUntilPrompt(t *testing.T, person io.Reader) {
	t.Helper()
	var seen bytes.Buffer
	piece := make([]byte, 4096)
	for !strings.HasSuffix(seen.String(), "[y/N] ") {
		n, err := person.Read(piece)
		if err != nil {
			t.Fatalf("the program ended before it asked: %v\n%s", err, seen.String())
		}
		seen.Write(piece[:n])
	}
}

func TestSeriesKeepsTheCallersTimeZone(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite)) // whose team has no zone
	environment := append(e.environment(e.crew.Key), "TZ=Europe/Berlin")
	for at, want := range map[string]string{
		"tomorrow 8:00":                  "Europe/Berlin",
		"tomorrow 8:00 America/New_York": "America/New_York",
		"+1w":                            "Europe/Berlin",
		time.Now().Add(48 * time.Hour).Format(time.RFC3339): "UTC",
	} {
		out := runProgram(t, environment, "post", "Good morning at "+at, "--to", "x", "--at", at, "--repeat", "weekly",
			"--yes", "--json")
		var result crier.ScheduleResult
		if err := json.Unmarshal([]byte(out.stdout), &result); err != nil || out.code != 0 {
			t.Fatalf("%s: %v: %+v", at, err, out)
		}
		if got := result.Data[0].ScheduledPost.Timezone; got != want {
			t.Errorf("%s: the series is in the zone %s, want %s", at, got, want)
		}
	}
}

func TestWaitingCommandIsInterruptedAtOnce(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	cmd := command(t, nil, "login", "--server", s.URL, "--no-browser")
	var stderr servertest.LogBuffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	servertest.Eventually(t, func() (bool, bool) {
		waits := strings.Contains(stderr.String(), "Waiting")
		return waits, waits
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is checked below
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(stderr.String(), "crier: ") ||
		strings.Contains(stderr.String(), "context canceled") {
		t.Errorf("exit code %d:\n%s", code, stderr.String())
	}
}

func TestChangeWithLostAnswerIsAppliedOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, servertest.WithRole("api"))
		target, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		var answers atomic.Int32
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.ModifyResponse = func(*http.Response) error {
			if answers.Add(1) == 1 {
				panic(http.ErrAbortHandler) // the work is done, the response is not sent
			}
			return nil
		}
		way := httptest.NewServer(proxy)
		t.Cleanup(way.Close)
		text := "once"
		post, err := client.New(way.URL, s.Key).CreatePost(t.Context(), s.Team, crier.PostCreate{Text: &text})
		if err != nil || post.Text != text || answers.Load() != 2 {
			t.Fatalf("%+v after %d answers: %v", post, answers.Load(), err)
		}
		if n := s.Number(t, `SELECT count(*) FROM posts`); n != 1 {
			t.Errorf("the change happened %d times", n)
		}
	})
}

func TestCLILogin(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	s.NewFounder(t, "ada@example.com")
	b := s.NewBrowser(t)
	b.SignIn(t, "ada@example.com")
	home := t.TempDir()
	environment := []string{"XDG_CONFIG_HOME=" + home}
	cmd := command(t, environment, "login", "--server", s.URL, "--no-browser")
	var stderr servertest.LogBuffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	code := servertest.Eventually(t, func() (string, bool) {
		_, after, found := strings.Cut(stderr.String(), "approve the code ")
		code, _, whole := strings.Cut(after, "\n")
		return code, found && whole
	})
	b.Post(t, "/device", map[string][]string{"user_code": {code}, "decision": {"approve"}}).Want(t, http.StatusOK)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	file := filepath.Join(home, "crier", "login.json")
	if stat, err := os.Stat(file); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("the login is kept with %v, %v", stat.Mode(), err)
	}
	if who := runProgram(t, environment, "whoami"); who.code != 0 || !strings.Contains(who.stdout, "Ada") {
		t.Errorf("whoami: %+v", who)
	}
	if other := runProgram(t, environment, "whoami", "--server", "http://127.0.0.1:1"); other.code != 3 ||
		!strings.Contains(other.stderr, "logged in to "+s.URL) {
		t.Errorf("the login was offered to another server: %+v", other)
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var logins struct {
		Logins []struct{ AccessToken string }
	}
	if err := json.Unmarshal(saved, &logins); err != nil {
		t.Fatal(err)
	}
	if out := runProgram(t, environment, "logout"); out.code != 0 {
		t.Errorf("logout: %+v", out)
	}
	s.WantKnown(t, logins.Logins[0].AccessToken, false)
}

func TestBrokenUploadIsResumed(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.SQLite)
	first := startServer(t, db, servertest.WithRole("api"))
	environment := append(first.environment(first.Key), "CRIER_TEAM="+string(first.Team))
	file := filepath.Join(t.TempDir(), "clip.mp4")
	data := servertest.LongVideo(6 << 20)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	started := first.Do(t, "POST", path("/v1/teams/%s/assets/uploads", first.Team),
		object{"fileName": "clip.mp4", "mimeType": "video/mp4", "byteSize": len(data)}).Want(t, http.StatusCreated)
	upload := started.Text(t, "uploadId")
	library{Server: first.Server}.SendChunk(t, upload, data, 0, 1<<20).Want(t, http.StatusOK)
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	closed := append(environment, "CRIER_SERVER=http://"+nettest.ClosedAddress(t))
	broken := runProgram(t, closed, "media", "upload", file, "--resume", upload, "--yes")
	if broken.code != 9 || !strings.Contains(broken.stderr, "crier serve") {
		t.Errorf("without a server: %+v", broken)
	}
	second := startServer(t, db, servertest.WithRole("api"))
	environment = append(second.environment(first.Key), "CRIER_TEAM="+string(first.Team))
	shown, code := atTerminal(t, environment, "y\n", "", "media", "upload", file, "--resume", upload)
	if code != 0 || !strings.Contains(shown, "100 %") || !strings.Contains(shown, "Uploaded clip.mp4") {
		t.Errorf("exit code %d: %s", code, shown)
	}
}

// narrows returns the address of a proxy that stalls: it lets some bytes of a connection through and reports when it
// stops.
func narrows(t *testing.T, server string, bytes int64) (address string, stuck <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	stopped := make(chan struct{}, 100)
	pass := func(near net.Conn) {
		defer near.Close()
		far, err := net.Dial("tcp", strings.TrimPrefix(server, "http://"))
		if err != nil {
			return
		}
		defer far.Close()
		go func() { _, _ = io.Copy(near, far) }() // ends with the connection
		if n, _ := io.CopyN(far, near, bytes); n == bytes {
			stopped <- struct{}{}
			_, _ = io.Copy(io.Discard, near) // until the sender is gone
		}
	}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go pass(near)
		}
	}()
	return "http://" + listener.Addr().String(), stopped
}

func TestUploadKilledWithinAChunkIsResumed(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	data := servertest.LongVideo(6 << 20)
	file := filepath.Join(t.TempDir(), "clip.mp4")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	way, stuck := narrows(t, s.URL, 2<<20)
	environment := []string{"CRIER_TOKEN=" + s.Key, "CRIER_TEAM=" + string(s.Team)}
	cmd := command(t, append(environment, "CRIER_SERVER="+way), "media", "upload", file, "--yes")
	var stderr servertest.LogBuffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	servertest.Receive(t, stuck, "the upload is stuck")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	_, upload, found := strings.Cut(strings.TrimSpace(stderr.String()), "--resume ")
	if !found {
		t.Fatalf("nothing says how to go on: %s", stderr.String())
	}
	out := runProgram(t, append(environment, "CRIER_SERVER="+s.URL), "media", "upload", file, "--resume", upload,
		"--yes", "--json")
	var asset crier.Asset
	if err := json.Unmarshal([]byte(out.stdout), &asset); err != nil || out.code != 0 {
		t.Fatalf("%v: %+v", err, out)
	}
	if sum := sha256.Sum256(data); asset.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the file that arrived is another one: %+v", asset)
	}
	short := filepath.Join(t.TempDir(), "short.mp4")
	if err := os.WriteFile(short, data[:1<<20], 0o600); err != nil {
		t.Fatal(err)
	}
	if out := runProgram(t, append(environment, "CRIER_SERVER="+s.URL), "media", "upload", short, "--resume", upload,
		"--yes"); out.code != 1 {
		t.Errorf("another file was taken: %+v", out)
	}
}

func TestCLIGrantsCredits(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.SQLite)
	s := startServer(t, db, servertest.WithRole("api"))
	grant := func(organization, amount string) output {
		return runProgram(t, settingsOf(db), "admin", "grant-credits", "--organization", organization, "--amount",
			amount)
	}
	if out := grant(string(s.Organization), "500"); out.code != 0 || !strings.Contains(out.stdout, "10500") {
		t.Errorf("%+v", out)
	}
	for wrong, code := range map[[2]string]int{{servertest.UnknownID, "500"}: 5, {"x", "500"}: 2,
		{string(s.Organization), "0"}: 2, {string(s.Organization), "-5"}: 2} {
		if out := grant(wrong[0], wrong[1]); out.code != code || out.stderr == "" {
			t.Errorf("%v: %+v", wrong, out)
		}
	}
	if n := s.Number(t, `SELECT sum(amount) FROM credit_transactions WHERE organization_id = $1`,
		s.Organization); n != 10_500 {
		t.Errorf("the ledger sums to %d", n)
	}
}

// unreported are the commands that print no report: servers, and commands whose output is JSON already.
var unreported = []string{"crier serve", "crier sandbox", "crier mcp", "crier openapi"}

func TestEveryCommandHasAnExampleAndPrintsJSON(t *testing.T) {
	t.Parallel()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Example == "" || cmd.Short == "" {
			t.Errorf("%s has no example or no summary", cmd.CommandPath())
		}
		if len(cmd.Commands()) == 0 && cmd.Flag("json") == nil && !slices.Contains(unreported, cmd.CommandPath()) {
			t.Errorf("%s has no --json", cmd.CommandPath())
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit((&app{now: time.Now}).commands())
	if out := runProgram(t, nil, "completion", "bash"); out.code != 0 ||
		!strings.Contains(out.stdout, "__start_crier") {
		t.Errorf("completion: %d %s", out.code, out.stderr)
	}
	help := runProgram(t, nil, "serve", "--help").stdout
	for _, title := range append(groupTitles(), "Flags") {
		if !strings.Contains(help, "\n"+title+":\n") {
			t.Errorf("the help of serve has no group %s", title)
		}
	}
}

func TestDoctorCreatesNothing(t *testing.T) {
	t.Parallel()
	for _, present := range []string{"", "crier.db"} {
		dir := filepath.Join(t.TempDir(), "data")
		if present != "" {
			if err := errors.Join(os.Mkdir(dir, 0o700),
				os.WriteFile(filepath.Join(dir, present), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		out := runProgram(t, []string{"CRIER_DATA_DIR=" + dir, "CRIER_PUBLIC_URL=http://127.0.0.1:1"}, "doctor")
		if out.code != 1 || !strings.Contains(out.stdout, "PROBLEM") {
			t.Errorf("%+v", out)
		}
		entries, err := os.ReadDir(dir)
		if present == "" && !errors.Is(err, os.ErrNotExist) || present != "" && (err != nil || len(entries) != 1) {
			t.Errorf("the doctor left %v, %v", entries, err)
		}
	}
}

func TestDoctorReportsMissingNetworkSettings(t *testing.T) {
	t.Parallel()
	settings := []string{"CRIER_DATA_DIR=" + t.TempDir(), "CRIER_SANDBOX=on"}
	for _, network := range crier.Providers() {
		out := runProgram(t, settings, "doctor", "--provider", string(network), "--json")
		var findings []cli.Finding
		if err := json.Unmarshal([]byte(out.stdout), &findings); err != nil || out.code != 1 {
			t.Fatalf("%s: %v: %+v", network, err, out)
		}
		last := findings[len(findings)-1]
		if want := "CRIER_" + strings.ToUpper(string(network)) + "_CLIENT_ID"; last.Check != "credentials" || last.OK ||
			!strings.Contains(last.Advice, want) || !strings.Contains(findings[0].Detail, "sandbox") {
			t.Errorf("%s: %+v", network, findings)
		}
	}
	if out := runProgram(t, settings, "doctor", "--provider", "nosuch"); out.code != 2 {
		t.Errorf("an unknown network: %+v", out)
	}
}

func TestDoctorPrefersTheFlagsOfAnInstallation(t *testing.T) {
	t.Parallel()
	settings := []string{"CRIER_SERVER=http://127.0.0.1:1", "HOME=" + t.TempDir()}
	for _, flags := range [][]string{{"--data-dir", t.TempDir()}, {"--database-url", "postgres://127.0.0.1:1/none"}} {
		out := runProgram(t, settings, append([]string{"doctor"}, flags...)...)
		if out.code != 1 || !strings.Contains(out.stdout, "database and secret key") {
			t.Errorf("%v: %+v", flags, out)
		}
	}
	out := runProgram(t, settings, "doctor", "--data-dir", t.TempDir(), "--server", "http://127.0.0.1:1")
	if out.code != 9 || strings.Contains(out.stdout, "database and secret key") {
		t.Errorf("with --server: %+v", out)
	}
}

func TestDoctorReportsAnUnreachableServerOnce(t *testing.T) {
	t.Parallel()
	settings := []string{"CRIER_DATA_DIR=" + t.TempDir()}
	out := runProgram(t, settings, "doctor", "--server", "http://127.0.0.1:1")
	if out.code != 9 || strings.Count(out.stdout, "cannot reach") != 1 ||
		strings.Contains(out.stderr, "cannot reach") || !strings.Contains(out.stderr, "needs attention") {
		t.Errorf("%+v", out)
	}
}

func TestDoctorSaysWhenAnOldKeyCanBeRemoved(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, servertest.WithRole("api"))
		fresh := strings.Repeat("f", 32)
		for secrets, want := range map[string]string{
			fresh + "," + servertest.Secret: "still encrypted with another key than the first: 1 (API keys: 1)",
			servertest.Secret + "," + fresh: "the others can be removed from CRIER_SECRET_KEY",
		} {
			settings := append(settingsOf(db), "CRIER_PUBLIC_URL="+s.URL, "CRIER_SANDBOX=on",
				"CRIER_SECRET_KEY="+secrets)
			if out := runProgram(t, settings, "doctor"); out.code != 0 || !strings.Contains(out.stdout, want) {
				t.Errorf("%.4s… first: %+v", secrets, out)
			}
		}
	})
}

func TestDoctorReportsAFullDisk(t *testing.T) {
	t.Parallel()
	if f := diskFinding("/data", 4096); f.OK || !strings.HasPrefix(f.Detail, "only 0.0 MB are free for /data") ||
		f.Advice == "" {
		t.Errorf("a full disk: %+v", f)
	}
	if f := diskFinding("/data", 12_300_000_000); !f.OK || f.Detail != "12.3 GB are free for /data" {
		t.Errorf("a disk with room: %+v", f)
	}
	if _, known := freeSpace(filepath.Join(t.TempDir(), "missing")); known {
		t.Error("a directory that is not there has room")
	}
	if free, known := freeSpace(t.TempDir()); known != (free > 0) {
		t.Errorf("%d bytes are free", free)
	}
}

func TestMisspeltSettingsAreReported(t *testing.T) {
	t.Parallel()
	environment := map[string]string{"CRIER_LISTEN": "", "CRIER_X_CLIENT_ID": "", "CRIER_CONFIG": "", "CRIER_TOKEN": "",
		"CRIER_BACKUP_PASSPHRASE": "", "CRIER_DATABSE_URL": "", "CRIER_EXPORT": "",
		// Of Kubernetes, for services named crier and crier-postgres.
		"CRIER_PORT": "", "CRIER_PORT_8080_TCP_ADDR": "", "CRIER_SERVICE_HOST": "", "CRIER_SERVICE_PORT_HTTP": "",
		"CRIER_POSTGRES_SERVICE_PORT": ""}
	if got := strayVariables(environment); !slices.Equal(got, []string{"CRIER_DATABSE_URL", "CRIER_EXPORT"}) {
		t.Errorf("the strays are %v", got)
	}
	db := servertest.Databases.Fresh(t, store.SQLite)
	settings := append(settingsOf(db), "CRIER_DATABSE_URL=postgres://crier@db/crier", "CRIER_LOG_LEVEL=warn")
	if out := runProgram(t, settings, "doctor"); !strings.Contains(out.stdout, "effect: CRIER_DATABSE_URL") {
		t.Errorf("the doctor: %+v", out)
	}
	settings = append(settings, "CRIER_LISTEN=nowhere.invalid:0")
	if out := runProgram(t, settings, "serve"); out.code != 1 || !strings.Contains(out.stderr, "CRIER_DATABSE_URL") {
		t.Errorf("the server: %+v", out)
	}
}

// During an upgrade, nodes of the previous version run on the new schema; after it, they are started by mistake.
func TestADatabaseOfANewerVersionIsReported(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		st := db.Open(t)
		if _, err := st.Writer().ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied)
			VALUES (99999, true)`); err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		settings := append(settingsOf(db), "CRIER_LOG_LEVEL=warn")
		if out := runProgram(t, settings, "migrate"); out.code != 0 ||
			!strings.Contains(out.stderr, "a newer version of crier has migrated the database") {
			t.Errorf("%+v", out)
		}
		if out := runProgram(t, settings, "doctor"); !strings.Contains(out.stdout, "schema of a newer version") {
			t.Errorf("the doctor: %+v", out)
		}
	})
}

func TestDoctorReportsAWrongKeyAndAMissingServer(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, servertest.WithRole("api"))
		before := s.Snapshot(t)
		healthy := append(settingsOf(db), "CRIER_PUBLIC_URL="+s.URL, "CRIER_SANDBOX=on")
		if out := runProgram(t, healthy, "doctor", "--json"); out.code != 0 {
			t.Errorf("a healthy installation: %+v", out)
		}
		sick := append(settingsOf(db), "CRIER_SECRET_KEY="+strings.Repeat("f", 32),
			"CRIER_PUBLIC_URL=http://127.0.0.1:1", "CRIER_SANDBOX=on")
		out := runProgram(t, sick, "doctor", "--json")
		var findings []cli.Finding
		if err := json.Unmarshal([]byte(out.stdout), &findings); err != nil || out.code != 1 {
			t.Fatalf("%v: %+v", err, out)
		}
		bad := 0
		for _, f := range findings {
			if !f.OK {
				bad++
				if f.Detail == "" || f.Advice == "" {
					t.Errorf("no advice: %+v", f)
				}
			}
		}
		if bad != 2 {
			t.Errorf("%d problems were found, want the key and the server: %+v", bad, findings)
		}
		s.WantUnchanged(t, before)
	})
}
