package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crier"
	"crier/internal/provider/all"
)

// config is the settings of one run, read once and handed down in parts.
type config struct {
	listen        string
	metricsListen string
	dataDir       string
	mediaDir      string
	s3            s3Config
	importAllow   []netip.Prefix
	enrich        enrichConfig
	databaseURL   string
	publicURL     string
	secretKey     string
	role          string
	sandbox       bool
	sandboxMode   string
	networks      map[crier.Provider]*networkConfig
	ownNetworks   all.Config // what one network alone has
	sandboxListen string
	sandboxAt     string
	smtpURL       string
	mailFrom      string
	rateLimit     int
	grantCredits  int64
	logLevel      slog.Level
	logFormat     string

	values []value
}

// value is a setting as it was found.
type value struct {
	setting
	text, origin string
}

// setting is one line of the table of settings.
type setting struct {
	flag     string
	fallback string
	help     string
	secret   bool
	set      func(c *config, text string) error
}

// variable is the name of the setting in the environment and in the file.
func (s setting) variable() string {
	return "CRIER_" + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

// settings lists every setting of the server. Flags win over the environment, which wins over the file.
var settings = append([]setting{
	{flag: "listen", fallback: "127.0.0.1:8080", help: "address the interface listens on", set: address(func(c *config) *string { return &c.listen })},
	{flag: "metrics-listen", help: "address that serves /metrics alone; empty: loopback callers of the main address", set: address(func(c *config) *string { return &c.metricsListen })},
	{flag: "data-dir", fallback: "crier-data", help: "directory of the embedded database, the secret key and the media library", set: text(func(c *config) *string { return &c.dataDir })},
	{flag: "media-dir", help: "directory of the media library's files, the same one for all nodes; empty: media in the data directory", set: text(func(c *config) *string { return &c.mediaDir })},
	{flag: "s3-endpoint", help: "S3-compatible store for the media library's files, such as https://s3.example.com; empty: a directory", set: baseURL(func(c *config) *string { return &c.s3.endpoint })},
	{flag: "s3-bucket", help: "bucket for the files; it must exist", set: text(func(c *config) *string { return &c.s3.bucket })},
	{flag: "s3-region", help: "region of the bucket; empty: us-east-1", set: text(func(c *config) *string { return &c.s3.region })},
	{flag: "s3-access-key", help: "access key for the bucket", set: text(func(c *config) *string { return &c.s3.accessKey })},
	{flag: "s3-secret-key", help: "secret key for the bucket", secret: true, set: text(func(c *config) *string { return &c.s3.secretKey })},
	{flag: "s3-prefix", help: "put before the name of every object in the bucket", set: text(func(c *config) *string { return &c.s3.prefix })},
	{flag: "import-allow", help: "private networks that files may be imported from, on any port, such as 10.0.0.0/8; empty: the public internet alone", set: networkList(func(c *config) *[]netip.Prefix { return &c.importAllow })},
	{flag: "enrich-url", help: "OpenAI-compatible endpoint that finds languages, topics and sentiments of posts, such as https://api.example.com/v1; empty: crier's own analyser", set: baseURL(func(c *config) *string { return &c.enrich.baseURL })},
	{flag: "enrich-key", help: "bearer token for the endpoint; empty: none", secret: true, set: text(func(c *config) *string { return &c.enrich.key })},
	{flag: "enrich-model", help: "model to ask, as the endpoint names it", set: text(func(c *config) *string { return &c.enrich.model })},
	{flag: "enrich-daily-tokens", fallback: "1000000", help: "tokens that this process may spend at the endpoint per day (UTC); beyond it, crier's own analyser does the work", set: count(func(c *config, n int64) { c.enrich.dailyTokens = n }, 1_000_000_000_000)},
	{flag: "database-url", help: "PostgreSQL address; empty: SQLite in the data directory", secret: true, set: text(func(c *config) *string { return &c.databaseURL })},
	{flag: "public-url", help: "address under which people and networks reach this server; empty: made from listen", set: baseURL(func(c *config) *string { return &c.publicURL })},
	{flag: "secret-key", help: "seals tokens and keys; empty: a file in the data directory, made at the first start", secret: true, set: text(func(c *config) *string { return &c.secretKey })},
	{flag: "role", fallback: "all", help: "what this node does: all, api or worker", set: oneOf(func(c *config) *string { return &c.role }, "all", "api", "worker")},
	{flag: "sandbox", help: "on: publish to the simulator that ships with crier; off: to the real networks; empty: on unless credentials of a network are set", set: oneOf(func(c *config) *string { return &c.sandboxMode }, "", "on", "off")},
	{flag: "sandbox-listen", fallback: "127.0.0.1:8081", help: "address the simulator listens on", set: address(func(c *config) *string { return &c.sandboxListen })},
	{flag: "sandbox-url", help: "address of a simulator that runs elsewhere; empty: this process runs one", set: baseURL(func(c *config) *string { return &c.sandboxAt })},
	{flag: "smtp-url", help: "mail server that invitations are sent through, such as smtp://user:password@mail.example.com:587; empty: no mail, links are handed over by hand", secret: true, set: text(func(c *config) *string { return &c.smtpURL })},
	{flag: "mail-from", help: "sender of mail, such as \"crier <noreply@example.com>\"", set: text(func(c *config) *string { return &c.mailFrom })},
	{flag: "rate-limit", fallback: "600", help: "requests per minute and token; 0 switches limits off", set: count(func(c *config, n int64) { c.rateLimit = int(n) }, 1_000_000_000)},
	{flag: "grant-credits", fallback: "10000", help: "credits given to organizations made by init and admin create-organization", set: count(func(c *config, n int64) { c.grantCredits = n }, 1_000_000_000_000)},
	{flag: "log-level", fallback: "info", help: "debug, info, warn or error", set: func(c *config, s string) error { return c.logLevel.UnmarshalText([]byte(s)) }},
	{flag: "log-format", fallback: "text", help: "text or json", set: oneOf(func(c *config) *string { return &c.logFormat }, "text", "json")},
}, networkSettings()...)

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

// configFile is the setting that names the file of settings; it is not in the file itself.
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
	path := environment[configVariable]
	if f := cmd.Flags().Lookup(configFlag); f != nil && f.Changed {
		path = f.Value.String()
	}
	file, err := readConfigFile(path)
	if err != nil {
		return err
	}
	var problems []error
	for _, s := range settings {
		v := find(s, cmd.Flags(), environment, file, path)
		if err := s.set(&a.config, v.text); err != nil {
			problems = append(problems, fmt.Errorf("%s (from %s): %w", s.variable(), v.origin, err))
		}
		a.config.values = append(a.config.values, v)
	}
	a.config.sandbox = a.config.sandboxMode == "on" || a.config.sandboxMode == "" && !a.config.hasCredentials()
	if a.config.publicURL == "" {
		a.config.publicURL = "http://" + reachable(a.config.listen)
	}
	return errors.Join(problems...)
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
			return nil, fmt.Errorf("%s, line %d: expected a setting such as CRIER_LISTEN=127.0.0.1:8080, got %.40q", path, i+1, name)
		}
		found[name] = strings.Trim(strings.TrimSpace(text), `"`)
	}
	return found, nil
}

// reachable turns a listening address into one that a browser on this machine can open.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
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
		}
		lines := []line{}
		for _, v := range a.config.values {
			lines = append(lines, line{v.variable(), v.masked(), v.origin, v.help})
		}
		enc := json.NewEncoder(a.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(lines)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tORIGIN\tMEANING")
	for _, v := range a.config.values {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.variable(), v.masked(), v.origin, v.help)
	}
	return w.Flush()
}
