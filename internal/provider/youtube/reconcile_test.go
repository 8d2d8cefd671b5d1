package youtube

import (
	"context"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// lose publishes until the response to Commit is lost.
func (b bundle) lose(t *testing.T, c provider.Content) (provider.State, provider.Attempt) {
	t.Helper()
	at := provider.Attempt{StartedAt: b.clock.Now()}
	st, err := b.drive(t, c, provider.State{})
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
		t.Fatalf("Commit error = %v, want an unknown outcome", err)
	}
	return providertest.Reload(t, st), at
}

func TestLostAnswerIsReconciledBySession(t *testing.T) {
	t.Parallel()
	for golden, want := range map[string]provider.Outcome{
		"reconcile-complete": provider.OutcomePublished,
		"reconcile-absent":   provider.OutcomeAbsent,
	} {
		t.Run(golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, golden)
			st, at := b.lose(t, clip())
			if s := b.Strategy(b.account, clip(), st); s.Method != provider.ByReading || s.Absences != 1 {
				t.Errorf("strategy %+v; want one read of the session", s)
			}
			outcome, st, err := b.Reconcile(context.Background(), b.account, clip(), st, at)
			if err != nil || outcome != want {
				t.Fatalf("Reconcile = %q, %v; want %q", outcome, err, want)
			}
			st, err = b.drive(t, clip(), st)
			if err != nil || len(st.Published) != 1 || st.PlatformPostID != "dQw4w9WgXcQ" {
				t.Errorf("state %+v, %v; want the video published once", st, err)
			}
		})
	}
}

func TestVideoWithoutItsSessionIsFoundInTheList(t *testing.T) {
	t.Parallel()
	for golden, want := range map[string]provider.Outcome{
		"reconcile-listed":   provider.OutcomePublished,
		"reconcile-unlisted": provider.OutcomeAbsent,
	} {
		t.Run(golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, golden)
			ctx := context.Background()
			st, at := b.lose(t, clip())
			outcome, st, err := b.Reconcile(ctx, b.account, clip(), st, at)
			if err != nil || outcome != provider.OutcomePending {
				t.Fatalf("Reconcile = %q, %v; want it pending", outcome, err)
			}
			st = providertest.Reload(t, st)
			if s := b.Strategy(b.account, clip(), st); s.Absences < 2 || s.Apart < time.Minute {
				t.Errorf("strategy %+v; want several reads of a list that is updated late", s)
			}
			outcome, st, err = b.Reconcile(ctx, b.account, clip(), st, at)
			if err != nil || outcome != want {
				t.Fatalf("Reconcile = %q, %v; want %q", outcome, err, want)
			}
			if want == provider.OutcomePublished && st.Published[0].PublishedAt.Second() != 3 {
				t.Errorf("state %+v; want the video's time", st)
			}
			if want == provider.OutcomeAbsent {
				if st, err = b.Prepare(ctx, b.account, clip(), st); err != nil || st.Upload(0, 0).NextByte != 0 ||
					st.Ready {
					t.Errorf("Prepare = %+v, %v; want a new session", st, err)
				}
				return
			}
			if st, err = b.drive(t, clip(), st); err != nil || len(st.Published) != 1 {
				t.Errorf("state %+v, %v; want the video published once", st, err)
			}
		})
	}
}

func TestLostCommentIsFoundByItsTextAndAuthor(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-comment")
	st, at := b.lose(t, comment())
	for _, want := range []provider.Outcome{provider.OutcomeAbsent, provider.OutcomePublished} {
		outcome, found, err := b.Reconcile(context.Background(), b.account, comment(), st, at)
		if err != nil || outcome != want {
			t.Errorf("Reconcile = %q, %v; want %q", outcome, err, want)
		}
		if want == provider.OutcomePublished && (found.PlatformPostID != "UgxKREWxIgDrw8w2e_Z4AaABAg" ||
			!found.Published[0].PublishedAt.Equal(at.StartedAt.Add(time.Second))) {
			t.Errorf("state %+v; want the comment's id and time", found)
		}
	}
}

func TestWithoutTheScopeAListCannotBeRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.account.Scopes = []string{scopeUpload}
	if s := b.Strategy(b.account, comment(), provider.State{}); s.Method != provider.Impossible {
		t.Errorf("strategy %+v; want it impossible", s)
	}
}
