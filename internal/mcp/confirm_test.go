package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/client"
)

// proposed is a tool's response that has to be confirmed.
type proposed struct {
	Status            string `json:"status"`
	WhatHappens       string `json:"whatHappens"`
	ConfirmationToken string `json:"confirmationToken"`
	NextStep          string `json:"nextStep"`
	Done              bool   `json:"done"`
}

type actInput struct {
	Thing string `json:"thing"`
	confirmable
}

// actor returns a client of a server whose only tool does what its proposal says, once it is confirmed.
func actor(t *testing.T, p *proposal, elicit func(question string) string) func(arguments map[string]any) proposed {
	t.Helper()
	d := &server{keys: newKeys(time.Now), connect: func(context.Context, http.Header) (*client.Client, error) {
		return nil, nil
	}}
	s := mcp.NewServer(&mcp.Implementation{Name: "crier", Version: "1"}, nil)
	addTool(d, s, tool{name: "act", effect: changes}, func(_ context.Context, c *call, in actInput) (any, error) {
		if err := c.agree(in.confirmable, *p); err != nil {
			return nil, err
		}
		return proposed{Done: true}, nil
	})
	options := &mcp.ClientOptions{}
	if elicit != nil {
		options.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: elicit(r.Params.Message)}, nil
		}
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, options).Connect(t.Context(), there,
		nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return func(arguments map[string]any) proposed {
		t.Helper()
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "act", Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		var out proposed
		data, err := json.Marshal(result.StructuredContent)
		if err == nil && !result.IsError {
			err = json.Unmarshal(data, &out)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

func TestConfirmationIsBoundToItsPreview(t *testing.T) {
	t.Parallel()
	p := &proposal{question: "Publish all of it?", cost: 15, bound: "version 1"}
	act := actor(t, p, nil)
	in := map[string]any{"thing": "a", "confirm": true}
	first := act(in)
	if first.Done || first.Status != "confirmation_needed" || first.ConfirmationToken == "" ||
		!strings.Contains(first.WhatHappens, "Publish all of it?") ||
		!strings.Contains(first.WhatHappens, "15 credits") {
		t.Fatalf("a first call with confirm: %+v", first)
	}
	in["confirmationToken"] = first.ConfirmationToken
	for name, change := range map[string]func(){
		"other content":   func() { p.bound = "version 2" },
		"another price":   func() { p.cost = 30 },
		"other words":     func() { p.question = "Publish half of it?" },
		"another thing":   func() { in["thing"] = "b" },
		"not confirmed":   func() { in["confirm"] = false },
		"another's token": func() { in["confirmationToken"] = strings.Repeat("0", 64) },
	} {
		before, request := *p, map[string]any{"thing": in["thing"], "confirm": in["confirm"],
			"confirmationToken": in["confirmationToken"]}
		change()
		if got := act(in); got.Done || got.Status != "confirmation_needed" {
			t.Errorf("%s: %+v", name, got)
		}
		*p, in = before, request
	}
	if got := act(in); !got.Done {
		t.Errorf("confirmed: %+v", got)
	}
}

func TestElicitationCannotBeSkippedByTheAgent(t *testing.T) {
	t.Parallel()
	var questions []string
	act := actor(t, &proposal{question: "Publish all of it?", cost: 15}, func(question string) string {
		questions = append(questions, question)
		return "accept"
	})
	if got := act(map[string]any{"thing": "a", "confirm": true}); !got.Done || len(questions) != 1 {
		t.Errorf("asked %q: %+v", questions, got)
	}
}
