package mcp

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

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

// Arguments have the bounds of the API, which clients see too: nobody is asked about what the API rejects.
func TestArgumentsHaveTheBoundsOfTheAPI(t *testing.T) {
	t.Parallel()
	slot := inputSchema[createSlotInput]()
	for arguments, want := range map[string]string{
		`{"hour":23,"minute":59,"daysOfWeek":[0,6],"label":"` + strings.Repeat("é", 200) + `"}`: "",
		`{"hour":24,"minute":-1}`: "hour: must be from 0 to 23, got 24\n" +
			"- minute: must be from 0 to 59, got -1",
		`{"hour":1.5,"minute":0}`:                "hour: must be a whole number",
		`{"hour":1,"minute":0,"daysOfWeek":[7]}`: "daysOfWeek.0: must be from 0 to 6, got 7",
		`{"hour":1,"minute":0,"daysOfWeek":[]}`:  "daysOfWeek: must have 1 to 100 items, got 0",
		`{"hour":1,"minute":0,"daysOfWeek":[1` + strings.Repeat(",1", 100) + `]}`: "daysOfWeek: must have 1 to 100 " +
			"items, got 101",
		`{"hour":1,"minute":0,"label":"` + strings.Repeat("é", 201) + `"}`: "label: must be a text of at most 200 " +
			"characters, got 201 characters",
	} {
		if got := wordsOf[createSlotInput](slot, arguments); !strings.HasSuffix(got, want) || got != "" && want == "" {
			t.Errorf("create_slot %.60s: %q, want %q", arguments, got, want)
		}
	}
	if got := wordsOf[nextSlotsInput](inputSchema[nextSlotsInput](), `{"count":21}`); !strings.HasSuffix(got,
		"count: must be from 0 to 20, got 21") {
		t.Errorf("next_slots: %q", got)
	}
	const post = `{"postId":"018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d","socialAccountIds":[],`
	if got := wordsOf[publishNowInput](inputSchema[publishNowInput](), post+`"waitSeconds":31}`); !strings.Contains(got,
		"waitSeconds: must be from 0 to 30, got 31") || !strings.Contains(got, "socialAccountIds: must have 1 to 100") {
		t.Errorf("publish_now: %q", got)
	}
	shown := slot.shown.Properties
	if hour, days := shown["hour"], shown["daysOfWeek"]; *hour.Maximum != 23 || hour.Description == "" ||
		*days.MinItems != 1 || *days.Items.Maximum != 6 || *shown["label"].MaxLength != 200 {
		t.Errorf("clients see %+v, %+v, %+v", hour, days, shown["label"])
	}
}

// wordsOf returns the error of arguments in words; none if they are valid.
func wordsOf[In any](schema described, arguments string) string {
	_, err := readInput[In](schema.checked, json.RawMessage(arguments))
	if err == nil {
		return ""
	}
	return problemOf(err).words()
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

// About a retry or a decision that the API would reject, nobody is asked.
func TestOnlyWhatCanBeRetriedOrResolvedIsAskedAbout(t *testing.T) {
	t.Parallel()
	by := crier.NewID()
	for _, c := range []struct {
		publication crier.ScheduledPost
		words       string
	}{
		{publication: crier.ScheduledPost{Status: crier.Failed}},
		{publication: crier.ScheduledPost{Status: crier.Missed}},
		{crier.ScheduledPost{Status: crier.Failed, ReplacedBy: &by}, string(by)},
		{crier.ScheduledPost{Status: crier.Unknown}, "resolve"},
		{crier.ScheduledPost{Status: crier.Scheduled}, "this one is scheduled"},
		{crier.ScheduledPost{Status: crier.Publishing}, "this one is publishing"},
		{crier.ScheduledPost{Status: crier.Published}, "this one is published"},
		{crier.ScheduledPost{Status: crier.Canceled}, "this one is canceled"},
	} {
		err := retryable(c.publication)
		if c.words == "" || err == nil {
			if (c.words == "") != (err == nil) {
				t.Errorf("retry of what is %s: %v", c.publication.Status, err)
			}
			continue
		}
		if p := problemOf(err); p.Kind != crier.KindConflict || !strings.Contains(p.Message, c.words) {
			t.Errorf("retry of what is %s: %+v", c.publication.Status, p)
		}
	}
}

// A calendar is read in pieces, which have every entry once.
func TestCalendarsAreBounded(t *testing.T) {
	t.Parallel()
	start := crier.TimeOf(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	for name, hour := range map[string]func(i int) int{
		"none":                       nil,
		"one at a time":              func(i int) int { return i },
		"seven at a time":            func(i int) int { return i / 7 },
		"all at once":                func(int) int { return 0 },
		"one, and the rest together": func(i int) int { return min(i, 1) },
	} {
		var all []crier.CalendarEntry
		for i := range 250 {
			if hour != nil {
				all = append(all, crier.CalendarEntry{ScheduledPostID: crier.NewID(),
					ScheduledAt: crier.TimeOf(start.Add(time.Duration(hour(i)) * time.Hour))})
			}
		}
		var read []crier.ID
		for rest := all; ; {
			got := briefCalendar(crier.Calendar{Entries: rest})
			for _, e := range got.Entries {
				read = append(read, e.ScheduledPostID)
			}
			if got.Entries == nil || got.Total != len(rest) {
				t.Fatalf("%s: %d of %d entries", name, len(got.Entries), got.Total)
			}
			if got.ContinueFrom == nil {
				break
			}
			rest = slices.DeleteFunc(slices.Clone(rest), func(e crier.CalendarEntry) bool {
				return e.ScheduledAt.Before(got.ContinueFrom.Time)
			})
		}
		want := each(all, func(e crier.CalendarEntry) crier.ID { return e.ScheduledPostID })
		if !slices.Equal(read, want) && len(want) > 0 {
			t.Errorf("%s: %d entries were read, of %d", name, len(read), len(want))
		}
		if first := briefCalendar(crier.Calendar{Entries: all}); name == "seven at a time" && len(first.Entries) != 98 {
			t.Errorf("%s: the first answer has %d entries", name, len(first.Entries))
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
