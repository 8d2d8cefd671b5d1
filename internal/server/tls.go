package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"crier/internal/api"
)

// TLS configures the source of the server's certificate: two files, a certificate authority, or none.
type TLS struct {
	CertFile, KeyFile        string
	ACMEEmail, ACMEDirectory string
	ACMECA                   string
}

func (c TLS) enabled() bool { return c.CertFile != "" || c.ACMEEmail != "" }

// Scheme returns the scheme of the server's addresses.
func (c TLS) Scheme() string {
	if c.enabled() {
		return "https"
	}
	return "http"
}

// Check rejects settings that contradict each other.
func (c TLS) Check(publicURL string) error {
	switch {
	case (c.CertFile == "") != (c.KeyFile == ""):
		return errors.New("CRIER_TLS_CERT and CRIER_TLS_KEY: set both or neither")
	case c.CertFile != "" && c.ACMEEmail != "":
		return errors.New("CRIER_ACME_EMAIL: the certificate comes from CRIER_TLS_CERT already; set one of them")
	case c.ACMEEmail != "":
		_, err := acmeHost(publicURL)
		return err
	}
	return nil
}

// acmeHost returns the host name to request a certificate for.
func acmeHost(publicURL string) (string, error) {
	u, err := url.Parse(publicURL)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || net.ParseIP(u.Hostname()) != nil {
		return "", errors.New("CRIER_ACME_EMAIL: CRIER_PUBLIC_URL must be an https address with a host name, such as " +
			"https://crier.example.com")
	}
	return u.Hostname(), nil
}

// serverConfig returns nil for plain HTTP. Certificates of an authority are stored in the data directory.
func (c TLS) serverConfig(publicURL, dataDir string) (*tls.Config, error) {
	switch {
	case c.ACMEEmail != "":
		host, err := acmeHost(publicURL)
		if err != nil {
			return nil, err
		}
		client, err := c.acmeClient()
		if err != nil {
			return nil, err
		}
		manager := &autocert.Manager{
			Prompt: autocert.AcceptTOS, Email: c.ACMEEmail, HostPolicy: autocert.HostWhitelist(host),
			Cache: autocert.DirCache(filepath.Join(dataDir, "certificates")), Client: client,
		}
		config := manager.TLSConfig()
		config.MinVersion = tls.VersionTLS12
		return config, nil
	case c.CertFile != "":
		files := &certificateFiles{certFile: c.CertFile, keyFile: c.KeyFile}
		if _, err := files.get(nil); err != nil {
			return nil, err
		}
		return &tls.Config{GetCertificate: files.get, MinVersion: tls.VersionTLS12}, nil
	}
	return nil, nil
}

// acmeClient trusts the operator's own certificate authority when a file with its certificates is set.
func (c TLS) acmeClient() (*acme.Client, error) {
	client := &acme.Client{DirectoryURL: c.ACMEDirectory}
	if c.ACMECA == "" {
		return client, nil
	}
	data, err := os.ReadFile(c.ACMECA)
	if err != nil {
		return nil, fmt.Errorf("CRIER_ACME_CA: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("CRIER_ACME_CA: %s has no certificate in PEM", c.ACMECA)
	}
	client.HTTPClient = &http.Client{Timeout: time.Minute,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	return client, nil
}

// certificateFiles is a certificate that is reloaded when its file changes, so that a renewal needs no restart.
type certificateFiles struct {
	certFile, keyFile string
	mu                sync.Mutex
	modified          time.Time
	certificate       *tls.Certificate
}

func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	stat, err := os.Stat(f.certFile)
	if err == nil && f.certificate != nil && stat.ModTime().Equal(f.modified) {
		return f.certificate, nil
	}
	if err == nil {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(f.certFile, f.keyFile); err == nil {
			f.certificate, f.modified = &pair, stat.ModTime()
			return f.certificate, nil
		}
	}
	if f.certificate != nil { // half written, or missing for a moment: the old one is still valid
		return f.certificate, nil
	}
	return nil, fmt.Errorf("read the TLS certificate: %w", err)
}

// serveOn serves on a listener, over TLS when the server has a certificate.
func serveOn(server *http.Server, listener net.Listener) error {
	if server.TLSConfig != nil {
		return server.ServeTLS(listener, "", "")
	}
	return server.Serve(api.Listen(listener))
}
