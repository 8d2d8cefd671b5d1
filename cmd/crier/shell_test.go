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
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
	"crier/internal/store"
)

// environment is that of somebody who uses the command line with a key.
func (s *server) environment(key string) []string {
	return []string{"CRIER_SERVER=" + s.url, "CRIER_TOKEN=" + key}
}

// terminal opens a pseudo-terminal: the end of the person, and the end of the program.
func terminal(t *testing.T) (person, screen *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	var locked, number int32
	control := func(request uintptr, value *int32) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
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

// atTerminal runs the program at a terminal where a person types once they are asked; piped, when it is not empty, is its
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

func TestTheShellAsksBeforeItPublishes(t *testing.T) {
	t.Parallel()
	e := startEngine(t, databases.Fresh(t, store.SQLite))
	environment := e.environment(e.crew.key)
	posts := func() int64 { return e.number(t, `SELECT count(*) FROM posts WHERE status <> 'deleted'`) }
	for _, piped := range []string{"", "Hello from a pipe"} {
		args := []string{"post", "--to", "x,linkedin", "--next-slot"}
		if piped == "" {
			args = append(args, "--text", "Hello from a flag")
		}
		before := posts()
		shown, code := atTerminal(t, environment, "n\n", piped, args...)
		if code != 1 || !strings.Contains(shown, "Go ahead? [y/N]") || !strings.Contains(shown, "credits") || !strings.Contains(shown, "nothing was changed") {
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

func TestAnInterruptedQuestionLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	e := startEngine(t, databases.Fresh(t, store.SQLite))
	for _, piped := range []string{"", "Hello from a pipe"} {
		args := []string{"post", "--to", "x", "--next-slot"}
		if piped == "" {
			args = append(args, "--text", "Hello from a flag")
		}
		shown, code := atTerminal(t, e.environment(e.crew.key), "\x03", piped, args...)
		if code != 130 || !strings.Contains(shown, "interrupted: nothing was changed") {
			t.Errorf("exit code %d:\n%s", code, shown)
		}
	}
	if n := e.number(t, `SELECT count(*) FROM posts WHERE status <> 'deleted'`); n != 0 {
		t.Errorf("%d posts stayed behind", n)
	}
}

func TestACommandThatWaitsIsInterruptedAtOnce(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	cmd := command(t, nil, "login", "--server", s.url, "--no-browser")
	var stderr logBuffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() (bool, bool) {
		waits := strings.Contains(stderr.String(), "Waiting")
		return waits, waits
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code tells
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(stderr.String(), "crier: ") || strings.Contains(stderr.String(), "context canceled") {
		t.Errorf("exit code %d:\n%s", code, stderr.String())
	}
}

func TestCommandsThatChangeSomethingNeedSomebodyToAsk(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	environment := append(s.environment(s.key), "CRIER_TEAM="+string(s.team))
	file := filepath.Join(t.TempDir(), "photo.png")
	if err := os.WriteFile(file, []byte("no photo"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := s.snapshot(t)
	for _, args := range [][]string{
		{"post", "--text", "Hello", "--to", "x"},
		{"posts", "create", "--text", "Hello"},
		{"posts", "edit", unknownID, "--text", "Hello"},
		{"posts", "draft", unknownID},
		{"posts", "retry", unknownID},
		{"posts", "resolve", unknownID, "--outcome", "failed"},
		{"posts", "delete", unknownID},
		{"media", "upload", file},
		{"accounts", "connect", "x"},
		{"accounts", "enable", unknownID},
		{"accounts", "disable", unknownID},
		{"accounts", "disconnect", unknownID},
		{"slots", "add", "09:30"},
		{"slots", "delete", unknownID},
		{"orgs", "create", "Acme"},
		{"teams", "create", "Berlin"},
		{"keys", "create", "CI"},
		{"keys", "revoke", unknownID},
		{"members", "invite", "ada@example.com"},
		{"members", "remove", unknownID},
		{"members", "withdraw", unknownID},
	} {
		cmd := command(t, environment, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 10 || !strings.Contains(string(out), "--yes") {
			t.Errorf("%v: exit code %d: %s", args, code, out)
		}
	}
	s.wantUnchanged(t, before)
}

func TestOneLineIsTheWholeFlow(t *testing.T) {
	t.Parallel()
	e := startEngine(t, databases.Fresh(t, store.SQLite))
	cmd := command(t, e.environment(e.crew.key), "post", "--to", "x,linkedin", "--next-slot", "--yes", "--json")
	cmd.Stdin = strings.NewReader("text\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var result crier.ScheduleResult
	if err := json.Unmarshal(out, &result); err != nil || result.Outcome.SuccessCount != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	list := runProgram(t, e.environment(e.crew.key), "posts", "list", "--json")
	var page crier.Page[crier.Post]
	if err := json.Unmarshal([]byte(list.stdout), &page); err != nil || page.Total != 1 || page.Data[0].Text != "text" {
		t.Errorf("%v: %+v", err, list)
	}
	cmd = command(t, e.environment(e.crew.key), "post", "--to", "x", "--next-slot")
	cmd.Stdin, cmd.SysProcAttr = strings.NewReader("nobody to ask"), &syscall.SysProcAttr{Setsid: true}
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "--yes") {
		t.Errorf("without anybody to ask: %v: %s", err, out)
	}
	if n := e.number(t, `SELECT count(*) FROM posts WHERE status <> 'deleted'`); n != 1 {
		t.Errorf("there are %d posts, want 1", n)
	}
}

func TestAChangeWhoseAnswerIsLostHappensOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		target, err := url.Parse(s.url)
		if err != nil {
			t.Fatal(err)
		}
		var answers atomic.Int32
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.ModifyResponse = func(*http.Response) error {
			if answers.Add(1) == 1 {
				panic(http.ErrAbortHandler) // the work is done, the answer is not told
			}
			return nil
		}
		way := httptest.NewServer(proxy)
		t.Cleanup(way.Close)
		text := "once"
		post, err := client.New(way.URL, s.key).CreatePost(t.Context(), s.team, crier.PostCreate{Text: &text})
		if err != nil || post.Text != text || answers.Load() != 2 {
			t.Fatalf("%+v after %d answers: %v", post, answers.Load(), err)
		}
		if n := s.number(t, `SELECT count(*) FROM posts`); n != 1 {
			t.Errorf("the change happened %d times", n)
		}
	})
}

func TestExitCodesTellWhatWentWrong(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	viewer := s.makeKey(t, s.key, object{"role": "viewer"})
	for _, c := range []struct {
		key  string
		args []string
		want int
	}{
		{s.key, []string{"posts", "list"}, 0},
		{s.key, []string{"posts", "list", "--limit", "1000"}, 2},
		{"crier_wrong", []string{"posts", "list"}, 3},
		{viewer.secret, []string{"slots", "add", "09:30", "--yes"}, 4},
		{s.key, []string{"posts", "show", unknownID}, 5},
		{s.key, []string{"slots", "add", "09:30", "--yes"}, 0},
		{s.key, []string{"slots", "add", "09:30", "--yes"}, 6},
		{s.key, []string{"posts", "show", "no-id"}, 1},
		{s.key, []string{"posts", "show"}, 1},
		{s.key, []string{"posts", "shw", unknownID}, 1},
		{s.key, []string{"post", "--text", "Hello", "--to", "nowhere", "--next-slot", "--yes"}, 1},
		{s.key, []string{"whoami", "--server", "nonsense"}, 1},
	} {
		if got := runProgram(t, s.environment(c.key), c.args...); got.code != c.want || c.want != 0 && got.stderr == "" {
			t.Errorf("%v: %+v, want exit code %d", c.args, got, c.want)
		}
	}
	if n := s.number(t, `SELECT count(*) FROM posts`); n != 0 {
		t.Errorf("%d posts were made by commands that failed", n)
	}
	nobody := runProgram(t, []string{"CRIER_SERVER=" + s.url}, "whoami")
	if nobody.code != 3 || !strings.Contains(nobody.stderr, "crier login") {
		t.Errorf("without a login: %+v", nobody)
	}
}

func TestLoggingInFromTheShell(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	s.newFounder(t, "ada@example.com")
	b := s.browser(t)
	b.signIn(t, "ada@example.com")
	home := t.TempDir()
	environment := []string{"XDG_CONFIG_HOME=" + home}
	cmd := command(t, environment, "login", "--server", s.url, "--no-browser")
	var stderr logBuffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	code := eventually(t, func() (string, bool) {
		_, after, found := strings.Cut(stderr.String(), "approve the code ")
		code, _, whole := strings.Cut(after, "\n")
		return code, found && whole
	})
	b.post(t, "/device", map[string][]string{"user_code": {code}, "decision": {"approve"}}).want(t, http.StatusOK)
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
	if other := runProgram(t, environment, "whoami", "--server", "http://127.0.0.1:1"); other.code != 1 || !strings.Contains(other.stderr, "logged in to "+s.url) {
		t.Errorf("the login was offered to another server: %+v", other)
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var kept login
	if err := json.Unmarshal(saved, &kept); err != nil {
		t.Fatal(err)
	}
	if out := runProgram(t, environment, "logout"); out.code != 0 {
		t.Errorf("logout: %+v", out)
	}
	s.wantKnown(t, kept.AccessToken, false)
}

func TestABrokenUploadIsResumed(t *testing.T) {
	t.Parallel()
	db := databases.Fresh(t, store.SQLite)
	first := startServer(t, db, withRole("api"))
	environment := append(first.environment(first.key), "CRIER_TEAM="+string(first.team))
	file := filepath.Join(t.TempDir(), "clip.mp4")
	data := longVideo(6 << 20)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	begun := first.do(t, "POST", path("/v1/teams/%s/assets/uploads", first.team), object{"fileName": "clip.mp4", "mimeType": "video/mp4", "byteSize": len(data)}).want(t, http.StatusCreated)
	upload := begun.text(t, "uploadId")
	library{postServer: postServer{first}}.piece(t, upload, data, 0, 1<<20).want(t, http.StatusOK)
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	broken := runProgram(t, environment, "media", "upload", file, "--resume", upload, "--yes")
	if broken.code != 9 || !strings.Contains(broken.stderr, "crier serve") {
		t.Errorf("without a server: %+v", broken)
	}
	second := startServer(t, db, withRole("api"))
	environment = append(second.environment(first.key), "CRIER_TEAM="+string(first.team))
	shown, code := atTerminal(t, environment, "y\n", "", "media", "upload", file, "--resume", upload)
	if code != 0 || !strings.Contains(shown, "100 %") || !strings.Contains(shown, "Uploaded clip.mp4") {
		t.Errorf("exit code %d: %s", code, shown)
	}
}

// narrows is a way to a server that ends in the middle: it lets some bytes of a connection through and tells when it stops.
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

func TestAnUploadThatWasKilledWithinAPieceIsResumed(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	data := longVideo(6 << 20)
	file := filepath.Join(t.TempDir(), "clip.mp4")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	way, stuck := narrows(t, s.url, 2<<20)
	environment := []string{"CRIER_TOKEN=" + s.key, "CRIER_TEAM=" + string(s.team)}
	cmd := command(t, append(environment, "CRIER_SERVER="+way), "media", "upload", file, "--yes")
	var stderr logBuffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-stuck
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	_, upload, told := strings.Cut(strings.TrimSpace(stderr.String()), "--resume ")
	if !told {
		t.Fatalf("nothing says how to go on: %s", stderr.String())
	}
	out := runProgram(t, append(environment, "CRIER_SERVER="+s.url), "media", "upload", file, "--resume", upload, "--yes", "--json")
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
	if out := runProgram(t, append(environment, "CRIER_SERVER="+s.url), "media", "upload", short, "--resume", upload, "--yes"); out.code != 1 {
		t.Errorf("another file was taken: %+v", out)
	}
}

func TestNoCreditsEndACommandWithACodeOfTheirOwn(t *testing.T) {
	t.Parallel()
	e := startEngine(t, databases.Fresh(t, store.SQLite), withRole("api"))
	poor := e.newCrew(t, 0, "x")
	out := runProgram(t, e.environment(poor.key), "post", "--text", "Hello", "--to", "x", "--next-slot", "--yes")
	if out.code != 7 || !strings.Contains(out.stderr, "credits") {
		t.Errorf("%+v", out)
	}
}

func TestMembersAreInvitedAndCreditsGrantedFromTheShell(t *testing.T) {
	t.Parallel()
	db := databases.Fresh(t, store.SQLite)
	s := startServer(t, db, withRole("api"))
	ada := s.newFounder(t, "ada@example.com")
	environment := s.environment(ada.key)
	if out := runProgram(t, environment, "members", "invite", "new@example.com", "--role", "viewer", "--yes"); out.code != 0 || !strings.Contains(out.stdout, "/invitation?token=") {
		t.Errorf("%+v", out)
	}
	if out := runProgram(t, environment, "members", "list"); out.code != 0 || !strings.Contains(out.stdout, ada.email) {
		t.Errorf("%+v", out)
	}
	open := s.openInvitations(t, ada).Data
	if out := runProgram(t, environment, "members", "invitations"); len(open) != 1 || !strings.Contains(out.stdout, string(open[0].ID)) {
		t.Fatalf("%+v", out)
	}
	if out := runProgram(t, environment, "members", "withdraw", string(open[0].ID), "--yes"); out.code != 0 || len(s.openInvitations(t, ada).Data) != 0 {
		t.Errorf("%+v", out)
	}
	grant := func(organization, amount string) output {
		return runProgram(t, settingsOf(db), "admin", "grant-credits", "--organization", organization, "--amount", amount)
	}
	if out := grant(string(ada.organization), "500"); out.code != 0 || !strings.Contains(out.stdout, "10500") {
		t.Errorf("%+v", out)
	}
	for _, wrong := range [][2]string{{unknownID, "500"}, {"x", "500"}, {string(ada.organization), "0"}, {string(ada.organization), "-5"}} {
		if out := grant(wrong[0], wrong[1]); out.code != 1 || out.stderr == "" {
			t.Errorf("%v: %+v", wrong, out)
		}
	}
	if n := s.number(t, `SELECT sum(amount) FROM credit_transactions WHERE organization_id = $1`, ada.organization); n != 10_500 {
		t.Errorf("the ledger sums to %d", n)
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "crier"}
	(&app{now: time.Now}).addShell(root)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd != root && (cmd.Example == "" || cmd.Short == "") {
			t.Errorf("%s has no example or no summary", cmd.CommandPath())
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
	if out := runProgram(t, nil, "completion", "bash"); out.code != 0 || !strings.Contains(out.stdout, "__start_crier") {
		t.Errorf("completion: %d %s", out.code, out.stderr)
	}
}

func TestTheDoctorMakesNothing(t *testing.T) {
	t.Parallel()
	for _, present := range []string{"", "crier.db"} {
		dir := filepath.Join(t.TempDir(), "data")
		if present != "" {
			if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, present), nil, 0o600)); err != nil {
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

func TestTheDoctorFindsAWrongKeyAndAMissingServer(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		before := s.snapshot(t)
		healthy := append(settingsOf(db), "CRIER_PUBLIC_URL="+s.url, "CRIER_SANDBOX=on")
		if out := runProgram(t, healthy, "doctor", "--json"); out.code != 0 {
			t.Errorf("a healthy installation: %+v", out)
		}
		sick := append(settingsOf(db), "CRIER_SECRET_KEY="+strings.Repeat("f", 32), "CRIER_PUBLIC_URL=http://127.0.0.1:1", "CRIER_SANDBOX=on")
		out := runProgram(t, sick, "doctor", "--json")
		var findings []finding
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
		s.wantUnchanged(t, before)
	})
}
