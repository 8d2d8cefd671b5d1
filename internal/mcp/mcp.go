// Package mcp implements the tools and resources of the Model Context Protocol for agents, over stdio and over HTTP,
// one file per resource of the API. It is built on the client and has no private access: an agent can do what its token
// can do, and nothing else.
//
// It holds no rules about posts. For agents it adds short responses, a dry run and the cost before a change,
// confirmation by the person, and repeated calls that take effect once.
package mcp

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

// Config configures a server.
type Config struct {
	// Version is the program's version, reported to agents.
	Version string
	// Connect returns the client for a call. The header is that of the HTTP request, and nil over stdio.
	Connect func(ctx context.Context, header http.Header) (*client.Client, error)
	// Team is the default team of calls; empty means the caller's first one.
	Team crier.ID
	Now  func() time.Time
}

// server holds the state that all tools and resources share.
type server struct {
	connect func(ctx context.Context, header http.Header) (*client.Client, error)
	team    crier.ID
	keys    *keys
}

// instructions explain the tools to an agent.
const instructions = `crier drafts, schedules and publishes social posts.
Start with get_context and list_accounts. A post is first a draft (create_draft); validate_post is a dry run with the cost; schedule_post or publish_now publishes it on the given accounts, each with its own result.
Tools that publish, spend credits, cancel or delete first do a dry run and ask the person. If your client cannot ask, they return the preview: show it to the person, and call again with confirm: true and its confirmationToken only if they agree. A token is void once the previewed content has changed.
All times are UTC, RFC 3339. Repeating an identical call is safe: it takes effect once.
If a publication failed, list_attempts shows why. If its outcome is unknown, never publish the post again: check the network, then use resolve.`

// NewServer returns an MCP server with all tools and resources.
func NewServer(cfg Config) *mcp.Server {
	d := &server{connect: cfg.Connect, team: cfg.Team, keys: newKeys(cfg.Now)}
	s := mcp.NewServer(
		&mcp.Implementation{Name: "crier", Title: "crier", Version: cfg.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}},
	)
	for _, add := range []func(*mcp.Server){
		d.addContextTools, d.addPostTools, d.addPublishTools, d.addSlotTools, d.addAccountTools, d.addMediaTools,
		d.addMetricsTools, d.addAnalyticsTools,
		d.addAttemptTools, d.addCreditTools, d.addCalendarTools, d.addResources,
	} {
		add(s)
	}
	return s
}

// Serve serves one agent over a pair of streams until it disconnects or ctx ends.
func Serve(ctx context.Context, cfg Config, in io.ReadCloser, out io.WriteCloser) error {
	return NewServer(cfg).Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}
