package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
)

const tlsHost = "crier.test"

func TestInconsistentTLSSettingsAreRejected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		TLS
		publicURL string
		ok        bool
	}{
		"plain HTTP":        {publicURL: "http://127.0.0.1:8080", ok: true},
		"files":             {TLS{CertFile: "a", KeyFile: "b"}, "https://crier.test", true},
		"certificate alone": {TLS{CertFile: "a"}, "https://crier.test", false},
		"key alone":         {TLS{KeyFile: "b"}, "https://crier.test", false},
		"files and ACME": {TLS{CertFile: "a", KeyFile: "b", ACMEEmail: "x@crier.test"}, "https://crier.test",
			false},
		"ACME":               {TLS{ACMEEmail: "x@crier.test"}, "https://crier.test", true},
		"ACME over HTTP":     {TLS{ACMEEmail: "x@crier.test"}, "http://crier.test", false},
		"ACME on an address": {TLS{ACMEEmail: "x@crier.test"}, "https://192.0.2.1", false},
	} {
		if err := c.Check(c.publicURL); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTLSCertificateIsReloaded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := TLS{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	if _, err := config.serverConfig("https://"+tlsHost, dir); err == nil {
		t.Error("a missing certificate was accepted")
	}
	writeCertificate(t, config, 1, time.Unix(1000, 0))
	server, err := config.serverConfig("https://"+tlsHost, dir)
	if err != nil {
		t.Fatal(err)
	}
	address := serveTLS(t, server)
	if got := servedCertificate(t, address, nil).SerialNumber.Int64(); got != 1 {
		t.Errorf("served certificate %d, want 1", got)
	}
	writeCertificate(t, config, 2, time.Unix(2000, 0))
	if got := servedCertificate(t, address, nil).SerialNumber.Int64(); got != 2 {
		t.Errorf("served certificate %d after the renewal, want 2", got)
	}
	if err := os.WriteFile(config.CertFile, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := servedCertificate(t, address, nil).SerialNumber.Int64(); got != 2 {
		t.Errorf("served certificate %d while the file is being written, want the old one", got)
	}
}

// TestTLSCertificateFromACA gets a certificate by the ACME protocol from a real authority that the test runs.
func TestTLSCertificateFromACA(t *testing.T) {
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	quiet := log.New(io.Discard, "", 0)
	memory := db.NewMemoryStore()
	authority := ca.New(quiet, memory, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: 7 * 86400}})
	port := listener.Addr().(*net.TCPAddr).Port
	validator := va.New(quiet, port, port, false, resolveToLoopback(t), memory)
	front := wfe.New(quiet, memory, validator, authority, nil, false, false, 0, 0)
	directory := httptest.NewTLSServer(front.Handler())
	t.Cleanup(directory.Close)

	dir := t.TempDir()
	trusted := filepath.Join(dir, "directory.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: directory.Certificate().Raw}
	if err := os.WriteFile(trusted, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	config := TLS{ACMEEmail: "operator@crier.test", ACMEDirectory: directory.URL + wfe.DirectoryPath,
		ACMECA: trusted}
	server, err := config.serverConfig("https://"+tlsHost, dir)
	if err != nil {
		t.Fatal(err)
	}
	serveTLSOn(t, server, listener)
	roots := x509.NewCertPool()
	roots.AddCert(authority.GetRootCert(0).Cert)
	certificate := servedCertificate(t, listener.Addr().String(), roots)
	if len(certificate.DNSNames) != 1 || certificate.DNSNames[0] != tlsHost {
		t.Errorf("the certificate is for %v", certificate.DNSNames)
	}
	files, err := os.ReadDir(filepath.Join(dir, "certificates"))
	if err != nil || len(files) == 0 {
		t.Errorf("nothing was kept for the next start: %v", err)
	}
	if _, err := tls.Dial("tcp", listener.Addr().String(),
		&tls.Config{ServerName: "other.test", InsecureSkipVerify: true}); err == nil {
		t.Error("a certificate was made for a host that is not the public one")
	}
}

func serveTLS(t *testing.T, config *tls.Config) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serveTLSOn(t, config, listener)
	return listener.Addr().String()
}

func serveTLSOn(t *testing.T, config *tls.Config, listener net.Listener) {
	t.Helper()
	server := &http.Server{Handler: http.NotFoundHandler(), TLSConfig: config, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = serveOn(server, listener) }()
	t.Cleanup(func() { _ = server.Close() })
}

// servedCertificate returns the certificate that a client sees; without roots its signature is not verified.
func servedCertificate(t *testing.T, address string, roots *x509.CertPool) *x509.Certificate {
	t.Helper()
	conn, err := tls.Dial("tcp", address, &tls.Config{ServerName: tlsHost, RootCAs: roots,
		InsecureSkipVerify: roots == nil, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if state := conn.ConnectionState(); state.NegotiatedProtocol != "h2" {
		t.Errorf("the server speaks %q, want HTTP/2", state.NegotiatedProtocol)
	}
	return conn.ConnectionState().PeerCertificates[0]
}

func writeCertificate(t *testing.T, config TLS, serial int64, modified time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: tlsHost},
		DNSNames: []string{tlsHost}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		config.KeyFile:  {Type: "EC PRIVATE KEY", Bytes: secret},
		config.CertFile: {Type: "CERTIFICATE", Bytes: der},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(config.CertFile, modified, modified); err != nil {
		t.Fatal(err)
	}
}

// resolveToLoopback returns a name server that resolves every name to 127.0.0.1.
func resolveToLoopback(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{Listener: listener, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		answer := new(dns.Msg).SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			answer.Answer = []dns.RR{&dns.A{A: net.IPv4(127, 0, 0, 1),
				Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 1}}}
		}
		_ = w.WriteMsg(answer)
	})}
	go func() { _ = server.ActivateAndServe() }()
	t.Cleanup(func() { _ = server.Shutdown() })
	return listener.Addr().String()
}
