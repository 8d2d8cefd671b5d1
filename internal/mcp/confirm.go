package mcp

import (
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// confirmable is the input of tools that ask before they act.
type confirmable struct {
	Confirm bool `json:"confirm,omitempty" jsonschema:"true only after the person has seen the preview and agreed. Without effect where your client can ask the person itself: then they are asked."`
}

// proposal is what a call would do, as its dry run found.
type proposal struct {
	// question tells the person what will happen. The answer counts for this very text.
	question string
	cost     int64
	// preview is the dry run for the agent; it may be nil.
	preview any
}

// pause is the error of a call that waits for a person's answer.
type pause struct {
	result *mcp.CallToolResult
	answer any
}

// Error says what is missing.
func (*pause) Error() string { return "the person has not agreed yet" }

// unconfirmed is the answer to a client that cannot ask.
type unconfirmed struct {
	Status       string `json:"status"`
	WhatHappens  string `json:"whatHappens"`
	CreditCost   int64  `json:"creditCost"`
	Preview      any    `json:"preview,omitempty"`
	NextStep     string `json:"nextStep"`
	NothingSoFar bool   `json:"nothingChangedYet"`
}

var errDeclined = errors.New("the person did not agree: nothing was changed")

// answerKey names the question in the exchange with the client.
const answerKey = "confirmation"

// agree returns nil once the person has agreed to the proposal. Where the client can ask the person, they are asked, whatever
// the agent says; elsewhere the agent has to confirm what it was shown.
func (c *call) agree(in confirmable, p proposal) error {
	p.question = fmt.Sprintf("%s\nCost: %d credits.", p.question, p.cost)
	if canAsk(c.request) {
		return c.ask(p.question)
	}
	if in.Confirm {
		return nil
	}
	return &pause{answer: unconfirmed{
		Status: "confirmation_needed", WhatHappens: p.question, CreditCost: p.cost, Preview: p.preview, NothingSoFar: true,
		NextStep: "Show this to the person. If they agree, call again with confirm: true.",
	}}
}

// ask puts the question to the person. The client calls again with their answer; it counts when the dry run, which was done
// anew, still says the same.
func (c *call) ask(question string) error {
	state, err := digestOf(question)
	if err != nil {
		return err
	}
	answer, answered := c.request.Params.InputResponses[answerKey].(*mcp.ElicitResult)
	switch {
	case !answered:
		return &pause{result: &mcp.CallToolResult{
			RequestState: state,
			InputRequests: mcp.InputRequestMap{answerKey: &mcp.ElicitParams{
				Mode: "form", Message: question, RequestedSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}},
			}},
		}}
	case answer.Action != "accept":
		return errDeclined
	case c.request.Params.RequestState != state:
		return errors.New("what would happen has changed while the person was asked, so nothing was changed: call again")
	}
	return nil
}

// canAsk is true when the client shows questions to a person.
func canAsk(r *mcp.CallToolRequest) bool {
	begin := r.Session.InitializeParams()
	if begin == nil || begin.Capabilities == nil || begin.Capabilities.Elicitation == nil {
		return false
	}
	modes := begin.Capabilities.Elicitation
	return modes.Form != nil || modes.URL == nil
}
