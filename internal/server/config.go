// Package server wires a node of crier: store, rules, job engine, networks, API, MCP and, on request, the sandbox.
package server

import (
	"log/slog"
	"net"
	"net/netip"
	"time"

	"crier"
	"crier/internal/oauth"
	"crier/internal/provider/all"
	"crier/internal/publish"
)

// Config is the configuration of a node: the settings of an operator, and values that only the program or a test sets.
type Config struct {
	Listen                string
	MetricsListen         string
	DataDir               string
	MediaDir              string
	S3                    S3
	ImportAllow           []netip.Prefix
	WebhookAllow          []netip.Prefix
	Enrich                Enrich
	DatabaseURL           string
	PublicURL             string
	Public                bool // PublicURL was set: the node serves more than this machine
	SecretKey             string
	Role                  string
	Sandbox               bool
	Networks              map[crier.Provider]*Network
	OwnNetworks           all.Config // settings that only one network has
	SandboxListen         string
	SandboxAt             string
	SMTPURL               string
	MailFrom              string
	RateLimit             int
	OrganizationRateLimit int
	StorageQuota          int64
	QuickPixels           int // see service.Config
	SecurityContact       string
	Proxies               []netip.Prefix
	TLS                   TLS
	CreditsLow            int64
	EventDays             int
	MetricsDays           int
	OAuthClients          []oauth.Client
	OAuthRegistration     bool
	AcceptLostKeys        []string // see service.Config

	Version    string
	Now        func() time.Time
	Logger     *slog.Logger
	Timings    publish.Timings // the defaults, except in tests
	Checkpoint func(crier.ID, publish.Step)
	// PasswordMemory is what the hash of a new password takes, in KiB: the usual amount, except in tests.
	PasswordMemory uint32
	// OAuthDocuments fetches the metadata that clients publish: guarded, except in tests.
	OAuthDocuments oauth.Documents
}

// Reachable turns a listen address into one that a browser on this machine can open.
func Reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
