package mcp

import (
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

// problem is a tool error as structured data.
type problem struct {
	Kind      crier.Kind    `json:"kind"`
	Message   string        `json:"message"`
	Issues    []crier.Issue `json:"issues,omitempty"`
	RequestID string        `json:"requestId,omitempty"`
}

// refusal returns the result of a failed call: a tool error, which the agent can read and act on.
func refusal(err error) *mcp.CallToolResult {
	p := problemOf(err)
	return &mcp.CallToolResult{IsError: true, StructuredContent: p,
		Content: []mcp.Content{&mcp.TextContent{Text: p.words()}}}
}

// problemOf converts an error. An error without a kind occurred between here and the API.
func problemOf(err error) problem {
	if known, ok := errors.AsType[*client.Error](err); ok && known.Kind != "" {
		p := problem{Kind: known.Kind, Message: known.Message, RequestID: known.RequestID}
		for _, issue := range known.Issues {
			here := inToolWords(issue)
			p.Message = strings.ReplaceAll(p.Message, located(issue), located(here)) // it has issues of the API
			p.Issues = append(p.Issues, here)
		}
		return p
	}
	return problem{Kind: crier.KindInternal, Message: err.Error()}
}

// inToolWords returns an issue about the content of a post with the arguments of the tools, which have other names than
// the fields of the API.
func inToolWords(issue crier.Issue) crier.Issue {
	if len(issue.Path) == 0 || issue.Path[0] != "postInput" {
		return issue
	}
	path := []string{}
	for _, name := range issue.Path[1:] {
		switch name {
		case "posts":
			path = append(path, "parts")
		case "attachments":
			path = append(path, "assetIds")
		case "asset", "assetId": // an attachment is an id
		default:
			path = append(path, name)
		}
	}
	return crier.Issue{Path: path, Message: strings.ReplaceAll(issue.Message, "text, posts or attachments",
		"text, parts or assetIds")}
}

// words returns the message and the issues that it does not contain.
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

// kindDeclined is the kind of calls that the person did not agree to.
const kindDeclined crier.Kind = "Declined"

// adviceFor says how an agent can handle an error.
var adviceFor = map[crier.Kind]string{
	crier.KindUnauthorized: "The token is missing, wrong or no longer valid: the person must log in again or give " +
		"another one.",
	crier.KindForbidden:          "The token may not do this. get_context lists the teams it can access.",
	crier.KindPaymentRequired:    "Nothing was changed. get_credits has the balance.",
	crier.KindPreconditionFailed: "Somebody has changed the post meanwhile: read it again.",
	crier.KindTooManyRequests:    "Wait before the next call.",
}

func located(i crier.Issue) string {
	return strings.TrimPrefix(strings.Join(i.Path, ".")+": "+i.Message, ": ")
}
