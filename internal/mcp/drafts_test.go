package mcp

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/client"
)

func some[T any](v T) *T { return &v }

func TestChangesOfADraftSendWhatWasGivenAlone(t *testing.T) {
	t.Parallel()
	asset := crier.NewID()
	for name, c := range map[string]struct {
		in   updateDraftInput
		want string
	}{
		"nothing":         {updateDraftInput{}, `{}`},
		"a text":          {updateDraftInput{Text: some("Hi")}, `{"text":"Hi"}`},
		"an empty text":   {updateDraftInput{Text: some("")}, `{"text":""}`},
		"a title":         {updateDraftInput{Title: some("T")}, `{"title":"T"}`},
		"other media":     {updateDraftInput{AssetIDs: &[]crier.ID{asset}}, `{"assetIds":["` + string(asset) + `"]}`},
		"no media":        {updateDraftInput{AssetIDs: &[]crier.ID{}}, `{"assetIds":[]}`},
		"text and title":  {updateDraftInput{Text: some("Hi"), Title: some("T")}, `{"title":"T","text":"Hi"}`},
		"an empty thread": {updateDraftInput{Parts: []part{}}, `{}`},
	} {
		body, err := c.in.body(crier.Post{})
		data, encoded := json.Marshal(body)
		var got, want map[string]any
		if err := errors.Join(err, encoded, json.Unmarshal(data, &got), json.Unmarshal([]byte(c.want),
			&want)); err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(got, want, func(a, b any) bool { return mustJSON(t, a) == mustJSON(t, b) }) {
			t.Errorf("%s: %s, want %s", name, data, c.want)
		}
	}
	body, err := updateDraftInput{Parts: []part{{Text: "One", AssetIDs: []crier.ID{asset}},
		{Text: "Two"}}}.body(crier.Post{})
	thread := body.PostInput.Value.Thread
	if err != nil || thread == nil || len(thread.Posts) != 2 ||
		thread.Posts[0].Attachments[0].Media.Asset.AssetID != asset ||
		len(thread.Posts[1].Attachments) != 0 || body.Text.Set {
		t.Errorf("a thread is %+v, %v", thread, err)
	}
	for name, in := range map[string]updateDraftInput{
		"parts and a text":           {Parts: []part{{Text: "One"}, {Text: "Two"}}, Text: some("Hi")},
		"parts and media":            {Parts: []part{{Text: "One"}, {Text: "Two"}}, AssetIDs: &[]crier.ID{}},
		"parts, a text and variants": {Parts: []part{{Text: "One"}}, Text: some("Hi"), Variants: &[]variant{}},
	} {
		if _, err := in.body(crier.Post{}); !errors.Is(err, errTextAndParts) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestChangesOfVariantsKeepTheRestOfThePost(t *testing.T) {
	t.Parallel()
	asset := crier.NewID()
	short := []variant{{Provider: some(crier.ProviderX), Text: some("Short")}}
	old := crier.PostInput{Atomic: &crier.AtomicPost{Text: "Old", Attachments: attached([]crier.ID{asset})},
		Variants: []crier.PostVariant{{Provider: some(crier.ProviderThreads), Text: some("gone")}}}
	post := crier.Post{Text: "Old", PostInput: &old}
	body, err := updateDraftInput{Variants: &short}.body(post)
	got := body.PostInput.Value
	if err != nil || got.Atomic.Text != "Old" || len(got.Atomic.Attachments) != 1 || len(got.Variants) != 1 ||
		*got.Variants[0].Text != "Short" || got.Variants[0].Attachments != nil {
		t.Errorf("the variants of a post: %+v, %v", got, err)
	}
	body, err = updateDraftInput{Variants: &[]variant{}, Text: some("New"), AssetIDs: &[]crier.ID{},
		Title: some("T")}.body(post)
	got = body.PostInput.Value
	if err != nil || got.Atomic.Text != "New" || len(got.Atomic.Attachments) != 0 || len(got.Variants) != 0 ||
		body.Title.Value != "T" {
		t.Errorf("without variants, with a new text: %+v, %v", got, err)
	}
	if old.Atomic.Text != "Old" || len(old.Atomic.Attachments) != 1 || len(old.Variants) != 1 {
		t.Errorf("the post that was read has changed: %+v", old)
	}
	body, err = updateDraftInput{Variants: &short, Parts: []part{{Text: "One"}, {Text: "Two"}}}.body(post)
	if got = body.PostInput.Value; err != nil || got.Atomic != nil || len(got.Thread.Posts) != 2 ||
		len(got.Variants) != 1 {
		t.Errorf("a thread instead: %+v, %v", got, err)
	}
	if got.Variants[0].Provider == nil || *got.Variants[0].Provider != crier.ProviderX {
		t.Errorf("the variants of a thread: %+v", got.Variants)
	}
	body, err = updateDraftInput{Parts: []part{{Text: "One"}, {Text: "Two"}}}.body(post)
	if got = body.PostInput.Value; err != nil || len(got.Thread.Posts) != 2 || len(got.Variants) != 1 ||
		*got.Variants[0].Text != "gone" {
		t.Errorf("a thread loses the variants that nobody mentioned: %+v, %v", got, err)
	}
	link := crier.Attachment{Link: &crier.LinkAttachment{URL: "https://example.com"}}
	described := attached([]crier.ID{asset})[0]
	described.Media.AltText = "A cat"
	post.PostInput = &crier.PostInput{Atomic: &crier.AtomicPost{Attachments: []crier.Attachment{link, described}}}
	body, err = updateDraftInput{Variants: &short, AssetIDs: &[]crier.ID{crier.NewID(), asset}}.body(post)
	if media := body.PostInput.Value.Atomic.Attachments; err != nil || len(media) != 3 ||
		media[1].Media.AltText != "A cat" || media[2].Link == nil {
		t.Errorf("other assets take along links and alternative texts: %+v, %v", media, err)
	}
	body, err = updateDraftInput{Variants: &short}.body(crier.Post{Text: "bare"})
	if err != nil || body.PostInput.Value.Atomic.Text != "bare" {
		t.Errorf("a post without content of its own: %+v, %v", body.PostInput.Value, err)
	}
}

// The person must be shown all changes: they agree to this text and to nothing else.
func TestQuestionsTellEverythingThatChanges(t *testing.T) {
	t.Parallel()
	asset, account := crier.NewID(), crier.NewID()
	for _, c := range []struct {
		in   updateDraftInput
		want string
	}{
		{updateDraftInput{}, ""},
		{updateDraftInput{Text: some("a \"b\"\n")}, "\nNew text: \"a \\\"b\\\"\\n\"."},
		{updateDraftInput{Parts: []part{{Text: "One", AssetIDs: []crier.ID{asset}}, {Text: "Two"}}},
			"\nNew part 1: \"One\", media: 1.\nNew part 2: \"Two\"."},
		{updateDraftInput{AssetIDs: &[]crier.ID{}}, "\nNew media: 0."},
		{updateDraftInput{AssetIDs: &[]crier.ID{asset, asset}}, "\nNew media: 2."},
		{updateDraftInput{Title: some("T")}, "\nNew title, which is not published: \"T\"."},
		{updateDraftInput{Variants: &[]variant{}}, "\nThe same is published everywhere."},
		{updateDraftInput{Variants: &[]variant{{Provider: some(crier.ProviderX), Text: some("Short")}}},
			"\nInstead on x: \"Short\"."},
		{updateDraftInput{Variants: &[]variant{{SocialAccountID: &account, AssetIDs: &[]crier.ID{asset}}}},
			"\nInstead on account " + string(account) + ": other media (1)."},
		{updateDraftInput{Variants: &[]variant{{Provider: some(crier.ProviderX), Text: some("Short"),
			AssetIDs: &[]crier.ID{}}}},
			"\nInstead on x: \"Short\", no media."},
		{updateDraftInput{Variants: &[]variant{{Provider: some(crier.ProviderX), Parts: []part{{Text: "1"},
			{Text: "2"}}}}},
			"\nInstead on x: \"1\", \"2\"."},
	} {
		if got := c.in.changes(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// New variants replace all others, so the person is told which of them end.
func TestQuestionsTellWhichVariantsEnd(t *testing.T) {
	t.Parallel()
	account := crier.NewID()
	post := crier.Post{PostInput: &crier.PostInput{Atomic: &crier.AtomicPost{}, Variants: []crier.PostVariant{
		{Provider: some(crier.ProviderX), Text: some("a")}, {SocialAccountID: &account, Text: some("b")}}}}
	short := variant{Provider: some(crier.ProviderX), Text: some("Short")}
	for name, c := range map[string]struct {
		in   updateDraftInput
		want string
	}{
		"not mentioned": {updateDraftInput{Text: some("x")}, ""},
		"one of two": {updateDraftInput{Variants: &[]variant{short}},
			"\nNo longer different on account " + string(account) + "."},
		"none": {updateDraftInput{Variants: &[]variant{}}, ""}, // which the new content says
		"both": {updateDraftInput{Variants: &[]variant{short, {SocialAccountID: &account,
			Text: some("c")}}}, ""},
	} {
		if got := c.in.removes(post); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTargetsCarrySettingsAsTheyWereGiven(t *testing.T) {
	t.Parallel()
	account, at := crier.NewID(), crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
	in := scheduleInput{targetsInput: targetsInput{SocialAccountIDs: []crier.ID{account}, FirstComment: "Thanks",
		AllowRepublish: true, PlatformSettings: map[string]any{"xPoll": map[string]any{"options": []any{"a", 2.5}},
			"xMadeWithAi": true, "youtubeTitle": "T"}}, ScheduledAt: &at}
	got, err := in.request()
	if err != nil || !slices.Equal(got.SocialAccountIDs, []crier.ID{account}) ||
		got.FirstComment.Value.Text != "Thanks" ||
		!got.AllowRepublish || got.ScheduledAt != &at || got.UseNextSlot != nil {
		t.Errorf("the request is %+v, %v", got, err)
	}
	for key, want := range map[string]string{"xPoll": `{"options":["a",2.5]}`, "xMadeWithAi": "true", "youtubeTitle": `"T"`} {
		if string(got.PlatformSettings[key]) != want {
			t.Errorf("%s is %s, want %s", key, got.PlatformSettings[key], want)
		}
	}
	bare, err := scheduleInput{UseNextSlot: true}.request()
	if err != nil || bare.PlatformSettings != nil || bare.FirstComment.Set || bare.UseNextSlot == nil ||
		!*bare.UseNextSlot {
		t.Errorf("without settings: %+v, %v", bare, err)
	}
	if _, err := (targetsInput{PlatformSettings: map[string]any{"x": make(chan int)}}).targets(); err == nil ||
		!strings.HasPrefix(err.Error(), "read the setting x: ") {
		t.Errorf("a setting that cannot be written: %v", err)
	}
}

func TestDryRunsSayWhyNothingCanBePublished(t *testing.T) {
	t.Parallel()
	good := dryRunEntry{SocialAccountID: "1", Account: "Acme (x)", OK: true, CreditCost: 5}
	bad := dryRunEntry{SocialAccountID: "2", Errors: []string{"too long", "no media"}}
	for name, c := range map[string]struct {
		run  dryRun
		kind crier.Kind
		want string
	}{
		"all is well": {dryRun{Accounts: []dryRunEntry{good}, AffordableNow: true}, "", ""},
		"one refuses": {dryRun{Accounts: []dryRunEntry{good, bad}, AffordableNow: true}, "", ""},
		"all refuse": {dryRun{Accounts: []dryRunEntry{bad}, AffordableNow: true}, crier.KindInvalid,
			"No account accepts this post, so nothing was changed:\n- 2: too long; no media"},
		"no account": {dryRun{AffordableNow: true}, crier.KindInvalid,
			"No account accepts this post, so nothing was changed:\n"},
		"too dear": {dryRun{Accounts: []dryRunEntry{good}, CreditCost: 5, AvailableCredits: 3},
			crier.KindPaymentRequired, "This costs 5 credits and 3 are available, so nothing was changed."},
		"dear and bad": {dryRun{Accounts: []dryRunEntry{bad}, CreditCost: 5}, crier.KindInvalid,
			"No account accepts this post, so nothing was changed:\n- 2: too long; no media"},
	} {
		err := c.run.problem()
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if p := problemOf(err); !client.IsKind(err, c.kind) || p.Message != c.want {
			t.Errorf("%s: %q, want %s %q", name, p.Message, c.kind, c.want)
		}
	}
	saved := crier.Post{Text: "Hello", AssetIDs: []crier.ID{"a"}, PostPublishActions: &crier.PostPublishActions{
		FirstComment: &crier.Comment{Text: "saved"}}}
	run := dryRun{Accounts: []dryRunEntry{good, bad}}
	run.Accounts[0].Warnings = []string{"is cut"}
	const rest = "\n- Acme (x): 5 credits\n  note: is cut\n- 2: left out: too long; no media"
	for name, c := range map[string]struct {
		targets crier.Targets
		comment string
	}{
		"the saved comment": {crier.Targets{}, "\nFirst comment: \"saved\"."},
		"the call's comment": {crier.Targets{FirstComment: crier.Some(crier.Comment{Text: "new"})},
			"\nFirst comment: \"new\"."},
		"no comment": {crier.Targets{FirstComment: crier.Null[crier.Comment]()}, ""},
	} {
		want := "Publish \"Hello\" now?\nMedia: 1." + c.comment + rest
		if got := run.question(saved, c.targets, "now"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestReasonsAreIssuesOrTheMessage(t *testing.T) {
	t.Parallel()
	issues := []crier.Issue{crier.At("is too long", "postInput", "text"), crier.At("is wrong")}
	for name, c := range map[string]struct {
		err  *crier.EntryError
		want []string
	}{
		"none": {nil, nil}, "a message": {&crier.EntryError{Message: "Away."}, []string{"Away."}},
		"issues": {&crier.EntryError{Message: "x", Issues: issues}, []string{"text: is too long",
			"is wrong"}},
	} {
		if got := reasons(c.err); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPostsWaitWhileSomethingOfThemIsScheduled(t *testing.T) {
	t.Parallel()
	list := func(states ...crier.ScheduledPostStatus) *[]crier.ScheduledPost {
		out := make([]crier.ScheduledPost, len(states))
		for i, s := range states {
			out[i].Status = s
		}
		return &out
	}
	for name, c := range map[string]struct {
		post crier.Post
		want bool
	}{
		"a draft": {crier.Post{}, false}, "scheduled": {crier.Post{DeliveryState: crier.DeliveryScheduled}, true},
		"published": {crier.Post{ScheduledPosts: list(crier.Published, crier.Failed)}, false},
		"in part":   {crier.Post{ScheduledPosts: list(crier.Published, crier.Scheduled)}, true},
		"none":      {crier.Post{ScheduledPosts: list()}, false},
	} {
		if got := waits(c.post); got != c.want {
			t.Errorf("%s waits: %t, want %t", name, got, c.want)
		}
	}
	v := crier.PostVersion{ContentPayloadID: crier.NewID(), Version: 3, Current: true, Text: "x"}
	if b := briefVersion(v); b.ContentPayloadID != v.ContentPayloadID || b.Version != 3 || !b.Current || b.Text != "x" {
		t.Errorf("a version in brief is %+v", b)
	}
}

func TestKeysOfRepeatedCallsAreThoseOfTheFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	k := newKeys(func() time.Time { return now })
	first, done := k.of("ada", "post1", "d1", "")
	if again, _ := k.of("ada", "post1", "d1", ""); first == "" || again != first || done {
		t.Errorf("a repeated call has %q, the first had %q", again, first)
	}
	for name, other := range map[string][3]string{"another caller": {"eve", "post1", "d1"},
		"another thing": {"ada", "post2", "d1"}} {
		if key, _ := k.of(other[0], other[1], other[2], ""); key == first {
			t.Errorf("%s has the same key", name)
		}
	}
	k.finish("ada", "post1", "another key")
	if _, done := k.of("ada", "post1", "d1", ""); done {
		t.Error("the end of another call ended this one")
	}
	k.finish("ada", "post1", first)
	if key, done := k.of("ada", "post1", "d1", ""); key != first || !done {
		t.Errorf("after its effect a repeat has %q, done %t", key, done)
	}
	second, done := k.of("ada", "post1", "d2", "") // another call about the same object
	if third, _ := k.of("ada", "post1", "d1", ""); second == first || third == first || done {
		t.Error("schedule, move to draft, schedule again means what it says")
	}
	k.of("ada", newObject+"x", "d", "")
	k.of("eve", newObject+"x", "d", "")
	k.remove("ada", newObject)
	if len(k.last) != 4 {
		t.Errorf("%d calls are remembered, want those of the others", len(k.last))
	}
	now = now.Add(keyLife + 1)
	if k.of("zoe", "t", "d", ""); len(k.last) != 1 {
		t.Errorf("after an hour %d calls are remembered", len(k.last))
	}
}

func TestAdviceFollowsTheKindOfAProblem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{&client.Error{Kind: crier.KindTooManyRequests, Message: "Slow down."},
			"Slow down.\nWait before the next call."},
		{&client.Error{Kind: crier.KindPreconditionFailed, Message: "Changed."},
			"Changed.\nSomebody has changed the post meanwhile: read it again."},
		{&client.Error{Kind: crier.KindConflict, Message: "Taken."}, "Taken."},
		{&client.Error{Kind: crier.KindInvalid, Message: "text: is too long", Issues: []crier.Issue{
			crier.At("is too long", "text"), crier.At("is wrong", "a", "b")}}, "text: is too long\n- a.b: is wrong"},
		{&client.Error{Message: "of no kind"}, (&client.Error{Message: "of no kind"}).Error()},
		{errors.New("away"), "away"},
	} {
		if got := problemOf(c.err).words(); got != c.want {
			t.Errorf("%v is told as %q, want %q", c.err, got, c.want)
		}
	}
}
