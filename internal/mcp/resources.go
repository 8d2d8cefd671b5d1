package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

const (
	postURI     = "crier://posts/"
	calendarURI = "crier://calendar/"
	jsonType    = "application/json"
)

func (d *server) addResources(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "post", Title: "A post", URITemplate: postURI + "{id}", MIMEType: jsonType,
		Description: "A post of one of your teams, in brief.",
	}, d.resource(d.readPost))
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "calendar", Title: "The calendar", URITemplate: calendarURI + "{from}/{to}", MIMEType: jsonType,
		Description: "Scheduled and published posts of the default team from one day to another, such as " +
			calendarURI + "2026-11-01/2026-12-01. The last day is exclusive; days are UTC, and " +
			"full RFC 3339 times work too.",
	}, d.resource(d.readCalendar))
}

// resource connects, reads and returns the result as JSON.
func (d *server) resource(
	read func(ctx context.Context, c *client.Client, uri string) (any, error)) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := r.Params.URI
		c, err := d.connect(ctx, headerOf(r.Extra))
		if err != nil {
			return nil, resourceError(uri, err)
		}
		value, err := read(ctx, c, uri)
		if err != nil {
			return nil, resourceError(uri, err)
		}
		data, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("write the resource: %w", err)
		}
		return &mcp.ReadResourceResult{
			Cacheable: mcp.Cacheable{CacheScope: "private"}, // the same address means other data to another caller
			Contents:  []*mcp.ResourceContents{{URI: uri, MIMEType: jsonType, Text: string(data)}},
		}, nil
	}
}

// codeRefused is the code of resources that the API does not return; the error's data says why.
const codeRefused = -32000

// resourceError converts an error to one with a code: the protocol has no other place for it.
func resourceError(uri string, err error) error {
	p := problemOf(err)
	code := int64(codeRefused)
	switch p.Kind {
	case crier.KindNotFound, crier.KindInvalid:
		code = jsonrpc.CodeInvalidParams
	case crier.KindInternal:
		code = jsonrpc.CodeInternalError
	}
	data, err := json.Marshal(struct {
		URI string `json:"uri"`
		problem
	}{uri, p})
	if err != nil {
		return fmt.Errorf("write the error: %w", err)
	}
	return &jsonrpc.Error{Code: code, Message: p.words(), Data: data}
}

// readPost searches all teams of the caller: the URI does not name one.
func (d *server) readPost(ctx context.Context, c *client.Client, uri string) (any, error) {
	id, ok := crier.ParseID(strings.TrimPrefix(uri, postURI))
	if !ok {
		return nil, refused(crier.KindInvalid, "The address must end in the id of a post.")
	}
	overview, err := c.AgentContext(ctx)
	if err != nil {
		return nil, err
	}
	for _, team := range overview.Teams {
		post, err := c.GetPost(ctx, team.ID, id, client.IncludeScheduledPosts)
		if err == nil {
			return briefPost(post), nil
		}
		if !client.IsKind(err, crier.KindNotFound) {
			return nil, err
		}
	}
	return nil, refused(crier.KindNotFound, "There is no such post in your teams.")
}

func (d *server) readCalendar(ctx context.Context, c *client.Client, uri string) (any, error) {
	first, last, ok := strings.Cut(strings.TrimPrefix(uri, calendarURI), "/")
	from, fromErr := parseDay(first)
	to, toErr := parseDay(last)
	if !ok || fromErr != nil || toErr != nil {
		return nil, refused(crier.KindInvalid, "The address must be %s2026-11-01/2026-12-01, with days or "+
			"RFC 3339 times.", calendarURI)
	}
	team, err := d.inTeamOf(ctx, c, "")
	if err != nil {
		return nil, err
	}
	found, err := c.Calendar(ctx, team, from, to, "")
	return briefCalendar(found), err
}

// parseDay parses a day or a time in a URI.
func parseDay(escaped string) (crier.Time, error) {
	text, err := url.PathUnescape(escaped)
	if err != nil {
		return crier.Time{}, err
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return crier.TimeOf(day), nil
	}
	return crier.ParseTime(text)
}
