package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/store"
)

// assetList is a library of assets, for content that was never stored.
type assetList []store.Asset

func (s assetList) AssetsByID(_ context.Context, _ crier.ID, ids []crier.ID) (found []store.Asset, err error) {
	for _, a := range s {
		if slices.Contains(ids, a.ID) {
			found = append(found, a)
		}
	}
	return found, nil
}

func (s assetList) PostContent(context.Context, crier.ID) (store.PostContent, error) {
	return store.PostContent{PostType: crier.TextPost,
		Input: crier.PostInput{Atomic: &crier.AtomicPost{Text: "stored"}}}, nil
}

func picture(id crier.ID, status, alt string) store.Asset {
	a := store.Asset{Facts: json.RawMessage(`{}`)}
	a.ID, a.Status, a.MimeType, a.AltText = id, status, "image/png", &alt
	return a
}

func attach(id crier.ID, alt string) crier.Attachment {
	return crier.Attachment{Media: &crier.MediaAttachment{Asset: crier.AttachedAsset{AssetID: id}, AltText: alt}}
}

// library returns content whose files have addresses.
func library() *Content {
	return &Content{addresses: &media.Addresses{Key: []byte(testSecret), BaseURL: "https://crier.test",
		Now: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }}}
}

func TestNetworksGetMediaAndLinksInTheirPlaces(t *testing.T) {
	t.Parallel()
	books := assetList{picture("a", crier.AssetReady, "the asset's"), picture("b", crier.AssetProcessing, "")}
	input := crier.PostInput{Atomic: &crier.AtomicPost{Text: "Hello", Attachments: []crier.Attachment{
		{Link: &crier.LinkAttachment{URL: "https://example.com", Title: "T", Description: "D"}}, attach("a", ""),
		attach("b", ""), attach("a", "the post's"), attach("gone", "")}}}
	content, err := library().Unstored(t.Context(), books, "team", crier.TextImage, input)
	if err != nil {
		t.Fatal(err)
	}
	got := content.For(crier.ProviderX, "account")
	if got.Action != provider.Post || got.PostType != string(crier.TextImage) ||
		len(got.Parts) != 1 || got.Parts[0].Text != "Hello" {
		t.Fatalf("%+v", got)
	}
	if l := got.Parts[0].Links; len(l) != 1 || l[0] != (provider.Link{URL: "https://example.com", Title: "T", Description: "D"}) {
		t.Errorf("links %+v", l)
	}
	var shown []string
	for _, m := range got.Parts[0].Media {
		shown = append(shown, fmt.Sprintf("%s %d %q %s", m.ID, m.Position, m.AltText, m.MIMEType))
	}
	want := []string{`a 1 "the asset's" image/png`, `b 2 "" `, `a 3 "the post's" image/png`, `gone 4 "" `}
	if !slices.Equal(shown, want) {
		t.Errorf("media %q, want %q", shown, want)
	}
	stored, err := library().Post(t.Context(), books, "team", "payload")
	if err != nil || stored.For(crier.ProviderX, "a").Parts[0].Text != "stored" {
		t.Errorf("%+v, %v", stored, err)
	}
	broken := assetList{picture("a", crier.AssetReady, "")}
	broken[0].Facts = json.RawMessage(`{`)
	if _, err := library().Unstored(t.Context(), broken, "team", crier.TextImage, input); err == nil {
		t.Error("an asset whose facts cannot be read was published")
	}
}

func TestAccountsPublishTheirVariantAndIssuesLeadToIt(t *testing.T) {
	t.Parallel()
	network, account, forNetwork, forAccount := crier.ProviderLinkedIn, crier.ID("mine"), "for LinkedIn", "for me"
	input := crier.PostInput{Atomic: &crier.AtomicPost{Text: "for all"}, Variants: []crier.PostVariant{
		{Provider: &network, Text: &forNetwork, PostType: crier.TextVideo},
		{SocialAccountID: &account, Text: &forAccount, PostType: crier.TextPost}}}
	content, err := library().Unstored(t.Context(), assetList{}, "team", crier.TextImage, input)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		network crier.Provider
		account crier.ID
		text    string
		kind    crier.PostType
		path    string
	}{
		"the post": {crier.ProviderX, "other", "for all", crier.TextImage, "postInput.text"},
		"the network's": {crier.ProviderLinkedIn, "other", "for LinkedIn", crier.TextVideo,
			"postInput.variants.0.text"},
		"the account's": {crier.ProviderLinkedIn, "mine", "for me", crier.TextPost, "postInput.variants.1.text"},
	} {
		got := content.For(c.network, c.account)
		path := strings.Join(content.Path(c.network, c.account, []string{"postInput", "text"}), ".")
		if got.Parts[0].Text != c.text || got.PostType != string(c.kind) || path != c.path {
			t.Errorf("%s: %q of type %s at %s", name, got.Parts[0].Text, got.PostType, path)
		}
	}
}

func TestActionsAreMadeOfTheirPlan(t *testing.T) {
	t.Parallel()
	id, link := "17", "https://x.example/17"
	parent := store.Publication{PlatformPostID: &id, Permalink: &link}
	books := assetList{picture("a", crier.AssetReady, "alt")}
	for name, c := range map[string]struct {
		kind   store.PublicationKind
		spec   string
		action provider.Action
		text   string
		media  []string
	}{
		"a comment": {store.FirstComment, `{"text":"thanks","mediaIds":["00000000-0000-4000-8000-000000000001"]}`,
			provider.Comment, "thanks", []string{"00000000-0000-4000-8000-000000000001 0"}},
		"a comment after likes": {store.EngagementComment, `{"likeThreshold":5,"windowHours":24,"comment":{"text":"wow"}}`,
			provider.Comment, "wow", nil},
		"a repost":            {store.RepostPublication, `{"offsetDays":2}`, provider.Repost, "", nil},
		"a quote":             {store.RepostPublication, `{"offsetDays":2,"text":"again"}`, provider.Quote, "again", nil},
		"a quote by its mode": {store.RepostPublication, `{"offsetDays":2,"mode":"quote","text":"again"}`, provider.Quote, "again", nil},
	} {
		p := store.Publication{Kind: c.kind, Spec: json.RawMessage(c.spec)}
		got, err := library().action(t.Context(), books, p, parent)
		if err != nil || got.Action != c.action || got.Parts[0].Text != c.text || got.Target.PlatformPostID != "17" ||
			got.Target.Permalink != link {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		var shown []string
		for _, m := range got.Parts[0].Media {
			shown = append(shown, fmt.Sprintf("%s %d", m.ID, m.Position))
		}
		if !slices.Equal(shown, c.media) {
			t.Errorf("%s: media %q", name, shown)
		}
	}
	for kind, want := range map[store.PublicationKind]string{store.FirstComment: "decode the comment",
		store.EngagementComment: "decode the trigger", store.RepostPublication: "decode the repost", "dance": `unknown action "dance"`} {
		_, err := library().action(t.Context(), books, store.Publication{Kind: kind, Spec: json.RawMessage(`[`)}, parent)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestActionsArePlannedFromTheTimeOfPublication(t *testing.T) {
	t.Parallel()
	at := crier.TimeOf(time.Date(2026, 10, 24, 9, 30, 0, 0, time.UTC)) // the day before clocks change in Berlin
	now := crier.TimeOf(at.Add(time.Minute))
	p := store.Publication{ID: "p", TeamID: "t", OrganizationID: "o", PostID: "post", SocialAccountID: "a",
		Provider: "x", PayloadID: "v", PublishedAt: &at, Timezone: "Europe/Berlin", Actions: crier.PlannedActions{
			FirstComment: &crier.Comment{Text: "thanks"},
			EngagementCommentTrigger: &crier.EngagementTrigger{LikeThreshold: 5, WindowHours: 24,
				Comment: crier.Comment{Text: "wow"}},
			RepostAfter: &crier.RepostAfter{OffsetDays: 2.5},
			ActionCosts: map[string]int64{"first_comment": 3, "repost": 4}}}
	list, err := plannedActions(p, now, time.Minute)
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, c := range []struct {
		kind      store.PublicationKind
		scheduled time.Duration
		wake      time.Duration
		reserved  int64
	}{
		{store.FirstComment, 0, 0, 3},
		{store.EngagementComment, time.Minute, time.Minute, 0},
		{store.RepostPublication, (48+1+12)*time.Hour + 0, (48+1+12)*time.Hour - settleLead, 4}, // an hour is gained
	} {
		a := list[i]
		if a.Kind != c.kind || a.ScheduledAt.Sub(at.Time) != c.scheduled || a.WakeAt.Sub(at.Time) != c.wake ||
			a.Reserved != c.reserved || a.ScheduledPostID != "p" || a.Status != crier.Scheduled ||
			!a.CreatedAt.Equal(now.Time) || a.TeamID != "t" || a.OrganizationID != "o" || a.PostID != "post" ||
			a.PayloadID != "v" {
			t.Errorf("%s is due after %s and wakes after %s: %+v",
				a.Kind, a.ScheduledAt.Sub(at.Time), a.WakeAt.Sub(at.Time), a)
		}
	}
	if e := list[1].ExpiresAt; e == nil || e.Sub(at.Time) != 24*time.Hour || list[0].ExpiresAt != nil {
		t.Errorf("likes are counted until %v", e)
	}
	p.Timezone = "Mars/Base"
	if _, err := plannedActions(p, now, time.Minute); err == nil {
		t.Error("an unknown zone")
	}
	p.Actions = crier.PlannedActions{}
	if list, err := plannedActions(p, now, time.Minute); err != nil || len(list) != 0 {
		t.Errorf("without actions %+v, %v", list, err)
	}
}

func TestResultsOfActionsAreNotedOnceTheyArePublic(t *testing.T) {
	t.Parallel()
	id := "17"
	for name, c := range map[string]struct {
		p    store.Publication
		want *store.ActionResults
	}{
		"a comment": {store.Publication{Kind: store.FirstComment, Status: crier.Published, PlatformPostID: &id},
			&store.ActionResults{FirstCommentID: "17"}},
		"a repost": {store.Publication{Kind: store.RepostPublication, Status: crier.Published, PlatformPostID: &id},
			&store.ActionResults{RepostID: "17"}},
		"a comment after likes": {store.Publication{Kind: store.EngagementComment, Status: crier.Published,
			PlatformPostID: &id}, nil},
		"a post": {store.Publication{Kind: store.PostPublication, Status: crier.Published,
			PlatformPostID: &id}, nil},
		"one that failed": {store.Publication{Kind: store.FirstComment, Status: crier.Failed,
			PlatformPostID: &id}, nil},
	} {
		got := parentResults(c.p)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestNumbersAreReadLessAndLessOften(t *testing.T) {
	t.Parallel()
	at := crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	p := store.Publication{ID: "p", Provider: "x", TeamID: "t", PublishedAt: &at}
	before := time.Duration(0)
	for round := range snapshotTimes {
		next, ok := SnapshotJob(p, round)
		if !ok || next.At.Sub(at.Time) <= before ||
			next.Args != (job.Snapshot{ScheduledPostID: "p", Round: round, Provider: "x", TeamID: "t"}) {
			t.Errorf("round %d: %+v, %v", round, next, ok)
		}
		before = next.At.Sub(at.Time)
	}
	if _, ok := SnapshotJob(p, len(snapshotTimes)); ok || before != 30*24*time.Hour {
		t.Errorf("the last reading is after %s", before)
	}
	if _, ok := SnapshotJob(store.Publication{}, 0); ok {
		t.Error("what is not public is read")
	}
}

func TestTimingsHaveUsualValues(t *testing.T) {
	t.Parallel()
	usual := Timings{}.withDefaults()
	if usual.SendWindow != 30*time.Second || usual.Lease != 40*time.Second || usual.CallLease != 15*time.Second ||
		usual.SettleSlack != 5*time.Second || usual.RetryPause != 3*time.Second || usual.AccountPause != time.Minute {
		t.Errorf("%+v", usual)
	}
	short := Timings{Lease: 4 * time.Second, SendWindow: time.Second}.withDefaults()
	if short.CallLease != 4*time.Second || short.SendWindow != time.Second {
		t.Errorf("a call outlives its lease: %+v", short)
	}
	info := provider.Info{CommitTimeout: 20 * time.Second}
	if got := usual.commitTimeout(info); got != 20*time.Second {
		t.Errorf("the network's time-out is %s", got)
	}
	if got := (Timings{CommitTimeout: time.Second}).commitTimeout(info); got != time.Second {
		t.Errorf("another time-out is %s", got)
	}
	strategy := provider.Strategy{NotBefore: time.Minute, Apart: time.Second}
	looks := []time.Duration{time.Second, 3 * time.Second, 8 * time.Second}
	hurried := Timings{LookupPause: 2 * time.Second}
	if got := usual.paced(strategy); got.NotBefore != time.Minute || got.Apart != time.Second ||
		usual.early(looks, 2) != 8*time.Second {
		t.Errorf("the network's pauses are %+v", got)
	}
	if got := hurried.paced(strategy); got.NotBefore != 2*time.Second || got.Apart != time.Second {
		t.Errorf("bounded pauses are %+v", got)
	}
	for number, want := range []time.Duration{time.Second, 3 * time.Second, 6 * time.Second} {
		if got := hurried.early(looks, number); got != want {
			t.Errorf("early look %d after %s, want %s", number, got, want)
		}
	}
	a, b := time.Unix(1, 0), time.Unix(2, 0)
	if earlier(a, b) != a || earlier(b, a) != a || later(a, b) != b || later(b, a) != b || earlier(a, a) != a {
		t.Error("the earlier is not before the later")
	}
}
