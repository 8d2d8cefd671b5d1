package main

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/internal/server/servertest"
)

func TestMCPCommandServesAnAgent(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, servertest.WithRole("api"))
		program := command(t, []string{"CRIER_SERVER=" + s.URL, "CRIER_TOKEN=" + s.Key, "CRIER_TEAM=" + string(s.Team)},
			"mcp")
		ctx := context.Background()
		agent, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx,
			&mcp.CommandTransport{Command: program}, nil)
		if err != nil {
			t.Fatal(err)
		}
		use := func(tool string, arguments object, answer any) {
			t.Helper()
			got, err := agent.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil || got.IsError {
				t.Fatalf("%s: %+v, %v", tool, got, err)
			}
			data, err := json.Marshal(got.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, answer); err != nil {
				t.Fatal(err)
			}
		}
		var about struct{ DefaultTeamID string }
		if use("get_context", nil, &about); about.DefaultTeamID != string(s.Team) {
			t.Errorf("the default team is %q, want %q", about.DefaultTeamID, s.Team)
		}
		var draft struct{ ID string }
		if use("create_draft", object{"text": "From another process"}, &draft); draft.ID == "" {
			t.Error("the draft has no id")
		}
		if err := agent.Close(); err != nil {
			t.Errorf("the session ended with: %v", err)
		}
	})
}
