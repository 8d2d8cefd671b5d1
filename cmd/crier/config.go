package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crier/internal/cli"
	"crier/internal/oauth"
	"crier/internal/server"
)

// config is the settings of one run, read once.
type config struct {
	server.Config
	sandboxMode  string
	grantCredits int64
	logLevel     slog.Level
	logFormat    string

	values []value
	// strays are the variables in the environment that look like settings and are none.
	strays []string
}

// value is the value of a setting and its source.
type value struct {
	setting
	text, origin string
}

// setting describes one setting.
type setting struct {
	flag     string
	fallback string
	help     string
	secret   bool
	set      func(c *config, text string) error
}

// variable returns the name of the setting in the environment and in the file.
func (s setting) variable() string {
	return "CRIER_" + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

// settings lists every setting of the server. Flags override the environment, which overrides the file.
var settings = append([]setting{
	{flag: "listen", fallback: "127.0.0.1:8080", help: "address the interface listens on",
		set: address(func(c *config) *string { return &c.Listen })},
	{flag: "metrics-listen", help: "address that serves /metrics alone; empty: loopback callers of the main " +
		"address, and nobody once public-url is set",
		set: address(func(c *config) *string { return &c.MetricsListen })},
	{flag: "data-dir", fallback: "crier-data",
		help: "directory of the embedded database, the secret key and the media library",
		set:  text(func(c *config) *string { return &c.DataDir })},
	{flag: "media-dir", help: "directory of the media library's files, the same one for all nodes; empty: media in " +
		"the data directory", set: text(func(c *config) *string { return &c.MediaDir })},
	{flag: "s3-endpoint", help: "S3-compatible store for the media library's files, such as https://s3.example.com; " +
		"empty: a directory", set: baseURL(func(c *config) *string { return &c.S3.Endpoint })},
	{flag: "s3-bucket", help: "bucket for the files; it must exist",
		set: text(func(c *config) *string { return &c.S3.Bucket })},
	{flag: "s3-region", help: "region of the bucket; empty: us-east-1",
		set: text(func(c *config) *string { return &c.S3.Region })},
	{flag: "s3-access-key", help: "access key for the bucket",
		set: text(func(c *config) *string { return &c.S3.AccessKey })},
	{flag: "s3-secret-key", help: "secret key for the bucket", secret: true,
		set: text(func(c *config) *string { return &c.S3.SecretKey })},
	{flag: "s3-prefix", help: "prefix of every object name in the bucket",
		set: text(func(c *config) *string { return &c.S3.Prefix })},
	{flag: "import-allow", help: "private networks that files may be imported from, on any port, such as 10.0.0.0/8; " +
		"empty: the public internet alone",
		set: networkList(func(c *config) *[]netip.Prefix { return &c.ImportAllow })},
	{flag: "webhook-allow", help: "private networks that webhooks may lead to, also without TLS, such as 127.0.0.0/8 " +
		"for " +
		"development; empty: the public internet alone",
		set: networkList(func(c *config) *[]netip.Prefix { return &c.WebhookAllow })},
	{flag: "oauth-clients", help: "programs that may ask people for access at /mcp and publish no description of " +
		"themselves: names with their redirect addresses, such as mcp-inspector=http://localhost:6274/oauth/callback",
		set: func(c *config, s string) (err error) {
			c.OAuthClients, err = oauth.ParseClients(s)
			return err
		}},
	{flag: "oauth-registration", fallback: "off", help: "on: any program may register itself as a client that asks " +
		"people for access at /mcp (RFC 7591)",
		set: onOff(func(c *config) *bool { return &c.OAuthRegistration })},
	{flag: "enrich-url", help: "OpenAI-compatible endpoint that finds languages, topics and sentiments of posts, " +
		"such as https://api.example.com/v1; empty: crier's own analyser",
		set: baseURL(func(c *config) *string { return &c.Enrich.URL })},
	{flag: "enrich-key", help: "bearer token for the endpoint; empty: none", secret: true,
		set: text(func(c *config) *string { return &c.Enrich.Key })},
	{flag: "enrich-model", help: "model to ask, as the endpoint names it",
		set: text(func(c *config) *string { return &c.Enrich.Model })},
	{flag: "enrich-daily-tokens", fallback: "1000000",
		help: "tokens that this process may spend at the endpoint per day (UTC); beyond it, crier's own analyser " +
			"does the work", set: count(func(c *config, n int64) { c.Enrich.DailyTokens = n }, 1_000_000_000_000)},
	{flag: "database-url", help: "PostgreSQL URL; empty: SQLite in the data directory", secret: true,
		set: text(func(c *config) *string { return &c.DatabaseURL })},
	{flag: "public-url", help: "URL under which people and networks reach this server; empty: derived from listen",
		set: baseURL(func(c *config) *string { return &c.PublicURL })},
	{flag: "secret-key", help: "encrypts tokens and keys; empty: a file in the data directory, created at the " +
		"first start",
		secret: true, set: text(func(c *config) *string { return &c.SecretKey })},
	{flag: "accept-lost-key", help: "ids of secret keys that are lost, as the error at the start names them, such as " +
		"1a2b3c4d,5e6f7a8b: start without the records that need them",
		set: keyIDs(func(c *config) *[]string { return &c.AcceptLostKeys })},
	{flag: "role", fallback: "all", help: "role of this node: all, api or worker",
		set: oneOf(func(c *config) *string { return &c.Role }, "all", "api", "worker")},
	{flag: "sandbox", help: "on: publish to the sandbox that ships with crier; off: to the real networks; empty: " +
		"on unless credentials of a network are set",
		set: oneOf(func(c *config) *string { return &c.sandboxMode }, "", "on", "off")},
	{flag: "sandbox-listen", fallback: "127.0.0.1:8081", help: "address the sandbox listens on",
		set: address(func(c *config) *string { return &c.SandboxListen })},
	{flag: "sandbox-url", help: "URL of a sandbox that runs elsewhere; empty: this process runs one",
		set: baseURL(func(c *config) *string { return &c.SandboxAt })},
	{flag: "smtp-url", help: "mail server that invitations are sent through, such as " +
		"smtp://user:password@mail.example.com:587; empty: no mail, links are passed on manually", secret: true,
		set: text(func(c *config) *string { return &c.SMTPURL })},
	{flag: "mail-from", help: "sender of mail, such as \"crier <noreply@example.com>\"",
		set: text(func(c *config) *string { return &c.MailFrom })},
	{flag: "trusted-proxies", help: "addresses or networks of proxies that may name the caller's address and scheme, " +
		"such as 10.0.0.0/8,127.0.0.1; empty: none, and the caller is the connecting address",
		set: networkList(func(c *config) *[]netip.Prefix { return &c.Proxies })},
	{flag: "tls-cert", help: "file with the TLS certificate and its chain in PEM; reloaded when it changes; " +
		"empty: plain HTTP", set: text(func(c *config) *string { return &c.TLS.CertFile })},
	{flag: "tls-key", help: "file with the certificate's private key in PEM",
		set: text(func(c *config) *string { return &c.TLS.KeyFile })},
	{flag: "acme-email", help: "address for the certificate authority; set it to get certificates for the host of " +
		"the " +
		"public address automatically, which accepts the authority's terms; the server has to be reachable at port 443",
		set: text(func(c *config) *string { return &c.TLS.ACMEEmail })},
	{flag: "acme-directory", fallback: "https://acme-v02.api.letsencrypt.org/directory",
		help: "directory address of the certificate authority",
		set:  baseURL(func(c *config) *string { return &c.TLS.ACMEDirectory })},
	{flag: "acme-ca", help: "file with the certificates in PEM that the directory's own certificate is checked " +
		"against; " +
		"empty: those of the system", set: text(func(c *config) *string { return &c.TLS.ACMECA })},
	{flag: "rate-limit", fallback: "600", help: "requests per minute and token; 0 disables the limit",
		set: count(func(c *config, n int64) { c.RateLimit = int(n) }, 1_000_000_000)},
	{flag: "organization-rate-limit", fallback: "6000", help: "requests per minute and organization, all its " +
		"tokens together, on each node; 0 disables the limit",
		set: count(func(c *config, n int64) { c.OrganizationRateLimit = int(n) }, 1_000_000_000)},
	{flag: "storage-quota", fallback: "0", help: "bytes that the assets of an organization may have together; 0: as " +
		"many as there is room for",
		set: count(func(c *config, n int64) { c.StorageQuota = n }, 1_000_000_000_000_000_000)},
	{flag: "security-contact", help: "contact for security reports about this installation, such as " +
		"mailto:security@example.com; empty: no /.well-known/security.txt",
		set: contactURI(func(c *config) *string { return &c.SecurityContact })},
	{flag: "grant-credits", fallback: "10000",
		help: "credits granted to organizations created by init and admin create-organization",
		set:  count(func(c *config, n int64) { c.grantCredits = n }, 1_000_000_000_000)},
	{flag: "credits-low", fallback: "100",
		help: "record an event when an organization has fewer available credits than this; 0: never",
		set:  count(func(c *config, n int64) { c.CreditsLow = n }, 1_000_000_000_000)},
	{flag: "event-days", fallback: "30", help: "days that events are kept, 4 to 3650",
		set: func(c *config, s string) (err error) {
			if c.EventDays, err = strconv.Atoi(s); err != nil || c.EventDays < 4 || c.EventDays > 3650 {
				return errors.New("must be a whole number from 4 to 3650: webhooks are tried for 3 days")
			}
			return nil
		}},
	{flag: "metrics-days", fallback: "400", help: "days that metrics readings are kept, 31 to 36500; sums of " +
		"days stay",
		set: func(c *config, s string) (err error) {
			if c.MetricsDays, err = strconv.Atoi(s); err != nil || c.MetricsDays < 31 || c.MetricsDays > 36500 {
				return errors.New("must be a whole number from 31 to 36500: posts are read for 30 days")
			}
			return nil
		}},
	{flag: "log-level", fallback: "info", help: "debug, info, warn or error",
		set: func(c *config, s string) error { return c.logLevel.UnmarshalText([]byte(s)) }},
	{flag: "log-format", fallback: "text", help: "text or json",
		set: oneOf(func(c *config) *string { return &c.logFormat }, "text", "json")},
}, networkSettings()...)

// contactURI accepts the contacts that RFC 9116 allows.
func contactURI(field func(*config) *string) func(*config, string) error {
	return func(c *config, s string) error {
		u, err := url.Parse(s)
		if s != "" && (err != nil || !slices.Contains([]string{"mailto", "https", "tel"}, u.Scheme) ||
			strings.ContainsFunc(s, unicode.IsControl)) {
			return errors.New("must be an address that starts with mailto, https or tel")
		}
		*field(c) = s
		return nil
	}
}

func text(field func(*config) *string) func(*config, string) error {
	return func(c *config, s string) error {
		*field(c) = s
		return nil
	}
}

func oneOf(field func(*config) *string, allowed ...string) func(*config, string) error {
	return func(c *config, s string) error {
		if slices.Contains(allowed, s) {
			*field(c) = s
			return nil
		}
		return fmt.Errorf("must be one of %s", strings.Join(allowed, ", "))
	}
}

func onOff(field func(*config) *bool) func(*config, string) error {
	return func(c *config, s string) error {
		var word string
		err := oneOf(func(*config) *string { return &word }, "on", "off")(c, s)
		*field(c) = word == "on"
		return err
	}
}

// keyIDs parses a list of ids of secret keys such as 1a2b3c4d,5e6f7a8b.
func keyIDs(field func(*config) *[]string) func(*config, string) error {
	return func(c *config, s string) error {
		*field(c) = nil
		for id := range strings.SplitSeq(s, ",") {
			if id = strings.ToLower(strings.TrimSpace(id)); id == "" {
				continue
			}
			if raw, err := hex.DecodeString(id); err != nil || len(raw) != 4 {
				return fmt.Errorf("must be ids of lost secret keys, such as 1a2b3c4d,5e6f7a8b, as the error at the "+
					"start without this setting names them; %.40q is none", id)
			}
			*field(c) = append(*field(c), id)
		}
		return nil
	}
}

func count(set func(*config, int64), limit int64) func(*config, string) error {
	return func(c *config, s string) error {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 0 || n > limit {
			return fmt.Errorf("must be a whole number from 0 to %d", limit)
		}
		set(c, n)
		return nil
	}
}

func address(field func(*config) *string) func(*config, string) error {
	return func(c *config, s string) error {
		if s != "" {
			if _, _, err := net.SplitHostPort(s); err != nil {
				return errors.New("must be host:port, such as 127.0.0.1:8080")
			}
		}
		*field(c) = s
		return nil
	}
}

func baseURL(field func(*config) *string) func(*config, string) error {
	return func(c *config, s string) error {
		if s != "" {
			u, err := url.Parse(s)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" {
				return errors.New("must be an http or https address without a query, such as https://crier.example.com")
			}
		}
		*field(c) = strings.TrimRight(s, "/")
		return nil
	}
}

// parseNetwork parses 10.0.0.0/8, or 10.1.2.3 for that address alone.
func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return addr.Prefix(addr.BitLen())
	}
	return netip.ParsePrefix(text)
}

// networkList parses a list of networks such as 10.0.0.0/8,fd00::/8.
func networkList(field func(*config) *[]netip.Prefix) func(*config, string) error {
	return func(c *config, s string) error {
		*field(c) = nil
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			prefix, err := parseNetwork(part)
			if err != nil {
				return fmt.Errorf("must be addresses or networks separated by commas, such as 10.0.0.0/8; %.40q is "+
					"none",
					part)
			}
			*field(c) = append(*field(c), prefix)
		}
		return nil
	}
}

// The flag and the variable that name the settings file; they are not settings in the file itself.
const (
	configFlag     = "config"
	configVariable = "CRIER_CONFIG"
)

func addFlags(flags *pflag.FlagSet) {
	flags.String(configFlag, "", "file of settings, one CRIER_NAME=value a line (environment: "+configVariable+")")
	for _, s := range settings {
		flags.String(s.flag, s.fallback, s.help+" (environment: "+s.variable()+")")
	}
}

// load reads the settings of one run and checks them all.
func (a *app) load(cmd *cobra.Command) error {
	environment := map[string]string{}
	for _, pair := range a.environ {
		if name, text, found := strings.Cut(pair, "="); found && strings.HasPrefix(name, "CRIER_") {
			environment[name] = text
		}
	}
	a.config.strays = strayVariables(environment)
	path := environment[configVariable]
	if f := cmd.Flags().Lookup(configFlag); f != nil && f.Changed {
		path = f.Value.String()
	}
	file, err := readConfigFile(path)
	if err != nil {
		return err
	}
	var problems []error
	typed := false // an invalid flag is an error of the command line
	for _, s := range settings {
		v := find(s, cmd.Flags(), environment, file, path)
		if err := s.set(&a.config, v.text); err != nil {
			f := cmd.Flags().Lookup(s.flag)
			typed = typed || f != nil && f.Changed
			problems = append(problems, fmt.Errorf("%s (from %s): %w", s.variable(), v.origin, err))
		}
		a.config.values = append(a.config.values, v)
	}
	a.config.Sandbox = a.config.sandboxMode == "on" || a.config.sandboxMode == "" && !a.config.HasCredentials()
	if a.config.Public = a.config.PublicURL != ""; !a.config.Public {
		a.config.PublicURL = a.config.TLS.Scheme() + "://" + server.Reachable(a.config.Listen)
	}
	a.config.Version, a.config.Now, a.config.Logger = version, a.now, a.logger()
	if err := a.config.TLS.Check(a.config.PublicURL); err != nil {
		problems = append(problems, err)
	}
	if typed {
		return cli.Usagef("%v", errors.Join(problems...))
	}
	return errors.Join(problems...)
}

// serviceVariable matches what Kubernetes sets for services whose names begin with crier.
var serviceVariable = regexp.MustCompile(`_SERVICE_(HOST|PORT)|_PORT(_[0-9]+_.*)?$`)

// strayVariables returns the variables that look like settings and are none. Most of them are misspelt: without its
// address, for example, a server does not use its database, but a new one in the data directory.
func strayVariables(environment map[string]string) []string {
	known := append(cli.Variables(), configVariable, passphraseVariable)
	for _, s := range settings {
		known = append(known, s.variable())
	}
	var strays []string
	for name := range environment {
		if !slices.Contains(known, name) && !serviceVariable.MatchString(name) {
			strays = append(strays, name)
		}
	}
	slices.Sort(strays)
	return strays
}

func find(s setting, flags *pflag.FlagSet, environment, file map[string]string, path string) value {
	if f := flags.Lookup(s.flag); f != nil && f.Changed {
		return value{s, f.Value.String(), "flag --" + s.flag}
	}
	if text, ok := environment[s.variable()]; ok {
		return value{s, text, "environment"}
	}
	if text, ok := file[s.variable()]; ok {
		return value{s, text, path}
	}
	return value{s, s.fallback, "default"}
}

func readConfigFile(path string) (map[string]string, error) {
	found := map[string]string{}
	if path == "" {
		return found, nil
	}
	data, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the file of settings: %w", err)
	}
	known := map[string]bool{}
	for _, s := range settings {
		known[s.variable()] = true
	}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, text, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if !ok || !known[name] {
			return nil, fmt.Errorf("%s, line %d: expected a setting such as CRIER_LISTEN=127.0.0.1:8080, got %.40q",
				path, i+1, name)
		}
		found[name] = strings.Trim(strings.TrimSpace(text), `"`)
	}
	return found, nil
}

func (a *app) configCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Show every setting, its value and where it came from",
		Long:    "Shows every setting, its value and where it came from. Secrets are masked.",
		Example: "  crier config\n  CRIER_LISTEN=:9000 crier config --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.printConfig(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (v value) masked() string {
	if v.secret && v.text != "" {
		return "********"
	}
	return v.text
}

func (a *app) printConfig(asJSON bool) error {
	if asJSON {
		type line struct {
			Name   string `json:"name"`
			Value  string `json:"value"`
			Origin string `json:"origin"`
			Help   string `json:"help"`
			Group  string `json:"group"`
		}
		lines := []line{}
		for _, v := range a.config.values {
			lines = append(lines, line{v.variable(), v.masked(), v.origin, v.help, groupOf(v.flag)})
		}
		enc := json.NewEncoder(a.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(lines)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tORIGIN\tMEANING")
	for _, title := range groupTitles() {
		fmt.Fprintf(w, "# %s\t\t\t\n", title)
		for _, v := range a.config.values {
			if groupOf(v.flag) == title {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.variable(), v.masked(), v.origin, v.help)
			}
		}
	}
	return w.Flush()
}

// logger logs to standard error, in the configured format and from the configured level.
func (a *app) logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: a.config.logLevel}
	if a.config.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.stderr, options))
	}
	return slog.New(slog.NewTextHandler(a.stderr, options))
}
