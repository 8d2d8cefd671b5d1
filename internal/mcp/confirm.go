package mcp

import (
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// confirmable is the input of tools that ask for confirmation.
type confirmable struct {
	Confirm           bool   `json:"confirm,omitempty" jsonschema:"true only after the person has seen the preview and agreed, together with confirmationToken. Ignored if your client can ask the person itself: then they are asked."`
	ConfirmationToken string `json:"confirmationToken,omitempty" jsonschema:"the confirmationToken of the preview that the person agreed to; it is void once the content, the accounts, the time or the cost has changed"`
}

// proposal is what a call would do, according to its dry run.
type proposal struct {
	// question describes to the person what will happen. The confirmation is valid for exactly this text.
	question string
	cost     int64
	// bound is further data that the confirmation is bound to besides the text and the arguments of the call; it may be
	// nil.
	bound any
	// preview is the dry run shown to the agent; it may be nil.
	preview any
}

// pause is the error of a call that waits for a person's confirmation.
type pause struct {
	result *mcp.CallToolResult
	answer any
}

// Error returns a description.
func (*pause) Error() string { return "the person has not agreed yet" }

// unconfirmed is the response to a client that cannot ask.
type unconfirmed struct {
	Status            string `json:"status"`
	WhatHappens       string `json:"whatHappens"`
	CreditCost        int64  `json:"creditCost"`
	Preview           any    `json:"preview,omitempty"`
	ConfirmationToken string `json:"confirmationToken"`
	NextStep          string `json:"nextStep"`
	NothingSoFar      bool   `json:"nothingChangedYet"`
}

var errDeclined = refused(kindDeclined, "The person did not agree: nothing was changed.")

// answerKey is the key of the question in the exchange with the client.
const answerKey = "confirmation"

// agree returns nil once the person has agreed to the proposal. If the client can ask the person, they are asked,
// whatever the agent says; otherwise the agent has to confirm the preview with its token: the first call changes
// nothing, nor does a token of a proposal that has changed since.
func (c *call) agree(in confirmable, p proposal) error {
	p.question = fmt.Sprintf("%s\nCost: %d credits.", p.question, p.cost)
	token, err := c.confirmationToken(p)
	if err != nil {
		return err
	}
	if canAsk(c.request) {
		return c.ask(p.question, token)
	}
	next := "Show this to the person. If they agree, call again with confirm: true and this confirmationToken."
	switch {
	case in.Confirm && in.ConfirmationToken == token:
		return nil
	case in.Confirm && in.ConfirmationToken == "":
		next = "confirm: true counts together with the confirmationToken of a preview that the person has seen. " + next
	case in.Confirm:
		next = "What would happen has changed since that preview, so its confirmationToken is void. " + next
	}
	return &pause{answer: unconfirmed{
		Status: "confirmation_needed", WhatHappens: p.question, CreditCost: p.cost, Preview: p.preview,
		ConfirmationToken: token, NothingSoFar: true, NextStep: next,
	}}
}

// confirmationToken identifies what a person agrees to: the tool with its arguments, the question with its cost, and
// the data that the proposal is bound to.
func (c *call) confirmationToken(p proposal) (string, error) {
	arguments, err := c.arguments()
	if err != nil {
		return "", err
	}
	return digestOf(c.request.Params.Name, arguments, p.question, p.bound)
}

// ask asks the person. The client calls again with the answer, which counts if the repeated dry run has the same
// result.
func (c *call) ask(question, state string) error {
	answer, answered := c.request.Params.InputResponses[answerKey].(*mcp.ElicitResult)
	switch {
	case !answered:
		return &pause{result: &mcp.CallToolResult{
			RequestState: state,
			InputRequests: mcp.InputRequestMap{answerKey: &mcp.ElicitParams{
				Mode: "form", Message: question, RequestedSchema: &jsonschema.Schema{Type: "object",
					Properties: map[string]*jsonschema.Schema{}},
			}},
		}}
	case answer.Action != "accept":
		return errDeclined
	case c.request.Params.RequestState != state:
		return refused(crier.KindConflict, "What would happen has changed while the person was asked, so nothing was "+
			"changed: call again.")
	}
	return nil
}

// canAsk reports whether the client can show questions to a person.
func canAsk(r *mcp.CallToolRequest) bool {
	begin := r.Session.InitializeParams()
	if begin == nil || begin.Capabilities == nil || begin.Capabilities.Elicitation == nil {
		return false
	}
	modes := begin.Capabilities.Elicitation
	return modes.Form != nil || modes.URL == nil
}
