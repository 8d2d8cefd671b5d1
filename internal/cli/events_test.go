package cli_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/nettest"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// newListener returns a person on a server whose webhooks may connect to this machine.
func newListener(t *testing.T) crew {
	t.Helper()
	s := servertest.Start(t, servertest.Databases.Fresh(t, store.SQLite), func(c *server.Config) {
		c.WebhookAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	created := s.NewCrew(t, 1000)
	return crew{person: newPerson(t, s.URL, created.Key), Crew: created, server: s}
}

// lines returns what is written, line by line.
func lines(t *testing.T) (io.Writer, func(with string) string) {
	t.Helper()
	reader, writer := io.Pipe()
	written := make(chan string, 1000)
	go func() {
		for s := bufio.NewScanner(reader); s.Scan(); {
			written <- s.Text()
		}
	}()
	return writer, func(with string) string {
		t.Helper()
		for late := time.After(2 * time.Minute); ; {
			select {
			case line := <-written:
				if strings.Contains(line, with) {
					return line
				}
			case <-late:
				t.Fatalf("nothing says %q", with)
			}
		}
	}
}

// startReceiver runs examples/webhook-receiver, as a person would, and returns its log lines.
func startReceiver(t *testing.T, address, secret string) (logs func(with string) string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "receiver")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "crier/examples/webhook-receiver")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	output, logs := lines(t)
	run := exec.CommandContext(t.Context(), program)
	run.Env, run.Stderr = append(os.Environ(), "LISTEN="+address, "SECRET="+secret), output
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Kill(); _ = run.Wait() })
	for deadline := time.Now().Add(2 * time.Minute); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = conn.Close()
			return logs
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func TestWebhooksReachTheExampleReceiver(t *testing.T) {
	t.Parallel()
	c := newListener(t)
	address := nettest.FreeAddress(t)
	var created crier.WebhookWithSecret
	c.run(t, "webhooks", "create", "http://"+address, "--types", "post.deleted", "--json").want(t, 0).into(t, &created)
	logs := startReceiver(t, address, created.Secret)
	var tested crier.WebhookTested
	c.run(t, "webhooks", "test", string(created.ID), "--json").want(t, 0).into(t, &tested)
	logs(string(tested.EventID))
	c.run(t, "webhooks", "edit", "http://"+address, "--types", "post.created", "--description", "Mine").want(t, 0,
		"receives post.created")
	c.run(t, "webhooks", "edit", "http://"+address).want(t, 2)
	c.run(t, "posts", "create", "Hello").want(t, 0)
	logs(`"post.created"`)
	var page crier.Page[crier.WebhookDelivery]
	for page.Total < 2 || page.Data[0].Status != crier.WebhookDelivered {
		c.run(t, "webhooks", "deliveries", "http://"+address, "--json").want(t, 0).into(t, &page)
	}
	d := page.Data[0]
	if d.Attempts[0].Status != 200 || d.RequestBody == nil || !strings.Contains(*d.RequestBody, "post.created") {
		t.Errorf("the delivery is %+v", d)
	}
	c.run(t, "webhooks", "redeliver", "http://"+address, string(d.ID)).want(t, 0, "pending")
	for d.Tries != 1 || len(d.Attempts) != 2 {
		c.run(t, "webhooks", "deliveries", "http://"+address, "--json").want(t, 0).into(t, &page)
		d = page.Data[0]
	}
	c.run(t, "webhooks", "replay", "http://"+address, "--from", "today 00:00").want(t, 0, "1 event will be sent again")
	// With a new secret the receiver, which knows the old one, rejects the events.
	c.run(t, "webhooks", "rotate", "http://"+address, "--yes").want(t, 0, "whsec_")
	c.run(t, "webhooks", "test", "http://"+address, "--json").want(t, 0).into(t, &tested)
	for d.EventID != tested.EventID || len(d.Attempts) == 0 {
		c.run(t, "webhooks", "deliveries", "http://"+address, "--json").want(t, 0).into(t, &page)
		d = page.Data[0]
	}
	if d.Attempts[0].Status != 401 || d.NextAttemptAt == nil {
		t.Errorf("the delivery is %+v", d)
	}
	c.run(t, "webhooks", "deliveries", "http://"+address).want(t, 0, "401", "webhook.test")
	first := c.run(t, "webhooks", "deliveries", "http://"+address, "--limit", "1").want(t, 0, "webhook.test",
		"more: crier webhooks deliveries http://"+address+" --limit 1 --cursor ")
	_, next, _ := strings.Cut(first.stdout, "more: crier ")
	c.run(t, strings.Fields(next)...).want(t, 0, "post.created").lacks(t, "webhook.test")
	c.run(t, "webhooks", "delete", "http://"+address, "--yes").want(t, 0)
}

func TestListenForwardsToTheExampleReceiver(t *testing.T) {
	t.Parallel()
	c := newListener(t)
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	address := nettest.FreeAddress(t)
	logs := startReceiver(t, address, secret)
	ctx, stop := context.WithCancel(t.Context())
	stdout, answered := lines(t)
	stderr, said := lines(t)
	code, after := make(chan int, 1), c.lastEvent(t)
	go func() {
		code <- c.start(ctx, strings.NewReader(""), stdout, stderr, "listen", "--forward-to", address,
			"--secret", secret, "--after", after)
	}()
	said("signed with the secret")
	c.run(t, "posts", "create", "Hello").want(t, 0)
	logs(`"post.created"`)
	answered("200 (")
	stop()
	if got := <-code; got != 0 {
		t.Errorf("listen ended with %d", got)
	}
}

// lastEvent triggers an event and returns its id.
func (c crew) lastEvent(t *testing.T) string {
	t.Helper()
	c.run(t, "posts", "create", "Before").want(t, 0)
	out := strings.Split(strings.TrimSpace(c.run(t, "events", "--json").want(t, 0).stdout), "\n")
	_, id, _ := strings.Cut(out[len(out)-1], `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	if id == "" {
		t.Fatalf("no event has an id: %q", out)
	}
	return id
}

func TestEventsAreListedAndFollowed(t *testing.T) {
	t.Parallel()
	c := newListener(t)
	ctx, stop := context.WithCancel(t.Context())
	stdout, followed := lines(t)
	code := make(chan int, 1)
	after := c.lastEvent(t)
	go func() {
		code <- c.start(ctx, strings.NewReader(""), stdout, io.Discard, "events", "--follow", "--json", "--types",
			"post.created,post.deleted", "--after", after)
	}()
	c.run(t, "posts", "create", "Hello").want(t, 0)
	followed(`"type":"post.created"`)
	stop()
	if got := <-code; got != 0 {
		t.Errorf("events --follow ended with %d", got)
	}
	c.run(t, "events", "--types", "post.created").want(t, 0, "post.created").lacks(t, "post.deleted")
	c.run(t, "events", "--types", "post.made").want(t, 2)
	c.run(t, "events", "--after", "nonsense").want(t, 2)
}
