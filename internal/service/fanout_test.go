package service

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/provider/linkedin"
	"crier/internal/provider/x"
	"crier/internal/publish"
	"crier/internal/store"
)

// noAssets is a library without assets.
type noAssets struct{}

func (noAssets) AssetsByID(context.Context, crier.ID, []crier.ID) ([]store.Asset, error) {
	return nil, nil
}

// newFanOut sends a text to one connected account on X.
func newFanOut(tb testing.TB, text string) fanOut {
	tb.Helper()
	network, err := x.New(x.Config{Caller: provider.NewCaller(provider.CallerConfig{}),
		Now: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }})
	if err != nil {
		tb.Fatal(err)
	}
	networks, err := provider.NewRegistry(network)
	if err != nil {
		tb.Fatal(err)
	}
	content, err := (&publish.Content{}).Unstored(tb.Context(), noAssets{}, "team", crier.TextPost,
		crier.PostInput{Atomic: &crier.AtomicPost{Text: text}})
	if err != nil {
		tb.Fatal(err)
	}
	return fanOut{providers: networks, content: content,
		targets: crier.Targets{SocialAccountIDs: []crier.ID{"a"}},
		accounts: map[crier.ID]store.Account{"a": {SocialAccount: crier.SocialAccount{ID: "a",
			Provider: crier.ProviderX, Status: crier.AccountConnected}}},
		live: map[crier.ID]store.Publication{}, published: map[crier.ID]bool{}}
}

func TestFanOutRejectsAccountsIndividually(t *testing.T) {
	t.Parallel()
	status := func(s crier.AccountStatus) func(*fanOut) {
		return func(f *fanOut) {
			a := f.accounts["a"]
			a.Status = s
			f.accounts["a"] = a
		}
	}
	live := func(s crier.ScheduledPostStatus) func(*fanOut) {
		return func(f *fanOut) { f.live["a"] = store.Publication{ID: "p", Status: s} }
	}
	for _, c := range []struct {
		name   string
		text   string
		change func(*fanOut)
		code   string // "" is accepted
		moves  bool
	}{
		{name: "a connected account", text: "hello"},
		{name: "an account of nobody", text: "hello", change: func(f *fanOut) { delete(f.accounts, "a") },
			code: codeAccountNotFound},
		{name: "a disabled account", text: "hello", change: status(crier.AccountDisabled), code: codeAccountDisabled},
		{name: "an ended connection", text: "hello", change: status(crier.AccountRefreshNeeded),
			code: string(provider.CodeAuthExpired)},
		{name: "a disconnected account", text: "hello", change: status(crier.AccountDisconnected),
			code: string(provider.CodeAccountDisconnected)},
		{name: "a network without a client", text: "hello", change: func(f *fanOut) {
			f.accounts["a"] = store.Account{SocialAccount: crier.SocialAccount{ID: "a",
				Provider: crier.ProviderThreads, Status: crier.AccountConnected}}
		}, code: codeAccountDisabled},
		{name: "scheduled there already", text: "hello", change: live(crier.Scheduled), moves: true},
		{name: "being published there", text: "hello", change: live(crier.Publishing), code: codeAlreadyPublishing},
		{name: "published there", text: "hello", change: func(f *fanOut) { f.published["a"] = true },
			code: codeAlreadyPublished},
		{name: "published there, again", text: "hello", change: func(f *fanOut) {
			f.published["a"], f.targets.AllowRepublish = true, true
		}},
		{name: "content that the network refuses", text: "", code: codeContentRejected},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFanOut(t, c.text)
			if c.change != nil {
				c.change(&f)
			}
			plan := f.plan()
			if len(plan) != 1 || plan[0].accountID != "a" {
				t.Fatalf("planned %+v", plan)
			}
			code := ""
			if plan[0].refused != nil {
				code = plan[0].refused.Code
			}
			if code != c.code || (plan[0].moves != nil) != c.moves {
				t.Errorf("code %q, moves %v; want %q, %v", code, plan[0].moves != nil, c.code, c.moves)
			}
		})
	}
}

func TestFanOutKeepsTheOrderOfTheRequest(t *testing.T) {
	t.Parallel()
	f := newFanOut(t, "hello")
	f.targets.SocialAccountIDs = []crier.ID{"nobody", "a", "another"}
	plan := f.plan()
	if len(plan) != 3 || plan[0].refused == nil || plan[1].refused != nil || plan[2].refused == nil {
		t.Errorf("planned %+v", plan)
	}
}

// Some posts take no comments on a network that has them elsewhere: the post goes out without, and that is said.
func TestCommentsThatCannotBeAreIgnoredWithAWarning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings string
		warning  string // "" keeps both comments
	}{
		{`{}`, ""}, {`{"linkedinCommentsState":"open"}`, ""},
		{`{"linkedinCommentsState":"closed"}`, "linkedinCommentsState closes the comments; it is ignored"},
	} {
		f := newFanOut(t, "hello")
		network, err := linkedin.New(linkedin.Config{Caller: provider.NewCaller(provider.CallerConfig{}),
			Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if f.providers, err = provider.NewRegistry(network); err != nil {
			t.Fatal(err)
		}
		a := f.accounts["a"]
		a.Provider = crier.ProviderLinkedIn
		f.accounts["a"] = a
		if err := json.Unmarshal([]byte(c.settings), &f.targets.PlatformSettings); err != nil {
			t.Fatal(err)
		}
		f.targets.FirstComment = crier.Some(crier.Comment{Text: "First!"})
		d := f.plan()[0]
		if d.refused != nil || (d.actions.FirstComment == nil) != (c.warning != "") {
			t.Errorf("%s: refused %+v, comment %+v", c.settings, d.refused, d.actions.FirstComment)
		}
		var warnings []crier.Issue
		if c.warning != "" {
			warnings = []crier.Issue{crier.At(c.warning, "firstComment")}
		}
		if !reflect.DeepEqual(d.warnings, warnings) {
			t.Errorf("%s: warnings %+v, want %+v", c.settings, d.warnings, warnings)
		}
	}
}

// A change of one scheduled post has no warnings: what would end an action is refused where it was sent.
func TestChangesThatWouldEndAnActionAreRefused(t *testing.T) {
	t.Parallel()
	settings := crier.Some(map[string]json.RawMessage{})
	comment := crier.Some(crier.Comment{Text: "First!"})
	for _, c := range []struct {
		change  crier.ScheduledPostUpdate
		warning string // the place of it
		want    string // the place of the issue; "" for none
	}{
		{crier.ScheduledPostUpdate{FirstComment: comment}, "firstComment", "firstComment"},
		{crier.ScheduledPostUpdate{FirstComment: comment, PlatformSettings: settings}, "firstComment", "firstComment"},
		{crier.ScheduledPostUpdate{PlatformSettings: settings}, "firstComment", "platformSettings"},
		{crier.ScheduledPostUpdate{PlatformSettings: settings}, "engagementCommentTrigger", "platformSettings"},
		{crier.ScheduledPostUpdate{PlatformSettings: settings}, "postInput", ""},
		{crier.ScheduledPostUpdate{}, "firstComment", ""},
	} {
		got := ignoredActions([]crier.Issue{crier.At("no", c.warning)}, c.change)
		if place := placeOf(got); place != c.want {
			t.Errorf("%+v: %q, want %q", c.change, place, c.want)
		}
	}
}

func placeOf(issues []crier.Issue) string {
	if len(issues) == 0 {
		return ""
	}
	return issues[0].Path[0]
}

func TestRequestActionsOverridePostActions(t *testing.T) {
	t.Parallel()
	saved, asked := crier.Comment{Text: "saved"}, crier.Comment{Text: "asked"}
	days, end := 7, crier.TimeOf(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
	base := crier.PlannedActions{FirstComment: &saved, RecurrenceIntervalDays: &days, RecurrenceEndsAt: &end,
		PartCosts: []int64{1}, SeriesIndex: 3}
	for _, c := range []struct {
		name    string
		targets crier.Targets
		want    crier.PlannedActions
	}{
		{"nothing asked", crier.Targets{},
			crier.PlannedActions{FirstComment: &saved, RecurrenceIntervalDays: &days, RecurrenceEndsAt: &end}},
		{"another comment", crier.Targets{FirstComment: crier.Some(asked)},
			crier.PlannedActions{FirstComment: &asked, RecurrenceIntervalDays: &days, RecurrenceEndsAt: &end}},
		{"no comment", crier.Targets{FirstComment: crier.Null[crier.Comment]()},
			crier.PlannedActions{RecurrenceIntervalDays: &days, RecurrenceEndsAt: &end}},
		{"no recurrence has no end either", crier.Targets{RecurrenceIntervalDays: crier.Null[int]()},
			crier.PlannedActions{FirstComment: &saved}},
		{"a recurrence without an end", crier.Targets{RecurrenceEndsAt: crier.Null[crier.Time]()},
			crier.PlannedActions{FirstComment: &saved, RecurrenceIntervalDays: &days}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := mergeActions(base, c.targets); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestOnlyChangedActionsUpdateScheduledPosts(t *testing.T) {
	t.Parallel()
	old, revised, own := crier.Comment{Text: "old"}, crier.Comment{Text: "new"}, crier.Comment{Text: "own"}
	weekly, monthly := 7, 30
	planned := crier.PlannedActions{FirstComment: &own, RecurrenceIntervalDays: &weekly, SeriesIndex: 2}
	before := crier.PostPublishActions{FirstComment: &old, RecurrenceIntervalDays: &weekly}
	for _, c := range []struct {
		name  string
		after *crier.PostPublishActions
		want  crier.PlannedActions
	}{
		{"the same", &crier.PostPublishActions{FirstComment: &old, RecurrenceIntervalDays: &weekly}, planned},
		{"another comment", &crier.PostPublishActions{FirstComment: &revised, RecurrenceIntervalDays: &weekly},
			crier.PlannedActions{FirstComment: &revised, RecurrenceIntervalDays: &weekly, SeriesIndex: 2}},
		{"another interval begins a new series",
			&crier.PostPublishActions{FirstComment: &old, RecurrenceIntervalDays: &monthly},
			crier.PlannedActions{FirstComment: &own, RecurrenceIntervalDays: &monthly}},
		{"none", nil, crier.PlannedActions{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := reviseActions(planned, &before, c.after); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
