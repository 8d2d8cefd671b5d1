package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

// toolEffect is the effect of a tool; its hints follow from it.
type toolEffect int

const (
	// reads changes nothing.
	reads toolEffect = iota
	// adds creates something new and changes nothing else.
	adds
	// changes overwrites, cancels, deletes or publishes.
	changes
)

// tool describes a tool.
type tool struct {
	name, title, description string
	effect                   toolEffect
	// repeatable tools have no further effect when called again.
	repeatable bool
	// outside tools access a network or a web address.
	outside bool
}

func (t tool) annotations() *mcp.ToolAnnotations {
	destructive := t.effect == changes
	return &mcp.ToolAnnotations{
		Title: t.title, ReadOnlyHint: t.effect == reads, DestructiveHint: &destructive,
		IdempotentHint: t.repeatable || t.effect == reads, OpenWorldHint: &t.outside,
	}
}

// call is one call of a tool by an agent.
type call struct {
	*client.Client
	server  *server
	request *mcp.CallToolRequest
}

// addTool registers a tool. run returns the result for the agent; its errors become tool errors in plain words.
func addTool[In any](d *server, s *mcp.Server, t tool, run func(ctx context.Context, c *call, in In) (any, error)) {
	schema := inputSchema[In]()
	listed := &mcp.Tool{Name: t.name, Description: t.description, InputSchema: schema.shown,
		Annotations: t.annotations()}
	s.AddTool(listed, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := readInput[In](schema.checked, r.Params.Arguments)
		if err != nil {
			return refusal(err), nil
		}
		connection, err := d.connect(ctx, headerOf(r.Extra))
		if err != nil {
			return refusal(err), nil
		}
		answer, err := run(ctx, &call{Client: connection, server: d, request: r}, in)
		if waiting, ok := errors.AsType[*pause](err); ok {
			if waiting.result != nil {
				return waiting.result, nil
			}
			answer, err = waiting.answer, nil
		}
		if err != nil {
			return refusal(err), nil
		}
		return answered(answer)
	})
}

// answered returns the result of a successful call, as data and as text.
func answered(answer any) (*mcp.CallToolResult, error) {
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(data),
		Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}, nil
}

func headerOf(extra *mcp.RequestExtra) http.Header {
	if extra == nil {
		return nil
	}
	return extra.Header
}

// inTeam is the input of tools that work in a team.
type inTeam struct {
	TeamID crier.ID `json:"teamId,omitempty" jsonschema:"the team to work in; the default team when absent"`
}

// inTeamOf resolves the team of a call.
func (d *server) inTeamOf(ctx context.Context, c *client.Client, given crier.ID) (crier.ID, error) {
	if given != "" {
		return given, nil
	}
	if d.team != "" {
		return d.team, nil
	}
	overview, err := c.AgentContext(ctx)
	if err != nil {
		return "", err
	}
	if overview.DefaultTeamID == nil {
		return "", refused(crier.KindNotFound, "You have no team yet: create one, or ask to be invited to one.")
	}
	return *overview.DefaultTeamID, nil
}

func (c *call) team(ctx context.Context, in inTeam) (crier.ID, error) {
	return c.server.inTeamOf(ctx, c.Client, in.TeamID)
}

// inPage is the input of tools that list pages.
type inPage struct {
	Limit  pageLimit `json:"limit,omitempty" jsonschema:"how many at most, 1 to 100; 20 when absent or 0"`
	Cursor string    `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page"`
}

// pageLimit is the size of a page; its schema has the bounds.
type pageLimit int

// defaultLimit keeps responses small.
const defaultLimit = 20

func (p inPage) options() client.ListOptions {
	if p.Limit == 0 {
		p.Limit = defaultLimit
	}
	return client.ListOptions{Limit: int(p.Limit), Cursor: p.Cursor}
}

// page is a page of brief entries.
type page[T any] struct {
	Data       []T     `json:"data"`
	Total      int64   `json:"total"`
	NextCursor *string `json:"nextCursor,omitempty"`
}

func pageOf[T, B any](p crier.Page[T], brief func(T) B) page[B] {
	return page[B]{Data: each(p.Data, brief), Total: p.Total, NextCursor: p.NextCursor}
}

// each is never nil, so that an empty list is encoded as one.
func each[T, B any](list []T, brief func(T) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = brief(v)
	}
	return out
}
