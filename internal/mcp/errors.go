package mcp

import (
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

// problem is a tool error as data, beside its words.
type problem struct {
	Kind      crier.Kind    `json:"kind"`
	Message   string        `json:"message"`
	Issues    []crier.Issue `json:"issues,omitempty"`
	RequestID string        `json:"requestId,omitempty"`
}

// refusal returns the answer to a call that was not fulfilled: a tool error, which the agent can read and act on.
func refusal(err error) *mcp.CallToolResult {
	p := problemOf(err)
	return &mcp.CallToolResult{IsError: true, StructuredContent: p,
		Content: []mcp.Content{&mcp.TextContent{Text: p.words()}}}
}

// problemOf returns an error as data. What is of no kind came from between here and the API.
func problemOf(err error) problem {
	if known, ok := errors.AsType[*client.Error](err); ok && known.Kind != "" {
		return problem{Kind: known.Kind, Message: known.Message, Issues: known.Issues, RequestID: known.RequestID}
	}
	return problem{Kind: crier.KindInternal, Message: err.Error()}
}

// words returns the message and those issues that it does not name already.
func (p problem) words() string {
	var b strings.Builder
	b.WriteString(p.Message)
	for _, issue := range p.Issues {
		if !strings.Contains(p.Message, issue.Message) {
			b.WriteString("\n- " + located(issue))
		}
	}
	if advice := adviceFor[p.Kind]; advice != "" {
		b.WriteString("\n" + advice)
	}
	return b.String()
}

// kindDeclined is of calls that the person did not agree to.
const kindDeclined crier.Kind = "Declined"

// adviceFor says what an agent can do about an error.
var adviceFor = map[crier.Kind]string{
	crier.KindUnauthorized: "The token is missing, wrong or no longer valid: the person must log in again or give " +
		"another one.",
	crier.KindForbidden:          "The token may not do this. get_context tells which teams it reaches.",
	crier.KindPaymentRequired:    "Nothing was changed. get_credits tells the balance.",
	crier.KindPreconditionFailed: "Somebody has changed the post meanwhile: read it again.",
	crier.KindTooManyRequests:    "Wait before the next call.",
}

func located(i crier.Issue) string {
	return strings.TrimPrefix(strings.Join(i.Path, ".")+": "+i.Message, ": ")
}
