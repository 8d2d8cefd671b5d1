package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/enrich"
	"crier/internal/job"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/store"
)

func TestVariantsAreOfAccountsOfTheTeamAndHaveMediaThatGoTogether(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope := t.Context(), o.Team(crier.WritePosts)
		image := o.f.NewAsset()
		video := o.f.NewAsset(func(a *store.Asset) { a.MimeType = "video/mp4" })
		foreign, text, network := crier.NewID(), "for X", crier.ProviderX
		media := func(ids ...crier.ID) *[]crier.Attachment {
			list := []crier.Attachment{}
			for _, id := range ids {
				list = append(list, attachmentOf(id, ""))
			}
			return &list
		}
		create := func(variants ...crier.PostVariant) (crier.Post, error) {
			return o.Posts.Create(ctx, scope, crier.PostCreate{PostInput: &crier.PostInput{
				Atomic: &crier.AtomicPost{Text: "Hello"}, Variants: variants}})
		}
		p, err := create(crier.PostVariant{Provider: &network, Text: &text},
			crier.PostVariant{SocialAccountID: &o.f.Account.ID, Attachments: media(video.ID)})
		if err != nil || p.PostType != crier.TextPost || p.PostInput.Variants[0].PostType != crier.TextPost ||
			p.PostInput.Variants[1].PostType != crier.TextVideo {
			t.Fatalf("%+v, %v", p.PostInput, err)
		}
		if asset := (*p.PostInput.Variants[1].Attachments)[0].Media.Asset; asset.MimeType != "video/mp4" {
			t.Errorf("the variant's asset is told as %+v", asset)
		}
		_, err = create(crier.PostVariant{SocialAccountID: &foreign, Text: &text})
		wantIssueAt(t, err, "postInput.variants.0.socialAccountId")
		_, err = create(crier.PostVariant{Provider: &network, Attachments: media(image.ID, video.ID)})
		wantIssueAt(t, err, "postInput.variants.0.attachments.1.asset.assetId")
		_, err = create(crier.PostVariant{Provider: &network, Attachments: media(crier.NewID())})
		wantIssueAt(t, err, "postInput.variants.0.attachments.0.asset.assetId")
		_, err = create(crier.PostVariant{Provider: &network, Posts: []crier.AtomicPost{{Text: "1"},
			{Text: "2", Attachments: *media(image.ID, video.ID)}}})
		wantIssueAt(t, err, "postInput.variants.0.posts.1.attachments.1.asset.assetId")
	})
}

func TestStoredContentKeepsNothingOfAssetsButTheirIDs(t *testing.T) {
	t.Parallel()
	told := crier.Attachment{Media: &crier.MediaAttachment{Kind: "media", AltText: "an owl",
		Asset: crier.AttachedAsset{AssetID: "a", MimeType: "image/png", Width: 7, ThumbnailURL: "https://x"}}}
	links := crier.Attachment{Link: &crier.LinkAttachment{Kind: "link", URL: "https://example.com", Title: "T"}}
	text := "variant"
	in := crier.PostInput{
		Thread: &crier.ThreadPost{Posts: []crier.AtomicPost{
			{Text: "1", Attachments: []crier.Attachment{told}}, {Text: "2"}}},
		Variants: []crier.PostVariant{{Text: &text, Attachments: &[]crier.Attachment{links, told}},
			{Posts: []crier.AtomicPost{{Text: "3", Attachments: []crier.Attachment{told}}, {Text: "4"}}}},
	}
	before, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out := bare(in)
	for name, got := range map[string]crier.Attachment{
		"a part": out.Thread.Posts[0].Attachments[0], "a variant": (*out.Variants[0].Attachments)[1],
		"a part of a variant": out.Variants[1].Posts[0].Attachments[0],
	} {
		if got.Media == nil || got.Media.AltText != "an owl" || got.Media.Asset != (crier.AttachedAsset{AssetID: "a"}) {
			t.Errorf("%s keeps %+v", name, got.Media)
		}
	}
	if l := (*out.Variants[0].Attachments)[0].Link; l.Kind != "" || l.URL != "https://example.com" || l.Title != "T" {
		t.Errorf("a link is kept as %+v", l)
	}
	if after, err := json.Marshal(in); err != nil || string(after) != string(before) {
		t.Errorf("what was given was changed to %s, %v", after, err)
	}
	if !sameJSON(bare(out), out) || sameJSON(in, out) || sameJSON(func() {}, func() {}) {
		t.Error("what is bare already is not kept as it is")
	}
}

func TestTheSlotCalendarShowsWhatTakesEachInstant(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope := t.Context(), o.Team(crier.ManageSlots)
		label := "Lunch"
		if _, err := o.Slots.Create(ctx, scope, crier.SlotCreate{Hour: 12, Label: &label}); err != nil {
			t.Fatal(err)
		}
		other := o.f.NewAccount(crier.ProviderLinkedIn)
		p := o.f.Schedule(o.f.NewPost("x"), func(p *store.Publication) { p.ScheduledAt = o.f.After(24 * time.Hour) })
		calendar, err := o.Slots.Calendar(ctx, scope, o.f.Now, o.f.After(48*time.Hour), nil)
		if err != nil || calendar.Timezone != "UTC" || calendar.UsingDefaults || len(calendar.Slots) != 2 {
			t.Fatalf("%+v, %v", calendar, err)
		}
		today, tomorrow := calendar.Slots[0], calendar.Slots[1]
		if !today.Past || len(today.TakenBy) != 0 || today.TakenBy == nil || today.LocalTime != "12:00" ||
			today.LocalDate != "2026-11-16" || crier.Text(today.Label) != "Lunch" {
			t.Errorf("today %+v", today)
		}
		if tomorrow.Past || len(tomorrow.TakenBy) != 1 || tomorrow.TakenBy[0].ScheduledPostID != p.ID {
			t.Errorf("tomorrow %+v", tomorrow)
		}
		calendar, err = o.Slots.Calendar(ctx, scope, o.f.Now, o.f.After(48*time.Hour), []crier.ID{other.ID})
		if err != nil || len(calendar.Slots[1].TakenBy) != 0 {
			t.Errorf("on another account %+v, %v", calendar.Slots, err)
		}
		_, err = o.Slots.Calendar(ctx, scope, o.f.Now, o.f.After(48*time.Hour), []crier.ID{crier.NewID()})
		wantKind(t, err, crier.KindNotFound)
		days := time.Duration(crier.MaxCalendarDays) * 24 * time.Hour
		if _, err := o.Slots.Calendar(ctx, scope, o.f.Now, o.f.After(days), nil); err != nil {
			t.Errorf("the longest window: %v", err)
		}
		_, err = o.Slots.Calendar(ctx, scope, o.f.Now, o.f.After(days+time.Millisecond), nil)
		wantIssueAt(t, err, "to")
	})
}

func TestTheCalendarIsShownInAZoneAndBounded(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx := t.Context()
		asset, post := o.f.NewAsset(), o.f.NewPost("x")
		o.f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.ReplacePostAssets(ctx, post.ID, []crier.ID{asset.ID})
		})
		o.f.Schedule(post)
		o.f.Schedule(o.f.NewPost("y"), func(p *store.Publication) { p.Status = crier.Canceled })
		read := func(w CalendarWindow) crier.Calendar {
			w.From, w.To = o.f.Now, o.f.After(time.Hour)
			got, err := o.Calendars.Get(ctx, o.Team(crier.Read), w)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if got := read(CalendarWindow{}); got.Timezone != "UTC" || len(got.Entries) != 1 ||
			got.Entries[0].LocalTime != "12:00" || got.Entries[0].ThumbnailURL == nil ||
			!strings.HasPrefix(*got.Entries[0].ThumbnailURL, "https://crier.example/") {
			t.Errorf("%+v", got)
		}
		if got := read(CalendarWindow{Canceled: true}); len(got.Entries) != 2 {
			t.Errorf("with what was canceled %+v", got.Entries)
		}
		zone := crier.Zone("Asia/Tokyo")
		if _, err := o.Teams.Update(ctx, o.Team(crier.ManageTeams),
			crier.TeamUpdate{Timezone: crier.Some(zone)}); err != nil {
			t.Fatal(err)
		}
		if got := read(CalendarWindow{}); got.Timezone != "Asia/Tokyo" || got.Entries[0].LocalTime != "21:00" {
			t.Errorf("in the team's zone %+v", got)
		}
		if got := read(CalendarWindow{Zone: "America/New_York"}); got.Entries[0].LocalTime != "07:00" ||
			got.Entries[0].LocalDate != "2026-11-16" {
			t.Errorf("in the asked zone %+v", got)
		}
		_, err := o.Calendars.Get(ctx, o.Team(crier.Read), CalendarWindow{From: o.f.Now,
			To: o.f.After(time.Duration(crier.MaxCalendarDays+1) * 24 * time.Hour)})
		wantIssueAt(t, err, "to")
	})
}

func TestRecurrencesGoOnBehindTheirLastRow(t *testing.T) {
	t.Parallel()
	at := func(day int) crier.Time { return crier.TimeOf(time.Date(2026, 11, day, 9, 0, 0, 0, time.UTC)) }
	weekly, start := 7, at(2)
	row := func(change func(*store.CalendarRow)) store.CalendarRow {
		var r store.CalendarRow
		r.ScheduledAt, r.Timezone, r.Actions.RecurrenceIntervalDays = at(9), "UTC", &weekly
		r.Permalink, r.ErrorCode, r.NeedsAttention = "https://x", "refused", true
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		row      store.CalendarRow
		from, to int
		limit    int
		want     []int
	}{
		"behind the row":  {row(func(*store.CalendarRow) {}), 1, 30, 9, []int{16, 23}},
		"the end is open": {row(func(*store.CalendarRow) {}), 1, 23, 9, []int{16}},
		"from is in":      {row(func(*store.CalendarRow) {}), 23, 30, 9, []int{23}},
		"at most one":     {row(func(*store.CalendarRow) {}), 1, 30, 1, []int{16}},
		"none":            {row(func(*store.CalendarRow) {}), 1, 30, 0, nil},
		"an end of the series": {row(func(r *store.CalendarRow) {
			end := at(16)
			r.Actions.RecurrenceEndsAt = &end
		}), 1, 30, 9, []int{16}},
		"counted from a start": {row(func(r *store.CalendarRow) {
			r.Actions.SeriesStart, r.Actions.SeriesIndex = &start, 1
		}), 1, 30, 9, []int{16, 23}},
		"before everything":     {row(func(*store.CalendarRow) {}), 1, 9, 9, nil},
		"the window is behind ": {row(func(*store.CalendarRow) {}), 17, 22, 9, nil},
	} {
		entries, err := recurrences(c.row, at(c.from), at(c.to), c.limit)
		var got []int
		for _, e := range entries {
			got = append(got, e.ScheduledAt.Day())
			if e.Kind != "recurrence" || e.Status != nil || e.Permalink != "" || e.ErrorCode != "" || e.NeedsAttention {
				t.Errorf("%s: %+v tells what happened to another", name, e)
			}
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: on %v, %v; want %v", name, got, err, c.want)
		}
	}
	if _, err := recurrences(row(func(r *store.CalendarRow) { r.Timezone = "Mars/Base" }),
		at(1), at(30), 1); err == nil {
		t.Error("an unknown zone")
	}
}

func TestPostsFollowTheTagsOfTheirAssets(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope := t.Context(), o.Team(crier.WritePosts)
		asset := o.f.NewAsset()
		var posts []crier.Post
		for range 2 {
			p, err := o.Posts.Create(ctx, scope, crier.PostCreate{AssetIDs: []crier.ID{asset.ID}})
			if err != nil {
				t.Fatal(err)
			}
			posts = append(posts, p)
		}
		if _, err := o.Posts.Delete(ctx, scope, posts[1].ID, false); err != nil {
			t.Fatal(err)
		}
		tags := func(want ...string) {
			t.Helper()
			if err := o.Facets.Retag(ctx, job.RetagPosts{AssetID: asset.ID}); err != nil {
				t.Fatal(err)
			}
			facets, err := o.Facets.Get(ctx, scope, []crier.FacetField{crier.FacetAssetTags})
			var got []string
			for _, v := range facets.Data[0].Values {
				got = append(got, fmt.Sprint(v.Value, v.PostCount))
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("the posts have the tags %q, %v; want %q", got, err, want)
			}
		}
		tags()
		asset.AssetTags = []string{"sea", "beach"}
		o.f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.FinishAsset(ctx, asset) })
		tags("beach1", "sea1")
		o.f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteAsset(ctx, asset, o.f.Now) })
		tags()
		all, err := o.Facets.Get(ctx, scope, nil)
		if err != nil || len(all.Data) != len(crier.FacetFields()) {
			t.Errorf("all facets are %+v, %v", all, err)
		}
	})
}

func TestPostsAreDraftedAgainUnlessAllIsPublished(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope := t.Context(), o.Team(crier.WritePosts)
		approved := func(p *store.Post) { p.Status = crier.PostApproved }
		waits, over, running := o.f.NewPost("1", approved), o.f.NewPost("2", approved), o.f.NewPost("3", approved)
		draft := o.f.NewPost("4")
		pending := o.f.Schedule(waits)
		o.f.Schedule(over, func(p *store.Publication) { p.Status, p.WakeAt = crier.Published, nil })
		busy := o.f.Schedule(running, func(p *store.Publication) { p.Status = crier.Publishing })
		moved, err := o.Posts.MoveToDraft(ctx, scope, waits.ID)
		if err != nil || moved.Status != crier.PostDraft || o.f.Read(pending.ID).Status != crier.Canceled {
			t.Errorf("%+v, %v", moved, err)
		}
		if same, err := o.Posts.MoveToDraft(ctx, scope, draft.ID); err != nil || same.Status != crier.PostDraft {
			t.Errorf("a draft: %+v, %v", same, err)
		}
		_, err = o.Posts.MoveToDraft(ctx, scope, over.ID)
		wantError(t, err, crier.KindConflict, "Everything of this post is published; there is nothing to stop.")
		_, err = o.Posts.MoveToDraft(ctx, scope, running.ID)
		wantError(t, err, crier.KindConflict,
			fmt.Sprintf("The publication %s is publishing right now; wait until it has ended.", busy.ID))
		_, err = o.Posts.Delete(ctx, scope, running.ID, false)
		wantKind(t, err, crier.KindConflict)
		_, err = o.Posts.MoveToDraft(ctx, scope, crier.NewID())
		wantKind(t, err, crier.KindNotFound)
	})
}

func TestScheduledPostsAreListedInPages(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope := t.Context(), o.Team(crier.Read)
		for i := range 3 {
			o.f.Schedule(o.f.NewPost("x"), func(p *store.Publication) {
				p.ScheduledAt = o.f.After(time.Duration(i) * time.Hour)
			})
		}
		var f ScheduledPostFilter
		q, err := o.Pages.Query(pagination.Request{List: f.ListName(o.f.Team.ID), SortBy: "scheduledAt", Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		page, err := o.ScheduledPosts.List(ctx, scope, f, q)
		if err != nil || len(page.Data) != 2 || page.Total != 3 || page.NextCursor == nil {
			t.Fatalf("%+v, %v", page, err)
		}
		next := func(f ScheduledPostFilter) (crier.Page[crier.ScheduledPost], error) {
			q, err := o.Pages.Query(pagination.Request{List: f.ListName(o.f.Team.ID), SortBy: "scheduledAt", Limit: 2,
				Cursor: *page.NextCursor})
			if err != nil {
				return crier.Page[crier.ScheduledPost]{}, err
			}
			return o.ScheduledPosts.List(ctx, scope, f, q)
		}
		if rest, err := next(f); err != nil || len(rest.Data) != 1 || rest.NextCursor != nil {
			t.Errorf("%+v, %v", rest, err)
		}
		f.Providers = []crier.Provider{crier.ProviderX}
		if _, err := next(f); !crier.IsKind(err, crier.KindInvalid) {
			t.Errorf("the cursor of another list: %v", err)
		}
	})
}

func TestListNamesTellFiltersApartAndNotTheirOrder(t *testing.T) {
	t.Parallel()
	filter := func(change func(*PostFilter)) string {
		var f PostFilter
		change(&f)
		return f.ListName("team")
	}
	plain := filter(func(*PostFilter) {})
	statuses := filter(func(f *PostFilter) { f.Statuses = []crier.PostStatus{"draft", "approved"} })
	if statuses != filter(func(f *PostFilter) { f.Statuses = []crier.PostStatus{"approved", "draft"} }) ||
		plain != filter(func(f *PostFilter) { f.WithScheduled, f.TeamID = true, "other" }) {
		t.Error("the order of values or what is shown beside makes another list")
	}
	names := []string{plain, statuses, PostFilter{}.ListName("other"), filter(func(f *PostFilter) { f.Query = "owl" }),
		filter(func(f *PostFilter) { f.PostTypes = []crier.PostType{crier.TextPost} }),
		filter(func(f *PostFilter) { f.Providers = []crier.Provider{crier.ProviderX} }),
		filter(func(f *PostFilter) { f.SocialAccountIDs = []crier.ID{"a"} }),
		filter(func(f *PostFilter) { f.DeliveryStates = []crier.DeliveryState{crier.DeliveryPublished} }),
		ScheduledPostFilter{}.ListName("team"), ScheduledPostFilter{}.ListName("other"),
		ScheduledPostFilter{store.ScheduledPostFilter{PostID: "p"}}.ListName("team"),
		ScheduledPostFilter{store.ScheduledPostFilter{
			Statuses: []crier.ScheduledPostStatus{crier.Failed}}}.ListName("team")}
	if distinct := slices.Compact(slices.Sorted(slices.Values(names))); len(distinct) != len(names) {
		t.Errorf("%d of %d lists have a name of their own", len(distinct), len(names))
	}
	one := ScheduledPostFilter{store.ScheduledPostFilter{Providers: []crier.Provider{"a", "b"}}}
	two := ScheduledPostFilter{store.ScheduledPostFilter{Providers: []crier.Provider{"b", "a"}}}
	if one.ListName("team") != two.ListName("team") {
		t.Error("the order of networks makes another list")
	}
}

// A repeated request to publish at once is answered from the rows of the first one.
func TestRepeatedRequestsToPublishAreAnsweredFromTheirTicket(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx := t.Context()
		other := o.f.NewAccount(crier.ProviderLinkedIn)
		sent := o.f.Schedule(o.f.NewPost("1"), func(p *store.Publication) { p.Status, p.WakeAt = crier.Published, nil })
		broken := o.f.Schedule(o.f.NewPost("2"), func(p *store.Publication) {
			p.Status, p.WakeAt, p.SocialAccountID, p.Provider = crier.Failed, nil, other.ID, other.Provider
		})
		kept, err := json.Marshal(Ticket{WaitSeconds: 10, Entries: []TicketEntry{
			{SocialAccountID: o.f.Account.ID, ScheduledPostID: sent.ID},
			{SocialAccountID: other.ID, ScheduledPostID: broken.ID},
			{SocialAccountID: crier.NewID(), Error: &crier.EntryError{Code: "not_found", Message: "No."}}}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.Schedules.AwaitKept(ctx, kept)
		if err != nil || len(got.Data) != 3 || got.Outcome != crier.OutcomeOf(got.Data) {
			t.Fatalf("%+v, %v", got, err)
		}
		if e := got.Data[0]; e.Error != nil || e.ScheduledPost == nil || e.ScheduledPost.ID != sent.ID {
			t.Errorf("published: %+v", e)
		}
		if e := got.Data[1]; e.Error == nil || e.ScheduledPost == nil || e.ScheduledPost.Status != crier.Failed {
			t.Errorf("failed: %+v", e)
		}
		if e := got.Data[2]; e.Error == nil || e.Error.Code != "not_found" || e.ScheduledPost != nil {
			t.Errorf("refused: %+v", e)
		}
		if _, err := o.Schedules.AwaitKept(ctx, []byte("{")); err == nil {
			t.Error("a ticket that is not one")
		}
		waits := o.f.Schedule(o.f.NewPost("3"))
		ticket := Ticket{Entries: []TicketEntry{{SocialAccountID: o.f.Account.ID, ScheduledPostID: waits.ID}}}
		got, err = o.Schedules.Await(ctx, ticket) // which does not wait
		if err != nil || got.Data[0].Error != nil || got.Data[0].ScheduledPost.Status != crier.Scheduled {
			t.Errorf("when the time is over: %+v, %v", got, err)
		}
		ticket.WaitSeconds = 10
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := o.Schedules.Await(gone, ticket); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that went away: %v", err)
		}
	})
}

func TestTicketsKeepWhatEachAccountGot(t *testing.T) {
	t.Parallel()
	refused := &crier.EntryError{Code: "refused", Message: "No."}
	warned := []crier.Issue{crier.At("long", "text")}
	got := ticketOf(crier.ScheduleResult{Data: []crier.ScheduleEntry{{SocialAccountID: "a", Warnings: warned,
		ScheduledPost: &crier.ScheduledPost{ID: "p"}}, {SocialAccountID: "b", Error: refused}}}, 7)
	want := Ticket{WaitSeconds: 7, Entries: []TicketEntry{
		{SocialAccountID: "a", ScheduledPostID: "p", Warnings: warned}, {SocialAccountID: "b", Error: refused}}}
	if !sameJSON(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for status, want := range map[crier.ScheduledPostStatus]bool{crier.Scheduled: false, crier.Publishing: false,
		crier.Published: true, crier.Failed: true, crier.Missed: true, crier.Canceled: true, crier.Unknown: true} {
		if got := decided(map[crier.ID]store.Publication{"p": {Status: status},
			"q": {Status: crier.Published}}); got != want {
			t.Errorf("%s is decided: %v", status, got)
		}
	}
}

func TestDeletionsTellTheVerdictsOfTheNetworks(t *testing.T) {
	t.Parallel()
	attempt := func(post crier.ID, outcome string) store.Attempt {
		return store.Attempt{ScheduledPostID: post, Attempt: crier.Attempt{Outcome: outcome, Message: outcome + "!"}}
	}
	deletes := []crier.PlatformDelete{{ScheduledPostID: "a", Verdict: "pending"},
		{ScheduledPostID: "b", Verdict: "pending"}}
	if enterVerdicts(deletes, nil) || deletes[0].Verdict != "pending" {
		t.Error("without attempts all are in")
	}
	if enterVerdicts(deletes, []store.Attempt{attempt("b", "already_gone"), attempt("a", "unknown"),
		attempt("c", "deleted")}) || deletes[1].Verdict != "already_gone" ||
		deletes[1].Message != "already_gone!" || deletes[0].Verdict != "pending" {
		t.Errorf("with one verdict %+v", deletes)
	}
	if !enterVerdicts(deletes, []store.Attempt{attempt("a", "deleted"), attempt("a", "failed"),
		attempt("b", "failed")}) || deletes[0].Verdict != "deleted" {
		t.Errorf("with all of them %+v", deletes)
	}
	if !enterVerdicts(nil, nil) {
		t.Error("of nothing not all are in")
	}
}

func TestDeletionsFromNetworksAreAwaited(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, out *outbox) {
		ctx := t.Context()
		if _, err := o.Posts.AwaitKeptDeletes(ctx, []byte("[")); err == nil {
			t.Error("a deletion that is not one")
		}
		none, err := o.Posts.AwaitKeptDeletes(ctx, []byte(`{"deleted":true}`))
		if err != nil || !none.Deleted || none.PlatformDelete != nil {
			t.Errorf("nothing was public: %+v, %v", none, err)
		}
		p := o.f.Schedule(o.f.NewPost("x"), func(p *store.Publication) { p.Status, p.WakeAt = crier.Published, nil })
		o.f.Tx(func(ctx context.Context, tx *store.Tx) error {
			ended := o.f.After(time.Second)
			return tx.InsertAttempt(ctx, store.Attempt{ScheduledPostID: p.ID, Attempt: crier.Attempt{ID: crier.NewID(),
				Operation: "delete", StartedAt: o.f.Now, EndedAt: &ended, Outcome: "deleted", Message: "It is gone."}})
		})
		kept := fmt.Sprintf(`{"deleted":true,"platformDeletes":[{"scheduledPostId":%q,"verdict":"pending"}]}`, p.ID)
		got, err := o.Posts.AwaitKeptDeletes(ctx, []byte(kept))
		if err != nil || got.PlatformDelete == nil || got.PlatformDelete.Verdict != "deleted" ||
			got.PlatformDelete.Message != "It is gone." {
			t.Errorf("%+v, %v", got, err)
		}
		if kinds := out.kinds(); kinds != nil {
			t.Errorf("a repetition enqueues %q", kinds)
		}
	})
}

func TestIssuesOfAChangeAreWhereTheRequestHasThem(t *testing.T) {
	t.Parallel()
	text := crier.PostUpdate{Text: crier.Some("x")}
	assets := crier.PostUpdate{AssetIDs: crier.Some([]crier.ID{"a"})}
	input := crier.PostUpdate{PostInput: crier.Some(crier.PostInput{}), Text: crier.Some("x")}
	actions := crier.PostUpdate{PostPublishActions: crier.Some(crier.PostPublishActions{})}
	for name, c := range map[string]struct {
		sent crier.PostUpdate
		path string
		want string
	}{
		"a text":               {text, "postInput.text", "text"},
		"an asset":             {assets, "postInput.attachments.1.asset.assetId", "assetIds.1"},
		"all assets":           {assets, "postInput.attachments", "assetIds"},
		"structured content":   {input, "postInput.attachments.1.asset", "postInput.attachments.1.asset"},
		"an action":            {actions, "firstComment.text", "postPublishActions.firstComment.text"},
		"the end of a series":  {actions, "recurrenceEndsAt", "postPublishActions.recurrenceEndsAt"},
		"an action, by a text": {text, "firstComment.text", "text"},
		"an asset, by a text":  {text, "postInput.attachments.0", "text"},
	} {
		if got := strings.Join(sentPath(c.sent, strings.Split(c.path, ".")), "."); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestAFailingAnalyserLeavesTheLocalFindings(t *testing.T) {
	t.Parallel()
	facets := (&Facets{}).contentFacets(t.Context(), crier.PostInput{Atomic: &crier.AtomicPost{
		Text: "The owl flies at night over the town #birds with @ada", Attachments: []crier.Attachment{
			link("https://www.Example.com/a"), link("https://example.com/b")}}})
	if !slices.Equal(facets[crier.FacetHashtags], []string{"birds"}) ||
		!slices.Equal(facets[crier.FacetMentions], []string{"ada"}) ||
		!slices.Equal(facets[crier.FacetLinkDomains], []string{"example.com"}) ||
		!slices.Equal(facets[crier.FacetLanguage], []string{"en"}) {
		t.Errorf("%v", facets)
	}
	for name, values := range (&Facets{}).textFacets(t.Context(), " \n ") {
		if len(values) != 0 {
			t.Errorf("a post without text has %s %q", name, values)
		}
	}
	if known("", "") != nil || known(enrich.Undetermined, enrich.Undetermined) != nil ||
		!slices.Equal(known("en", ""), []string{"en"}) {
		t.Error("what says nothing is known")
	}
}

func TestSettingsAreDescribedAsJSONSchemas(t *testing.T) {
	t.Parallel()
	low, high := 1.0, 9.0
	for name, c := range map[string]struct {
		setting provider.Setting
		want    string
	}{
		"a switch": {provider.Setting{Type: provider.TypeBoolean, Default: true}, `{"default":true,"type":"boolean"}`},
		"a text": {provider.Setting{Type: provider.TypeString, Minimum: &low, Maximum: &high, Description: "What."},
			`{"description":"What.","maxLength":9,"minLength":1,"type":"string"}`},
		"a choice": {provider.Setting{Type: provider.TypeString, Enum: []string{"a", "b"}}, `{"enum":["a","b"],"type":"string"}`},
		"a number": {provider.Setting{Type: provider.TypeNumber, Maximum: &high}, `{"maximum":9,"type":"number"}`},
		"digits": {provider.Setting{Type: provider.TypeString, Format: provider.FormatDigits},
			`{"pattern":"^[0-9]{1,20}$","type":"string"}`},
		"an asset": {provider.Setting{Type: provider.TypeString, Format: provider.FormatAsset}, `{"format":"uuid","type":"string"}`},
		"an address": {provider.Setting{Type: provider.TypeString, Format: provider.FormatURL},
			fmt.Sprintf(`{"format":%q,"maxLength":%d,"type":"string"}`, provider.FormatURL, provider.MaxURL)},
		"a URN": {provider.Setting{Type: provider.TypeString, Format: provider.FormatURN},
			fmt.Sprintf(`{"format":%q,"maxLength":%d,"type":"string"}`, provider.FormatURN, provider.MaxURN)},
		"a list": {provider.Setting{Type: provider.TypeArray, Maximum: &high,
			Items: &provider.Setting{Type: provider.TypeString}},
			`{"items":{"type":"string"},"maxItems":9,"type":"array"}`},
		"an object": {provider.Setting{Type: provider.TypeObject, Fields: []provider.Setting{
			{Key: "a", Type: provider.TypeString, Required: true}, {Key: "b", Type: provider.TypeBoolean}}},
			`{"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"boolean"}},"required":["a"],"type":"object"}`},
		"an object of choices": {provider.Setting{Type: provider.TypeObject,
			Fields: []provider.Setting{{Key: "b", Type: provider.TypeBoolean}}},
			`{"additionalProperties":false,"properties":{"b":{"type":"boolean"}},"type":"object"}`},
	} {
		got, err := json.Marshal(settingSchema(c.setting))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
	if got := (&Schedules{}).SettingsSchema(); len(got) != 0 {
		t.Errorf("without networks %v", got)
	}
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		all := Catalogue(o.Schedules.providers).Schedules.SettingsSchema()
		if len(all) == 0 || !sameJSON(all, o.Schedules.SettingsSchema()) {
			t.Errorf("the networks have the settings %v", all)
		}
	})
}
