package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/internal/auth"
	"crier/internal/cli"
	"crier/internal/service"
	"crier/internal/store"
)

func (a *app) doctorCommand(s *cli.Shell) *cobra.Command {
	var network string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check an installation and suggest fixes",
		Long: "Checks the server of --server, CRIER_SERVER or your login: whether it responds, its clock and " +
			"your login.\n" +
			"On the machine of an installation it checks the settings, the database, the secret key, the clock, " +
			"the networks' credentials and the public address. It changes nothing.",
		Example: "  crier doctor\n  crier doctor --server https://crier.example.com\n  crier doctor --provider x\n" +
			"  crier doctor --database-url postgres://crier@db/crier --json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.load(cmd); err != nil {
				return err
			}
			findings, away, err := a.diagnose(cmd.Context(), s, network)
			if err == nil {
				err = s.Show(findings, "", func(w io.Writer) { cli.WriteFindings(w, findings) })
			}
			if err == nil && slices.ContainsFunc(findings, func(f cli.Finding) bool { return !f.OK }) {
				return &cli.ProblemsError{Away: away}
			}
			return err
		},
	}
	s.AddFlags(cmd)
	addFlags(cmd.Flags())
	groupFlags(cmd)
	cmd.Flags().StringVar(&network, "provider", "", "check this installation's setup at one network, such as x")
	return cmd
}

// diagnose examines the selected server: a remote one from outside, the one of this machine from within. away is true
// when a remote one cannot be reached.
func (a *app) diagnose(ctx context.Context, s *cli.Shell, network string) (findings []cli.Finding, away bool,
	err error) {
	if network == "" && !a.meansThisMachine(s) {
		address, _ := s.Server()
		findings, away = s.CheckServer(ctx, address)
		return findings, away, nil
	}
	findings, err = a.findings(ctx, network)
	return findings, false, err
}

// meansThisMachine reports whether the selected server's settings and database are on this machine: true unless a
// remote server was selected. A flag that names the data of an installation is worth more than a variable that names a
// server.
func (a *app) meansThisMachine(s *cli.Shell) bool {
	address, by := s.Server()
	operated, byFlag := false, false
	for _, v := range a.config.values {
		if v.origin != "default" && (v.flag == "data-dir" || v.flag == "database-url" || v.flag == "secret-key") {
			operated, byFlag = true, byFlag || v.origin == "flag --"+v.flag
		}
	}
	switch {
	case byFlag && by != cli.ChosenByFlag:
		return true
	case by == cli.ChosenByDefault:
		return true
	case by == cli.ChosenByLogin && operated:
		return true
	case !cli.SameServer(address, a.config.PublicURL):
		return false
	}
	there, err := store.Exists(store.Config{DatabaseURL: a.config.DatabaseURL, DataDir: a.config.DataDir,
		Logger: a.logger()})
	return operated || err == nil && there
}

// findings examines the installation, or its credentials at one network.
func (a *app) findings(ctx context.Context, network string) ([]cli.Finding, error) {
	if network == "" {
		return a.check(ctx), nil
	}
	own := a.config.Config
	own.Sandbox = false // check the real network, also while the sandbox is in use
	registry, err := own.Registry()
	if err != nil {
		return nil, err
	}
	p, ok := registry.Get(network)
	if !ok {
		return nil, cli.Usagef("there is no provider %q, only %s", network, strings.Join(registry.Names(), ", "))
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var out []cli.Finding
	if a.config.Sandbox {
		out = append(out, sandboxFinding())
	}
	for _, c := range registry.Examine(ctx, p, a.config.PublicURL+"/oauth/"+network+"/callback") {
		out = append(out, cli.Finding{Check: c.Name, OK: c.OK, Detail: c.Detail, Advice: c.Advice})
	}
	return out, nil
}

func (a *app) check(ctx context.Context) []cli.Finding {
	out := append(a.checkStore(ctx), a.checkServer(ctx)...)
	if free, known := freeSpace(a.config.DataDir); known && a.config.DatabaseURL == "" {
		out = append(out, diskFinding(a.config.DataDir, free))
	}
	out = append(out, a.checkNetworks()...)
	if strays := a.config.strays; len(strays) > 0 {
		out = append(out, cli.Finding{Check: "environment", OK: true,
			Detail: "no settings, and without effect: " + strings.Join(strays, ", "),
			Advice: "crier config lists the settings"})
	}
	return out
}

// checkStore checks the database and the key as serve would, but creates neither.
func (a *app) checkStore(ctx context.Context) []cli.Finding {
	f := cli.Finding{Check: "database and secret key"}
	fail := func(err error, advice string) []cli.Finding {
		f.Detail, f.Advice = err.Error(), advice
		return []cli.Finding{f}
	}
	const start = "start crier serve, which creates it"
	cfg := store.Config{DatabaseURL: a.config.DatabaseURL, DataDir: a.config.DataDir, Logger: a.logger()}
	if there, err := store.Exists(cfg); err != nil || !there {
		return fail(errors.Join(err, fmt.Errorf("there is no database in %s yet", a.config.DataDir)),
			start+", or set CRIER_DATA_DIR")
	}
	secret, err := a.config.PresentKey()
	if errors.Is(err, fs.ErrNotExist) {
		return fail(fmt.Errorf("there is a database, but no secret key: %w", err),
			"restore the file, or set CRIER_SECRET_KEY to the key that the store was created with; if it is lost, "+
				"crier serve tells how to start without it")
	}
	if err != nil {
		return fail(err, "run as the user of the server, who can read the file")
	}
	keys, err := auth.NewKeyring(secret)
	if err != nil {
		return fail(err, "check CRIER_SECRET_KEY, or the file secret.key in the data directory if it is not set")
	}
	st, err := store.Open(ctx, cfg)
	if err != nil {
		return fail(err, "check CRIER_DATABASE_URL and CRIER_DATA_DIR")
	}
	defer func() { _ = st.Close() }()
	if _, err := st.KeyFingerprint(ctx); err != nil { // before reading the migrations, which would create their table
		return fail(errors.New("the database is empty"), start)
	}
	instance := service.New(service.Config{Store: st, Keys: keys, Now: a.now, Logger: a.logger(),
		AcceptLostKeys: a.config.AcceptLostKeys}).Instance
	if err := instance.CheckKey(ctx); err != nil {
		return fail(err, "start with the key that the store was created with")
	}
	if current, err := st.Migrated(ctx); err != nil || !current {
		return fail(errors.Join(err, errors.New("the schema is not up to date")),
			"run crier migrate, or start crier serve, which does it")
	}
	if err := instance.CheckRecords(ctx, false); err != nil {
		return fail(err, "set CRIER_SECRET_KEY to the current key and the one before it: NEW,OLD")
	}
	f.OK, f.Detail = true, string(st.Dialect())+", schema up to date, key matches"
	if ahead, err := st.SchemaAhead(ctx); err != nil {
		return fail(err, "check the database")
	} else if ahead {
		f.Detail = string(st.Dialect()) + ", key matches, schema of a newer version of crier"
		f.Advice = "start the newer version: this one is meant to run beside it during an upgrade only"
	}
	if len(keys.Marks()) == 1 {
		return []cli.Finding{f}
	}
	return []cli.Finding{f, checkRotation(ctx, instance)}
}

// enoughSpace is how much the embedded database needs to go on: its log alone grows to tens of megabytes in a burst.
const enoughSpace = 100_000_000

// diskFinding judges the disk of the embedded database. Once it is full, the server answers and reads as before, but
// nothing can be published.
func diskFinding(dir string, free uint64) cli.Finding {
	f := cli.Finding{Check: "disk", OK: free >= enoughSpace,
		Detail: fmt.Sprintf("%.1f GB are free for %s", float64(free)/1e9, dir)}
	if !f.OK {
		f.Detail = fmt.Sprintf("only %.1f MB are free for %s", float64(free)/1e6, dir)
		f.Advice = "make room: until then nothing is published, and what waits for too long is missed"
	}
	return f
}

// checkRotation reports how far the change to the first of several secret keys is.
func checkRotation(ctx context.Context, instance *service.Instance) cli.Finding {
	f := cli.Finding{Check: "key rotation", OK: true}
	left, err := instance.SealedByOthers(ctx)
	switch {
	case err != nil:
		f.OK, f.Detail = false, err.Error()
	case left.Total == 0:
		f.Detail = "every record is encrypted with the first key: the others can be removed from CRIER_SECRET_KEY, " +
			"once every node lists the same key first"
	default:
		f.Detail = "records that are still encrypted with another key than the first: " + left.String()
		f.Advice = "keep the other keys in CRIER_SECRET_KEY; a running server encrypts these records with the first " +
			"key within minutes"
	}
	return f
}

// checkServer calls the running server at its public address.
func (a *app) checkServer(ctx context.Context) []cli.Finding {
	address := cli.Finding{Check: "public address", Detail: a.config.PublicURL}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.config.PublicURL+"/readyz", nil)
	if err != nil {
		address.Detail = err.Error()
		return []cli.Finding{address}
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		address.Detail = fmt.Sprintf("%s does not respond: %v", a.config.PublicURL, err)
		address.Advice = "start crier serve, or set CRIER_PUBLIC_URL to where it is reached; networks fetch media " +
			"from there"
		return []cli.Finding{address}
	}
	_ = answer.Body.Close()
	address.OK = answer.StatusCode == http.StatusOK
	if !address.OK {
		address.Detail += fmt.Sprintf(" answers with %d", answer.StatusCode)
		address.Advice = "check the server's log"
	}
	if served, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		return []cli.Finding{address, cli.ClockFinding(a.now(), served)}
	}
	return []cli.Finding{address}
}

func sandboxFinding() cli.Finding {
	return cli.Finding{Check: "networks", OK: true, Detail: "the sandbox: posts do not leave this installation"}
}

// checkNetworks reports which networks are ready for real posts.
func (a *app) checkNetworks() []cli.Finding {
	if a.config.Sandbox {
		return []cli.Finding{sandboxFinding()}
	}
	var out []cli.Finding
	local := false
	if u, err := url.Parse(a.config.PublicURL); err == nil {
		local = crier.OnThisMachine(u)
	}
	for _, p := range crier.Providers() {
		f := cli.Finding{Check: "credentials of " + string(p), OK: true, Detail: "set"}
		if a.config.Network(p).ClientID == "" {
			f.Detail = "not set: accounts of this network cannot be connected"
			f.Advice = "see docs/providers/" + string(p) + ".md"
		}
		out = append(out, f)
	}
	if local {
		out = append(out, cli.Finding{Check: "public address", Detail: "networks cannot reach " + a.config.PublicURL,
			Advice: "set CRIER_PUBLIC_URL"})
	}
	return out
}
