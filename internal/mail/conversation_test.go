package mail

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
)

// scripted is a server that answers commands as a test says: refusals of each kind, which a willing server never makes.
// It answers what begins with a command of the list by its line, and everything else by 250.
func scripted(t *testing.T, answers map[string]string) (addr string, received func() []string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan []string, 1)
	go func() {
		var got []string
		defer func() { lines <- got }()
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		greeting := answers["greeting"]
		if greeting == "" {
			greeting = "220 mail.test"
		}
		_, _ = io.WriteString(conn, greeting+"\r\n")
		inMessage := false // its lines are not answered, except for the last one
		for scanner := bufio.NewScanner(conn); scanner.Scan(); {
			got = append(got, scanner.Text())
			if inMessage && scanner.Text() != "." {
				continue
			}
			answer := reply(answers, scanner.Text())
			if _, err := io.WriteString(conn, answer+"\r\n"); err != nil {
				return
			}
			inMessage = strings.HasPrefix(answer, "354")
		}
	}()
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String(), func() []string { _ = listener.Close(); return <-lines }
}

func reply(answers map[string]string, line string) string {
	for command, answer := range answers {
		if strings.HasPrefix(strings.ToUpper(line), command) {
			return answer
		}
	}
	if strings.HasPrefix(line, "QUIT") {
		return "221 bye"
	}
	return "250 ok"
}

func TestSendTellsWhichStepTheServerRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		answers map[string]string
		login   string
		want    string
	}{
		{"the greeting", map[string]string{"greeting": "554 no service"}, "",
			"reach the mail server 127.0.0.1: 554 \"no service\""},
		{"the sender", map[string]string{"MAIL": "550 not from here"}, "",
			"send mail through 127.0.0.1: 550 \"not from here\""},
		{"the recipient", map[string]string{"RCPT": "550 no such user"}, "",
			"send mail through 127.0.0.1: 550 \"no such user\""},
		{"the message", map[string]string{"DATA": "552 too large"}, "",
			"send mail through 127.0.0.1: 552 \"too large\""},
		{"STARTTLS", map[string]string{"EHLO": "250-mail.test\r\n250 STARTTLS", "STARTTLS": "454 not now"}, "",
			"reach the mail server 127.0.0.1: start TLS: 454 \"not now\""},
		{"the login", map[string]string{"EHLO": "250-mail.test\r\n250 AUTH PLAIN", "AUTH": "535 wrong"}, "ada:hush@",
			"reach the mail server 127.0.0.1: 535 \"wrong\""},
		{"any login", map[string]string{"EHLO": "250 mail.test", "AUTH": "502 what?"}, "ada:hush@",
			"reach the mail server 127.0.0.1: 502 \"what?\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			addr, received := scripted(t, c.answers)
			err := newSender(t, "smtp://"+c.login+addr+"?tls=off").Send(t.Context(), "ada@example.com", "s", "t")
			if err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			if lines := received(); c.login == "" && slices.ContainsFunc(lines, func(line string) bool {
				return strings.HasPrefix(line, "AUTH")
			}) {
				t.Errorf("somebody without a login signed in: %q", lines)
			}
		})
	}
}

func TestSendIsDoneOnceTheServerHasTheMessage(t *testing.T) {
	t.Parallel()
	addr, received := scripted(t, map[string]string{"DATA": "354 go on", "QUIT": "421 gone"})
	if err := newSender(t, "smtp://"+addr+"?tls=off").Send(t.Context(), "ada@example.com", "s",
		"one line"); err != nil {
		t.Errorf("a server that ends badly after it took the message: %v", err)
	}
	all := strings.Join(received(), "\n")
	for _, want := range []string{"MAIL FROM:<noreply@example.com>", "RCPT TO:<ada@example.com>", "DATA",
		"one line\n."} {
		if !strings.Contains(all, want) {
			t.Errorf("%q was not said:\n%s", want, all)
		}
	}
}

func TestSendReachesNobodyWhereNobodyIs(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close()
	err = newSender(t, "smtp://ada:hush@"+addr+"?tls=off").Send(t.Context(), "ada@example.com", "s", "t")
	if err == nil || !strings.HasPrefix(err.Error(), "reach the mail server 127.0.0.1: ") ||
		strings.Contains(err.Error(), "hush") {
		t.Errorf("nobody listens: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newSender(t, "smtp://"+addr).Send(ctx, "ada@example.com", "s", "t"); !errors.Is(err, context.Canceled) {
		t.Errorf("a job that was given up: %v", err)
	}
}

func TestWrappedServersSpeakTLSFromTheFirstByte(t *testing.T) {
	t.Parallel()
	addr, _ := scripted(t, nil) // it speaks in the clear
	err := newSender(t, "smtps://"+addr).Send(t.Context(), "ada@example.com", "s", "t")
	if _, ok := errors.AsType[tls.RecordHeaderError](err); !ok {
		t.Errorf("a server without TLS: %v", err)
	}
}

func TestAddressesOfServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server, host, port string
		wrapped, optional  bool
		login              *url.Userinfo
	}{
		{"smtp://mail.example.com", "mail.example.com", "587", false, false, nil},
		{"smtp://mail.example.com/", "mail.example.com", "587", false, false, nil},
		{"smtp://mail.example.com:25?tls=off", "mail.example.com", "25", false, true, nil},
		{"smtps://mail.example.com", "mail.example.com", "465", true, false, nil},
		{"smtps://mail.example.com:2465", "mail.example.com", "2465", true, false, nil},
		{"smtp://[2001:db8::1]:25", "2001:db8::1", "25", false, false, nil},
		{"smtp://ada%40example.com:h%3Ash@mail.example.com", "mail.example.com", "587", false, false,
			url.UserPassword("ada@example.com", "h:sh")},
		{"smtp://ada@mail.example.com", "mail.example.com", "587", false, false, url.User("ada")},
	} {
		s := newSender(t, c.server)
		if s.host != c.host || s.port != c.port || s.wrapped != c.wrapped || s.optional != c.optional ||
			s.login.String() != c.login.String() || s.tls.ServerName != c.host || s.tls.MinVersion != tls.VersionTLS12 {
			t.Errorf("%s is %+v", c.server, s)
		}
	}
	const rule = "must be an address such as smtp://mail.example.com:587 or smtps://mail.example.com, with " +
		"user:password@ before the host if it requires them"
	for server, want := range map[string]string{
		"":                                    rule,
		"smtp:mail.example.com":               rule,
		"smtp://mail.example.com/inbox":       rule,
		"smtp://ada:hu%zzsh@mail.example.com": rule,
		"imap://mail.example.com":             rule,
		"smtp://mail.example.com?tls=on":      "has an unknown option; only ?tls=off is supported",
	} {
		if _, err := New(server, from, time.Now); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", server, err, want)
		}
	}
	if _, err := New("smtp://mail.example.com", "crier", time.Now); err == nil ||
		err.Error() != `needs a sender such as "crier <noreply@example.com>", got "crier"` {
		t.Errorf("a sender without an address: %v", err)
	}
}

func TestComposedMessagesAreMadeForEveryServer(t *testing.T) {
	t.Parallel()
	s := newSender(t, "smtp://mail.example.com")
	s.now = func() time.Time { return time.Date(2026, 11, 16, 12, 0, 0, 0, time.FixedZone("", 3600)) }
	text := strings.Repeat("ü", 500) + "\n" + strings.Repeat("x", 2000) + "\n.\nEnd = here \n"
	message, err := s.compose("ada@example.com", strings.Repeat("Ä", 100), text)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(message), "\r\n"), "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("a line of %d bytes: %.60q", len(line), line)
		}
		for _, b := range []byte(line) {
			if b > 126 {
				t.Fatalf("%q is not plain", line)
			}
		}
	}
	for _, want := range []string{"Date: Mon, 16 Nov 2026 12:00:00 +0100\r\n", "Auto-Submitted: auto-generated\r\n",
		"From: \"crier\" <noreply@example.com>\r\n", "To: <ada@example.com>\r\n", "@mail.example.com>\r\n",
		"Content-Type: text/plain; charset=utf-8\r\n"} {
		if !strings.Contains(string(message), want) {
			t.Errorf("%q is not in\n%.600s", want, message)
		}
	}
	for _, to := range []crier.Email{"", "ada", "ada@example.com\r\nBcc: eve@example.com", "a b@example.com"} {
		if _, err := s.compose(to, "s", "t"); err == nil || !strings.HasPrefix(err.Error(), "the recipient ") {
			t.Errorf("%q: %v", to, err)
		}
	}
}
