package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/ledger"
	"crier/internal/media"
	"crier/internal/pagination"
	"crier/internal/provider/all"
	"crier/internal/store"
)

// become sets the state of a scheduled post, as the engine would.
func (d *desk) become(t *testing.T, id crier.ID, status crier.ScheduledPostStatus) {
	t.Helper()
	if _, err := d.store.Writer().ExecContext(t.Context(), `UPDATE publications SET status = $2 WHERE id = $1`, id,
		string(status)); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) free(t *testing.T) (balance, reserved int64) {
	t.Helper()
	if err := d.store.Reader().QueryRowContext(t.Context(), `SELECT credits_balance, reserved_credits
		FROM organizations`).Scan(&balance, &reserved); err != nil {
		t.Fatal(err)
	}
	return balance, reserved
}

// recurs returns the interval of a publication's recurrence in days; 0 for none.
func recurs(p store.Publication) int {
	if p.Actions.RecurrenceIntervalDays == nil {
		return 0
	}
	return *p.Actions.RecurrenceIntervalDays
}

func TestScheduledPostUpdateKeepsOmittedFields(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		post := d.post(t, textOf("Hello"))
		in := d.request(crier.ProviderX)
		in.FirstComment = crier.Some(crier.Comment{Text: "the first"})
		in.RecurrenceIntervalDays = crier.Some(7)
		zone := crier.Zone("Europe/Berlin")
		in.Timezone = crier.Some(zone)
		made := d.schedule(t, post.ID, in)[0]
		_, before := d.free(t)
		later := crier.TimeOf(made.ScheduledAt.Add(time.Hour))
		moved, err := d.ScheduledPosts.Update(ctx, d.scope, made.ID, crier.ScheduledPostUpdate{
			ScheduledAt: crier.Some(later)})
		if err != nil || moved.ScheduledAt != later || moved.Timezone != "Europe/Berlin" {
			t.Fatalf("moved to %+v, %v", moved, err)
		}
		p := d.planned(t, post.ID, crier.ProviderX)
		if p.ID != made.ID || p.Actions.FirstComment == nil || p.Actions.FirstComment.Text != "the first" ||
			recurs(p) != 7 {
			t.Errorf("planned is %+v", p.Actions)
		}
		_, err = d.ScheduledPosts.Update(ctx, d.scope, made.ID, crier.ScheduledPostUpdate{
			FirstComment: crier.Null[crier.Comment](), Timezone: crier.Null[crier.Zone]()})
		if err != nil {
			t.Fatal(err)
		}
		p = d.planned(t, post.ID, crier.ProviderX)
		if p.Actions.FirstComment != nil || recurs(p) != 7 || p.ScheduledAt != later ||
			p.Timezone != "UTC" {
			t.Errorf("planned is %+v in %s", p.Actions, p.Timezone)
		}
		if _, after := d.free(t); after >= before {
			t.Errorf("%d credits are reserved without the comment, %d with it", after, before)
		}
		if _, err := d.ScheduledPosts.Update(ctx, d.scope, made.ID, crier.ScheduledPostUpdate{
			Recurrence: crier.Null[crier.Recurrence]()}); err != nil {
			t.Fatal(err)
		}
		if p = d.planned(t, post.ID, crier.ProviderX); recurs(p) != 0 {
			t.Errorf("it recurs every %d days", recurs(p))
		}
	})
}

// The next of a series comes its interval after the planned time, also when the interval or the zone of a later one is
// changed: it does not count from the series' first time then.
func TestChangedSeriesBeginsWithTheChangedPost(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		d.time = time.Date(2026, 3, 20, 9, 0, 0, 0, time.UTC) // the clocks of Berlin change on 29 March
		berlin := crier.Zone("Europe/Berlin")
		for _, c := range []struct {
			name string
			in   crier.ScheduledPostUpdate
			want time.Duration
		}{
			{"as it is", crier.ScheduledPostUpdate{}, 24 * time.Hour},
			{"every week", crier.ScheduledPostUpdate{Recurrence: crier.Some(crier.Recurrence{
				RecurrenceIntervalDays: 7})}, 7 * 24 * time.Hour},
			{"in another zone", crier.ScheduledPostUpdate{Timezone: crier.Some(berlin)}, 24 * time.Hour},
			{"with an end", crier.ScheduledPostUpdate{Recurrence: crier.Some(crier.Recurrence{RecurrenceIntervalDays: 1,
				RecurrenceEndsAt: d.in(60 * 24 * time.Hour)})}, 24 * time.Hour},
		} {
			post := d.post(t, textOf("Hello"))
			in := d.request(crier.ProviderX)
			in.RecurrenceIntervalDays = crier.Some(1)
			d.schedule(t, post.ID, in)
			end := func() {
				t.Helper()
				id := d.planned(t, post.ID, crier.ProviderX).ID
				d.become(t, id, crier.Unknown)
				failed := crier.Resolution{Outcome: "failed"}
				if _, err := d.ScheduledPosts.Resolve(ctx, d.scope, id, failed); err != nil {
					t.Fatal(err)
				}
			}
			for range 12 {
				end()
			}
			now := d.planned(t, post.ID, crier.ProviderX)
			if _, err := d.ScheduledPosts.Update(ctx, d.scope, now.ID, c.in); err != nil {
				t.Fatal(err)
			}
			end()
			next := d.planned(t, post.ID, crier.ProviderX)
			if got := next.ScheduledAt.Sub(now.ScheduledAt.Time); got != c.want {
				t.Errorf("%s: the next one comes %s after %s, want %s", c.name, got, now.ScheduledAt, c.want)
			}
		}
	})
}

// Without credits, the next of a series is scheduled with nothing reserved: a change that costs no more is not refused.
func TestNextOfASeriesIsChangedWithoutCredits(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		post := d.post(t, textOf("Hello"))
		in := d.request(crier.ProviderX)
		in.RecurrenceIntervalDays = crier.Some(7)
		first := d.schedule(t, post.ID, in)[0].ID
		cost := d.stored(t, first).Reserved
		balance, reserved := d.free(t)
		spend := func(amount int64) {
			t.Helper()
			if err := st.WithTx(ctx, func(tx *store.Tx) error {
				return ledger.Spend(ctx, tx, ledger.Charge{Organization: d.scope.Team().OrganizationID, Amount: amount,
					At: crier.TimeOf(d.time)})
			}); err != nil {
				t.Fatal(err)
			}
		}
		spend(balance - reserved)
		d.become(t, first, crier.Unknown)
		if _, err := d.ScheduledPosts.Resolve(ctx, d.scope, first, crier.Resolution{Outcome: "published",
			PlatformPostID: "1"}); err != nil {
			t.Fatal(err)
		}
		next := func(want int64) store.Publication {
			t.Helper()
			p := d.planned(t, post.ID, crier.ProviderX)
			if _, reserved := d.free(t); p.Reserved != want || reserved != want || p.Actions.Total() != cost {
				t.Errorf("%d of %d credits are reserved, %d in all, want %d", p.Reserved, p.Actions.Total(), reserved,
					want)
			}
			return p
		}
		p := next(0)
		if _, err := d.ScheduledPosts.Update(ctx, d.scope, p.ID, crier.ScheduledPostUpdate{
			ScheduledAt: crier.Some(*d.in(72 * time.Hour))}); err != nil {
			t.Errorf("moved: %v", err)
		}
		edit := func(text string) error {
			_, err := d.Posts.Update(ctx, d.scope, post.ID, crier.PostUpdate{Text: crier.Some(text)})
			return err
		}
		if err := edit("Hallo"); err != nil {
			t.Errorf("edited: %v", err)
		}
		next(0)
		wantKind(t, edit("Links cost more: https://example.com"), crier.KindPaymentRequired)
		_, err := d.ScheduledPosts.Update(ctx, d.scope, p.ID, crier.ScheduledPostUpdate{
			FirstComment: crier.Some(crier.Comment{Text: "costs more"})})
		wantKind(t, err, crier.KindPaymentRequired)
		in.AllowRepublish = true
		_, err = d.Schedules.Schedule(ctx, d.scope, post.ID, in)
		wantKind(t, err, crier.KindPaymentRequired)
		if err := st.WithTx(ctx, func(tx *store.Tx) error {
			return ledger.Grant(ctx, tx, ledger.Charge{Organization: d.scope.Team().OrganizationID, Amount: cost,
				At: crier.TimeOf(d.time)})
		}); err != nil {
			t.Fatal(err)
		}
		if err := edit("Hello again"); err != nil {
			t.Error(err)
		}
		next(cost)
	})
}

func TestUnsupportedChangeIsRejected(t *testing.T) {
	t.Parallel()
	d := newDesk(t, databases.Fresh(t, store.SQLite).Open(t))
	post := d.post(t, textOf("Hello"))
	made := d.schedule(t, post.ID, d.request(crier.ProviderX, crier.ProviderFacebook))
	x, facebook := made[0].ID, made[1].ID
	ends := crier.TimeOf(d.time.Add(time.Hour))
	document := d.asset(t, media.TypePDF)
	for name, c := range map[string]struct {
		id   crier.ID
		in   crier.ScheduledPostUpdate
		path string
	}{
		"a repost where there is none": {facebook, crier.ScheduledPostUpdate{PostPublishActions: crier.Some(
			crier.FollowUpActions{RepostAfter: &crier.RepostAfter{OffsetDays: 1}})}, "postPublishActions.repostAfter"},
		"a later comment that is too long": {x, crier.ScheduledPostUpdate{PostPublishActions: crier.Some(
			crier.FollowUpActions{EngagementCommentTrigger: &crier.EngagementTrigger{LikeThreshold: 5, WindowHours: 1,
				Comment: crier.Comment{Text: strings.Repeat("x", 5000)}}})},
			"postPublishActions.engagementCommentTrigger.comment.text"},
		"a comment with a document": {x, crier.ScheduledPostUpdate{FirstComment: crier.Some(crier.Comment{Text: "x",
			MediaIDs: []crier.ID{document}})}, "firstComment.mediaIds.0"},
		"a comment that is too long": {x, crier.ScheduledPostUpdate{FirstComment: crier.Some(crier.Comment{
			Text: strings.Repeat("x", 5000)})}, "firstComment.text"},
		"a series that ends before it begins": {x, crier.ScheduledPostUpdate{Recurrence: crier.Some(crier.Recurrence{
			RecurrenceIntervalDays: 1, RecurrenceEndsAt: &ends})}, "recurrence.recurrenceEndsAt"},
	} {
		before := d.planned(t, post.ID, crier.ProviderX)
		_, err := d.ScheduledPosts.Update(t.Context(), d.scope, c.id, c.in)
		refused, _ := errors.AsType[*crier.Error](err)
		if refused == nil || refused.Kind != crier.KindInvalid || len(refused.Issues) != 1 ||
			strings.Join(refused.Issues[0].Path, ".") != c.path {
			t.Errorf("%s: %+v", name, err)
		}
		if after := d.planned(t, post.ID, crier.ProviderX); after.Epoch != before.Epoch {
			t.Errorf("%s: it was changed nevertheless", name)
		}
	}
	issues := d.ScheduledPosts.CheckUpdate(crier.ScheduledPostUpdate{PlatformSettings: crier.Some(
		map[string]json.RawMessage{"nonsense": json.RawMessage(`1`)})})
	if len(issues) != 1 || strings.Join(issues[0].Path, ".") != "platformSettings.nonsense" {
		t.Errorf("the issues are %+v", issues)
	}
}

func TestScheduledPostUpdateWithoutAChangeWritesNothing(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		post := d.post(t, textOf("Hello"))
		in := d.request(crier.ProviderX)
		in.FirstComment = crier.Some(crier.Comment{Text: "the first"})
		in.PlatformSettings = map[string]json.RawMessage{"xReplySettings": json.RawMessage(`"following"`)}
		made := d.schedule(t, post.ID, in)[0]
		before := d.stored(t, made.ID)
		d.time = d.time.Add(time.Minute)
		for name, change := range map[string]crier.ScheduledPostUpdate{
			"nothing": {}, "its time": {ScheduledAt: crier.Some(made.ScheduledAt)},
			"its zone":     {Timezone: crier.Some(crier.Zone("UTC"))},
			"its settings": {PlatformSettings: crier.Some(in.PlatformSettings)},
			"its comment":  {FirstComment: in.FirstComment},
			"no recurrence": {Recurrence: crier.Null[crier.Recurrence](),
				PostPublishActions: crier.Null[crier.FollowUpActions]()},
		} {
			got, err := d.ScheduledPosts.Update(ctx, d.scope, made.ID, change)
			if err != nil || got.UpdatedAt != made.UpdatedAt {
				t.Errorf("%s: changed at %s, %v", name, got.UpdatedAt, err)
			}
			if after := d.stored(t, made.ID); after.Epoch != before.Epoch {
				t.Errorf("%s: it begins anew", name)
			}
		}
		_, err := d.ScheduledPosts.Update(ctx, d.scope, made.ID, crier.ScheduledPostUpdate{
			PlatformSettings: crier.Null[map[string]json.RawMessage]()})
		if after := d.stored(t, made.ID); err != nil || len(after.Settings) != 0 || after.Epoch == before.Epoch {
			t.Errorf("the settings are %v, %v", after.Settings, err)
		}
	})
}

// The operations that a user may still run depend on the status of a scheduled post.
func TestScheduledPostOperationsByStatus(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		soon := crier.ScheduledPostUpdate{ScheduledAt: crier.Some(*d.in(30 * time.Hour))}
		acts := []struct {
			name string
			do   func(crier.ID) error
			// may lists the states in which it is allowed.
			may string
		}{
			{"update", func(id crier.ID) error {
				_, err := d.ScheduledPosts.Update(ctx, d.scope, id,
					soon)
				return err
			},
				"scheduled"},
			{"cancel", func(id crier.ID) error { _, err := d.ScheduledPosts.Cancel(ctx, d.scope, id); return err },
				"scheduled canceled"},
			{"retry", func(id crier.ID) error { _, err := d.ScheduledPosts.Retry(ctx, d.scope, id); return err },
				"failed missed"},
			{"resolve", func(id crier.ID) error {
				_, err := d.ScheduledPosts.Resolve(ctx, d.scope, id, crier.Resolution{Outcome: "failed"})
				return err
			}, "unknown"},
			{"dismiss", func(id crier.ID) error { _, err := d.ScheduledPosts.Dismiss(ctx, d.scope, id); return err },
				"failed missed unknown"},
		}
		for _, status := range []crier.ScheduledPostStatus{crier.Scheduled, crier.Publishing, crier.Processing,
			crier.Published, crier.Failed, crier.Missed, crier.Unknown, crier.Canceled} {
			for _, act := range acts {
				post := d.post(t, textOf(fmt.Sprint(status, act.name)))
				id := d.schedule(t, post.ID, d.request(crier.ProviderX))[0].ID
				d.become(t, id, status)
				err := act.do(id)
				may := strings.Contains(" "+act.may+" ", " "+string(status)+" ")
				if may && err != nil || !may && !crier.IsKind(err, crier.KindConflict) {
					t.Errorf("%s of what is %s: %v", act.name, status, err)
				}
				if act.name == "cancel" && status == crier.Scheduled {
					if got, err := d.ScheduledPosts.Get(ctx, d.scope, id); err != nil || got.Status != crier.Canceled {
						t.Errorf("after the cancellation: %s, %v", got.Status, err)
					}
				}
			}
		}
		for _, act := range acts {
			wantKind(t, act.do(crier.NewID()), crier.KindNotFound)
		}
	})
}

func TestCancelReleasesCredits(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		_, before := d.free(t)
		id := d.schedule(t, d.post(t, textOf("Hello")).ID, d.request(crier.ProviderX))[0].ID
		if _, reserved := d.free(t); reserved <= before {
			t.Fatalf("%d credits are reserved", reserved)
		}
		for range 2 { // a second time changes nothing
			if _, err := d.ScheduledPosts.Cancel(ctx, d.scope, id); err != nil {
				t.Fatal(err)
			}
			if balance, reserved := d.free(t); balance != 10_000 || reserved != before {
				t.Errorf("the credits are %d, %d reserved", balance, reserved)
			}
		}
	})
}

func TestOtherTeamsScheduledPostIsNotFound(t *testing.T) {
	t.Parallel()
	d := newDesk(t, databases.Fresh(t, store.SQLite).Open(t))
	ctx := t.Context()
	id := d.schedule(t, d.post(t, textOf("Hello")).ID, d.request(crier.ProviderX))[0].ID
	org, err := d.Access.Organization(ctx, d.scope.Caller(), d.scope.Team().OrganizationID, crier.CreateTeams)
	if err != nil {
		t.Fatal(err)
	}
	// A scope of one organization creates no team in another.
	team, err := d.Teams.Create(ctx, org, crier.TeamCreate{Name: "Other", OrganizationID: crier.NewID()})
	if err != nil || team.OrganizationID != d.scope.Team().OrganizationID {
		t.Fatalf("made %+v, %v", team, err)
	}
	other, err := d.Access.Team(ctx, d.scope.Caller(), team.ID, crier.PublishPosts)
	if err != nil {
		t.Fatal(err)
	}
	_, get := d.ScheduledPosts.Get(ctx, other, id)
	_, attempts := d.ScheduledPosts.Attempts(ctx, other, id)
	_, cancel := d.ScheduledPosts.Cancel(ctx, other, id)
	_, update := d.ScheduledPosts.Update(ctx, other, id, crier.ScheduledPostUpdate{})
	for _, err := range []error{get, attempts, cancel, update} {
		wantKind(t, err, crier.KindNotFound)
	}
	if list, err := d.ScheduledPosts.Attempts(ctx, d.scope, id); err != nil || list.Data == nil || len(list.Data) != 0 {
		t.Errorf("the attempts of what has not begun are %+v, %v", list, err)
	}
}

func TestDryRunMatchesSchedulingAndWritesNothing(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		rows := func() (n int64) {
			err := st.Reader().QueryRowContext(ctx, `SELECT (SELECT count(*) FROM posts) +
				(SELECT count(*) FROM publications) + (SELECT count(*) FROM payloads) +
				(SELECT count(*) FROM credit_transactions)`).Scan(&n)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := rows()
		for name, text := range map[string]string{"short": "Hello", "too long for X": strings.Repeat("word ", 100),
			"empty": ""} {
			in := d.request(crier.ProviderX, crier.ProviderLinkedIn, crier.ProviderYouTube)
			dry, err := d.Schedules.ValidateContent(ctx, d.scope, crier.ContentValidation{Text: &text,
				ScheduleRequest: in})
			if n := rows(); n != before {
				t.Errorf("%s: %d rows were written", name, n-before)
			}
			post := d.post(t, textOf(text))
			done, doneErr := d.Schedules.Schedule(ctx, d.scope, post.ID, in)
			before = rows()
			if (err == nil) != (doneErr == nil) {
				t.Errorf("%s: the dry run says %v, scheduling %v", name, err, doneErr)
				continue
			}
			for i := range dry.Data {
				if dry.Data[i].OK != (done.Data[i].Error == nil) ||
					dry.Data[i].SocialAccountID != in.SocialAccountIDs[i] {
					t.Errorf("%s: the dry run says %+v, scheduling %+v", name, dry.Data[i], done.Data[i].Error)
				}
			}
			if texts := dry.Data[0].Texts; len(texts) != 1 || texts[0].Count != len(text) || texts[0].Max != 280 {
				t.Errorf("%s: X counts %+v", name, texts)
			}
			if at := dry.ScheduledAt; text != "" && (at == nil || *at != *in.ScheduledAt) {
				t.Errorf("%s: it would go out at %v", name, at)
			}
		}
	})
}

func TestSchedulingWarnsOfFullQuota(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDeskWith(t, st, func(c *all.Config) { c.YouTube.Limits.UploadsPerDay = 2 })
		// plan plans a post, and reports whether it will exceed the quota.
		plan := func(post crier.ID, at time.Duration) bool {
			t.Helper()
			in := d.request(crier.ProviderYouTube)
			in.ScheduledAt = d.in(at)
			out, err := d.Schedules.Schedule(t.Context(), d.scope, post, in)
			if err != nil || out.Data[0].Error != nil {
				t.Fatalf("%+v, %v", out, err)
			}
			return slices.ContainsFunc(out.Data[0].Warnings, func(w crier.Issue) bool {
				return strings.Contains(w.Message, "used up by then")
			})
		}
		// The day of YouTube starts at midnight in California: 8:00 UTC in winter. The desk is at 9:00.
		const nextDay = 23 * time.Hour
		first, second, third := d.video(t), d.video(t), d.video(t)
		for i, c := range []struct {
			post crier.ID
			at   time.Duration
			full bool
		}{
			{first, time.Hour, false}, {second, 2 * time.Hour, false}, {third, nextDay - time.Minute, true},
			{third, nextDay, false},               // it is moved to where there is room
			{second, 3 * time.Hour, false},        // it is moved, and takes no more room than before
			{third, nextDay - time.Minute, true},  // it is moved back
			{second, nextDay + time.Hour, false},  // and another one gives way
			{third, nextDay - time.Second, false}, // so that there is room
		} {
			if got := plan(c.post, c.at); got != c.full {
				t.Errorf("step %d: full: %v", i, got)
			}
		}
	})
}

// video returns a post with a video.
func (d *desk) video(t *testing.T) crier.ID {
	t.Helper()
	asset := d.asset(t, media.TypeMP4)
	if _, err := d.store.Writer().ExecContext(t.Context(), `UPDATE assets SET kind = 'video', width = 1080, height = 1920,
		duration_seconds = 30 WHERE id = $1`, asset); err != nil {
		t.Fatal(err)
	}
	title, text := "A title", "Words"
	return d.post(t, crier.PostCreate{Title: &title, Text: &text, AssetIDs: []crier.ID{asset}}).ID
}

func TestVersionsOfAPostAreKeptAndAutosavesAreNot(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		post := d.post(t, textOf("one"))
		write := func(text string) crier.Post {
			t.Helper()
			p, err := d.Posts.Update(ctx, d.scope, post.ID, crier.PostUpdate{Text: crier.Some(text)})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		versions := func() (texts string) {
			t.Helper()
			page, err := d.Posts.Versions(ctx, d.scope, post.ID, pagination.Oldest(10))
			if err != nil || page.Total != int64(len(page.Data)) {
				t.Fatalf("%+v, %v", page, err)
			}
			current := 0
			for _, v := range page.Data {
				if texts += " " + v.Text; v.Current {
					current++
				}
			}
			if current != 1 || !page.Data[len(page.Data)-1].Current {
				t.Errorf("%d of %d versions are the present one", current, len(page.Data))
			}
			return strings.TrimSpace(texts)
		}
		write("two")
		if got := versions(); got != "two" {
			t.Errorf("a change within minutes makes the versions %q", got)
		}
		d.time = d.time.Add(crier.AutosaveWindow)
		write("three")
		if got := versions(); got != "two three" {
			t.Errorf("a change after the window makes the versions %q", got)
		}
		d.schedule(t, post.ID, d.request(crier.ProviderX))
		scheduled := write("four")
		if got := versions(); got != "two three four" {
			t.Errorf("what was scheduled is gone: %q", got)
		}
		v, err := d.Posts.Version(ctx, d.scope, post.ID, scheduled.ContentPayloadID)
		if err != nil || v.Text != "four" || !v.Current || v.Version != 3 {
			t.Errorf("the version is %+v, %v", v, err)
		}
		other := d.post(t, textOf("other"))
		_, err = d.Posts.Version(ctx, d.scope, other.ID, scheduled.ContentPayloadID)
		wantKind(t, err, crier.KindNotFound)
		_, err = d.Posts.Version(ctx, d.scope, post.ID, crier.NewID())
		wantKind(t, err, crier.KindNotFound)
	})
}
