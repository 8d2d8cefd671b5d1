package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/internal/auth"
	"crier/internal/service"
	"crier/internal/store"
)

// finding is one thing that doctor looked at.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	// Advice is what to do when it is not ok.
	Advice string `json:"advice,omitempty"`
}

// errUnwell means that an installation has problems.
var errUnwell = errors.New("something needs attention")

// maxClockSkew is how far a clock may be off before posts are noticeably early or late.
const maxClockSkew = 2 * time.Second

func (s *shell) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Check an installation and say what to do",
		Long:    "Looks at the settings, the database, the secret key, the clock, the networks' credentials and the public address. It changes nothing.",
		Example: "  crier doctor\n  crier doctor --database-url postgres://crier@db/crier --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			findings := s.examine(cmd.Context())
			bad := false
			err := s.show(findings, "", func(w io.Writer) {
				for _, f := range findings {
					mark := "ok"
					if !f.OK {
						mark = "PROBLEM"
					}
					row(w, mark, f.Check, f.Detail)
					if f.Advice != "" {
						fmt.Fprintf(w, "\t\t→ %s\n", f.Advice)
					}
				}
			})
			for _, f := range findings {
				bad = bad || !f.OK
			}
			if err == nil && bad {
				return errUnwell
			}
			return err
		},
	}
	addFlags(cmd.Flags())
	return cmd
}

func (s *shell) examine(ctx context.Context) []finding {
	out := []finding{s.examineStore(ctx)}
	out = append(out, s.examineServer(ctx)...)
	return append(out, s.examineNetworks()...)
}

// examineStore looks at the database and the key as serve would, but makes neither.
func (s *shell) examineStore(ctx context.Context) finding {
	f := finding{Check: "database and secret key"}
	fail := func(err error, advice string) finding {
		f.Detail, f.Advice = err.Error(), advice
		return f
	}
	const start = "start crier serve, which makes it"
	cfg := store.Config{DatabaseURL: s.config.databaseURL, DataDir: s.config.dataDir, Logger: s.logger()}
	if there, err := store.Exists(cfg); err != nil || !there {
		return fail(errors.Join(err, fmt.Errorf("there is no database in %s yet", s.config.dataDir)), start+", or set CRIER_DATA_DIR")
	}
	secret, err := s.presentKey()
	if errors.Is(err, fs.ErrNotExist) {
		return fail(fmt.Errorf("there is a database, but no secret key: %w", err), "restore the file, or set CRIER_SECRET_KEY to the key that the store was made with")
	}
	keys, keyErr := auth.NewKeyring(secret)
	if err := errors.Join(err, keyErr); err != nil {
		return fail(err, "check CRIER_SECRET_KEY")
	}
	st, err := store.Open(ctx, cfg)
	if err != nil {
		return fail(err, "check CRIER_DATABASE_URL and CRIER_DATA_DIR")
	}
	defer func() { _ = st.Close() }()
	if _, err := st.KeyFingerprint(ctx); err != nil { // before asking for migrations, which would make their table
		return fail(errors.New("the database is empty"), start)
	}
	if err := service.New(service.Config{Store: st, Keys: keys, Now: s.now}).Instance.CheckKey(ctx); err != nil {
		return fail(err, "start with the key that the store was made with")
	}
	if current, err := st.Migrated(ctx); err != nil || !current {
		return fail(errors.Join(err, errors.New("the schema is not up to date")), "run crier migrate, or start crier serve, which does it")
	}
	f.OK, f.Detail = true, string(st.Dialect())+", schema current, key fits"
	return f
}

// examineServer asks the running server under its public address.
func (s *shell) examineServer(ctx context.Context) []finding {
	address := finding{Check: "public address", Detail: s.config.publicURL}
	clock := finding{Check: "clock"}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.config.publicURL+"/readyz", nil)
	if err != nil {
		address.Detail = err.Error()
		return []finding{address}
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		address.Detail = fmt.Sprintf("%s does not answer: %v", s.config.publicURL, err)
		address.Advice = "start crier serve, or set CRIER_PUBLIC_URL to where it is reached; networks fetch media from there"
		return []finding{address}
	}
	_ = answer.Body.Close()
	address.OK = answer.StatusCode == http.StatusOK
	if !address.OK {
		address.Detail += fmt.Sprintf(" answers with %d", answer.StatusCode)
		address.Advice = "look at the server's log"
	}
	if served, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		skew := s.now().Sub(served).Abs()
		clock.OK = skew <= maxClockSkew
		clock.Detail = fmt.Sprintf("this machine and the server differ by %s", skew.Round(time.Second))
		if !clock.OK {
			clock.Advice = "synchronise the clocks (NTP): posts go out by the server's clock"
		}
	}
	return []finding{address, clock}
}

// examineNetworks tells which networks are ready for real posts.
func (s *shell) examineNetworks() []finding {
	if s.config.sandbox {
		return []finding{{Check: "networks", OK: true, Detail: "the sandbox: posts do not leave this installation"}}
	}
	var out []finding
	local := false
	if u, err := url.Parse(s.config.publicURL); err == nil {
		local = u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost"
	}
	for _, p := range crier.Providers() {
		f := finding{Check: "credentials of " + string(p), OK: true, Detail: "set"}
		if s.config.network(p).clientID == "" {
			f.Detail = "not set: accounts of this network cannot be connected"
			f.Advice = "see docs/providers/" + string(p) + ".md"
		}
		out = append(out, f)
	}
	if local {
		out = append(out, finding{Check: "public address", Detail: "networks cannot reach " + s.config.publicURL, Advice: "set CRIER_PUBLIC_URL"})
	}
	return out
}
