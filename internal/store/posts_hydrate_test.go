package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// TestListedPostsShowEverythingThatBelongsToThem: a list asks only for what its posts can have; a single scheduled post
// is read in another way.
func TestListedPostsShowEverythingThatBelongsToThem(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		other := f.NewAccount(crier.ProviderX)
		tag := crier.Tag{ID: crier.NewID(), TeamID: f.Team.ID, Name: "Launch", CreatedAt: f.Now, UpdatedAt: f.Now}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertTag(ctx, tag, "launch") })
		ended := func(s crier.ScheduledPostStatus) func(*store.Publication) {
			return func(p *store.Publication) { p.Status, p.WakeAt = s, nil }
		}
		after := func(d time.Duration) func(*store.Publication) {
			return func(p *store.Publication) { p.CreatedAt = f.After(d) }
		}
		// Problems are recorded when a status changes.
		turn := func(p store.Publication, into crier.ScheduledPostStatus) store.Publication {
			if _, err := f.Writer().ExecContext(ctx, `UPDATE publications SET status = $2, wake_at = NULL WHERE id = $1`,
				p.ID, into); err != nil {
				t.Fatal(err)
			}
			return p
		}
		elsewhere := func(p *store.Publication) { p.SocialAccountID = other.ID }
		days, text := 7, "thanks"
		for name, c := range map[string]struct {
			prepare      func(post store.Post) store.Publication // returns the newest
			destinations []crier.ID
			check        func(shown *crier.ScheduledPost) bool
		}{
			"never scheduled": {},
			"scheduled": {prepare: func(post store.Post) store.Publication { return f.Schedule(post) },
				destinations: []crier.ID{f.Account.ID}},
			"canceled": {prepare: func(post store.Post) store.Publication {
				return f.Schedule(post, ended(crier.Canceled))
			}},
			"canceled after it was published elsewhere": {prepare: func(post store.Post) store.Publication {
				f.Schedule(post, ended(crier.Published), elsewhere)
				return f.Schedule(post, ended(crier.Canceled), after(time.Minute))
			}, destinations: []crier.ID{other.ID}},
			"on two accounts": {prepare: func(post store.Post) store.Publication {
				f.Schedule(post)
				return f.Schedule(post, elsewhere, after(time.Minute))
			}, destinations: slices.Sorted(slices.Values([]crier.ID{f.Account.ID, other.ID}))},
			"failed": {prepare: func(post store.Post) store.Publication { return turn(f.Schedule(post), crier.Failed) },
				check: func(s *crier.ScheduledPost) bool { return s.NeedsAttention }},
			"unknown": {prepare: func(post store.Post) store.Publication {
				return turn(f.Schedule(post), crier.Unknown)
			}, destinations: []crier.ID{f.Account.ID}, check: func(s *crier.ScheduledPost) bool {
				return s.NeedsAttention
			}},
			"published, with a failed comment": {prepare: func(post store.Post) store.Publication {
				p := f.Schedule(post, ended(crier.Published), func(p *store.Publication) {
					p.Actions.FirstComment = &crier.Comment{Text: text}
				})
				turn(f.Follow(p, store.FirstComment), crier.Failed)
				return p
			}, destinations: []crier.ID{f.Account.ID}, check: func(s *crier.ScheduledPost) bool {
				return s.NeedsAttention && s.FirstComment.Status == crier.FollowUpStatus(crier.Failed)
			}},
			"published, called a second late": {prepare: func(post store.Post) store.Publication {
				p := f.Schedule(post, ended(crier.Published))
				call := sending(f, p, 0)
				call.StartedAt = f.After(time.Second)
				f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertAttempt(ctx, call) })
				return p
			}, destinations: []crier.ID{f.Account.ID}, check: func(s *crier.ScheduledPost) bool {
				return s.LateMillis != nil && *s.LateMillis == 1000
			}},
			"failed in a series that continues": {prepare: func(post store.Post) store.Publication {
				recurring := func(p *store.Publication) { p.Actions.RecurrenceIntervalDays = &days }
				f.Schedule(post, recurring)
				return f.Schedule(post, recurring, ended(crier.Failed), after(time.Minute))
			}, destinations: []crier.ID{f.Account.ID}, check: func(s *crier.ScheduledPost) bool {
				return s.Recurrence != nil && s.ReplacedBy != nil
			}},
		} {
			post := f.NewPost(name)
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ReplacePostTags(ctx, post.ID, nil, []crier.ID{tag.ID})
				return err
			})
			var want *crier.ScheduledPost
			if c.prepare != nil {
				newest := c.prepare(post).ID
				single, err := f.ScheduledPosts(ctx, []crier.ID{newest})
				if err != nil || len(single) != 1 {
					t.Fatalf("%s: %v, %v", name, single, err)
				}
				shown := single[newest]
				want = &shown
			}
			page, _, err := f.Posts(ctx, store.PostFilter{TeamID: f.Team.ID},
				store.PageQuery{Sort: "createdAt", Limit: 100}, false)
			place := slices.IndexFunc(page.Rows, func(p *store.Post) bool { return p.ID == post.ID })
			if err != nil || place < 0 {
				t.Fatalf("%s: %d rows, %v", name, len(page.Rows), err)
			}
			got := page.Rows[place].Post
			if diff := gocmp.Diff(want, got.LatestScheduledPost); diff != "" {
				t.Errorf("%s: the newest scheduled post (-read alone +listed):\n%s", name, diff)
			}
			if c.check != nil && !c.check(got.LatestScheduledPost) {
				t.Errorf("%s: listed as %+v", name, got.LatestScheduledPost)
			}
			if !slices.Equal(got.ScheduledDestinationAccountIDs, c.destinations) || len(got.UserTags) != 1 {
				t.Errorf("%s: on %v, want %v; tags %v", name, got.ScheduledDestinationAccountIDs, c.destinations,
					got.UserTags)
			}
			alone, err := f.Post(ctx, f.Team.ID, post.ID, false)
			if diff := gocmp.Diff(alone.Post, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-read alone +listed):\n%s", name, err, diff)
			}
		}
	})
}

// TestTextsThatAreNotDecodedHaveNoInformation compares leaving a column alone with decoding it, as bytes are.
func TestTextsThatAreNotDecodedHaveNoInformation(t *testing.T) {
	t.Parallel()
	for _, text := range store.ZeroJSON() {
		skipped, err := store.ScanScheduledPostJSON(`{}`, text, text)
		decoded, err2 := store.ScanScheduledPostJSON([]byte(`{}`), []byte(text), []byte(text))
		if diff := gocmp.Diff(decoded, skipped); err != nil || err2 != nil || diff != "" {
			t.Errorf("%s: %v, %v (-decoded +skipped):\n%s", text, err, err2, diff)
		}
	}
}
