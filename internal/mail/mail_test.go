package mail

import (
	"context"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"crier/internal/mail/mailtest"
)

const from = "crier <noreply@example.com>"

func newSender(t *testing.T, server string) *Sender {
	t.Helper()
	s, err := New(server, from, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// read takes a message apart.
func read(t *testing.T, m mailtest.Message) (headers mail.Header, subject, body string) {
	t.Helper()
	parsed, err := mail.ReadMessage(strings.NewReader(m.Data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(parsed.Body))
	if err != nil {
		t.Fatal(err)
	}
	if subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject")); err != nil {
		t.Fatal(err)
	}
	return parsed.Header, subject, string(text)
}

func TestMessageRoundTrip(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	const subject, text = "Grüße an Ada", "Zeile eins\n\n.\nhttps://example.com/?token=abc.def=\nEnde\n"
	if err := newSender(t, "smtp://"+server.Addr+"?tls=off").Send(t.Context(), "ada@example.com", subject,
		text); err != nil {
		t.Fatal(err)
	}
	m := <-server.Messages
	headers, gotSubject, body := read(t, m)
	if m.From != "FROM:<noreply@example.com>" || m.To != "TO:<ada@example.com>" ||
		headers.Get("To") != "<ada@example.com>" {
		t.Errorf("the envelope is %q, %q, %v", m.From, m.To, headers)
	}
	if gotSubject != subject || strings.ReplaceAll(body, "\r\n", "\n") != text {
		t.Errorf("%q: %q", gotSubject, body)
	}
	if _, err := headers.Date(); err != nil || headers.Get("Message-Id") == "" {
		t.Errorf("the headers are %v", headers)
	}
}

func TestHeaderInjectionIsPrevented(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	s := newSender(t, "smtp://"+server.Addr+"?tls=off")
	if err := s.Send(t.Context(), "ada@example.com", "Join\r\nBcc: eve@example.com\r\n\r\nevil", "text"); err != nil {
		t.Fatal(err)
	}
	headers, _, body := read(t, <-server.Messages)
	if headers.Get("Bcc") != "" || strings.Contains(body, "evil") {
		t.Errorf("the headers are %v, the body %q", headers, body)
	}
	if err := s.Send(t.Context(), "ada@example.com>\r\nRCPT TO:<eve@example.com", "Join", "text"); err == nil {
		t.Error("an address with line ends was taken")
	}
}

func TestMailUsesTLSByDefault(t *testing.T) {
	t.Parallel()
	plain, private := mailtest.Start(t), mailtest.StartWithTLS(t)
	if err := newSender(t, "smtp://"+plain.Addr).Send(t.Context(), "ada@example.com", "s", "t"); err == nil ||
		!strings.Contains(err.Error(), "STARTTLS") {
		t.Errorf("a server without TLS was used: %v", err)
	}
	address := "smtp://user:secret@" + strings.Replace(private.Addr, "127.0.0.1", "localhost", 1)
	if err := newSender(t, address).Send(t.Context(), "ada@example.com", "s", "t"); err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("a certificate that nobody trusts: %v", err)
	}
	s := newSender(t, address)
	s.tls.RootCAs = private.Roots
	if err := s.Send(t.Context(), "ada@example.com", "s", "t"); err != nil {
		t.Fatal(err)
	}
	if m := <-private.Messages; !m.Private || !m.SignedIn {
		t.Errorf("%+v", m)
	}
}

func TestSilentServerTimesOut(t *testing.T) {
	t.Parallel()
	server := mailtest.StartSilent(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := newSender(t, "smtp://"+server.Addr+"?tls=off").Send(ctx, "ada@example.com", "s", "t"); err == nil {
		t.Error("a message was sent")
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ server, from string }{
		{"mail.example.com:587", from},
		{"http://mail.example.com", from},
		{"smtp://", from},
		{"smtp://user:hush@mail.example.com:port", from},
		{"smtp://mail.example.com?tls=maybe", from},
		{"smtp://mail.example.com", ""},
		{"smtp://mail.example.com", "nobody"},
	} {
		if _, err := New(c.server, c.from, time.Now); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%v: %v", c, err)
		}
	}
	if s, err := New("smtps://mail.example.com", from, time.Now); err != nil || s.port != "465" || !s.wrapped {
		t.Errorf("%+v, %v", s, err)
	}
}
