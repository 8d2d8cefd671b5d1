package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/sandbox"
)

func discardLogs() *slog.Logger { return slog.New(slog.DiscardHandler) }

func noon() time.Time { return time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC) }

func TestListeningAddressesBecomeOnesToOpen(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		":8080": "127.0.0.1:8080", "0.0.0.0:8080": "127.0.0.1:8080", "[::]:8080": "127.0.0.1:8080",
		"127.0.0.1:0": "127.0.0.1:0", "[::1]:80": "[::1]:80", "192.0.2.7:443": "192.0.2.7:443",
		"crier.example:443": "crier.example:443", "no port": "no port", "": "",
	} {
		if got := Reachable(listen); got != want {
			t.Errorf("%q is opened at %q, want %q", listen, got, want)
		}
	}
	own, elsewhere := Config{SandboxListen: ":8081"}, Config{SandboxListen: ":8081", SandboxAt: "https://box.example"}
	if own.SandboxURL() != "http://127.0.0.1:8081" || elsewhere.SandboxURL() != "https://box.example" {
		t.Errorf("the sandbox is at %s and %s", own.SandboxURL(), elsewhere.SandboxURL())
	}
}

func TestMediaAreKeptInAFolderOrABucket(t *testing.T) {
	t.Parallel()
	data, own := t.TempDir(), filepath.Join(t.TempDir(), "files")
	for folder, c := range map[string]Config{
		filepath.Join(data, "media"): {DataDir: data},
		own:                          {DataDir: data, MediaDir: own},
	} {
		if _, err := c.OpenBlobs(t.Context()); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", folder, err)
		}
	}
	for name, s3 := range map[string]S3{"no bucket": {Endpoint: "https://s3.example"}, "no endpoint": {Bucket: "b"},
		"keys alone": {AccessKey: "a", SecretKey: "b"}} {
		c := Config{DataDir: data, S3: s3}
		if _, err := c.OpenBlobs(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "CRIER_S3_BUCKET belong together") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for endpoint, want := range map[string]bool{"https://s3.eu-central-1.amazonaws.com": true, "https://s3.amazonaws.com:443": true,
		"https://minio.example": false, "https://amazonaws.com.evil.example": false, "": false, "://": false} {
		if got := isAmazon(endpoint); got != want {
			t.Errorf("%q is Amazon's: %v", endpoint, got)
		}
	}
}

func TestTrustedNetworksAreReachedAndNoOthers(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")}
	c := Config{ImportAllow: trusted, WebhookAllow: trusted}
	imports, hooks := c.fetcher(), c.webhookGuard()
	for address, want := range map[string]bool{"10.1.2.3": true, "10.2.0.1": false, "fd00::1": true, "::1": false,
		"127.0.0.1": false, "::ffff:10.1.2.3": true} {
		addr := netip.MustParseAddr(address)
		if imports.AllowAddr(addr) != want || hooks.AllowAddr(addr) != want {
			t.Errorf("%s is trusted: %v and %v, want %v", address, imports.AllowAddr(addr), hooks.AllowAddr(addr), want)
		}
	}
	if !imports.AllowPort(8443) || !hooks.AllowPort(1) {
		t.Error("a port of a trusted network is closed")
	}
	var none Config
	if f := none.fetcher(); f.AllowAddr != nil || f.AllowPort != nil {
		t.Error("files are imported from anywhere")
	}
	if f := none.webhookGuard(); f.AllowAddr != nil || !f.AllowPort(8443) {
		t.Error("webhooks do not lead to any port of the internet")
	}
}

func TestModelsAndMailServersAreOptional(t *testing.T) {
	t.Parallel()
	none := Config{Now: noon}
	analyser, err := none.analyser()
	mailer, err2 := none.mailer()
	if analyser != nil || mailer != nil || err != nil || err2 != nil {
		t.Errorf("%v, %v; %v, %v", analyser, mailer, err, err2)
	}
	half := Config{Now: noon, Enrich: Enrich{URL: "https://model.example/v1"}}
	if _, err := half.analyser(); err == nil || !strings.Contains(err.Error(), "CRIER_ENRICH_MODEL: name the model") {
		t.Errorf("a model without a name: %v", err)
	}
	half.Enrich.Model = "small"
	if analyser, err := half.analyser(); err != nil || analyser == nil {
		t.Errorf("%v, %v", analyser, err)
	}
	for name, c := range map[string]Config{"no address": {SMTPURL: "smtp://mail.example:587"},
		"not a mail server": {SMTPURL: "http://mail.example", MailFrom: "crier@example.com"}} {
		c.Now = noon
		if _, err := c.mailer(); err == nil || !strings.HasPrefix(err.Error(), "CRIER_SMTP_URL with CRIER_MAIL_FROM ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := Config{Now: noon, SMTPURL: "smtp://mail.example:587", MailFrom: "crier@example.com"}
	if mailer, err := good.mailer(); err != nil || mailer == nil {
		t.Errorf("%v, %v", mailer, err)
	}
}

func TestNetworksAreKnownByTheirCredentials(t *testing.T) {
	t.Parallel()
	c := Config{Now: noon, Version: "test"}
	if c.HasCredentials() {
		t.Error("without settings")
	}
	c.Network(crier.ProviderX).ConsentURL = "https://x.example"
	if c.HasCredentials() || c.Network(crier.ProviderX).ConsentURL != "https://x.example" {
		t.Error("an address is taken for credentials, or is forgotten")
	}
	c.Network(crier.ProviderX).ClientID = "id"
	if !c.HasCredentials() {
		t.Error("credentials are not seen")
	}
	for _, sandboxed := range []bool{false, true} {
		c.Sandbox, c.SandboxAt = sandboxed, "http://127.0.0.1:1"
		networks, err := c.Registry()
		if err != nil || len(networks.All()) != len(crier.Providers()) {
			t.Errorf("in the sandbox %v: %v", sandboxed, err)
		}
	}
}

func TestTheSecretKeyIsMadeOnceHoweverManyStart(t *testing.T) {
	t.Parallel()
	c := Config{DataDir: filepath.Join(t.TempDir(), "data")}
	if _, err := c.PresentKey(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first start: %v", err)
	}
	keys := make([]string, 8)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			own := c
			var err error
			if keys[i], err = own.secretKey(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	present, err := c.PresentKey()
	if err != nil || len(present) < 32 {
		t.Fatalf("%q, %v", present, err)
	}
	for _, key := range keys {
		if key != present {
			t.Error("two starts have two keys")
		}
	}
	files, err := os.ReadDir(c.DataDir)
	info, err2 := os.Stat(filepath.Join(c.DataDir, keyFile))
	if err != nil || err2 != nil || len(files) != 1 || info.Mode().Perm() != 0o600 {
		t.Errorf("left are %v with mode %v; %v, %v", files, info.Mode(), err, err2)
	}
	set := Config{DataDir: c.DataDir, SecretKey: "from a setting"}
	if got, err := set.secretKey(); err != nil || got != "from a setting" {
		t.Errorf("%q, %v", got, err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	below := Config{DataDir: filepath.Join(blocked, "data")}
	if _, err := below.secretKey(); err == nil {
		t.Error("a key was made below a file")
	}
}

func TestAMissingKeyFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := Config{DataDir: filepath.Join(t.TempDir(), "data"), Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Sandbox: true}
	start := func(lost ...string) error {
		own := c
		own.AcceptLostKeys = lost
		n, err := Open(ctx, own)
		if err != nil {
			return err
		}
		_, err = n.Prepare(ctx)
		return errors.Join(err, n.Store.Close())
	}
	if err := start(); err != nil {
		t.Fatal(err)
	}
	keys, err := c.PresentKey()
	if err != nil {
		t.Fatal(err)
	}
	ring, err := auth.NewKeyring(keys)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.DataDir, keyFile)
	if err := os.Rename(path, path+".gone"); err != nil {
		t.Fatal(err)
	}
	id := ring.Fingerprint()[:8]
	for range 2 {
		err := start()
		if err == nil || !strings.Contains(err.Error(), "there is no secret key in "+path) ||
			!strings.Contains(err.Error(), "CRIER_ACCEPT_LOST_KEY="+id+" ") {
			t.Errorf("without the file: %v", err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("a new key is in the place of the old one: %v", err)
		}
	}
	if err := start(id); err != nil {
		t.Errorf("it is lost: %v", err)
	}
	if err := start(); err != nil {
		t.Errorf("with the new key: %v", err)
	}
}

func TestAnAddressThatCannotBeUsedIsExplained(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]string{
		syscall.EADDRINUSE: " (another program uses the address: stop it, or choose another one with --listen)",
		syscall.EACCES: " (ports below 1024 take a privilege: choose another one with --listen, or grant " +
			"CAP_NET_BIND_SERVICE)",
		syscall.EADDRNOTAVAIL: " (choose another address with --listen)",
	} {
		err := &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", cause)}
		if got := listenHint(err, "--listen"); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

func TestADataDirectoryIsServedByOne(t *testing.T) {
	t.Parallel()
	c := Config{DataDir: filepath.Join(t.TempDir(), "data")}
	unlock, err := c.lockDataDir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.lockDataDir(); err == nil || !strings.Contains(err.Error(), "another crier serves from "+c.DataDir) {
		t.Errorf("a second one: %v", err)
	}
	unlock()
	again, err := c.lockDataDir()
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	again()
	shared := Config{DataDir: c.DataDir, DatabaseURL: "postgres://db.example/crier"}
	for range 2 { // nodes on PostgreSQL share no file
		free, err := shared.lockDataDir()
		if err != nil {
			t.Fatal(err)
		}
		defer free()
	}
}

func TestTLSSettingsSayTheScheme(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]TLS{"http": {{}, {ACMEDirectory: "https://ca.example"}},
		"https": {{CertFile: "a", KeyFile: "b"}, {ACMEEmail: "ops@example.com"}}} {
		for _, c := range list {
			if got := c.Scheme(); got != want {
				t.Errorf("%+v: %s", c, got)
			}
		}
	}
	if config, err := (TLS{}).serverConfig("http://localhost", t.TempDir()); err != nil || config != nil {
		t.Errorf("plain HTTP: %+v, %v", config, err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tls  TLS
		want string
	}{
		"an authority without certificates": {TLS{ACMEEmail: "o@example.com", ACMECA: file},
			"has no certificate in PEM"},
		"a file that is not there":        {TLS{ACMEEmail: "o@example.com", ACMECA: file + "x"}, "CRIER_ACME_CA: open"},
		"a certificate that is not there": {TLS{CertFile: file + "x", KeyFile: file}, "read the TLS certificate"},
		"a certificate that is none":      {TLS{CertFile: file, KeyFile: file}, "read the TLS certificate"},
	} {
		if _, err := c.tls.serverConfig("https://crier.example", t.TempDir()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMetricsAreServedOnTheirOwnAddress(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1") })
	failed := make(chan error, 2)
	n := &Node{log: discardLogs()}
	stop, err := n.serveMetrics(handler, failed)
	if err != nil {
		t.Fatal(err)
	}
	stop() // there is nothing to stop
	n.config.MetricsListen = "256.0.0.1:0"
	if _, err := n.serveMetrics(handler, failed); err == nil || !strings.HasPrefix(err.Error(), "listen for metrics") {
		t.Errorf("an address that is none: %v", err)
	}
	n.config.MetricsListen = "127.0.0.1:0"
	if stop, err = n.serveMetrics(handler, failed); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) || ignoreClosed(err) != nil {
		t.Errorf("it ended with %v", err)
	}
	if broken := errors.New("broken"); !errors.Is(ignoreClosed(broken), broken) || ignoreClosed(nil) != nil {
		t.Error("another end is taken for a stop")
	}
}

func TestTheSandboxIsStartedWhereTheSettingsAskForIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{"off": {}, "elsewhere": {Sandbox: true, SandboxAt: "http://box.example"},
		"a worker": {Sandbox: true, Role: "worker"}} {
		c.DataDir = filepath.Join(t.TempDir(), "data")
		stop, err := c.ownSandbox(t.Context())
		if err != nil || stop() != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(c.DataDir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a sandbox was started", name)
		}
	}
	c := Config{Sandbox: true, SandboxListen: "127.0.0.1:0", DataDir: t.TempDir(), Now: noon, Logger: discardLogs()}
	stop, err := c.ownSandbox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Errorf("it does not stop: %v", err)
	}
	c.SandboxListen = "256.0.0.1:0"
	if _, err := c.ownSandbox(t.Context()); err == nil || !strings.Contains(err.Error(), "--sandbox-listen") {
		t.Errorf("an address that is none: %v", err)
	}
	if accounts, err := (&Config{}).Seeds(t.Context()); err != nil || accounts != nil {
		t.Errorf("without a sandbox %v, %v", accounts, err)
	}
}

func TestSeededAccountsHaveWhatTheSeedTells(t *testing.T) {
	t.Parallel()
	c := Config{Now: noon}
	got := c.NewAccount(sandbox.Seed{Network: "x", AccountID: "1", DisplayName: "Acme", Handle: "acme",
		AccessToken: "a", RefreshToken: "r", Scopes: []string{"read"}, ExpiresIn: time.Hour})
	if got.Provider != crier.ProviderX || !got.Sandbox ||
		got.Account.ProviderAccountID != "1" || got.Account.Handle != "acme" ||
		!got.Account.Token.ExpiresAt.Equal(noon().Add(time.Hour)) || !got.Account.Token.RefreshExpiresAt.IsZero() ||
		got.Account.Token.Access.Reveal() != "a" || got.Account.Token.Refresh.Reveal() != "r" {
		t.Errorf("%+v", got)
	}
	endless := c.NewAccount(sandbox.Seed{RefreshExpiresIn: time.Minute})
	if !endless.Account.Token.ExpiresAt.IsZero() ||
		!endless.Account.Token.RefreshExpiresAt.Equal(noon().Add(time.Minute)) {
		t.Errorf("%+v", endless.Account.Token)
	}
}

func TestANodeRefusesSettingsThatDoNotWork(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdef0123456789abcdef"
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"a short key":          {func(c *Config) { c.SecretKey = "short" }, "CRIER_SECRET_KEY"},
		"half a bucket":        {func(c *Config) { c.S3.Bucket = "b" }, "open the media library"},
		"a model without name": {func(c *Config) { c.Enrich.URL = "https://model.example" }, "CRIER_ENRICH_MODEL"},
		"half a mail server":   {func(c *Config) { c.SMTPURL = "smtp://mail.example" }, "CRIER_MAIL_FROM"},
		"a broken address":     {func(c *Config) { c.DatabaseURL = "postgres://[::1/x" }, "not a PostgreSQL address"},
	} {
		config := Config{DataDir: t.TempDir(), SecretKey: key, Now: noon, Logger: discardLogs()}
		c.change(&config)
		n, err := Open(t.Context(), config)
		if err == nil || !strings.Contains(err.Error(), c.want) || n != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestANodeIsReadyWhenItsSchemaIsAndUntilItDrains(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	n, err := Open(t.Context(), Config{DataDir: t.TempDir(), SecretKey: "0123456789abcdef0123456789abcdef", Now: noon,
		Logger: slog.New(slog.NewTextHandler(&out, nil))})
	if err != nil {
		t.Fatal(err)
	}
	var draining atomic.Bool
	api, works := n.readiness(false, &draining), n.readiness(true, &draining)
	check := func(ready func(context.Context) error, want string) {
		t.Helper()
		err := ready(t.Context())
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := api(t.Context()); err == nil {
		t.Error("a node without a schema is ready")
	}
	if applied, err := n.Prepare(t.Context()); err != nil || len(applied) == 0 {
		t.Fatalf("%v, %v", applied, err)
	}
	if applied, err := n.Prepare(t.Context()); err != nil || len(applied) != 0 {
		t.Errorf("prepared twice: %v, %v", applied, err)
	}
	check(api, "")
	check(works, "workers are not running")
	draining.Store(true)
	check(api, "draining")
	draining.Store(false)
	if err := n.Store.Close(); err != nil {
		t.Fatal(err)
	}
	check(api, "database: ")
}
