package publish

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// rival is for a publication of another post of the team, with a text of its own.
func (f *fixture) rival(tb testing.TB, text string) func(*store.Publication) {
	tb.Helper()
	return f.rivalOf(tb, crier.PostInput{Atomic: &crier.AtomicPost{Text: text, Attachments: []crier.Attachment{}}})
}

// rivalOf is for a publication of another post of the team, with a content of its own.
func (f *fixture) rivalOf(tb testing.TB, input crier.PostInput) func(*store.Publication) {
	tb.Helper()
	now := crier.TimeOf(f.now())
	post := store.Post{Post: crier.Post{ID: crier.NewID(), TeamID: f.team, PostType: "text", Status: "draft",
		ContentPayloadID: crier.NewID(), PostInput: &input, CreatedAt: now, UpdatedAt: now}}
	f.tx(tb, func(ctx context.Context, tx *store.Tx) error {
		if err := tx.InsertPost(ctx, post); err != nil {
			return err
		}
		return tx.InsertPayload(ctx, store.Payload{ID: post.ContentPayloadID, PostID: post.ID, Text: input.Text(),
			PostInput: input, CreatedAt: now})
	})
	return func(p *store.Publication) { p.PostID, p.PayloadID = post.ID, post.ContentPayloadID }
}

// wantBoth fails the test unless two publications have a post each.
func (f *fixture) wantBoth(tb testing.TB, n *testNetwork, a, b store.Publication) {
	tb.Helper()
	var ids []string
	for _, p := range []store.Publication{f.read(tb, a.ID), f.read(tb, b.ID)} {
		if p.Status != crier.Published || p.PlatformPostID == nil {
			tb.Fatalf("%s: %v, %+v", p.Status, p.PlatformPostID, p.ErrorMessage)
		}
		ids = append(ids, *p.PlatformPostID)
	}
	slices.Sort(ids)
	if public := slices.Sorted(slices.Values(n.public)); !slices.Equal(ids, public) || ids[0] == ids[1] {
		tb.Errorf("the posts %v are recorded, public are %v", ids, public)
	}
}

// Two posts of an account look the same, and the answer of one is lost. Each is published once.
func TestLookupDoesNotFindThePostOfAnotherPublication(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for name, lost := range map[string]answer{
			"sent without effect": {err: unanswered},
			"sent":                {err: unanswered, effect: true},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				n := newTestNetwork(lost)
				f := withNetwork(t, st, n)
				a, b := f.insert(t), f.insert(t, f.rival(t, "Hello"))
				f.step(t, a.ID)
				f.run(t, b.ID)
				f.run(t, a.ID)
				f.wantBoth(t, n, a, b)
			})
		}
	})
}

// A network that recognizes repetitions answers with the post that looks the same, whoever sent it.
func TestRepetitionDoesNotTakeThePostOfAnotherPublication(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork(answer{}, answer{err: unanswered})
		n.strategy = provider.Strategy{Method: provider.ByResending, NotAfter: 8 * time.Minute}
		f := withNetwork(t, st, n)
		a := f.run(t, f.insert(t).ID)
		b := f.run(t, f.insert(t, f.rival(t, "Hello")).ID)
		if a.Status != crier.Published || b.Status != crier.Unknown || b.PlatformPostID != nil || len(n.public) != 1 {
			t.Errorf("%s and %s with the id %v, public %v", a.Status, b.Status, b.PlatformPostID, n.public)
		}
		if got := f.attempts(t, b); !slices.Equal(got, []string{"publish repeated", "resend unknown"}) {
			t.Errorf("attempts %q", got)
		}
	})
}

// The other publication has sent its post, but not stored the answer: nobody knows whose post the network shows.
func TestLookupWaitsForARivalInItsCall(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork(answer{err: unanswered})
		f := withNetwork(t, st, n)
		a, b := f.insert(t), f.insert(t, f.rival(t, "Hello"))
		f.step(t, a.ID)
		f.crashInCall(t, b)
		n.show()
		f.sleep(time.Second)
		f.step(t, a.ID)
		if p := f.read(t, a.ID); p.Status != crier.Publishing {
			t.Fatalf("%s while the rival is in its call", p.Status)
		}
		f.sleep(time.Minute) // it died there
		for range 40 {
			f.step(t, b.ID)
			f.step(t, a.ID)
			f.sleep(5 * time.Second)
		}
		f.wantBoth(t, n, a, b)
	})
}

// What an account publishes may be a variant, and the first post of a thread is a post like others.
func TestLookupComparesWhatTheAccountPublishes(t *testing.T) {
	t.Parallel()
	network, hello := crier.ProviderX, "Hello"
	part := func(text string) crier.AtomicPost {
		return crier.AtomicPost{Text: text, Attachments: []crier.Attachment{}}
	}
	long := part("Hello to everybody")
	for name, c := range map[string]struct {
		input  crier.PostInput
		status crier.ScheduledPostStatus // of the lookup beside the call of the rival
	}{
		"variant with the same text": {crier.PostInput{Atomic: &long,
			Variants: []crier.PostVariant{{Provider: &network, Text: &hello}}}, crier.Publishing},
		"thread that begins with it": {crier.PostInput{Thread: &crier.ThreadPost{
			Posts: []crier.AtomicPost{part("Hello"), part("And more")}}}, crier.Publishing},
		"other white space": {crier.PostInput{Atomic: &crier.AtomicPost{Text: " Hello\n",
			Attachments: []crier.Attachment{}}}, crier.Publishing},
		"variant with another text": {crier.PostInput{Atomic: &crier.AtomicPost{Text: hello,
			Attachments: []crier.Attachment{}}, Variants: []crier.PostVariant{{Provider: &network, Text: &long.Text}}},
			crier.Published},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databases.EachStore(t, func(t *testing.T, st *store.Store) {
				n := newTestNetwork(answer{err: unanswered})
				f := withNetwork(t, st, n)
				a, b := f.insert(t), f.insert(t, f.rivalOf(t, c.input))
				f.step(t, a.ID)
				f.crashInCall(t, b)
				n.show()
				f.sleep(time.Second)
				f.step(t, a.ID)
				if p := f.read(t, a.ID); p.Status != c.status {
					t.Errorf("%s while the rival is in its call", p.Status)
				}
			})
		})
	}
}

// titled is a network whose lookups recognize a post by its title.
type titled struct{ *testNetwork }

func (titled) Matches(wanted, other provider.Content) bool {
	return string(wanted.Settings["xTitle"]) == string(other.Settings["xTitle"])
}

// Two posts that a network cannot tell apart may have different texts.
func TestLookupComparesWhatTheNetworkCompares(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for title, status := range map[string]crier.ScheduledPostStatus{
			`"Episode"`: crier.Publishing, `"Another"`: crier.Published,
		} {
			n := newTestNetwork(answer{err: unanswered})
			f := newFixture(t, st, titled{n})
			n.now = f.now
			named := func(title string) func(*store.Publication) {
				return func(p *store.Publication) {
					p.Settings = map[string]json.RawMessage{"xTitle": json.RawMessage(title)}
				}
			}
			a, b := f.insert(t, named(`"Episode"`)), f.insert(t, f.rival(t, "Part two"), named(title))
			f.step(t, a.ID)
			f.crashInCall(t, b)
			n.show()
			f.sleep(time.Second)
			f.step(t, a.ID)
			if p := f.read(t, a.ID); p.Status != status {
				t.Errorf("%s beside the call of a rival with the title %s", p.Status, title)
			}
		}
	})
}

// A network may process a post for hours after it has told its id.
func TestLookupDoesNotWaitForARivalWhoseIDIsKnown(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork(answer{}, answer{err: unanswered, effect: true})
		n.processing = 1000
		f := withNetwork(t, st, n)
		rival := f.insert(t, f.rival(t, "Hello"))
		f.step(t, rival.ID)
		a := f.insert(t)
		f.step(t, a.ID)
		if p := f.read(t, rival.ID); p.Status != crier.Processing {
			t.Fatalf("the rival is %s", p.Status)
		}
		f.sleep(time.Second)
		f.step(t, a.ID)
		if p := f.read(t, a.ID); p.Status != crier.Published || p.PlatformPostID == nil || *p.PlatformPostID != "id1" {
			t.Errorf("%s beside a rival that is processed", p.Status)
		}
	})
}

// A network may report that it is done before it tells the id.
func TestLookupWaitsForARivalWhoseIDIsNotKnown(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork(answer{}, answer{err: unanswered})
		n.processing, n.nameless = 1000, true
		f := withNetwork(t, st, n)
		rival := f.insert(t, f.rival(t, "Hello"))
		f.step(t, rival.ID)
		a := f.insert(t)
		f.step(t, a.ID)
		f.sleep(time.Second)
		f.step(t, a.ID)
		if p := f.read(t, a.ID); p.Status != crier.Publishing {
			t.Errorf("%s, and the network shows the post of a rival", p.Status)
		}
	})
}

// A post with another text does not hold up a lookup.
func TestLookupDoesNotWaitForOtherPosts(t *testing.T) {
	t.Parallel()
	n := newTestNetwork(answer{err: unanswered, effect: true})
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	a, b := f.insert(t), f.insert(t, f.rival(t, "Another"))
	f.step(t, a.ID)
	f.crashInCall(t, b)
	f.sleep(time.Second)
	f.step(t, a.ID)
	if p := f.read(t, a.ID); p.Status != crier.Published {
		t.Errorf("%s beside the call of another post", p.Status)
	}
}

// The record of a lookup names the part that it looked for.
func TestLookupIsRecordedForItsPart(t *testing.T) {
	t.Parallel()
	n := newTestNetwork(answer{err: unanswered, effect: true})
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	p := f.run(t, f.insert(t).ID)
	list, err := f.store.Attempts(context.Background(), p.ScheduledPostID, 100)
	if err != nil || len(list) != 2 || list[1].Operation != "reconcile" || list[1].Part != 0 {
		t.Errorf("attempts %+v, %v", list, err)
	}
}

// The parts of a thread and the other comments on a post can have the text of a comment whose answer was lost: they are
// not taken for it.
func TestLookupOfACommentDoesNotFindWhatElseBelongsToItsPost(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for name, effect := range map[string]bool{"sent without effect": false, "sent": true} {
			n := newTestNetwork(answer{}, answer{}, answer{}, answer{err: unanswered, effect: effect})
			f := withNetwork(t, st, n)
			n.parts = 2
			p := f.run(t, f.insert(t, func(p *store.Publication) {
				p.Actions.PartCosts = []int64{0, 0}
				p.Actions.FirstComment = &crier.Comment{Text: "Hello"}
				p.Actions.RepostAfter = &crier.RepostAfter{OffsetDays: 1, Text: "Hello"}
			}).ID)
			n.parts = 1
			var ids []string
			for _, a := range f.actions(t, p) { // the second one is lost
				f.sleep(max(0, a.ScheduledAt.Sub(f.now())))
				if a = f.run(t, a.ID); a.Status != crier.Published {
					t.Fatalf("%s: the %s is %s", name, a.Kind, a.Status)
				}
				ids = append(ids, crier.Text(a.PlatformPostID))
			}
			if !slices.Equal(ids, []string{"id2", "id3"}) || len(n.public) != 4 {
				t.Errorf("%s: the actions are recorded as %q, public are %q", name, ids, n.public)
			}
		}
	})
}
