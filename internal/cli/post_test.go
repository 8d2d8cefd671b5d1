//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"crier"
	"crier/internal/cli"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
)

// writeFile writes a file of a test and returns its path.
func writeFile(t *testing.T, name string, data []byte, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	// a program started concurrently would hold the file open for writing, and it could not be executed
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, data, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFullPostIsShownBeforeThePrompt(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x", "linkedin", "tiktok")
	photo := writeFile(t, "chart.png", mediatest.PNG(640, 480), 0o600)
	long := strings.Repeat("A long line that a preview must not cut. ", 4)
	thread := writeFile(t, "thread.md", []byte("First part\n"+long+"\n---\nSecond part\n"), 0o600)
	args := []string{"post", "-f", thread, "--thread", "--media", photo, "--alt", "Sales by month", "--to",
		"twitter,linkedin,tiktok", "--at", "tomorrow 9:00", "--first-comment", "And you?", "--repeat", "weekly",
		"--set", "tiktokPrivacyLevel=SELF_ONLY"}
	for _, answer := range []string{"n\n", "\n", ""} { // the last one closes the terminal
		r := c.answering(t, answer, args...)
		if r.code == 0 || c.posts(t) != 0 || c.assets(t) != 0 {
			t.Errorf("after %q: %+v", answer, r)
		}
		if answer == "n\n" {
			r.want(t, 1, "Part 1 of 2\n  First part\n  "+strings.TrimSpace(long), "Part 2 of 2\n  Second part\n",
				"chart.png (image/png", "640×480", "Sales by month", "First comment\n  And you?", "every 7 days",
				"tiktokPrivacyLevel = ", "ok       X ", "refused  ", "in ", " free credits",
				"? [y/N]", "nothing was changed")
		}
	}
	r := c.answering(t, "y\n", args...)
	r.want(t, 1, "scheduled", "of 3 accounts did not accept the post:", "TikTok")
	if c.posts(t) != 1 || c.assets(t) != 1 {
		t.Errorf("what was agreed to was not kept: %+v", r)
	}
}

func TestPostFromOneCommand(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x", "linkedin")
	var out crier.ScheduleResult
	c.run(t, "post", "Hello from the shell", "--to", "twitter", "--yes", "--json").want(t, 0).into(t, &out)
	if len(out.Data) != 1 || out.Data[0].ScheduledPost.Status != crier.Published {
		t.Fatalf("%+v", out)
	}
	if texts := c.box.Timeline(t, c.Accounts[0]); len(texts) != 1 || texts[0].Text != "Hello from the shell" {
		t.Errorf("the timeline has %+v", texts)
	}
	post := string(out.Data[0].ScheduledPost.ContentItemID)
	c.run(t, "posts", "show", post).want(t, 0,
		"NETWORK", "X ", "published", "LATE", out.Data[0].ScheduledPost.Permalink)
	attempts := c.run(t, "posts", "attempts", post).want(t, 0, "OPERATION", "X ").stdout
	if !regexp.MustCompile(` publish +1 `).MatchString(attempts) { // parts are shown counting from one
		t.Errorf("the attempts do not say that part 1 was published:\n%s", attempts)
	}
	metrics := strings.Split(c.run(t, "metrics", post).want(t, 0, "LIKES").stdout, "\n")
	if at := strings.Index(metrics[0], "IMPRESSIONS"); !strings.HasPrefix(metrics[1][at:], "–") {
		t.Errorf("the columns are not in line:\n%s", strings.Join(metrics, "\n"))
	}
	c.run(t, "calendar").want(t, 0, "Mon", " today", "Hello from the shell", "published")
	narrow := c.person
	narrow.environ = append(slices.Clone(c.environ), "COLUMNS=40")
	narrow.run(t, "calendar").want(t, 0, "Hello from the shell").lacks(t, "+--")
	// a published post is published again only on request, in the terms of the shell
	c.run(t, "posts", "now", post, "--to", "twitter", "--yes").want(t, 1, "Add --again").lacks(t, "allowRepublish")
	c.run(t, "posts", "now", post, "--to", "twitter", "--yes", "--again").lacks(t, "Add --again")
}

// A command that ends before the answer arrives must not invite to post again: the post may be public.
func TestInterruptedWhilePublishingSaysThatItMayBePublic(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	target, err := url.Parse(c.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	draft := c.run(t, "posts", "create", "--text", "Hello", "--json").id(t)
	for _, command := range [][]string{
		{"post", "Hello", "--to", "x", "--yes"}, {"posts", "now", draft, "--to", "x", "--yes"},
		{"post", "Hello later", "--to", "x", "--next-slot", "--yes"},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		forward := httputil.NewSingleHostReverseProxy(target)
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/post-now") && !strings.HasSuffix(r.URL.Path, "/schedule") {
				forward.ServeHTTP(w, r)
				return
			}
			forward.ServeHTTP(httptest.NewRecorder(), r)
			interrupt()
			<-r.Context().Done() // the command has ended without the answer
		}))
		var stdout, stderr bytes.Buffer
		newPerson(t, proxy.URL, c.Key).execute(ctx, strings.NewReader(""), &stdout, &stderr, command...).
			want(t, 130, "interrupted", "the post may be", "Look before you try again: crier posts show ").
			lacks(t, "draft was saved")
		proxy.Close()
	}
	if posts := c.box.Timeline(t, c.Accounts[0]); len(posts) == 0 {
		t.Error("nothing was published")
	}
}

// A conflict is an answer: nothing happened, and the draft is there.
func TestRefusedPublishingSaysThatTheDraftWasSaved(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	target, err := url.Parse(c.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/schedule") { // somebody else is faster
			c.run(t, "teams", "edit", string(c.Team), "--require-approval").want(t, 0)
		}
		forward.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	newPerson(t, proxy.URL, c.Key).run(t, "post", "Hello", "--to", "x", "--at", "tomorrow 9:00", "--yes").want(t, 6,
		"This team publishes approved posts only", "(the draft was saved: crier posts show ").lacks(t, "may be")
	draft := c.run(t, "posts", "create", "--text", "Hello", "--json").id(t)
	c.run(t, "posts", "now", draft, "--to", "x", "--yes").want(t, 6, "approved posts only").lacks(t, "may be")
}

func TestPostIsNotOfferedWhereApprovalIsRequired(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	c.run(t, "teams", "edit", string(c.Team), "--require-approval").want(t, 0)
	for _, flag := range []string{"--yes", "--dry-run"} {
		c.run(t, "post", "Hello", "--to", "x", "--media", writePhoto(t), flag).want(t, 6, "A crew requires approval",
			"'crier posts create'", "'crier posts status POST approved'").lacks(t, "ok ")
	}
	if c.posts(t) != 0 || c.assets(t) != 0 {
		t.Error("a post was stored that cannot be published")
	}
}

func TestTextFromStdin(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x", "linkedin")
	var out crier.ScheduleResult
	c.runWith(t, strings.NewReader("text\n"), "post", "--to", "x,linkedin", "--next-slot", "--yes", "--json").
		want(t, 0).into(t, &out)
	if out.Outcome.SuccessCount != 2 {
		t.Errorf("%+v", out)
	}
	var page crier.Page[crier.Post]
	c.run(t, "posts", "list", "--json").want(t, 0).into(t, &page)
	if page.Total != 1 || page.Data[0].Text != "text" {
		t.Errorf("%+v", page)
	}
	c.runWith(t, strings.NewReader("nobody to ask"), "post", "--to", "x", "--next-slot").want(t, 10, "--yes")
	if c.posts(t) != 1 {
		t.Error("a post was stored that nobody agreed to")
	}
}

func TestDryRunShowsVerdictsAndStoresNothing(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x", "instagram")
	c.run(t, "post", "Words alone", "--dry-run").want(t, 1, "ok       X ", "refused  Instagram", "1 of 2 accounts")
	c.run(t, "post", "Words alone", "--to", "x", "--next-slot", "--dry-run").want(t, 0, "the next free slot", "11/280")
	var v crier.ValidationResult
	c.run(t, "post", "Words alone", "--to", "x", "--dry-run", "--json").want(t, 0).into(t, &v)
	if len(v.Data) != 1 || !v.Data[0].OK {
		t.Errorf("%+v", v)
	}
	c.run(t, "post", "Words alone", "--to", "instagram", "--yes").want(t, 1,
		"no account accepts the post, so nothing was stored", "(--media)")
	c.run(t, "post", "Words", "--to", "x", "--at", "2026-01-01 09:00", "--dry-run").want(t, 2, "--at must be").
		lacks(t, "scheduledAt")
	c.run(t, "post", "Words", "--to", "x", "--set", "xNonsense=1", "--dry-run").want(t, 2, "--set xNonsense")
	c.run(t, "post", strings.Repeat("x", 300), "--to", "x", "--dry-run").want(t, 1, "the text is too long").
		lacks(t, "postInput")
	c.run(t, "post", "Words", "--to", "nowhere", "--dry-run").want(t, 5, "crier accounts list")
	c.run(t, "post", "Words", "--media", "./missing.png", "--dry-run").want(t, 2, "there is no file ./missing.png")
	c.run(t, "post", "Words", "--media", "https://example.com/photo.jpg", "--dry-run").want(t, 2,
		"crier media import https://example.com/photo.jpg")
	if c.posts(t) != 0 {
		t.Error("a dry run has stored a post")
	}
}

func TestRefusedStoredPostIsNotSaidToBeGone(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "instagram")
	post := c.run(t, "posts", "create", "Words alone", "--json").id(t)
	for _, k := range []struct {
		args   []string
		undone string
	}{
		{[]string{"now", post, "--yes"}, "published"}, {[]string{"validate", post}, "published"},
		{[]string{"validate", post, "--next-slot"}, "scheduled"},
		{[]string{"schedule", post, "--next-slot", "--yes"}, "scheduled"},
	} {
		c.run(t, append([]string{"posts"}, k.args...)...).want(t, 1, "Instagram", " needs ",
			"no account accepts the post, so nothing was "+k.undone+":").lacks(t, "--media")
	}
}

func TestInsufficientCreditsExitWith7(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	c.Crew = c.server.NewCrew(t, 0, "x")
	c.person = newPerson(t, c.server.URL, c.Key)
	c.run(t, "post", "Hello", "--to", "x", "--yes").want(t, 7, "costs", "0 are free")
	c.run(t, "post", "Hello", "--to", "x", "--next-slot", "--yes").want(t, 7, "credits")
	if c.posts(t) != 0 {
		t.Error("a post was stored that nobody can pay for")
	}
}

func TestTextFromAnEditor(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	editor := writeFile(t, "editor", []byte("#!/bin/sh\necho 'Written by hand' >> \"$1\"\n"), 0o700)
	c.environ = append(c.environ, "EDITOR="+editor)
	created := c.run(t, "posts", "create", "--edit", "--title", "Note", "--json").id(t)
	c.run(t, "posts", "show", created).want(t, 0, "Written by hand", "Note")
	c.run(t, "posts", "edit", created, "--edit").want(t, 0, "Written by hand\n  Written by hand")
	c.environ = append(c.environ[:len(c.environ)-1], `EDITOR=sh -c 'echo "$1, by $0" > "$2"' "an editor" 'two words'`)
	quoted := c.run(t, "posts", "create", "--edit", "--json").id(t)
	c.run(t, "posts", "show", quoted).want(t, 0, "two words, by an editor")
	c.run(t, "posts", "edit", created, "--title", "Other").want(t, 0, "Title   Other")
	c.run(t, "posts", "edit", created, "--title", "").want(t, 0, "Written by hand").lacks(t, "Title")
	c.run(t, "posts", "edit", created).want(t, 2, "there is nothing to change")
	nothing := writeFile(t, "nothing", []byte("#!/bin/sh\n"), 0o700)
	c.environ = append(c.environ[:len(c.environ)-1], "EDITOR="+nothing)
	c.run(t, "post", "--edit", "--to", "x", "--yes").want(t, 2, "there is no text")
	c.environ = append(c.environ[:len(c.environ)-1], "EDITOR=false")
	c.run(t, "post", "--edit", "--to", "x", "--yes").want(t, 1, "set EDITOR")
}

func TestEditedTextIsKeptUntilStored(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	editor := writeFile(t, "editor",
		[]byte("#!/bin/sh\necho 'Written by hand' >> \"$1\"\necho \"$1\" > \"$HOME/path\"\n"), 0o700)
	c.environ = append(c.environ, "EDITOR="+editor)
	file := func() (path, content string) {
		t.Helper()
		name, err := os.ReadFile(filepath.Join(c.home, "path"))
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(strings.TrimSpace(string(name))) // it may be gone
		return strings.TrimSpace(string(name)), string(data)
	}
	lost := func(r result, code int) {
		t.Helper()
		path, content := file()
		r.want(t, code, "Your text is in "+path, "--edit --file "+path)
		if content != "Written by hand\n" {
			t.Errorf("the file has %q", content)
		}
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
	lost(c.answering(t, "n\n", "post", "--edit", "--to", "x"), 1)
	lost(c.run(t, "post", "--edit", "--to", "nowhere", "--yes"), 5)
	lost(c.run(t, "post", "--edit", "--to", "x", "--dry-run"), 0)
	lost(c.run(t, "posts", "create", "--edit", "--media", "nothing.png"), 5)
	for _, args := range [][]string{{"post", "--edit", "--to", "x", "--yes"}, {"posts", "create", "--edit"}} {
		c.run(t, args...).want(t, 0).lacks(t, "Your text is in")
		if path, content := file(); content != "" {
			t.Errorf("%v: %s stayed behind", args, path)
		}
	}
}

// While a person writes, somebody else changes the post: their text is not overwritten, and that of the person is kept.
func TestEditDoesNotOverwriteWhatSomebodyElseWrote(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	typed := filepath.Join(c.home, "typed")
	if err := syscall.Mkfifo(typed, 0o600); err != nil {
		t.Fatal(err)
	}
	editor := writeFile(t, "editor", []byte("#!/bin/sh\ncat \"$HOME/typed\" > \"$1\"\n"), 0o700)
	c.environ = append(c.environ, "EDITOR="+editor)
	post := c.run(t, "posts", "create", "As it was", "--json").id(t)
	edited := make(chan result, 1)
	go func() {
		var stdout, stderr bytes.Buffer
		edited <- c.execute(t.Context(), strings.NewReader(""), &stdout, &stderr, "posts", "edit", post, "--edit")
	}()
	keyboard, err := os.OpenFile(typed, os.O_WRONLY, 0) // once the editor is open
	if err != nil {
		t.Fatal(err)
	}
	c.run(t, "posts", "edit", post, "--text", "Somebody else's").want(t, 0)
	if _, err := keyboard.WriteString("Mine\n"); err != nil {
		t.Fatal(err)
	}
	if err := keyboard.Close(); err != nil {
		t.Fatal(err)
	}
	r := <-edited
	r.want(t, 6, "Nothing was changed", "crier posts show "+post, "Your text is in ")
	c.run(t, "posts", "show", post).want(t, 0, "Somebody else's").lacks(t, "Mine")
	_, kept, _ := strings.Cut(r.stderr, "--edit --file ")
	path, _, _ := strings.Cut(kept, "\n")
	if data, err := os.ReadFile(path); err != nil || string(data) != "Mine\n" {
		t.Errorf("the text of the person is %q, %v", data, err)
	}
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
}

// slowly is a terminal whose person types y after something else has happened.
type slowly struct {
	meanwhile func()
	typed     *strings.Reader
}

func (a slowly) Read(p []byte) (int, error) {
	a.meanwhile()
	return a.typed.Read(p)
}

func (slowly) Close() error { return nil }

func TestOnlyTheContentThatWasShownIsPublished(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	post := c.run(t, "posts", "create", "Shown", "--json").id(t)
	for _, args := range [][]string{{"posts", "schedule", post, "--at", "+1d"}, {"posts", "now", post}} {
		var stderr bytes.Buffer
		shell := cli.New(cli.Config{Environ: c.environ, Stdin: strings.NewReader(""), Stdout: io.Discard,
			Stderr: &stderr, Now: time.Now, Terminal: func() (io.ReadCloser, error) {
				return slowly{typed: strings.NewReader("y\n"), meanwhile: func() {
					c.run(t, "posts", "edit", post, "--text", "Not shown before "+args[1]).want(t, 0)
				}}, nil
			}})
		err := cli.Execute(t.Context(), shell.Root("  crier whoami"), args)
		if code := cli.ExitCode(err); code != 6 || !strings.Contains(stderr.String(), "[y/N]") {
			t.Errorf("%v ended with %d: %v\n%s", args, code, err, stderr.String())
		}
		c.run(t, "posts", "show", post).want(t, 0, "draft, unscheduled")
	}
}

func TestRefusedEditLeavesNoFile(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	post := c.run(t, "posts", "create", "Hello", "--json").id(t)
	photo := writePhoto(t)
	c.run(t, "posts", "edit", post, "--media", photo, "--media", "nothing.png").want(t, 5)
	c.run(t, "posts", "edit", post, "--media", photo, "--title", strings.Repeat("long ", 1000)).want(t, 2)
	c.run(t, "posts", "schedule", post, "--to", "x", "--at", "+1d", "--yes").want(t, 0)
	c.run(t, "posts", "edit", post, "--media", photo).want(t, 10, "This post is scheduled")
	c.answering(t, "n\n", "posts", "edit", post, "--media", photo).want(t, 1, "nothing was changed")
	if n := c.assets(t); n != 0 {
		t.Errorf("%d files stayed in the media library", n)
	}
	c.run(t, "posts", "edit", post, "--media", photo, "--yes").want(t, 0, "Media ")
	if n := c.assets(t); n != 1 {
		t.Errorf("%d files are in the media library", n)
	}
}

func TestEditorArtifactsAreStripped(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	windows := writeFile(t, "windows.md", []byte("\xef\xbb\xbfOne\r\nline\r\n---\r\nTwo\r\n"), 0o600)
	c.run(t, "post", "-f", windows, "--thread", "--to", "x", "--dry-run").
		want(t, 0, "Part 1 of 2\n  One\n  line\n", "Part 2 of 2\n  Two\n", "8/280 3/280")
	c.runWith(t, strings.NewReader("One\r\n"), "post", "--to", "x", "--dry-run").want(t, 0, "3/280")
	c.run(t, "post", "-f", writePhoto(t), "--to", "x", "--dry-run").want(t, 2, "not UTF-8", "--media")
}

func TestRejectedDraftLeavesNoFile(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	c.run(t, "posts", "create", "Hello", "--media", writePhoto(t), "--media", "nothing.png").want(t, 5)
	c.run(t, "posts", "create", "Hello", "--media", writePhoto(t), "--title", strings.Repeat("long ", 1000)).want(t, 2)
	if n := c.assets(t); n != 0 {
		t.Errorf("%d files stayed in the media library", n)
	}
}

// The draft is stored, and only the answer is lost: its files stay with it.
func TestDraftWhoseAnswerWasLostKeepsItsFiles(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	target, err := url.Parse(c.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	forward := httputil.NewSingleHostReverseProxy(target)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/posts") {
			forward.ServeHTTP(w, r)
			return
		}
		forward.ServeHTTP(httptest.NewRecorder(), r)
		interrupt()
		<-r.Context().Done() // the command has ended without the answer
	}))
	defer proxy.Close()
	var stdout, stderr bytes.Buffer
	newPerson(t, proxy.URL, c.Key).execute(ctx, strings.NewReader(""), &stdout, &stderr, "posts", "create", "Hello",
		"--media", writePhoto(t)).want(t, 130, "not known whether the draft was saved")
	if posts, files := c.posts(t), c.assets(t); posts != 1 || files != 1 {
		t.Errorf("there are %d posts and %d files", posts, files)
	}
}

func TestEditingAThreadKeepsItsAttachments(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	photo := writeFile(t, "chart.png", mediatest.PNG(64, 64), 0o600)
	thread := writeFile(t, "thread.md", []byte("One\n---\nTwo\n"), 0o600)
	created := c.run(t, "posts", "create", "-f", thread, "--thread", "--media", photo, "--alt", "A chart",
		"--json").id(t)
	c.run(t, "posts", "edit", created, "--text", "Eins\n---\nZwei", "--thread").want(t, 0, "Part 1 of 2\n  Eins",
		"Media     chart.png (image/png, ", ", 64×64): A chart", "Part 2 of 2\n  Zwei")
	c.run(t, "posts", "validate", created, "--to", "x").want(t, 0, "chart.png (image/png, ")
	c.run(t, "posts", "schedule", created, "--to", "x", "--at", "+1d", "--yes").want(t, 0, "scheduled")
	// a change of a scheduled post will be published: it needs confirmation
	c.run(t, "posts", "edit", created, "--text", "Alone").want(t, 10, "This post is scheduled")
	c.run(t, "posts", "edit", created, "--text", "Alone", "--yes").want(t, 0, "Text\n  Alone", "A chart")
}

func TestEditWhereApprovalIsRequiredCancelsWhatIsScheduled(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x", "linkedin")
	c.run(t, "teams", "edit", string(c.Team), "--require-approval").want(t, 0)
	post := c.run(t, "posts", "create", "Hello", "--json").id(t)
	c.run(t, "posts", "schedule", post, "--at", "+1d", "--yes").want(t, 6, "crier posts status POST approved", "draft")
	c.run(t, "posts", "status", post, "approved").want(t, 0)
	c.run(t, "posts", "schedule", post, "--at", "+1d", "--yes").want(t, 0, "scheduled")
	c.run(t, "posts", "edit", post, "--text", "New").want(t, 10, "returns to draft, and this cancels 2 scheduled "+
		"publications").lacks(t, "will be published")
	shown := c.run(t, "posts", "edit", post, "--text", "New", "--yes").want(t, 0, "draft, unscheduled")
	if strings.Count(shown.stdout, " canceled ") != 2 {
		t.Errorf("the canceled ones are not shown:\n%s", shown.stdout)
	}
}

func TestScheduledPostIsMovedCanceledAndRetried(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x", "linkedin")
	var out crier.ScheduleResult
	c.run(t, "post", "Hello", "--at", "+1d", "--yes", "--json").want(t, 0).into(t, &out)
	id := string(out.Data[0].ScheduledPost.ID)
	c.run(t, "posts", "move", id, "--at", "+2d").want(t, 0, "scheduled")
	var moved crier.ScheduledPost
	c.run(t, "posts", "move", id, "--at", "tomorrow 9:00 Asia/Tokyo", "--json").want(t, 0).into(t, &moved)
	if moved.Timezone != "Asia/Tokyo" || moved.ScheduledAt.UTC().Format("15:04") != "00:00" {
		t.Errorf("moved to %s in %s", moved.ScheduledAt, moved.Timezone)
	}
	post := string(out.Data[0].ScheduledPost.ContentItemID)
	c.run(t, "posts", "move", post, "--at", "+2d").want(t, 5, "is the id of the post", "'crier posts show "+post+"'")
	for _, args := range [][]string{{"cancel"}, {"retry"}, {"resolve", "--outcome", "retry"}} {
		command := slices.Concat([]string{"posts", args[0], id}, args[1:])
		c.run(t, command...).want(t, 10, "--yes", "  X ", "scheduled", "\n  Hello\n")
		command[2] = servertest.UnknownID // a missing post is not asked about
		c.run(t, command...).want(t, 5).lacks(t, "--yes")
	}
	c.run(t, "posts", "resolve", id, "--outcome", "maybe").want(t, 2, "--outcome must be one of")
	c.run(t, "posts", "cancel", id, "--yes").want(t, 0, "canceled")
	c.server.SetStatus(t, string(out.Data[1].ScheduledPost.ID), crier.Failed)
	other := string(out.Data[1].ScheduledPost.ID)
	c.server.Exec(t, `UPDATE publications SET error_message = $2 WHERE id = $1`, other,
		"The network said no, and then it said at some length why: the end.")
	c.run(t, "attention").want(t, 0, "LinkedIn", "crier posts retry", other, "why: the end.")
	c.run(t, "posts", "show", other).want(t, 0, post, "The network said no") // the id that was just shown
	c.run(t, "posts", "attempts", other).want(t, 0)
	var newer crier.ScheduleResult
	c.run(t, "posts", "schedule", post, "--to", "linkedin", "--at", "+3d", "--yes", "--json").want(t, 0).into(t, &newer)
	by := string(newer.Data[0].ScheduledPost.ID)
	c.run(t, "attention").want(t, 0, "a newer one has replaced it", other).lacks(t, "posts retry")
	c.run(t, "posts", "show", other).want(t, 0, "the failed one was replaced by "+by)
	c.run(t, "posts", "retry", other).want(t, 6, by, "crier attention dismiss "+other).lacks(t, "--yes")
	c.run(t, "posts", "retry", other, "--yes").want(t, 6, by)
	c.run(t, "posts", "cancel", by, "--yes").want(t, 0, "canceled")
	c.run(t, "attention", "dismiss", other).want(t, 0, "failed")
	c.run(t, "attention").want(t, 0, "Nothing needs attention.")
	c.run(t, "posts", "draft", string(out.Data[0].ScheduledPost.ContentItemID)).want(t, 0, "draft")
	later := c.run(t, "posts", "create", "Taken back", "--json").id(t)
	c.run(t, "posts", "schedule", later, "--to", "x", "--at", "+1d", "--yes").want(t, 0, "scheduled")
	c.run(t, "posts", "list", "--search", "Taken").want(t, 0, "scheduled").lacks(t, "–")
	c.run(t, "posts", "status", later, "archived").want(t, 10, "This cancels what is scheduled", "--yes")
	c.run(t, "posts", "draft", later, "--yes").want(t, 0, "draft")
	listed := c.run(t, "posts", "list", "--search", "Taken").want(t, 0).stdout
	if !regexp.MustCompile(`draft +unscheduled +– +Taken back`).MatchString(listed) {
		t.Errorf("a post that will not go out has a time:\n%s", listed)
	}
}

func TestRecurrenceIncludesItsLastDay(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	day := time.Now().AddDate(0, 0, 30)
	c.run(t, "post", "Hello", "--to", "x", "--at", "+1d", "--repeat", "daily", "--until", day.Format("2006-01-02"),
		"--dry-run").want(t, 0, "until "+day.Format("Mon 2 Jan 2006")+" 23:59")
}

func TestPendingPostsShowHowToFollow(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	c.run(t, "post", "Hello", "--to", "x", "--wait", "0", "--yes").want(t, 0, "Not everything is published yet",
		"crier posts show ")
	c.run(t, "post", "Hello again", "--to", "x", "--wait", "30", "--yes").want(t, 0, "published").
		lacks(t, "Not everything")
}

func TestDeletingExplainsWhatHappensToPublishedPosts(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	draft := c.run(t, "posts", "create", "Hello", "--json").id(t)
	c.run(t, "posts", "delete", draft).want(t, 10).lacks(t, "networks")
	c.run(t, "posts", "now", draft, "--to", "x", "--wait", "30", "--yes").want(t, 0, "published")
	c.run(t, "posts", "delete", draft).want(t, 10, "What was published stays on the networks", "--from-networks")
}

func TestDisconnectedAccountShowsTheRemedy(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	c.run(t, "post", "Hello", "--to", "x", "--at", "+1d", "--yes").want(t, 0, "scheduled")
	c.run(t, "accounts", "disable", "x").want(t, 0)
	id := string(c.Accounts[0].ID)
	c.run(t, "attention").want(t, 0, "at risk; 'crier accounts enable "+id+"' enables it again").lacks(t, "connect ")
	c.run(t, "accounts", "enable", id).want(t, 0, "connected")
	c.run(t, "accounts", "disable", "x").want(t, 0)
	c.run(t, "post", "Hello", "--to", "x", "--yes").want(t, 5, "is disabled", "crier accounts enable")
	c.server.Exec(t, `UPDATE social_accounts SET status = 'refresh_needed', health_issue = 'auth_failed',
		health_message = 'The token has ended.' WHERE id = $1`, c.Accounts[0].ID)
	c.run(t, "post", "Hello", "--to", "twitter", "--yes").want(t, 5, "is refresh_needed", "crier accounts connect x")
	c.run(t, "attention").want(t, 0, "The token has ended. 1 scheduled post is at risk; 'crier accounts connect x'")
}

func TestVariantsPerNetworkAndAccount(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x", "linkedin")
	handle := "a" + string(c.Team[len(c.Team)-8:]) + "_1"
	c.run(t, "post", "For all", "--variant", "twitter=Short", "--variant", "@"+handle+"=For one account", "--dry-run").
		want(t, 0, "Text\n  For all", "Text on X\n  Short", "Text on LinkedIn", "  For one account", "5/280", "15/3000")
	c.run(t, "post", "For all", "--variant", "Short", "--yes").want(t, 2, "twitter=")
	created := c.run(t, "posts", "create", "For all", "--variant", "x=Short", "--json").id(t)
	c.run(t, "posts", "edit", created, "--text", "Better for all").want(t, 0, "Better for all", "Text on X\n  Short")
	c.run(t, "posts", "edit", created, "--variant", "twitter=Shorter").want(t, 0, "Better for all",
		"Text on X\n  Shorter")
}
