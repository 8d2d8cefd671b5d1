// Package deploy_test checks the deployment files, with the tools that are installed on this machine and with its own
// checks.
package deploy_test

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/internal/server"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var settingFlag = regexp.MustCompile(`\{flag: "([a-z0-9-]+)"`)

// settingNames returns the variables that crier reads.
func settingNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, found := range settingFlag.FindAllStringSubmatch(read(t, "../cmd/crier/config.go"), -1) {
		names = append(names, "CRIER_"+strings.ToUpper(strings.ReplaceAll(found[1], "-", "_")))
	}
	if len(names) < 20 {
		t.Fatalf("the settings are %v", names)
	}
	return names
}

var variable = regexp.MustCompile(`\bCRIER_[A-Z0-9_]+`)

func TestPackagesSetOnlyKnownSettings(t *testing.T) {
	t.Parallel()
	known := settingNames(t)
	for _, path := range []string{"../Dockerfile", "compose.yaml", "systemd/crier.service", "helm/crier/values.yaml",
		"helm/crier/templates/_helpers.tpl"} {
		for _, name := range variable.FindAllString(read(t, path), -1) {
			if !slices.Contains(known, name) && !strings.HasPrefix(name, "CRIER_X_") && name != "CRIER_NAME" {
				t.Errorf("%s names %s, which is no setting", path, name)
			}
		}
	}
}

func TestContainerIsSmallAndRunsAsNonRoot(t *testing.T) {
	t.Parallel()
	_, final, _ := strings.Cut(read(t, "../Dockerfile"), "\nFROM scratch\n")
	for _, line := range []string{"USER 65532:65532\n", "ENTRYPOINT [\"/crier\"]\n", "VOLUME /data\n",
		"CRIER_DATA_DIR=/data", "TMPDIR=/data"} {
		if !strings.Contains(final, line) {
			t.Errorf("the container lacks %q:\n%s", line, final)
		}
	}
	if strings.Contains(final, "RUN ") {
		t.Error("the container needs a shell to be built")
	}
}

type composeFile struct {
	Services map[string]struct {
		Image, Build string
		ReadOnly     bool     `yaml:"read_only"`
		CapDrop      []string `yaml:"cap_drop"`
		SecurityOpt  []string `yaml:"security_opt"`
		Ports        []string
		Volumes      []string
		Environment  map[string]string
		NetworkMode  string `yaml:"network_mode"`
		Command      []string
		DependsOn    map[string]any `yaml:"depends_on"`
	}
	Volumes map[string]any
}

func TestComposeFileIsCompleteAndHardened(t *testing.T) {
	t.Parallel()
	var file composeFile
	readYAML(t, "compose.yaml", &file)
	roles := map[string]bool{}
	for name, s := range file.Services {
		for needed := range s.DependsOn {
			if _, has := file.Services[needed]; !has {
				t.Errorf("%s needs %s, which is no service", name, needed)
			}
		}
		for _, mount := range s.Volumes {
			volume, _, _ := strings.Cut(mount, ":")
			if _, has := file.Volumes[volume]; !has {
				t.Errorf("%s mounts %s, which is no volume", name, volume)
			}
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s is open to everybody on %s", name, port)
			}
		}
		if s.Build == "" {
			continue
		}
		roles[s.Environment["CRIER_ROLE"]] = true
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) ||
			!slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s is not hardened: %+v", name, s)
		}
	}
	if !roles["api"] || !roles["worker"] {
		t.Errorf("the roles are %v", roles)
	}
}

// The sandbox fetches media from the public address, nodes and browsers call the sandbox, and what it answers has the
// address that it was called at: all of them have to mean the same by it.
func TestComposeFileHasOneLocalhostForNodesSandboxAndBrowser(t *testing.T) {
	t.Parallel()
	var file composeFile
	readYAML(t, "compose.yaml", &file)
	const owner = "sandbox"
	ports := map[string]string{} // in the network of the owner, by number
	listens := func(service, address string) {
		_, port, _ := strings.Cut(address, ":")
		if port == "" || ports[port] != "" {
			t.Errorf("%s listens on %q, and so does %q", service, address, ports[port])
		}
		ports[port] = service
	}
	for name, s := range file.Services {
		switch {
		case name == owner:
			listens(name, s.Command[slices.Index(s.Command, "--listen")+1])
		case s.Build != "":
			listens(name, s.Environment["CRIER_LISTEN"])
			listens(name, s.Environment["CRIER_METRICS_LISTEN"])
			if s.NetworkMode != "service:"+owner || len(s.Ports) > 0 {
				t.Errorf("%s is in the network %q and publishes %v", name, s.NetworkMode, s.Ports)
			}
		}
	}
	for setting, service := range map[string]string{"CRIER_PUBLIC_URL": "api", "CRIER_SANDBOX_URL": owner} {
		address := file.Services["api"].Environment[setting]
		if _, fallback, has := strings.Cut(address, ":-"); has {
			address = strings.TrimSuffix(fallback, "}")
		}
		port, local := strings.CutPrefix(address, "http://localhost:")
		if !local || ports[port] != service {
			t.Errorf("%s is %s, where %q listens", setting, address, ports[port])
		}
		if published := "127.0.0.1:" + port + ":" + port; !slices.Contains(file.Services[owner].Ports, published) {
			t.Errorf("%s does not publish %s", owner, published)
		}
	}
}

// tool runs a program, and skips the test if it is not installed.
func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	if out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Errorf("%s %v: %v\n%s", name, args, err, out)
	}
}

// readUnit returns the settings of a systemd unit: the last value of each, by section.
func readUnit(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	unit := map[string]map[string]string{}
	section := ""
	for number, line := range strings.Split(read(t, path), "\n") {
		name, value, assigns := strings.Cut(line, "=")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			section = strings.Trim(line, "[]")
			unit[section] = map[string]string{}
		case !assigns || section == "" || strings.TrimSpace(name) != name:
			t.Errorf("%s, line %d is no setting of a section: %q", path, number+1, line)
		default:
			unit[section][name] = value
		}
	}
	return unit
}

// systemd ignores a setting in the wrong section, with a warning that nobody reads.
func TestUnitHasItsSettingsInTheirSections(t *testing.T) {
	t.Parallel()
	unit := readUnit(t, "systemd/crier.service")
	for section, settings := range map[string]map[string]string{
		// Without a database crier ends at its start. It is started again for as long as that takes: by default,
		// systemd gives up after five times in ten seconds.
		"Unit": {"StartLimitIntervalSec": "0", "After": "network-online.target", "Wants": "network-online.target"},
		"Service": {"Restart": "always", "RestartSec": "1", "ExecStart": "/usr/local/bin/crier serve",
			"DynamicUser": "yes", "StateDirectory": "crier", "StateDirectoryMode": "0700", "UMask": "0077",
			"ProtectSystem": "strict", "NoNewPrivileges": "yes", "CapabilityBoundingSet": "CAP_NET_BIND_SERVICE"},
		"Install": {"WantedBy": "multi-user.target"},
	} {
		for name, want := range settings {
			if got := unit[section][name]; got != want {
				t.Errorf("[%s] has %s=%s, want %s", section, name, got, want)
			}
		}
	}
	for name := range unit["Service"] {
		if strings.HasPrefix(name, "StartLimit") {
			t.Errorf("%s belongs into [Unit]", name)
		}
	}
	if len(unit) != 3 {
		t.Errorf("the sections are %v", unit)
	}
}

func TestUnitStopsLaterThanCrierDrains(t *testing.T) {
	t.Parallel()
	unit := readUnit(t, "systemd/crier.service")
	seconds, err := strconv.Atoi(unit["Service"]["TimeoutStopSec"])
	if stop := time.Duration(seconds) * time.Second; err != nil || stop <= server.DrainTime {
		t.Errorf("systemd kills after %v (%v); draining takes up to %v", stop, err, server.DrainTime)
	}
}

func TestSystemdAcceptsTheUnit(t *testing.T) {
	t.Parallel()
	unit := read(t, "systemd/crier.service")
	// The binary is not at the path of the unit.
	copied := filepath.Join(t.TempDir(), "crier.service")
	there := strings.Replace(unit, "/usr/local/bin/crier serve", "/bin/true", 1)
	if err := os.WriteFile(copied, []byte(there), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "systemd-analyze", "verify", copied)
	tool(t, "systemd-analyze", "security", "--offline=yes", "--threshold=20", copied)
}

// promtool runs the one that scripts/find-promtool.sh has found.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	tool(t, cmp.Or(os.Getenv("CRIER_TEST_PROMTOOL"), "promtool"), args...)
}

func TestPrometheusAcceptsTheAlerts(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", "--lint-fatal", "prometheus/alerts.yaml")
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	t.Parallel()
	promtool(t, "test", "rules", "prometheus/alerts_test.yaml")
}

var (
	metricName  = regexp.MustCompile(`\bcrier_[a-z_]+`)
	metricMaker = regexp.MustCompile(`"(crier_[a-z_]+)"`)
)

var (
	askedOutcome = regexp.MustCompile(`\b(crier_[a-z_]+)\{[^}]*outcome(?:=~|=|!=|!~)\\?"([^"\\]+)`)
	// Where the outcomes of attempts are defined. A kind of failure is an outcome, except for the one of lost answers.
	outcomeSources = map[string]*regexp.Regexp{
		"../internal/store/attempts.go":  regexp.MustCompile(`\bOutcome\w+ += "(\w+)"`),
		"../internal/publish/attempt.go": regexp.MustCompile(`\boutcome\w+ += "(\w+)"`),
		"../internal/provider/error.go": regexp.MustCompile(
			`\b(?:Temporary|RateLimited|AuthExpired|Rejected) Kind = "(\w+)"`),
	}
)

func TestAlertsAndDashboardAskForOutcomesThatExist(t *testing.T) {
	t.Parallel()
	known := map[string][]string{"crier_job_duration_seconds": {"done", "waits", "failed"}}
	for path, pattern := range outcomeSources {
		found := pattern.FindAllStringSubmatch(read(t, path), -1)
		if len(found) == 0 {
			t.Errorf("%s has no outcomes", path)
		}
		for _, outcome := range found {
			known["crier_attempts_total"] = append(known["crier_attempts_total"], outcome[1])
		}
	}
	asked := 0
	for _, path := range []string{"prometheus/alerts.yaml", "prometheus/alerts_test.yaml", "grafana/crier.json"} {
		for _, found := range askedOutcome.FindAllStringSubmatch(read(t, path), -1) {
			metric := strings.TrimSuffix(strings.TrimSuffix(found[1], "_count"), "_bucket")
			for outcome := range strings.SplitSeq(found[2], "|") {
				asked++
				if !slices.Contains(known[metric], outcome) {
					t.Errorf("%s asks %s for the outcome %s; there are %v", path, metric, outcome, known[metric])
				}
			}
		}
	}
	if asked < 2 {
		t.Errorf("%d outcomes are asked for", asked)
	}
}

func TestAlertsAndDashboardNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	var names []string
	for _, pattern := range []string{"../internal/*/*.go", "../internal/*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			for _, found := range metricMaker.FindAllStringSubmatch(read(t, file), -1) {
				names = append(names, found[1])
			}
		}
	}
	dashboard := read(t, "grafana/crier.json")
	if !json.Valid([]byte(dashboard)) {
		t.Error("the dashboard is no JSON")
	}
	for path, text := range map[string]string{"alerts": read(t, "prometheus/alerts.yaml"), "dashboard": dashboard} {
		for _, name := range metricName.FindAllString(text, -1) {
			for _, suffix := range []string{"_bucket", "_count", "_sum"} {
				name = strings.TrimSuffix(name, suffix)
			}
			if !slices.Contains(names, name) {
				t.Errorf("the %s ask for %s, which crier does not tell", path, name)
			}
		}
	}
}
