package tiktok

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

func TestLostChunkIsReconciledByStatus(t *testing.T) {
	t.Parallel()
	for golden, want := range map[string]provider.Outcome{
		"reconcile-taken":   provider.OutcomePublished,
		"reconcile-counted": provider.OutcomePublished,
		"reconcile-absent":  provider.OutcomeAbsent,
	} {
		t.Run(golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, golden)
			c := clip(public)
			st, at := b.lose(t, c)
			if s := b.Strategy(b.account, c, st); s.Method != provider.ByReading || s.Absences < 1 {
				t.Errorf("strategy %+v; want the status to be read", s)
			}
			outcome, st, err := b.Reconcile(context.Background(), b.account, c, st, at)
			if err != nil || outcome != want {
				t.Fatalf("Reconcile = %q, %v; want %q", outcome, err, want)
			}
			st, err = b.drive(t, c, st)
			if err != nil || len(st.Published) != 1 || st.PlatformPostID != knownID {
				t.Errorf("state %+v, %v; want the video published once", st, err)
			}
		})
	}
}

func TestLostPhotoPostIsFoundInTheList(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-listed")
	c := photos(catsPublic)
	st, at := b.lose(t, c)
	for _, want := range []provider.Outcome{provider.OutcomePending, provider.OutcomePublished} {
		outcome, next, err := b.Reconcile(context.Background(), b.account, c, st, at)
		if err != nil || outcome != want {
			t.Fatalf("Reconcile = %q, %v; want %q", outcome, err, want)
		}
		st = providertest.Reload(t, next)
	}
	if st.PlatformPostID != knownID || !st.Done || st.RequiresPolling ||
		st.Published[0].PublishedAt.Unix() != 1_794_744_003 {
		t.Errorf("state %+v; want it published when TikTok says", st)
	}
}

func TestUnlistedPhotoPostIsUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-unlisted")
	c := photos(catsPublic)
	st, at := b.lose(t, c)
	b.clock.Advance(16 * time.Minute)
	outcome, _, err := b.Reconcile(context.Background(), b.account, c, st, at)
	if err != nil || outcome != provider.OutcomeUnclear {
		t.Errorf("Reconcile = %q, %v; want it unclear", outcome, err)
	}
}

func TestUnlistablePostsCannotBeReconciled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	silent := photos(public)
	silent.Parts[0].Text = ""
	blind := b.account
	blind.Scopes = []string{scopeBasic, scopePublish}
	for name, tc := range map[string]struct {
		account provider.Account
		content provider.Content
	}{
		"private":         {b.account, photos(`{"tiktokPrivacyLevel":"SELF_ONLY"}`)},
		"draft":           {b.account, photos(`{"tiktokPostMode":"inbox"}`)},
		"without a text":  {b.account, silent},
		"without a scope": {blind, photos(public)},
	} {
		if s := b.Strategy(tc.account, tc.content, provider.State{}); s.Method != provider.Impossible {
			t.Errorf("%s: strategy %+v; want it impossible", name, s)
		}
	}
}
