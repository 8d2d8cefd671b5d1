package mcp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"crier"
	"crier/client"
)

func TestInvalidArgumentsAreReadable(t *testing.T) {
	t.Parallel()
	const id = "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"
	schema := inputSchema[schedulePostInput]().checked
	cases := map[string][]string{
		``:             {"postId: is required", "socialAccountIds: is required"},
		`[]`:           {"must be an object"},
		`{"postId":5}`: {"postId: must be a text", "socialAccountIds: is required"},
		`{"postId":"../x","socialAccountIds":["` + id + `","y"]}`: {`postId: must be an id such as`, `got "../x"`,
			`socialAccountIds.1: must be an id`},
		`{"postId":"` + id + `","socialAccountIds":"` + id + `"}`:                    {"socialAccountIds: must be a list"},
		`{"postId":"` + id + `","socialAccountIds":[],"scheduledAt":"tomorrow"}`:     {"scheduledAt: "},
		`{"postId":"` + id + `","socialAccountIds":[],"useNextSlot":"yes"}`:          {"useNextSlot: must be true or false"},
		`{"postId":"` + id + `","socialAccountIds":[],"sheduledAt":"2026-11-15T09"}`: {"sheduledAt: is not a known field", "scheduledAt"},
	}
	for arguments, want := range cases {
		_, err := readInput[schedulePostInput](schema, json.RawMessage(arguments))
		if !client.IsKind(err, crier.KindInvalid) {
			t.Errorf("%s: %v", arguments, err)
			continue
		}
		words := problemOf(err).words()
		for _, w := range want {
			if !strings.Contains(words, w) {
				t.Errorf("%s: %q does not say %q", arguments, words, w)
			}
		}
		if strings.Contains(words, "^") || strings.Contains(words, "validating") {
			t.Errorf("%s is answered with a pattern: %q", arguments, words)
		}
	}
	if _, err := readInput[inTeam](inputSchema[inTeam]().checked, json.RawMessage("null")); err != nil {
		t.Errorf("no arguments: %v", err)
	}
	in, err := readInput[schedulePostInput](schema, json.RawMessage(`{"postId":"`+id+`","socialAccountIds":["`+id+
		`"],"scheduledAt":"2026-11-15T09:00:00Z","platformSettings":{"xMadeWithAi":true},"confirm":true}`))
	if err != nil || in.PostID != id || in.ScheduledAt == nil || !in.Confirm ||
		in.PlatformSettings["xMadeWithAi"] != true {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := readInput[listPostsInput](inputSchema[listPostsInput]().checked,
		json.RawMessage(`{"status":["draft","finished"],"limit":2.5}`)); err == nil ||
		!strings.Contains(problemOf(err).words(), "status.1: must be one of idea") ||
		!strings.Contains(problemOf(err).words(), "limit: must be a whole number") {
		t.Errorf("lists: %v", err)
	}
}

func TestPageLimitHasBounds(t *testing.T) {
	t.Parallel()
	schema := inputSchema[listPostsInput]()
	for limit, want := range map[string]string{"0": "", "1": "", "100": "",
		"-1": "limit: must be from 0 to 100, got -1", "101": "limit: must be from 0 to 100, got 101"} {
		_, err := readInput[listPostsInput](schema.checked, json.RawMessage(`{"limit":`+limit+`}`))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(problemOf(err).words(), want) {
			t.Errorf("%s: %v, want %q", limit, err, want)
		}
	}
	if s := schema.shown.Properties["limit"]; s.Minimum == nil || s.Maximum == nil || s.Description == "" {
		t.Errorf("clients see %+v", s)
	}
}

func TestNullMeansAbsent(t *testing.T) {
	t.Parallel()
	schema := inputSchema[createDraftInput]()
	in, err := readInput[createDraftInput](schema.checked, json.RawMessage(`{"text":"Hello","title":null,"parts":null}`))
	if err != nil || in.Title != nil || in.Parts != nil {
		t.Errorf("%+v, %v", in, err)
	}
	if s := schema.shown.Properties["title"]; s.Type != "string" || len(s.Types) > 0 || s.Description == "" {
		t.Errorf("clients see %+v", s)
	}
}

func TestEveryErrorHasAKind(t *testing.T) {
	t.Parallel()
	dear := dryRun{Accounts: []dryRunEntry{{OK: true}}, CreditCost: 5}
	none := dryRun{Accounts: []dryRunEntry{{Account: "X", Errors: []string{"too long"}}}, AffordableNow: true}
	for name, tc := range map[string]struct {
		err  error
		kind crier.Kind
	}{
		"a refusal of the interface": {&client.Error{Kind: crier.KindForbidden, Message: "No."}, crier.KindForbidden},
		"no credits":                 {dear.problem(), crier.KindPaymentRequired},
		"no account accepts it":      {none.problem(), crier.KindInvalid},
		"text and parts":             {errTextAndParts, crier.KindInvalid},
		"the person declined":        {errDeclined, kindDeclined},
		"anything else":              {errors.New("connection refused"), crier.KindInternal},
	} {
		p, ok := refusal(tc.err).StructuredContent.(problem)
		if !ok || p.Kind != tc.kind || p.Message == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestResourceErrorsHaveCodes(t *testing.T) {
	t.Parallel()
	for kind, code := range map[crier.Kind]int64{crier.KindNotFound: jsonrpc.CodeInvalidParams,
		crier.KindInvalid: jsonrpc.CodeInvalidParams, crier.KindForbidden: codeRefused,
		crier.KindUnauthorized: codeRefused, "": jsonrpc.CodeInternalError} {
		err := resourceError("crier://posts/x", &client.Error{Kind: kind, Message: "Not this one."})
		var rpcErr *jsonrpc.Error
		if !errors.As(err, &rpcErr) || rpcErr.Code != code || !strings.Contains(rpcErr.Message, "Not this one.") ||
			!strings.Contains(string(rpcErr.Data), `"uri":"crier://posts/x"`) ||
			!strings.Contains(string(rpcErr.Data), `"kind":"`) {
			t.Errorf("%s: %+v, want the code %d", kind, rpcErr, code)
		}
	}
}

func TestVariantsRoundTrip(t *testing.T) {
	t.Parallel()
	x, short, long := crier.ProviderX, "Short", "For one account"
	account, asset := crier.NewID(), crier.NewID()
	given := []variant{{Provider: &x, Text: &short},
		{SocialAccountID: &account, Text: &long, AssetIDs: &[]crier.ID{asset}},
		{SocialAccountID: &asset, Parts: []part{{Text: "One"}, {Text: "Two"}}}}
	words := "For all"
	post := crier.Post{Text: words, PostInput: &crier.PostInput{Atomic: &crier.AtomicPost{Text: words}}}
	body, err := updateDraftInput{Variants: &given}.body(post)
	if err != nil || body.PostInput.Value.Atomic.Text != words || len(body.PostInput.Value.Variants) != 3 {
		t.Fatalf("%+v, %v", body, err)
	}
	post.PostInput = &body.PostInput.Value
	shown := briefPost(post).Variants
	if len(shown) != 3 || *shown[0].Text != short || shown[1].AssetIDs[0] != asset || shown[2].Parts[1] != "Two" {
		t.Errorf("shown as %+v", shown)
	}
	question := dryRun{}.question(post, crier.Targets{}, "now")
	for _, said := range []string{words, `Instead on x: "Short".`, long, `"One", "Two"`} {
		if !strings.Contains(question, said) {
			t.Errorf("the person is not shown %q: %s", said, question)
		}
	}
	if _, err := (updateDraftInput{Variants: &given, Text: &short}).body(crier.Post{
		PostInput: threadOf([]part{{Text: "One"}, {Text: "Two"}})}); !client.IsKind(err, crier.KindInvalid) {
		t.Errorf("the text of a thread: %v", err)
	}
}
