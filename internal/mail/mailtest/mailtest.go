// Package mailtest is a little mail server for tests: it takes every message and shows it.
package mailtest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"
)

// Message is a mail as the server got it.
type Message struct {
	From, To string
	// Data is headers and body, with line ends as \n.
	Data string
	// Private is true when it came over TLS, SignedIn when somebody had signed in.
	Private, SignedIn bool
}

// Server is a mail server on a loopback port.
type Server struct {
	// Addr is host:port, Roots what its certificate is trusted by.
	Addr  string
	Roots *x509.CertPool
	// Messages gets every message.
	Messages chan Message
	tls      *tls.Config
	silent   bool
}

// Start runs a server until the test ends.
func Start(tb testing.TB) *Server {
	tb.Helper()
	return start(tb, &Server{})
}

// StartSilent runs a server that accepts connections and never says a word.
func StartSilent(tb testing.TB) *Server {
	tb.Helper()
	return start(tb, &Server{silent: true})
}

// StartWithTLS runs a server that offers STARTTLS for the name localhost.
func StartWithTLS(tb testing.TB) *Server {
	tb.Helper()
	certificate, roots := certify(tb)
	return start(tb, &Server{Roots: roots, tls: &tls.Config{Certificates: []tls.Certificate{certificate},
		MinVersion: tls.VersionTLS12}})
}

func start(tb testing.TB, s *Server) *Server {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s.Addr, s.Messages = listener.Addr().String(), make(chan Message, 100)
	var conversations sync.WaitGroup
	conversations.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conversations.Go(func() { s.serve(conn) })
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close()
		conversations.Wait()
	})
	return s
}

func certify(tb testing.TB) (tls.Certificate, *x509.CertPool) {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour),
		IsCA:     true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		tb.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		tb.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// session is one connection.
type session struct {
	server  *Server
	conn    net.Conn
	in      *textproto.Reader
	message Message
}

// serve speaks as much of SMTP as a sender needs, until the other side goes.
func (s *Server) serve(conn net.Conn) {
	c := &session{server: s, conn: conn, in: textproto.NewReader(bufio.NewReader(conn))}
	defer func() { _ = c.conn.Close() }()
	if s.silent {
		_, _ = io.Copy(io.Discard, conn)
		return
	}
	c.reply("220 localhost")
	for {
		line, err := c.in.ReadLine()
		if err != nil || !c.answer(line) {
			return
		}
	}
}

func (c *session) reply(format string, args ...any) { fmt.Fprintf(c.conn, format+"\r\n", args...) }

// answer obeys one command; false ends the conversation.
func (c *session) answer(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO", "HELO":
		if c.server.tls != nil && !c.message.Private {
			c.reply("250-localhost\r\n250 STARTTLS")
		} else {
			c.reply("250-localhost\r\n250 AUTH PLAIN")
		}
	case "STARTTLS":
		c.reply("220 go ahead")
		c.conn = tls.Server(c.conn, c.server.tls)
		c.in, c.message.Private = textproto.NewReader(bufio.NewReader(c.conn)), true
	case "AUTH":
		c.message.SignedIn = true
		c.reply("235 welcome")
	case "MAIL":
		c.message.From = rest
		c.reply("250 ok")
	case "RCPT":
		c.message.To = rest
		c.reply("250 ok")
	case "DATA":
		return c.readMessage()
	case "QUIT":
		c.reply("221 bye")
		return false
	default:
		c.reply("502 unknown")
	}
	return true
}

// readMessage reads a message.
func (c *session) readMessage() bool {
	c.reply("354 go ahead")
	data, err := c.in.ReadDotBytes()
	if err != nil {
		return false
	}
	c.message.Data = string(data)
	c.server.Messages <- c.message
	c.reply("250 taken")
	return true
}
