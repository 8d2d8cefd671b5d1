package cli

import (
	"strings"
	"testing"
	"time"

	"crier"
)

func TestSameServerComparesHostsAndPorts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"https://crier.example", "https://crier.example/", true},
		{"https://crier.example", "https://crier.example:443/docs", true},
		{"https://Crier.Example", "https://crier.example", true}, // host names are case-insensitive
		{"http://crier.example", "http://crier.example:80", true},
		{"http://localhost:8080", "http://127.0.0.1:8080", true},
		{"http://[::1]:8080", "http://localhost:8080", true},
		{"https://crier.example", "http://crier.example", false},
		{"https://crier.example", "https://crier.example:8443", false},
		{"https://crier.example", "https://www.crier.example", false},
		{"http://localhost:8080", "http://localhost:8081", false},
		{"", "", false}, {"crier.example", "crier.example", false}, {"http://%zz", "http://%zz", false},
	} {
		if got := SameServer(c.a, c.b); got != c.want || SameServer(c.b, c.a) != c.want {
			t.Errorf("%q and %q are the same: %t, want %t", c.a, c.b, got, c.want)
		}
	}
}

func TestClocksMayDifferByTwoSeconds(t *testing.T) {
	t.Parallel()
	here := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for skew, want := range map[time.Duration]Finding{
		0:             {Check: "clock", OK: true, Detail: "this machine and the server agree"},
		MaxClockSkew:  {Check: "clock", OK: true, Detail: "this machine and the server agree"},
		-MaxClockSkew: {Check: "clock", OK: true, Detail: "this machine and the server agree"},
		MaxClockSkew + 1: {Check: "clock", Detail: "this machine and the server differ by 2s",
			Advice: clockAdvice},
		-time.Hour - 4*time.Second: {Check: "clock", Detail: "this machine and the server differ by 1h0m4s",
			Advice: clockAdvice},
	} {
		if got := ClockFinding(here, here.Add(skew)); got != want {
			t.Errorf("%s: %+v, want %+v", skew, got, want)
		}
	}
}

const clockAdvice = "synchronize the clocks (NTP): posts are published by the server's clock"

func TestFindingsAreATableWithAdvice(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	WriteFindings(&out, []Finding{networksFinding(crier.Instance{Sandbox: true}), networksFinding(crier.Instance{}),
		{Check: "server", Detail: "cannot\nreach it", Advice: "check the address"}})
	const want = "ok\tnetworks\tthe sandbox: posts do not leave the installation\n" +
		"ok\tnetworks\tposts go to the real networks\nPROBLEM\tserver\tcannot reach it\n\t\t→ check the address\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestGraceIsAtMostADay(t *testing.T) {
	t.Parallel()
	for grace, want := range map[time.Duration]bool{0: true, time.Second: true, 24 * time.Hour: true,
		24*time.Hour + 1: false, -1: false} {
		if err := checkGrace(grace); (err == nil) != want || err != nil && ExitCode(err) != exitUsage {
			t.Errorf("%s: %v", grace, err)
		}
	}
	names := map[crier.ID]string{"1": "Berlin"}
	for want, teams := range map[string][]crier.ID{"all": nil, "": {}, "Berlin, 2": {"1", "2"}} {
		if got := namesOf(teams, names); got != want {
			t.Errorf("%v is %q, want %q", teams, got, want)
		}
	}
}

func TestTextsLoseWhatEditorsPutAroundThem(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "", "Hi\n": "Hi", "\ufeffHi\r\nthere\r\n\r\n": "Hi\nthere",
		"  Hi  ":   "  Hi  ",
		"a\ufeffb": "a\ufeffb", "\n\nHi": "\n\nHi"} {
		if got, err := plainText(given); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", given, got, err, want)
		}
	}
	if _, err := plainText("\xff\xd8\xff"); ExitCode(err) != exitUsage || !strings.Contains(err.Error(), "--media") {
		t.Errorf("a picture as a text: %v", err)
	}
	for body, want := range map[string]string{
		"one": "one", "one\n---\ntwo": "one|two", "one\n--- \t\n\ntwo\n": "one|two", "---\none\n---\n---\n": "one",
		"one --- two": "one --- two", "one\n----\ntwo": "one\n----\ntwo", "": "", "one\n---": "one",
		"a\n\nb\n---\nc": "a\n\nb|c",
	} {
		if got := strings.Join(splitThread(body), "|"); got != want {
			t.Errorf("%q has the parts %q, want %q", body, got, want)
		}
	}
}
