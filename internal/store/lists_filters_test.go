package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// fail makes a publication fail, through a worker's settlement as in production.
func fail(t *testing.T, f *storetest.Fixture, p store.Publication) {
	t.Helper()
	owner := crier.NewID()
	settle(t, f.Store, f.Now, settlement(f.Lease(owner, p)[0], owner, func(p *store.Publication) {
		code, message := "refused", "No."
		p.Status, p.ErrorCode, p.ErrorMessage, p.WakeAt = crier.Failed, &code, &message, nil
	}))
}

func TestScheduledPostsAreFiltered(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, linkedIn := context.Background(), f.NewAccount(crier.ProviderLinkedIn)
		post := f.NewPost("x")
		names := map[crier.ID]string{}
		name := func(p store.Publication, as string) store.Publication { names[p.ID] = as; return p }
		parent := name(f.Schedule(post), "first")
		name(f.Schedule(post, on(linkedIn), at(f.After(time.Minute), crier.Scheduled)), "linkedin")
		name(f.Schedule(f.NewPost("y"), at(f.After(2*time.Minute), crier.Published)), "published")
		name(f.Schedule(f.NewPost("z"), at(f.After(3*time.Minute), crier.Canceled)), "canceled")
		broken := name(f.Schedule(f.NewPost("b"), at(f.After(4*time.Minute), crier.Scheduled)), "broken")
		f.Follow(parent, store.FirstComment)
		fail(t, f, broken)
		yes, no := true, false
		from, to := f.After(time.Minute), f.After(4*time.Minute) // when the broken one is due
		for what, c := range map[string]struct {
			filter store.ScheduledPostFilter
			want   []string
		}{
			"all but canceled": {store.ScheduledPostFilter{}, []string{"first", "linkedin", "published", "broken"}},
			"canceled alone": {store.ScheduledPostFilter{Statuses: []crier.ScheduledPostStatus{crier.Canceled}},
				[]string{"canceled"}},
			"canceled and published": {store.ScheduledPostFilter{Statuses: []crier.ScheduledPostStatus{crier.Canceled,
				crier.Published}}, []string{"published", "canceled"}},
			"failed": {store.ScheduledPostFilter{Statuses: []crier.ScheduledPostStatus{crier.Failed}},
				[]string{"broken"}},
			"a network": {store.ScheduledPostFilter{Providers: []crier.Provider{crier.ProviderLinkedIn}},
				[]string{"linkedin"}},
			"networks": {store.ScheduledPostFilter{Providers: []crier.Provider{crier.ProviderLinkedIn,
				crier.ProviderX}},
				[]string{"first", "linkedin", "published", "broken"}},
			"an account": {store.ScheduledPostFilter{SocialAccountIDs: []crier.ID{linkedIn.ID}},
				[]string{"linkedin"}},
			"an unknown one":  {store.ScheduledPostFilter{SocialAccountIDs: []crier.ID{crier.NewID()}}, nil},
			"a post":          {store.ScheduledPostFilter{PostID: post.ID}, []string{"first", "linkedin"}},
			"needs attention": {store.ScheduledPostFilter{NeedsAttention: &yes}, []string{"broken"}},
			"needs none": {store.ScheduledPostFilter{NeedsAttention: &no},
				[]string{"first", "linkedin", "published"}},
			"from": {store.ScheduledPostFilter{Scheduled: store.TimeRange{From: &from}},
				[]string{"linkedin", "published", "broken"}},
			"to": {store.ScheduledPostFilter{Scheduled: store.TimeRange{To: &to}},
				[]string{"first", "linkedin", "published"}},
			"between": {store.ScheduledPostFilter{Scheduled: store.TimeRange{From: &from, To: &to}},
				[]string{"linkedin", "published"}},
			"a post in a time": {store.ScheduledPostFilter{PostID: post.ID, Scheduled: store.TimeRange{From: &from}},
				[]string{"linkedin"}},
		} {
			c.filter.TeamID = f.Team.ID
			page, total, err := f.ScheduledPostPage(ctx, c.filter, store.PageQuery{Sort: "scheduledAt", Limit: 9})
			var got []string
			for _, s := range page.Rows {
				got = append(got, names[s.ID])
			}
			if err != nil || !slices.Equal(got, c.want) || total != (store.Total{Count: int64(len(c.want))}) {
				t.Errorf("%s: %q of %+v, %v; want %q", what, got, total, err, c.want)
			}
		}
		foreign := store.ScheduledPostFilter{TeamID: f.NewTeam("Sales").ID, NeedsAttention: &yes}
		if page, total, err := f.ScheduledPostPage(ctx, foreign, store.PageQuery{Sort: "scheduledAt",
			Limit: 9}); err != nil || page.Rows == nil || len(page.Rows) != 0 || total.Count != 0 {
			t.Errorf("another team: %+v, %v", page, err)
		}
	})
}

func TestScheduledPostsArePagedAcrossCanceledAndOthers(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		var want []crier.ID
		for i := range 6 {
			status := crier.Scheduled
			if i%2 == 0 {
				status = crier.Canceled
			}
			when := f.After(time.Duration(i/2) * time.Minute) // two at a time, so that ids break ties
			want = append(want, f.Schedule(f.NewPost(fmt.Sprint(i)), at(when, status)).ID)
		}
		for i := 0; i < 6; i += 2 {
			slices.Sort(want[i : i+2])
		}
		filter := store.ScheduledPostFilter{TeamID: f.Team.ID, Statuses: []crier.ScheduledPostStatus{crier.Scheduled,
			crier.Canceled}}
		read := func(q store.PageQuery) store.PageRows[crier.ScheduledPost] {
			page, _, err := f.ScheduledPostPage(ctx, filter, q)
			if err != nil {
				t.Fatal(err)
			}
			return page
		}
		for _, desc := range []bool{false, true} {
			expected := slices.Clone(want)
			if desc {
				slices.Reverse(expected)
			}
			var forth, back []crier.ID
			q := store.PageQuery{Sort: "scheduledAt", Desc: desc, Limit: 4}
			first := read(q)
			q.Seek = &first.Last
			second := read(q)
			q.Seek, q.Backward = &second.First, true
			again := read(q)
			for _, s := range slices.Concat(first.Rows, second.Rows) {
				forth = append(forth, s.ID)
			}
			for _, s := range again.Rows {
				back = append(back, s.ID)
			}
			if !slices.Equal(forth, expected) || !slices.Equal(back, expected[:4]) {
				t.Errorf("descending %v: %v and back %v, want %v", desc, forth, back, expected)
			}
			if first.Before || !first.After || !second.Before || second.After || again.Before || !again.After {
				t.Errorf("descending %v: the ends are not told", desc)
			}
		}
	})
}

func TestScheduledPostsTellWhatFollowsThem(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, days, text := context.Background(), 7, "thanks"
		post := f.NewPost("x")
		repeats := func(p *store.Publication) { p.Actions.RecurrenceIntervalDays = &days }
		over := f.Schedule(post, repeats, at(f.Now, crier.Published),
			func(p *store.Publication) { p.Actions.FirstComment = &crier.Comment{Text: text} })
		comment := f.Follow(over, store.FirstComment)
		mustExec(t, f.Store, `UPDATE publications SET status = 'failed', error_code = 'refused', wake_at = NULL
			WHERE id = $1`, comment.ID)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.InsertAttempt(ctx, sending(f, over, 700*time.Millisecond))
		})
		missed := f.Schedule(f.NewPost("y"), at(f.After(time.Minute), crier.Missed))
		again := f.Schedule(store.Post{Post: crier.Post{ID: missed.PostID, ContentPayloadID: missed.PayloadID}},
			at(f.After(time.Hour), crier.Scheduled), func(p *store.Publication) { p.CreatedAt = f.After(time.Minute) })
		list, err := f.ScheduledPosts(ctx, []crier.ID{over.ID, missed.ID, again.ID, crier.NewID()})
		if err != nil || len(list) != 3 {
			t.Fatalf("%+v, %v", list, err)
		}
		if got := list[over.ID]; !same(got.LateMillis, number(700)) || got.ReplacedBy != nil ||
			got.FirstComment == nil || got.FirstComment.Text != text || got.FirstComment.Status != "failed" ||
			got.FirstComment.ErrorCode != "refused" || got.Recurrence == nil || got.Recurrence.Status != "ended" {
			t.Errorf("the published one: %+v", got)
		}
		if got := list[missed.ID]; got.ReplacedBy == nil || *got.ReplacedBy != again.ID || got.LateMillis != nil {
			t.Errorf("the missed one is replaced by %v", got.ReplacedBy)
		}
		page, _, err := f.ScheduledPostPage(ctx, store.ScheduledPostFilter{TeamID: f.Team.ID},
			store.PageQuery{Sort: "scheduledAt", Limit: 9})
		if err != nil || len(page.Rows) != 3 {
			t.Fatalf("%+v, %v", page, err)
		}
		for _, s := range page.Rows { // the list returns what reading each of them returns
			listed, err := json.Marshal(s)
			read, err2 := json.Marshal(list[s.ID])
			if err != nil || err2 != nil || string(listed) != string(read) {
				t.Errorf("listed as %s, read as %s", listed, read)
			}
		}
	})
}

func TestAuditLogsAndLedgersAreFilteredAndCounted(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, key := context.Background(), crier.NewID()
		scheduled := f.Schedule(f.NewPost("x"))
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			for i := range 4 {
				e := entry(f, time.Duration(i)*time.Minute)
				if i == 3 {
					e.Action, e.PrincipalID = "deletePost", key
				}
				if err := tx.InsertAudit(ctx, e); err != nil {
					return err
				}
			}
			one, two := booking(f, f.Organization.ID, "grant", 100, 0), booking(f, f.Organization.ID, "reserve", 0, 5)
			two.ScheduledPostID, two.CreatedAt = &scheduled.ID, f.After(time.Minute)
			return tx.AddCredits(ctx, one, two)
		})
		from, to := f.After(time.Minute), f.After(3*time.Minute)
		for name, c := range map[string]struct {
			filter store.AuditFilter
			want   int64
		}{
			"all":           {store.AuditFilter{}, 4},
			"an action":     {store.AuditFilter{Action: "createPost"}, 3},
			"part of one":   {store.AuditFilter{Action: "create"}, 0},
			"a principal":   {store.AuditFilter{PrincipalID: key}, 1},
			"from":          {store.AuditFilter{From: &from}, 3},
			"to":            {store.AuditFilter{To: &to}, 3},
			"between":       {store.AuditFilter{From: &from, To: &to}, 2},
			"the wrong way": {store.AuditFilter{From: &to, To: &from}, 0},
			"both at once":  {store.AuditFilter{Action: "createPost", From: &from}, 2},
		} {
			total, err := f.AuditCount(ctx, f.Organization.ID, c.filter)
			page, err2 := f.AuditLog(ctx, f.Organization.ID, c.filter,
				store.PageQuery{Sort: "createdAt", Limit: 9})
			if err != nil || err2 != nil || total != (store.Total{Count: c.want}) || int64(len(page.Rows)) != c.want {
				t.Errorf("audit log, %s: %d rows of %+v; %v, %v", name, len(page.Rows), total, err, err2)
			}
		}
		for name, c := range map[string]struct {
			filter store.CreditFilter
			want   int64
		}{
			"all":                 {store.CreditFilter{}, 2},
			"a kind":              {store.CreditFilter{Kind: "grant"}, 1},
			"an unknown kind":     {store.CreditFilter{Kind: "gift"}, 0},
			"a scheduled post":    {store.CreditFilter{ScheduledPostID: scheduled.ID}, 1},
			"an unknown one":      {store.CreditFilter{ScheduledPostID: crier.NewID()}, 0},
			"from":                {store.CreditFilter{From: &from}, 1},
			"to, which is not in": {store.CreditFilter{To: &from}, 1},
		} {
			total, err := f.CreditTransactionCount(ctx, f.Organization.ID, c.filter)
			page, err2 := f.CreditTransactions(ctx, f.Organization.ID, c.filter,
				store.PageQuery{Sort: "createdAt", Limit: 9})
			if err != nil || err2 != nil || total != (store.Total{Count: c.want}) || int64(len(page.Rows)) != c.want {
				t.Errorf("ledger, %s: %d rows of %+v; %v, %v", name, len(page.Rows), total, err, err2)
			}
		}
		other := f.NewOrganization("Other").ID
		entries, err := f.AuditCount(ctx, other, store.AuditFilter{Action: "createPost"})
		bookings, err2 := f.CreditTransactionCount(ctx, other, store.CreditFilter{Kind: "grant"})
		if err != nil || err2 != nil || entries.Count != 0 || bookings.Count != 0 {
			t.Errorf("another organization: %+v, %+v; %v, %v", entries, bookings, err, err2)
		}
	})
}

func TestWebhooksAreReadByTheirOrganizationAlone(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, other := context.Background(), f.NewOrganization("Other")
		teams := []crier.ID{f.Team.ID}
		w := newWebhook(f, func(w *store.Webhook) {
			w.TeamIDs, w.Types = teams, []string{"post.created", "credits.low"}
		})
		off := newWebhook(f, func(w *store.Webhook) { w.Status, w.CreatedAt = "disabled", f.After(time.Minute) })
		got, err := f.Webhook(ctx, f.Organization.ID, w.ID)
		if err != nil || got.URL != w.URL || !slices.Equal(got.Types, w.Types) || !slices.Equal(got.TeamIDs, teams) ||
			string(got.Secret) != "sealed" || got.OldSecret != nil || got.Failures != 0 || got.Status != "enabled" {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := f.Webhook(ctx, f.Organization.ID, off.ID); err != nil || got.TeamIDs != nil {
			t.Errorf("all teams are %v, %v", got.TeamIDs, err)
		}
		lock := func(organization, id crier.ID) error {
			return f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.LockWebhook(ctx, organization, id)
				return err
			})
		}
		if err := lock(f.Organization.ID, w.ID); err != nil {
			t.Error(err)
		}
		for name, c := range map[string]struct{ organization, id crier.ID }{
			"another organization": {other.ID, w.ID}, "an unknown webhook": {f.Organization.ID, crier.NewID()},
		} {
			_, err := f.Webhook(ctx, c.organization, c.id)
			if kindOf(err) != crier.KindNotFound || kindOf(lock(c.organization, c.id)) != crier.KindNotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
		page, err := f.Webhooks(ctx, f.Organization.ID, store.PageQuery{Sort: "createdAt", Desc: true, Limit: 9})
		n, err2 := f.WebhookCount(ctx, f.Organization.ID)
		if err != nil || err2 != nil || len(page.Rows) != 2 || page.Rows[0].ID != off.ID || n != 2 {
			t.Errorf("%+v of %d; %v, %v", page.Rows, n, err, err2)
		}
		if page, err := f.Webhooks(ctx, other.ID, store.PageQuery{Sort: "createdAt", Limit: 9}); err != nil ||
			len(page.Rows) != 0 {
			t.Errorf("another organization lists %+v, %v", page.Rows, err)
		}
	})
}

func TestWebhooksAreChangedAndDeleted(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		w := newWebhook(f)
		ends, reason, since := f.After(time.Hour), "failing", f.After(-time.Hour)
		w.URL, w.Status, w.DisabledReason, w.OldSecret, w.OldSecretEndsAt = "https://example.com/2", "disabled", &reason,
			[]byte("old"), &ends
		w.Failures, w.FailingSince, w.UpdatedAt, w.Secret = 9, &since, f.After(time.Minute), []byte("new")
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateWebhook(ctx, w, false) })
		byID, err := f.WebhookByID(ctx, w.ID)
		if err != nil || byID == nil || byID.URL != w.URL || *byID.DisabledReason != reason || byID.Failures != 9 ||
			string(byID.OldSecret) != "old" || !byID.OldSecretEndsAt.Equal(ends.Time) || string(byID.Secret) != "new" ||
			!byID.FailingSince.Equal(since.Time) {
			t.Errorf("%+v, %v", byID, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			locked, err := tx.LockWebhookByID(ctx, w.ID)
			none, err2 := tx.LockWebhookByID(ctx, crier.NewID())
			if err != nil || err2 != nil || locked == nil || locked.ID != w.ID || none != nil {
				t.Errorf("%+v and %+v; %v, %v", locked, none, err, err2)
			}
			enabled, err := tx.EnabledWebhooks(ctx)
			if slices.ContainsFunc(enabled, func(e store.Webhook) bool { return e.ID == w.ID }) {
				t.Error("a disabled webhook is told of events")
			}
			return err
		})
		remove := func() error {
			return f.TryTx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteWebhook(ctx, w.ID) })
		}
		if err := remove(); err != nil {
			t.Fatal(err)
		}
		if gone, err := f.WebhookByID(ctx, w.ID); err != nil || gone != nil {
			t.Errorf("a deleted webhook: %+v, %v", gone, err)
		}
		err = f.TryTx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateWebhook(ctx, w, true) })
		if kindOf(err) != crier.KindNotFound || kindOf(remove()) != crier.KindNotFound {
			t.Errorf("a deleted webhook was changed: %v", err)
		}
	})
}

func TestOwnersAreWrittenToAndAdminsInTheirPlace(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		emails := func() []crier.Email {
			recipients, err := f.OwnersToMail(ctx, f.Organization.ID)
			if err != nil {
				t.Fatal(err)
			}
			list := make([]crier.Email, len(recipients))
			for i, to := range recipients {
				list[i] = to.Email
				if n := f.Scan(`SELECT count(*) FROM users WHERE id = $1 AND email = $2`, to.UserID, to.Email); n != 1 {
					t.Errorf("%s is not the address of %s", to.Email, to.UserID)
				}
			}
			return list
		}
		admin := f.NewUser("admin-" + crier.Email(f.Team.ID) + "@acme.example")
		f.Join(store.UserPrincipal, admin.ID, crier.RoleAdmin)
		f.NewKey("owner" + string(f.Team.ID))
		if got := emails(); !slices.Equal(got, []crier.Email{*f.Owner.Email}) {
			t.Errorf("the owners are %q", got)
		}
		mustExec(t, f.Store, `UPDATE users SET email = NULL WHERE id = $1`, f.Owner.ID)
		if got := emails(); !slices.Equal(got, []crier.Email{*admin.Email}) {
			t.Errorf("where no owner has an address: %q", got)
		}
		mustExec(t, f.Store, `UPDATE users SET email = NULL WHERE id = $1`, admin.ID)
		if got := emails(); len(got) != 0 {
			t.Errorf("nobody has an address: %q", got)
		}
	})
}

func TestAccountDaysKeepWhatEarlierReadingsTold(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, today := context.Background(), dayOf(f.Now)
		put := func(day int64, after time.Duration, change func(*store.AccountDay)) {
			d := store.AccountDay{SocialAccountID: f.Account.ID, Day: day, TeamID: f.Team.ID,
				Provider: f.Account.Provider, ReadAt: f.After(after)}
			change(&d)
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.PutAccountDay(ctx, d) })
		}
		put(today, 0, func(d *store.AccountDay) { d.Followers, d.Views, d.Posts = number(10), number(3), number(0) })
		put(today, time.Hour, func(d *store.AccountDay) {
			d.Followers, d.Following, d.Reach = number(11), number(2), number(7)
		})
		put(today+1, aDay, func(d *store.AccountDay) { d.Engagements = number(4) })
		list, err := f.AccountDays(ctx, around(f))
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		if d := list[0]; d.Day != today || !same(d.Followers, number(11)) || !same(d.Following, number(2)) ||
			!same(d.Posts, number(0)) || !same(d.Views, number(3)) || !same(d.Reach, number(7)) ||
			d.Engagements != nil || !d.ReadAt.Equal(f.After(time.Hour).Time) {
			t.Errorf("the first day is %+v", d)
		}
		if d := list[1]; d.Followers != nil || !same(d.Engagements, number(4)) || d.Provider != crier.ProviderX {
			t.Errorf("the second day is %+v", d)
		}
		for name, c := range map[string]struct {
			change func(*store.AnalyticsFilter)
			want   int
		}{
			"the account":          {accounts(f.Account.ID), 2},
			"another":              {accounts(crier.NewID()), 0},
			"the network":          {providers(crier.ProviderX), 2},
			"another network":      {providers(crier.ProviderThreads), 0},
			"a day":                {span(today+1, today+1), 1},
			"whatever the type is": {kinds(f.Account.ID, crier.TextVideo), 2},
		} {
			filter := around(f)
			c.change(&filter)
			if list, err := f.AccountDays(ctx, filter); err != nil || len(list) != c.want {
				t.Errorf("%s: %d days, %v", name, len(list), err)
			}
		}
	})
}

func TestTheReadingOfAnAccountIsPlannedByOneNode(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		due := func(at crier.Time) bool {
			list, err := f.AccountsToRead(ctx, at, 100_000)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Contains(list, f.Account.ID)
		}
		plan := func(due, next crier.Time) (planned bool) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				planned, err = tx.PlanAccountRead(ctx, f.Account.ID, due, next)
				return err
			})
			return planned
		}
		mustExec(t, f.Store, `UPDATE social_accounts SET metrics_at = $2 WHERE id = $1`, f.Account.ID, f.Now)
		if !due(f.Now) || due(f.After(-time.Second)) {
			t.Error("it is due too early or not at all")
		}
		if !plan(f.Now, f.After(time.Hour)) || plan(f.Now, f.After(2*time.Hour)) {
			t.Error("it was planned by two, or by nobody")
		}
		if due(f.After(time.Minute)) || !due(f.After(time.Hour)) {
			t.Error("it is not due when it was planned")
		}
		mustExec(t, f.Store, `UPDATE social_accounts SET status = 'disconnected' WHERE id = $1`, f.Account.ID)
		if due(f.After(time.Hour)) {
			t.Error("a disconnected account is read")
		}
		hint, other := "Ask for the scope.", "Reconnect."
		for i, want := range []*string{&hint, &hint, &other, nil} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.SetMetricsHint(ctx, f.Account.ID, want) })
			n := f.Scan(`SELECT count(*) FROM social_accounts WHERE id = $1 AND (metrics_hint = $2 OR metrics_hint IS NULL
				AND CAST($2 AS text) IS NULL)`, f.Account.ID, want)
			if n != 1 {
				t.Errorf("hint %d is not kept", i)
			}
		}
	})
}

func TestUploadAddressesAreUsedOnce(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		id := crier.NewID()
		used := func() bool {
			used, err := f.UploadAddressUsed(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			return used
		}
		if used() {
			t.Error("a new address was used")
		}
		if err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			if ok, err := tx.UseUploadAddress(ctx, id, f.After(time.Hour)); err != nil || !ok {
				t.Errorf("the first use: %v, %v", ok, err)
			}
			return errUndo
		}); err == nil || used() {
			t.Errorf("a use that was undone counts: %v", err)
		}
		for i, want := range []bool{true, false} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				ok, err := tx.UseUploadAddress(ctx, id, f.After(time.Hour))
				if ok != want {
					t.Errorf("use %d: %v", i, ok)
				}
				return err
			})
		}
		if !used() {
			t.Error("a used address was not used")
		}
	})
}

func TestAccountsAreLookedAtWhenTheirProfilesAreStale(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		read := func(after time.Duration, change ...func(*store.Account)) store.Account {
			a := f.NewAccount(crier.ProviderX, change...)
			when := f.After(after)
			a.ProfileAt = &when
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateAccount(ctx, a) })
			return a
		}
		old, fresh := read(-time.Hour), read(0)
		off := read(-time.Hour, func(a *store.Account) { a.Status = crier.AccountDisconnected })
		linkedIn := f.NewAccount(crier.ProviderLinkedIn)
		all := []crier.ID{f.Account.ID, old.ID, fresh.ID, off.ID, linkedIn.ID, crier.NewID()}
		list, err := f.StaleProfiles(ctx, f.Team.ID, all, crier.ProviderX, f.Now)
		var got []crier.ID
		for _, a := range list {
			got = append(got, a.ID)
		}
		want := slices.Sorted(slices.Values([]crier.ID{f.Account.ID, old.ID}))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
		if list, err := f.StaleProfiles(ctx, f.Team.ID, nil, crier.ProviderX, f.Now); err != nil || len(list) != 0 {
			t.Errorf("of none: %v, %v", list, err)
		}
		if list, err := f.StaleProfiles(ctx, f.NewTeam("Sales").ID, all, crier.ProviderX, f.Now); err != nil ||
			len(list) != 0 {
			t.Errorf("of another team: %v, %v", list, err)
		}
		networks, err := f.AccountNetworks(ctx, f.Team.ID, all)
		if err != nil || len(networks) != 5 || networks[linkedIn.ID] != crier.ProviderLinkedIn {
			t.Errorf("%v, %v", networks, err)
		}
	})
}
