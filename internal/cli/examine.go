package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"crier"
	"crier/client"
)

// Finding is the result of one check of doctor.
type Finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	// Advice says how to fix a problem.
	Advice string `json:"advice,omitempty"`
}

// ProblemsError is the error of doctor if there are problems. They are among the findings.
type ProblemsError struct {
	// Away is true if the server cannot be reached.
	Away bool
}

func (*ProblemsError) Error() string { return "something needs attention" }

// WriteFindings prints findings as a table.
func WriteFindings(w io.Writer, findings []Finding) {
	for _, f := range findings {
		mark := "ok"
		if !f.OK {
			mark = "PROBLEM"
		}
		Row(w, mark, f.Check, f.Detail)
		if f.Advice != "" {
			fmt.Fprintf(w, "\t\t→ %s\n", f.Advice)
		}
	}
}

// MaxClockSkew is the clock difference above which posts are noticeably early or late.
const MaxClockSkew = 2 * time.Second

// ClockFinding compares this machine's clock with a server's.
func ClockFinding(here, there time.Time) Finding {
	skew := here.Sub(there).Abs()
	if skew <= MaxClockSkew { // servers tell their time in whole seconds, so one on this machine seems to differ too
		return Finding{Check: "clock", OK: true, Detail: "this machine and the server agree"}
	}
	return Finding{Check: "clock", Detail: fmt.Sprintf("this machine and the server differ by %s",
		skew.Round(time.Second)), Advice: "synchronize the clocks (NTP): posts are published by the server's clock"}
}

// checkTimeout is how long a server may take to respond.
const checkTimeout = 10 * time.Second

// CheckServer checks a server from outside: whether it responds, its clock is right and the caller is known. away is
// true if it cannot be reached.
func (s *Shell) CheckServer(ctx context.Context, address string) (findings []Finding, away bool) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	server := Finding{Check: "server", Detail: address}
	instance, err := client.New(address, "", client.WithTries(1)).Instance(ctx)
	if err != nil {
		server.Detail, server.Advice = printable(err.Error()), "check the address, and that crier serve runs there"
		return []Finding{server}, is[*client.UnreachableError](err)
	}
	server.OK, server.Detail = true, fmt.Sprintf("%s, crier %s", address, instance.Version)
	findings = []Finding{server, ClockFinding(s.now(), instance.ServerTime.Time)}
	if sameServer(instance.PublicURL, address) || onThisMachine(address) {
		return append(findings, networksFinding(instance), s.checkLogin(ctx)), false
	}
	return append(findings, Finding{Check: "public address",
		Detail: fmt.Sprintf("the server's public address is %s", instance.PublicURL),
		Advice: "ask its operator to set CRIER_PUBLIC_URL to the address at which people and networks reach it",
	}, networksFinding(instance), s.checkLogin(ctx)), false
}

func networksFinding(instance crier.Instance) Finding {
	f := Finding{Check: "networks", OK: true, Detail: "posts go to the real networks"}
	if instance.Sandbox {
		f.Detail = "the sandbox: posts do not leave the installation"
	}
	return f
}

func (s *Shell) checkLogin(ctx context.Context) Finding {
	f := Finding{Check: "login"}
	c, err := s.Connect(ctx)
	if err == nil {
		var who crier.AgentContext
		if who, err = c.AgentContext(ctx); err == nil {
			f.OK, f.Detail = true, fmt.Sprintf("%s (%s)", who.Credential.Name, who.Credential.Kind)
			if who.User != nil {
				f.Detail = cmp.Or(text(who.User.Email), who.User.Name) + ", " + f.Detail
			}
			return f
		}
	}
	f.Detail = ErrorText(err)
	if !strings.Contains(strings.ToLower(f.Detail), "run 'crier login") { // the text says so itself
		f.Advice = "run 'crier login', or set CRIER_TOKEN to an API key"
	}
	return f
}

// sameServer reports whether two addresses have the same host and port.
func sameServer(a, b string) bool { return hostPort(a) != "" && hostPort(a) == hostPort(b) }

func hostPort(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if onThisMachine(address) {
		host = "localhost"
	}
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(host, port)
}

// SameServer reports whether two addresses have the same host and port.
func SameServer(a, b string) bool { return sameServer(a, b) }
