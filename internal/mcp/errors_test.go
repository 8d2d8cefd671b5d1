package mcp

import (
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

func TestRejectionsAreReadable(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		err  error
		want []string
	}{
		"issues are listed": {
			&client.Error{Kind: crier.KindInvalid, Message: "The request is not valid.",
				Issues: []crier.Issue{crier.At("must be a time", "scheduledAt")}},
			[]string{"The request is not valid.", "scheduledAt: must be a time"},
		},
		"fields of the API are those of the tools": {
			&client.Error{Kind: crier.KindInvalid, Message: "Not valid. postInput.posts: must have 2 items",
				Issues: []crier.Issue{crier.At("must have 2 items", "postInput", "posts"),
					crier.At("is missing", "postInput", "variants", "0", "posts", "1", "attachments", "2", "asset",
						"assetId"),
					crier.At("give text, posts or attachments", "postInput", "variants", "0")}},
			[]string{"Not valid. parts: must have 2 items", "- variants.0.parts.1.assetIds.2: is missing",
				"- variants.0: give text, parts or assetIds"},
		},
		"a refused token is explained": {&client.Error{Kind: crier.KindForbidden, Message: "You may not."},
			[]string{"You may not.", "get_context"}},
		"missing credits are told": {&client.Error{Kind: crier.KindPaymentRequired, Message: "Too dear."},
			[]string{"Too dear.", "get_credits"}},
		"any other error is passed on": {errors.New("cannot reach the server"), []string{"cannot reach the server"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := refusal(c.err)
			text, ok := got.Content[0].(*mcp.TextContent)
			if !got.IsError || !ok {
				t.Fatalf("it is no tool error: %+v", got)
			}
			for _, want := range c.want {
				if strings.Count(text.Text, want) != 1 {
					t.Errorf("%q does not say %q once", text.Text, want)
				}
			}
		})
	}
}
