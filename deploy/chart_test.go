package deploy_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// chart renders the Helm chart with the few functions that its templates use, strictly: a value that values.yaml does
// not have is an error. scripts/lint-chart.sh lints it with Helm.
type chart struct {
	templates *template.Template
	values    map[string]any
}

const chartDir = "helm/crier"

func openChart(t *testing.T, values string) *chart {
	t.Helper()
	c := &chart{templates: template.New("chart").Option("missingkey=error")}
	c.templates.Funcs(template.FuncMap{
		"contains":   func(part, text string) bool { return strings.Contains(text, part) },
		"default":    func(fallback, value string) string { return firstOf(value, fallback) },
		"include":    c.include,
		"list":       func(items ...any) []any { return items },
		"nindent":    nindent,
		"quote":      func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) },
		"required":   require,
		"toYaml":     toYAML,
		"trimPrefix": func(prefix, text string) string { return strings.TrimPrefix(text, prefix) },
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"trunc":      func(n int, text string) string { return text[:min(n, len(text))] },
	})
	if _, err := c.templates.ParseGlob(chartDir + "/templates/*"); err != nil {
		t.Fatal(err)
	}
	readYAML(t, chartDir+"/values.yaml", &c.values)
	var own map[string]any
	if err := yaml.Unmarshal([]byte(values), &own); err != nil {
		t.Fatal(err)
	}
	merge(c.values, own)
	return c
}

func firstOf(value, fallback string) string {
	if value != "" {
		return value
	}
	return fallback
}

func (c *chart) include(name string, data any) (string, error) {
	var out bytes.Buffer
	err := c.templates.ExecuteTemplate(&out, name, data)
	return out.String(), err
}

func nindent(n int, text string) string {
	indent := "\n" + strings.Repeat(" ", n)
	return indent + strings.ReplaceAll(text, "\n", indent)
}

func require(problem, value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("%s", problem)
	}
	return value, nil
}

func toYAML(v any) (string, error) {
	data, err := yaml.Marshal(v)
	return strings.TrimSuffix(string(data), "\n"), err
}

func merge(into, from map[string]any) {
	for key, value := range from {
		below, isMap := value.(map[string]any)
		if old, ok := into[key].(map[string]any); ok && isMap && len(old) > 0 {
			merge(old, below)
			continue
		}
		into[key] = value
	}
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// manifest has the fields of a Kubernetes object that the tests check.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct {
		Name   string
		Labels map[string]string
	}
	Spec struct {
		Replicas int
		Selector map[string]any
		Rules    []struct{ Host string }
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     podSpec
		}
	}
}

type podSpec struct {
	ServiceAccountName           string         `yaml:"serviceAccountName"`
	AutomountServiceAccountToken *bool          `yaml:"automountServiceAccountToken"`
	SecurityContext              map[string]any `yaml:"securityContext"`
	Containers                   []container
}

type container struct {
	Image string
	Env   []struct {
		Name      string
		Value     string
		ValueFrom struct {
			SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	EnvFrom         []map[string]any `yaml:"envFrom"`
	Resources       map[string]any
	SecurityContext struct {
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct{ Drop []string }
	} `yaml:"securityContext"`
	Liveness  probe `yaml:"livenessProbe"`
	Readiness probe `yaml:"readinessProbe"`
	Startup   probe `yaml:"startupProbe"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// render returns the objects of the chart by kind and name.
func (c *chart) render(t *testing.T) (map[string]manifest, error) {
	t.Helper()
	data := map[string]any{
		"Values":  c.values,
		"Release": map[string]any{"Name": "news", "Service": "Helm", "Namespace": "social"},
		"Chart":   map[string]any{"Name": "crier", "Version": "0.1.0", "AppVersion": "v1.2.3"},
	}
	files, err := filepath.Glob(chartDir + "/templates/*")
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]manifest{}
	for _, file := range files {
		var out bytes.Buffer
		if err := c.templates.ExecuteTemplate(&out, filepath.Base(file), data); err != nil {
			return nil, err
		}
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		decoder := yaml.NewDecoder(&out)
		for {
			var m manifest
			if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if m.Kind != "" {
				objects[m.Kind+" "+m.Metadata.Name] = m
			}
		}
	}
	return objects, nil
}

const given = `
image: {repository: registry.example.com/crier}
publicUrl: https://crier.example.com
database: {existingSecret: crier-database}
secretKey: {existingSecret: crier-key}
s3: {endpoint: https://s3.example.com, bucket: media, region: eu, existingSecret: crier-s3}
`

func TestChartHasADeploymentPerRole(t *testing.T) {
	t.Parallel()
	objects, err := openChart(t, given+"api: {replicas: 3}\nsettings: {CRIER_SECURITY_CONTACT: a@b.example}\n"+
		"settingsSecrets: [networks]\n").render(t)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Deployment news-crier-api", "Deployment news-crier-worker", "PodDisruptionBudget news-crier-api",
		"PodDisruptionBudget news-crier-worker", "Service news-crier", "ServiceAccount news-crier"}
	if got := slices.Sorted(maps.Keys(objects)); !slices.Equal(got, want) {
		t.Fatalf("the chart makes %v", got)
	}
	if api, worker := objects[want[0]].Spec.Replicas, objects[want[1]].Spec.Replicas; api != 3 || worker != 2 {
		t.Errorf("%d api nodes and %d workers", api, worker)
	}
	known := settingNames(t)
	for _, role := range []string{"api", "worker"} {
		d := objects["Deployment news-crier-"+role]
		wantHardened(t, role, d.Spec.Template.Spec)
		wantEnvironment(t, role, d.Spec.Template.Spec.Containers[0], known)
		labels := d.Spec.Template.Metadata.Labels
		budget := objects["PodDisruptionBudget news-crier-"+role]
		for who, selector := range map[string]any{"deployment": d.Spec.Selector["matchLabels"],
			"budget": budget.Spec.Selector["matchLabels"]} {
			if !selects(selector.(map[string]any), labels) {
				t.Errorf("the %s of %s selects %v, pods have %v", who, role, selector, labels)
			}
		}
		if selects(objects["Service news-crier"].Spec.Selector, labels) != (role == "api") {
			t.Errorf("the service and pods with %v", labels)
		}
	}
}

func selects(selector map[string]any, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return len(selector) > 0
}

func wantHardened(t *testing.T, role string, pod podSpec) {
	t.Helper()
	c := pod.Containers[0]
	if pod.SecurityContext["runAsNonRoot"] != true || pod.SecurityContext["runAsUser"] != 65532 ||
		pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken || pod.ServiceAccountName == "" {
		t.Errorf("%s: pods run as %+v", role, pod)
	}
	if s := c.SecurityContext; !s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil ||
		*s.AllowPrivilegeEscalation || !slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("%s: containers may %+v", role, s)
	}
	if c.Liveness.HTTPGet.Path != "/healthz" || c.Startup.HTTPGet.Path != "/healthz" ||
		c.Readiness.HTTPGet.Path != "/readyz" || c.Readiness.HTTPGet.Port != "http" {
		t.Errorf("%s: probes %+v %+v %+v", role, c.Liveness, c.Startup, c.Readiness)
	}
	if c.Resources["requests"] == nil || c.Resources["limits"] == nil {
		t.Errorf("%s: resources %v", role, c.Resources)
	}
}

func wantEnvironment(t *testing.T, role string, c container, known []string) {
	t.Helper()
	if c.Image != "registry.example.com/crier:v1.2.3" || len(c.EnvFrom) != 1 {
		t.Errorf("%s runs %s with %v", role, c.Image, c.EnvFrom)
	}
	env, secrets := map[string]string{}, map[string]string{}
	for _, e := range c.Env {
		if !slices.Contains(known, e.Name) {
			t.Errorf("crier has no setting %s", e.Name)
		}
		env[e.Name], secrets[e.Name] = e.Value, e.ValueFrom.SecretKeyRef.Name
	}
	for name, secret := range map[string]string{"CRIER_DATABASE_URL": "crier-database", "CRIER_SECRET_KEY": "crier-key",
		"CRIER_S3_ACCESS_KEY": "crier-s3", "CRIER_S3_SECRET_KEY": "crier-s3"} {
		if env[name] != "" || secrets[name] != secret {
			t.Errorf("%s: %s is %q from the secret %q", role, name, env[name], secrets[name])
		}
	}
	if env["CRIER_ROLE"] != role || env["CRIER_PUBLIC_URL"] != "https://crier.example.com" ||
		env["CRIER_SECURITY_CONTACT"] != "a@b.example" {
		t.Errorf("%s: the environment is %v", role, env)
	}
}

func TestChartReportsMissingValues(t *testing.T) {
	t.Parallel()
	for value, without := range map[string]string{
		"publicUrl": "publicUrl: ''", "image.repository": "image: {repository: ''}",
		"database.existingSecret":  "database: {existingSecret: ''}",
		"secretKey.existingSecret": "secretKey: {existingSecret: ''}", "s3.endpoint": "s3: {endpoint: ''}",
		"s3.bucket": "s3: {bucket: ''}", "s3.existingSecret": "s3: {existingSecret: ''}",
	} {
		c := openChart(t, given)
		var own map[string]any
		if err := yaml.Unmarshal([]byte(without), &own); err != nil {
			t.Fatal(err)
		}
		merge(c.values, own)
		if _, err := c.render(t); err == nil || !strings.Contains(err.Error(), "set "+value) {
			t.Errorf("without %s: %v", value, err)
		}
	}
}

func TestChartOptions(t *testing.T) {
	t.Parallel()
	objects, err := openChart(t, given+`
podDisruptionBudget: {enabled: false}
serviceAccount: {create: false}
ingress: {enabled: true, className: nginx, tlsSecret: crier-tls}
trustedProxies: 10.0.0.0/8
podLabels: {team: social}
worker: {nodeSelector: {disk: fast}, tolerations: [{key: spot, operator: Exists}]}
`).render(t)
	if err != nil {
		t.Fatal(err)
	}
	if _, has := objects["PodDisruptionBudget news-crier-api"]; has || len(objects) != 4 {
		t.Errorf("the chart makes %v", slices.Sorted(maps.Keys(objects)))
	}
	if rules := objects["Ingress news-crier"].Spec.Rules; len(rules) != 1 || rules[0].Host != "crier.example.com" {
		t.Errorf("the ingress leads %v", rules)
	}
	if name := objects["Deployment news-crier-api"].Spec.Template.Spec.ServiceAccountName; name != "default" {
		t.Errorf("pods run with the account %q", name)
	}
}
