package x

import (
	"context"
	"testing"
	"time"

	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	sandbox "crier/internal/sandbox/x"
)

// playground is a provider that runs against the sandbox, with the same clock.
type playground struct {
	bundle
	sandbox *simtest.Sandbox
}

func play(t *testing.T, settings sandbox.Settings, config Config) playground {
	t.Helper()
	clock := providertest.NewClock()
	s := simtest.Start(t, sandbox.Network(settings), sim.Options{Now: clock.Now})
	config.Caller, config.Now = providertest.NewCaller(clock), clock.Now
	p, err := New(config.WithBase(s.URL + "/x"))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	seed := s.Seed("ada")
	return playground{sandbox: s, bundle: bundle{Provider: p, clock: clock, account: provider.Account{
		ProviderAccountID: seed.AccountID, Handle: seed.Handle, Scopes: seed.Scopes,
		Token: provider.Token{Access: provider.Secret(seed.AccessToken), Scopes: seed.Scopes},
	}}}
}

func TestQuotesNeedAppPermission(t *testing.T) {
	t.Parallel()
	for _, quotes := range []bool{false, true} {
		p := play(t, sandbox.Settings{Quotes: quotes}, Config{Quotes: quotes})
		st, err := p.drive(t, text("Hello"))
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]provider.Content{
			"setting": withSettings(text("Look"), `{"xQuotePostId":"`+st.PlatformPostID+`"}`),
			"action": {Action: provider.Quote, Target: provider.Target{PlatformPostID: st.PlatformPostID},
				Parts: []provider.Part{{Text: "As I said"}}},
		} {
			if found := p.Check(p.account, c); found.OK() != quotes {
				t.Errorf("%s, quotes %v: Check found %v", name, quotes, found.Issues)
			}
			if _, err := p.drive(t, c); (err == nil) != quotes {
				t.Errorf("%s, quotes %v: %v", name, quotes, err)
			}
		}
		if got := p.Info().Abilities.Quote; got != quotes {
			t.Errorf("ability to quote is %v, want %v", got, quotes)
		}
	}
}

func TestPictureNeedsNoText(t *testing.T) {
	t.Parallel()
	p := play(t, sandbox.Settings{}, Config{})
	c := text("")
	c.Parts[0].Media = []provider.Media{providertest.NewMedia("a.jpg", "image/jpeg", mediatest.JPEG(64, 64))}
	if st, err := p.drive(t, c); err != nil || !st.Done {
		t.Errorf("a picture without text: %+v, %v", st, err)
	}
}

func TestThreadPartsAreFoundByOldAndNewText(t *testing.T) {
	t.Parallel()
	for _, renamed := range []bool{false, true} {
		p := play(t, sandbox.Settings{Renamed: renamed}, Config{})
		c, ctx := text("1/3", "2/3", "3/3"), context.Background()
		st := provider.State{Ready: true}
		for part := range c.Parts {
			p.clock.Advance(time.Second)
			before, at := st, provider.Attempt{StartedAt: p.clock.Now()}
			var err error
			if st, err = p.Commit(ctx, p.account, c, st); err != nil {
				t.Fatal(err)
			}
			want := st.Published[part].PlatformPostID
			outcome, found, err := p.Reconcile(ctx, p.account, c, before, at)
			if err != nil || outcome != provider.OutcomePublished || found.Published[part].PlatformPostID != want {
				t.Fatalf("renamed %v, part %d: %s, %+v, %v; want post %s", renamed, part, outcome, found, err, want)
			}
			st.Ready = true
		}
		comment := provider.Content{Action: provider.Comment, Parts: []provider.Part{{Text: "first"}},
			Target: provider.Target{PlatformPostID: st.Published[0].PlatformPostID}}
		at := provider.Attempt{StartedAt: p.clock.Now()}
		if _, err := p.Commit(ctx, p.account, comment, provider.State{Ready: true}); err != nil {
			t.Fatal(err)
		}
		if outcome, _, err := p.Reconcile(ctx, p.account, comment, provider.State{}, at); err != nil ||
			outcome != provider.OutcomePublished {
			t.Errorf("renamed %v: the comment is %s, %v", renamed, outcome, err)
		}
		other := text("2/3")
		if outcome, _, err := p.Reconcile(ctx, p.account, other, provider.State{}, at); err != nil ||
			outcome != provider.OutcomeAbsent {
			t.Errorf("renamed %v: a post with the text of a reply is %s, %v; want it absent", renamed, outcome, err)
		}
	}
}

func TestChunksStayBelowFiveMegabytes(t *testing.T) {
	t.Parallel()
	p := setup(t)
	subscriber := p.InfoFor(provider.Account{Details: []byte(`{"subscriptionType":"Premium"}`)})
	limit, _ := subscriber.Formats[0].LimitFor("video/mp4")
	for _, size := range []int64{1, 512 << 20, limit.MaxBytes} {
		if chunk := chunkSize(size); chunk >= 5_000_000 || size > chunk*maxSegments {
			t.Errorf("%d bytes, which are allowed, are sent in chunks of %d", size, chunk)
		}
	}
	if _, err := New(Config{Limits: Limits{SubscriberVideoBytes: 16 << 30}, Caller: p.api.Caller,
		Now: p.now}); err == nil {
		t.Error("New accepted a chunk limit that is too small")
	}
}
