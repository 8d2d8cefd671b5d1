// Package mail sends messages through a mail server (SMTP, RFC 5321). It knows nothing about their content.
package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/url"
	"time"

	"crier"
)

// sendTime is the time-out of the whole conversation with the server.
const sendTime = 30 * time.Second

// Sender sends mail through one server.
type Sender struct {
	host, port string
	// wrapped means TLS from the first byte; optional means that a server without STARTTLS is accepted.
	wrapped, optional bool
	login             *url.Userinfo
	from              mail.Address
	now               func() time.Time
	// tls is for tests, whose servers have untrusted certificates.
	tls *tls.Config
}

// New parses the URL of a server: smtp://user:password@host:587 uses STARTTLS and rejects a server without it, unless
// ?tls=off is added; smtps://host:465 uses TLS from the start. from is the sender of all messages, such as "crier
// <noreply@example.com>".
func New(server, from string, now func() time.Time) (*Sender, error) {
	const rule = "must be an address such as smtp://mail.example.com:587 or smtps://mail.example.com, with " +
		"user:password@ before the host if it requires them"
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || u.Path != "" && u.Path != "/" {
		return nil, errors.New(rule) // the parser's own error would show the password
	}
	query := u.Query()
	if off := query.Get("tls"); off != "" && off != "off" {
		return nil, errors.New("has an unknown option; only ?tls=off is supported")
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("needs a sender such as \"crier <noreply@example.com>\", got %q", from)
	}
	s := &Sender{
		host: u.Hostname(), port: u.Port(), wrapped: u.Scheme == "smtps", optional: query.Get("tls") == "off",
		login: u.User, from: *sender, now: now, tls: &tls.Config{ServerName: u.Hostname(),
			MinVersion: tls.VersionTLS12},
	}
	if s.port == "" {
		s.port = map[bool]string{false: "587", true: "465"}[s.wrapped]
	}
	return s, nil
}

// Send sends one message. nil means that the server has accepted it.
func (s *Sender) Send(ctx context.Context, to crier.Email, subject, text string) (err error) {
	message, err := s.compose(to, subject, text)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	client, err := s.connect(ctx)
	if err != nil {
		return fmt.Errorf("reach the mail server %s: %w", s.host, err)
	}
	defer client.Close() //nolint:errcheck // after Quit there is nothing left to close
	if err := s.deliver(client, to, message); err != nil {
		return fmt.Errorf("send mail through %s: %w", s.host, err)
	}
	_ = client.Quit() // the server has the message already
	return nil
}

func (s *Sender) deliver(client *smtp.Client, to crier.Email, message []byte) error {
	if err := client.Mail(s.from.Address); err != nil {
		return err
	}
	if err := client.Rcpt(string(to)); err != nil {
		return err
	}
	body, err := client.Data()
	if err != nil {
		return err
	}
	_, err = body.Write(message)
	return errors.Join(err, body.Close())
}

// connect opens an encrypted and authenticated connection.
func (s *Sender) connect(ctx context.Context) (*smtp.Client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	if s.wrapped {
		conn = tls.Client(conn, s.tls)
	}
	// A failed connection is already closed, or is closed here: an error of closing it again is not part of the reason.
	client, err := smtp.NewClient(conn, s.host)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	if err := s.prepare(client); err != nil {
		_ = client.Close()
		return nil, err
	}
	return client, nil
}

func (s *Sender) prepare(client *smtp.Client) error {
	offered, _ := client.Extension("STARTTLS")
	switch {
	case s.wrapped:
	case offered:
		if err := client.StartTLS(s.tls); err != nil {
			return fmt.Errorf("start TLS: %w", err)
		}
	case !s.optional:
		return errors.New("it does not offer STARTTLS; add ?tls=off to CRIER_SMTP_URL if the connection is secure")
	}
	if s.login == nil {
		return nil
	}
	password, _ := s.login.Password()
	return client.Auth(smtp.PlainAuth("", s.login.Username(), password, s.host))
}

// compose returns a plain text message. Headers are encoded, so that no value can inject another header.
func (s *Sender) compose(to crier.Email, subject, text string) ([]byte, error) {
	if problem := to.Problem(); problem != "" {
		return nil, fmt.Errorf("the recipient %s", problem)
	}
	var m bytes.Buffer
	recipient := mail.Address{Address: string(to)}
	for _, header := range [][2]string{
		{"From", s.from.String()},
		{"To", recipient.String()},
		{"Subject", mime.QEncoding.Encode("utf-8", subject)},
		{"Date", s.now().Format(time.RFC1123Z)},
		{"Message-ID", "<" + string(crier.NewID()) + "@" + s.host + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		m.WriteString(header[0] + ": " + header[1] + "\r\n")
	}
	m.WriteString("\r\n")
	body := quotedprintable.NewWriter(&m)
	_, err := body.Write([]byte(text))
	err = errors.Join(err, body.Close())
	return m.Bytes(), err
}
