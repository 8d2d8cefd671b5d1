package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/nettest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// BenchmarkRequest measures the cost of single requests to the server's process: its CPU time, and its disk writes
// (SQLite), beside a bare net/http server that returns the same bytes. Jobs that a request enqueues are part of its
// cost. docs/performance.md has the limits.
func BenchmarkRequest(b *testing.B) {
	count := int(servertest.NumberFrom(b, "CRIER_BENCH_REQUESTS", 2000))
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		b.Run(string(dialect), func(b *testing.B) {
			s := startMeasured(b, dialect)
			posts := make([]string, count)
			s.measure(b, "create a draft", count, func(i int) (string, string, any) {
				return "POST", "posts",
					object{"text": fmt.Sprintf("Draft %d of a week that has a few more words than most", i)}
			}, func(i int, answer []byte) { posts[i] = idOf(b, answer) })
			at := time.Now().Add(24 * time.Hour)
			s.measure(b, "schedule on one account", count, func(i int) (string, string, any) {
				return "POST", "posts/" + posts[i] + "/schedule", object{"socialAccountIds": []crier.ID{s.account(i)},
					"scheduledAt": at.Add(time.Duration(i) * time.Minute).UTC().Format(time.RFC3339)}
			}, nil)
			s.measure(b, "team", count, func(int) (string, string, any) { return "GET", "", nil }, nil)
			s.measure(b, "post", count, func(i int) (string, string, any) {
				return "GET", "posts/" + posts[i], nil
			}, nil)
			s.measure(b, "list of 25", count/4, func(int) (string, string, any) {
				return "GET", "posts?limit=25", nil
			}, nil)
			s.measure(b, "calendar of all", 20, func(int) (string, string, any) {
				return "GET", "calendar?from=" + at.Add(-time.Hour).UTC().Format(time.RFC3339) + "&to=" +
					at.Add(time.Duration(count)*time.Minute).UTC().Format(time.RFC3339), nil
			}, nil)
		})
	}
}

// measuredServer is a server whose costs are read from the operating system.
type measuredServer struct {
	*process
	tenant tenantReport
}

func startMeasured(b *testing.B, dialect store.Dialect) measuredServer {
	b.Helper()
	environment := append(settingsOf(servertest.Databases.Fresh(b, dialect)), "CRIER_SANDBOX=on",
		"CRIER_SANDBOX_LISTEN="+nettest.FreeAddress(b), "CRIER_LOG_LEVEL=warn", "CRIER_RATE_LIMIT=0",
		"CRIER_ORGANIZATION_RATE_LIMIT=0")
	tenant := runProgram(b, environment, "init", "--json").report(b)
	return measuredServer{serveProcess(b, environment), tenant}
}

func (s measuredServer) account(i int) crier.ID {
	return s.tenant.SocialAccounts[i%len(s.tenant.SocialAccounts)].ID
}

func idOf(b *testing.B, answer []byte) string {
	b.Helper()
	var post struct{ ID string }
	if err := json.Unmarshal(answer, &post); err != nil {
		b.Fatal(err)
	}
	return post.ID
}

// measure sends requests one after the other over one connection. A second of rest before and after lets jobs finish.
func (s measuredServer) measure(b *testing.B, name string, count int,
	request func(i int) (method, path string, body any), answered func(i int, answer []byte)) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		rest := func() { <-time.After(time.Second) }
		rest()
		before := costOf(b, s.cmd.Process.Pid)
		var last []byte
		for i := range count {
			method, path, body := request(i)
			last = s.send(b, s.URL, method, path, body)
			if answered != nil {
				answered(i, last)
			}
		}
		rest()
		after := costOf(b, s.cmd.Process.Pid)
		each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(count) }
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(each(after.cpu-before.cpu), "cpu-ms")
		b.ReportMetric(each(bareCPU(b, s, count, last)), "bare-cpu-ms")
		b.ReportMetric(float64(after.written-before.written)/1024/float64(count), "KiB-written")
	})
}

// bareCPU returns the CPU time that a net/http server in a separate process spends on the same responses.
func bareCPU(b *testing.B, s measuredServer, count int, answer []byte) time.Duration {
	b.Helper()
	file := filepath.Join(b.TempDir(), "answer")
	if err := os.WriteFile(file, answer, 0o600); err != nil {
		b.Fatal(err)
	}
	address := nettest.FreeAddress(b)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), bareVariable+"="+file, "CRIER_LISTEN="+address)
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	servertest.Eventually(b, func() (any, bool) {
		resp, err := s.Client.Get("http://" + address)
		if err == nil {
			_ = resp.Body.Close()
		}
		return nil, err == nil
	})
	before := costOf(b, cmd.Process.Pid)
	for range count {
		s.send(b, "http://"+address, "GET", "", nil)
	}
	return costOf(b, cmd.Process.Pid).cpu - before.cpu
}

// bareVariable names the file with the response of the server that TestMain starts instead of the tests.
const bareVariable = "CRIER_TEST_BARE_SERVER"

func serveBare(file string) int {
	answer, err := os.ReadFile(file)
	if err == nil {
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer)
		})
		err = http.ListenAndServe(os.Getenv("CRIER_LISTEN"), handler)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func (s measuredServer) send(b *testing.B, server, method, path string, body any) []byte {
	b.Helper()
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			b.Fatal(err)
		}
		content = bytes.NewReader(data)
	}
	address := server + "/v1/teams/" + string(s.tenant.TeamID)
	if path != "" {
		address += "/" + path
	}
	req, err := http.NewRequest(method, address, content)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.tenant.APIKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.Client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode > 299 {
		b.Fatalf("%s %s: %d %s, %v", method, path, resp.StatusCode, answer, err)
	}
	return answer
}

// cost is the resources that a process has used since its start.
type cost struct {
	cpu     time.Duration
	written int64
}

// costOf reads the cost of a process. Its CPU time is in hundredths of a second.
func costOf(b *testing.B, pid int) cost {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skipf("this system does not tell: %v", err)
	}
	_, behindName, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(behindName)
	ticks := number(b, fields[11]) + number(b, fields[12])
	c := cost{cpu: time.Duration(ticks) * 10 * time.Millisecond}
	written, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(written)) {
		if value, ok := strings.CutPrefix(line, "write_bytes: "); ok {
			c.written = number(b, strings.TrimSpace(value))
		}
	}
	return c
}

func number(b *testing.B, text string) int64 {
	b.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
