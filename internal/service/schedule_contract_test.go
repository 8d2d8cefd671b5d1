package service

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/provider"
	"crier/internal/store"
)

// in returns the desk's time plus a duration.
func (d *desk) in(after time.Duration) *crier.Time {
	at := crier.TimeOf(d.time.Add(after))
	return &at
}

// request returns a request for a post tomorrow on some networks.
func (d *desk) request(networks ...crier.Provider) crier.ScheduleRequest {
	in := crier.ScheduleRequest{ScheduledAt: d.in(24 * time.Hour)}
	for _, n := range networks {
		in.SocialAccountIDs = append(in.SocialAccountIDs, d.accounts[n])
	}
	return in
}

// schedule schedules a post; every account must accept it.
func (d *desk) schedule(t *testing.T, post crier.ID, in crier.ScheduleRequest) []crier.ScheduledPost {
	t.Helper()
	out, err := d.Schedules.Schedule(t.Context(), d.scope, post, in)
	if err != nil {
		t.Fatal(err)
	}
	var made []crier.ScheduledPost
	for _, e := range out.Data {
		if e.Error != nil {
			t.Fatalf("refused: %+v", e.Error)
		}
		made = append(made, *e.ScheduledPost)
	}
	return made
}

// planned returns the publication of a post on a network.
func (d *desk) planned(t *testing.T, post crier.ID, network crier.Provider) store.Publication {
	t.Helper()
	var live map[crier.ID]store.Publication
	err := d.store.WithTx(t.Context(), func(tx *store.Tx) (err error) {
		live, err = tx.LivePublications(t.Context(), post)
		return err
	})
	if err != nil || len(live) == 0 {
		t.Fatalf("%d publications: %v", len(live), err)
	}
	return live[d.accounts[network]]
}

func comments(text string) *crier.PostPublishActions {
	return &crier.PostPublishActions{FirstComment: &crier.Comment{Text: text}}
}

func TestNewActionsApplyToScheduledPosts(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, days := newDesk(t, st), 7
		in := textOf("Hello")
		in.PostPublishActions = comments("old")
		in.PostPublishActions.RecurrenceIntervalDays = &days
		p := d.post(t, in)
		d.schedule(t, p.ID, d.request(crier.ProviderX, crier.ProviderThreads))
		change := func(actions crier.Optional[crier.PostPublishActions]) error {
			_, err := d.Posts.Update(t.Context(), d.scope, p.ID, crier.PostUpdate{PostPublishActions: actions})
			return err
		}
		if err := change(crier.Some(*comments("new"))); err != nil {
			t.Fatal(err)
		}
		for _, network := range []crier.Provider{crier.ProviderX, crier.ProviderThreads} {
			a := d.planned(t, p.ID, network).Actions
			if a.FirstComment == nil || a.FirstComment.Text != "new" || a.RecurrenceIntervalDays != nil {
				t.Errorf("%s still plans %+v", network, a)
			}
		}
		before := d.planned(t, p.ID, crier.ProviderX)
		if before.Reserved != before.Actions.Total() {
			t.Errorf("%d credits are reserved for what costs %d", before.Reserved, before.Actions.Total())
		}
		wantIssueAt(t, change(crier.Some(*comments(strings.Repeat("x", 600)))),
			"postPublishActions.firstComment.text", "postPublishActions.firstComment.text")
		if err := change(crier.Null[crier.PostPublishActions]()); err != nil {
			t.Fatal(err)
		}
		after := d.planned(t, p.ID, crier.ProviderX)
		if after.Actions.FirstComment != nil || after.Reserved >= before.Reserved || after.Epoch <= before.Epoch {
			t.Errorf("null leaves %+v, %d credits", after.Actions, after.Reserved)
		}
	})
}

func TestEditIssuesUseTheRequestsPaths(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		p := d.post(t, textOf("Hello"))
		d.schedule(t, p.ID, d.request(crier.ProviderX, crier.ProviderThreads))
		long := strings.Repeat("x", 600)
		_, err := d.Posts.Update(t.Context(), d.scope, p.ID, crier.PostUpdate{Text: crier.Some(long)})
		wantIssueAt(t, err, "text", "text")
		_, err = d.Posts.Update(t.Context(), d.scope, p.ID, crier.PostUpdate{
			PostInput: crier.Some(crier.PostInput{Atomic: &crier.AtomicPost{Text: long}})})
		wantIssueAt(t, err, "postInput.text", "postInput.text")
		pdf := d.asset(t, "application/pdf")
		_, err = d.Posts.Update(t.Context(), d.scope, p.ID, crier.PostUpdate{AssetIDs: crier.Some([]crier.ID{pdf})})
		wantIssueAt(t, err, "assetIds.0", "assetIds.0")
	})
}

func TestScheduleChecksCommentAssets(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		p := d.post(t, textOf("Hello"))
		in := d.request(crier.ProviderX)
		unknown := crier.Comment{Text: "Look", MediaIDs: []crier.ID{d.asset(t, "image/jpeg"), crier.NewID()}}
		in.FirstComment = crier.Some(unknown)
		in.EngagementCommentTrigger = crier.Some(crier.EngagementTrigger{LikeThreshold: 1, WindowHours: 1,
			Comment: crier.Comment{MediaIDs: []crier.ID{crier.NewID()}}})
		_, err := d.Schedules.Schedule(t.Context(), d.scope, p.ID, in)
		wantIssueAt(t, err, "firstComment.mediaIds.1", "engagementCommentTrigger.comment.mediaIds.0")
	})
}

func TestMissingContentIsReportedFirst(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, carousel := newDesk(t, st), crier.Carousel
		incomplete := d.post(t, crier.PostCreate{PostType: &carousel, AssetIDs: []crier.ID{d.asset(t, "image/jpeg")}})
		whole := d.post(t, textOf("Hello"))
		for _, p := range []crier.Post{incomplete, whole} {
			_, err := d.Posts.SetStatus(t.Context(), d.scope, p.ID, crier.PostStatusUpdate{Status: crier.PostArchived})
			if err != nil {
				t.Fatal(err)
			}
		}
		rejected := d.post(t, textOf("Hello"))
		if _, err := d.Posts.SetStatus(t.Context(), d.scope, rejected.ID,
			crier.PostStatusUpdate{Status: crier.PostRejected}); err != nil {
			t.Fatal(err)
		}
		_, err := d.Schedules.Schedule(t.Context(), d.scope, incomplete.ID, d.request(crier.ProviderX))
		wantIssueAt(t, err, "postType")
		for _, p := range []crier.Post{whole, rejected} {
			_, err = d.Schedules.Schedule(t.Context(), d.scope, p.ID, d.request(crier.ProviderX))
			wantKind(t, err, crier.KindConflict)
		}
		if _, err := d.Teams.Update(t.Context(), d.scope,
			crier.TeamUpdate{RequireApproval: crier.Some(true)}); err != nil {
			t.Fatal(err)
		}
		if d.scope, err = d.Access.Team(t.Context(), d.scope.Caller(), d.scope.Team().ID,
			crier.PublishPosts); err != nil {
			t.Fatal(err)
		}
		unapproved := d.post(t, crier.PostCreate{PostType: &carousel, AssetIDs: []crier.ID{d.asset(t, "image/jpeg")}})
		_, err = d.Schedules.Schedule(t.Context(), d.scope, unapproved.ID, d.request(crier.ProviderX))
		wantIssueAt(t, err, "postType")
		_, err = d.Schedules.Schedule(t.Context(), d.scope, d.post(t, textOf("Hi")).ID, d.request(crier.ProviderX))
		wantKind(t, err, crier.KindConflict)
	})
}

func TestSchedulingReportsDeletedAssets(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		asset := d.asset(t, "image/jpeg")
		p := d.post(t, crier.PostCreate{AssetIDs: []crier.ID{asset}})
		if _, err := st.Writer().ExecContext(t.Context(), `UPDATE assets SET deleted_at = $2 WHERE id = $1`, asset,
			crier.TimeOf(d.time)); err != nil {
			t.Fatal(err)
		}
		_, err := d.Schedules.Schedule(t.Context(), d.scope, p.ID, d.request(crier.ProviderX))
		wantIssueAt(t, err, "postInput.attachments.0.asset.assetId")
		if !strings.Contains(err.Error(), "was deleted") {
			t.Errorf("it says %v", err)
		}
	})
}

func TestReschedulingKeepsOmittedFields(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		p := d.post(t, textOf("Hello"))
		zone := crier.Zone("Asia/Tokyo")
		first := d.request(crier.ProviderX)
		first.Timezone = crier.Some(zone)
		first.PlatformSettings = provider.Settings{"xReplySettings": json.RawMessage(`"following"`),
			"xMadeWithAi": json.RawMessage(`true`)}
		first.FirstComment = crier.Some(crier.Comment{Text: "First"})
		first.RecurrenceIntervalDays = crier.Some(7)
		d.schedule(t, p.ID, first)
		again := d.request(crier.ProviderX)
		again.ScheduledAt = d.in(48 * time.Hour)
		shown := d.schedule(t, p.ID, again)[0]
		now := d.planned(t, p.ID, crier.ProviderX)
		if shown.ScheduledAt != *again.ScheduledAt || len(shown.PlatformSettings) != 2 ||
			now.Timezone != "Asia/Tokyo" || now.Actions.FirstComment.Text != "First" ||
			*now.Actions.RecurrenceIntervalDays != 7 {
			t.Errorf("moved: %+v, with %+v", shown, now.Actions)
		}
		again.PlatformSettings = provider.Settings{"xMadeWithAi": json.RawMessage(`null`)}
		again.FirstComment, again.RecurrenceIntervalDays = crier.Null[crier.Comment](), crier.Null[int]()
		again.Timezone = crier.Null[crier.Zone]()
		shown = d.schedule(t, p.ID, again)[0]
		now = d.planned(t, p.ID, crier.ProviderX)
		if len(shown.PlatformSettings) != 1 || now.Actions.FirstComment != nil ||
			now.Actions.RecurrenceIntervalDays != nil || now.Timezone != "UTC" {
			t.Errorf("null left %v, %s and %+v", shown.PlatformSettings, now.Timezone, now.Actions)
		}
	})
}

func TestRepeatedNextSlotRequestTakesTheSameSlot(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, yes := newDesk(t, st), true
		in := d.request(crier.ProviderX)
		in.ScheduledAt, in.UseNextSlot = nil, &yes
		p, other := d.post(t, textOf("Hello")), d.post(t, textOf("Hi"))
		first := d.schedule(t, p.ID, in)[0]
		if again := d.schedule(t, p.ID, in)[0]; again.ScheduledAt != first.ScheduledAt || again.ID != first.ID {
			t.Errorf("the same request moved the post from %s to %s", first.ScheduledAt, again.ScheduledAt)
		}
		if next := d.schedule(t, other.ID, in)[0]; next.ScheduledAt == first.ScheduledAt {
			t.Errorf("another post took the same slot, %s", next.ScheduledAt)
		}
	})
}

func TestRecurrenceRules(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		p := d.post(t, textOf("Hello"))
		endless := d.request(crier.ProviderX)
		endless.RecurrenceEndsAt = crier.Some(*d.in(100 * 24 * time.Hour))
		_, err := d.Schedules.Schedule(t.Context(), d.scope, p.ID, endless)
		wantIssueAt(t, err, "recurrenceEndsAt")
		yes, early := true, d.request(crier.ProviderX)
		early.ScheduledAt, early.UseNextSlot = nil, &yes
		early.RecurrenceIntervalDays, early.RecurrenceEndsAt = crier.Some(1), crier.Some(*d.in(2 * time.Minute))
		_, err = d.Schedules.Schedule(t.Context(), d.scope, p.ID, early)
		wantIssueAt(t, err, "recurrenceEndsAt")
	})
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	at, end := crier.TimeOf(now.Add(48*time.Hour)), crier.TimeOf(now.Add(24*time.Hour))
	issues := crier.ScheduleRequest{ScheduledAt: &at,
		Targets: crier.Targets{RecurrenceEndsAt: crier.Some(end)}}.Validate(now)
	saved := crier.PostCreate{
		PostPublishActions: &crier.PostPublishActions{RecurrenceEndsAt: crier.Some(end)}}.Validate(now)
	if len(issues) != 1 || len(saved) != 1 {
		t.Errorf("issues %v and %v", issues, saved)
	}
}

func TestApprovalCoversFollowupActions(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		if _, err := d.Teams.Update(ctx, d.scope, crier.TeamUpdate{RequireApproval: crier.Some(true)}); err != nil {
			t.Fatal(err)
		}
		org, err := d.Access.Organization(ctx, d.scope.Caller(), d.scope.Team().OrganizationID, crier.ManageAPIKeys)
		if err != nil {
			t.Fatal(err)
		}
		key, err := d.Keys.Create(ctx, org, crier.APIKeyCreate{Name: "Editor", Role: crier.RoleEditor})
		if err != nil {
			t.Fatal(err)
		}
		caller, err := d.Access.Authenticate(ctx, key.Secret)
		if err != nil {
			t.Fatal(err)
		}
		editor, err := d.Access.Team(ctx, caller, d.scope.Team().ID, crier.PublishPosts)
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Teams.Update(ctx, editor, crier.TeamUpdate{RequireApproval: crier.Some(false)})
		wantKind(t, err, crier.KindForbidden)
		if _, err = d.Teams.Update(ctx, editor, crier.TeamUpdate{RequireApproval: crier.Some(true)}); err != nil {
			t.Errorf("no change was refused: %v", err)
		}
		in := textOf("Hello")
		in.PostPublishActions = comments("approved")
		weekly := 7
		in.PostPublishActions.RecurrenceIntervalDays = &weekly
		in.PostPublishActions.RecurrenceEndsAt = crier.Some(*d.in(60 * 24 * time.Hour))
		p := d.post(t, in)
		if _, err := d.Posts.SetStatus(ctx, d.scope, p.ID,
			crier.PostStatusUpdate{Status: crier.PostApproved}); err != nil {
			t.Fatal(err)
		}
		plain := d.request(crier.ProviderX)
		same, other, settings, none := plain, plain, plain, plain
		same.FirstComment = crier.Some(crier.Comment{Text: "approved"})
		other.FirstComment = crier.Some(crier.Comment{Text: "not approved"})
		none.FirstComment = crier.Null[crier.Comment]()
		settings.PlatformSettings = provider.Settings{"xReplySettings": json.RawMessage(`"following"`)}
		once, shorter, longer, endless, daily := plain, plain, plain, plain, plain
		once.RecurrenceIntervalDays = crier.Null[int]()
		shorter.RecurrenceEndsAt = crier.Some(*d.in(30 * 24 * time.Hour))
		longer.RecurrenceEndsAt = crier.Some(*d.in(90 * 24 * time.Hour))
		endless.RecurrenceEndsAt = crier.Null[crier.Time]()
		daily.RecurrenceIntervalDays = crier.Some(1)
		for name, tc := range map[string]struct {
			scope access.TeamScope
			in    crier.ScheduleRequest
			good  bool
		}{
			"once": {editor, once, true}, "a shorter series": {editor, shorter, true},
			"a longer series": {editor, longer, false}, "a series without end": {editor, endless, false},
			"a series of every day": {editor, daily, false}, "who approves may repeat it": {d.scope, endless, true},
			"as approved": {editor, plain, true}, "the approved comment": {editor, same, true},
			"no comment": {editor, none, true}, "another comment": {editor, other, false},
			"settings": {editor, settings, false}, "who approves may": {d.scope, settings, true},
		} {
			_, err := d.Schedules.Validate(ctx, tc.scope, p.ID, tc.in)
			if tc.good && err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !tc.good {
				wantKind(t, err, crier.KindForbidden)
			}
		}
	})
}

func TestUpdatedAtFollowsDeliveryState(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		p := d.post(t, textOf("Hello"))
		d.schedule(t, p.ID, d.request(crier.ProviderX))
		d.time = d.time.Add(time.Hour)
		row := d.planned(t, p.ID, crier.ProviderX)
		if _, err := st.Writer().ExecContext(ctx, `UPDATE publications SET status = 'failed' WHERE id = $1`,
			row.ID); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time nothing has changed
			err := st.WithTx(ctx, func(tx *store.Tx) error { return tx.RefreshPosts(ctx, crier.TimeOf(d.time), p.ID) })
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Posts.Get(ctx, d.scope, p.ID, false)
			if err != nil || got.DeliveryState != crier.DeliveryFailed ||
				got.UpdatedAt != crier.TimeOf(time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)) {
				t.Errorf("%s since %s: %v", got.DeliveryState, got.UpdatedAt, err)
			}
			d.time = d.time.Add(time.Hour)
		}
	})
}

func TestMoveToDraftKeepsPendingActions(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		p := d.post(t, textOf("Hello"))
		d.schedule(t, p.ID, d.request(crier.ProviderX, crier.ProviderThreads))
		published := d.planned(t, p.ID, crier.ProviderX)
		repost := published
		repost.ID, repost.Kind, repost.Spec = crier.NewID(), store.RepostPublication,
			json.RawMessage(`{"offsetDays":1}`)
		repost.ScheduledPostID, repost.WakeAt = published.ID, d.in(time.Hour)
		err := st.WithTx(ctx, func(tx *store.Tx) error { return tx.InsertAction(ctx, repost) })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Writer().ExecContext(ctx, `UPDATE publications SET status = 'published' WHERE id = $1`,
			published.ID); err != nil {
			t.Fatal(err)
		}
		statuses := func() []string {
			var out []string
			for _, id := range []crier.ID{published.ID, repost.ID} {
				var status string
				if err := st.Reader().QueryRowContext(ctx, `SELECT status FROM publications WHERE id = $1`, id).
					Scan(&status); err != nil {
					t.Fatal(err)
				}
				out = append(out, status)
			}
			return out
		}
		if _, err := d.Posts.MoveToDraft(ctx, d.scope, p.ID); err != nil {
			t.Fatal(err)
		}
		if got := statuses(); !slices.Equal(got, []string{"published", "scheduled"}) {
			t.Errorf("after move-to-draft: %v", got)
		}
		if _, err := d.Posts.Delete(ctx, d.scope, p.ID, false); err != nil {
			t.Fatal(err)
		}
		if got := statuses(); !slices.Equal(got, []string{"published", "canceled"}) {
			t.Errorf("after deletion: %v", got)
		}
	})
}
