package providertest

import (
	"context"
	"slices"
	"time"

	"crier/internal/provider"
)

// never is the number of a step that never occurs.
const never = -1

// publication is a publication driven as by the engine: the State is encoded and decoded as JSON between any two steps,
// a call without a response is never repeated blindly, and waiting advances the clock.
type publication struct {
	*stage
	content provider.Content
	state   provider.State
	// crashAt is the step whose result is lost, counted from zero.
	crashAt int
	// crashed is the name of that step.
	crashed string
	// loses makes the call that publishes the last part go missing.
	loses loss
	// beforeLook runs after that, before the part is searched.
	beforeLook func()
	// taken are the ids of posts that belong to other publications.
	taken map[string]bool
	// before are the ids on the timeline when the publication started.
	before  []string
	steps   int
	failed  []*provider.Error
	renewed bool
}

func (s *stage) publish(c provider.Content) *publication {
	s.t.Helper()
	return &publication{stage: s, content: c, crashAt: never, before: ids(s.timeline())}
}

// mostSteps limits a publication that does not end.
const mostSteps = 600

// run drives the publication to its end.
func (p *publication) run(ctx context.Context) End {
	p.t.Helper()
	for p.steps < mostSteps {
		end, err := p.step(ctx)
		if err != nil {
			end = p.cope(ctx, provider.AsError(err))
		}
		if end != "" {
			return end
		}
		p.clock.AdvanceTo(p.state.NextPollAfter)
	}
	p.t.Fatalf("the publication does not come to an end: %+v", p.state)
	return ""
}

// step runs the next step. An empty result means that there is more to do.
func (p *publication) step(ctx context.Context) (End, error) {
	switch {
	case p.state.RequiresPolling:
		return "", p.call(ctx, "poll", p.Poll)
	case p.state.Done:
		return Published, nil
	case !p.state.Ready:
		return "", p.call(ctx, "prepare", p.Prepare)
	}
	// Much time may have passed since it was ready.
	if err := p.call(ctx, "prepare", p.Prepare); err != nil || !p.state.Ready {
		return "", err
	}
	return p.commit(ctx)
}

type call func(context.Context, provider.Account, provider.Content, provider.State) (provider.State, error)

// call makes a repeatable call. A crash discards its result.
func (p *publication) call(ctx context.Context, name string, do call) error {
	before := p.state.Clone()
	st, err := do(ctx, p.account, p.content, Reload(p.t, p.state))
	p.state = st
	if p.crashes(name) {
		p.state = before
		return nil
	}
	return err
}

func (p *publication) crashes(name string) bool {
	p.steps++
	if p.steps-1 != p.crashAt {
		return false
	}
	p.crashed = name
	return true
}

// commit makes a publishing call. After a crash it is only known that it was started.
func (p *publication) commit(ctx context.Context) (End, error) {
	before := p.state.Clone()
	at := provider.Attempt{StartedAt: p.clock.Now(), Taken: p.taken}
	lost := p.state.NextPart() == len(p.content.Parts)-1 && p.loses.take()
	if lost && p.loses.unsent {
		return p.settle(at)
	}
	st, err := p.Commit(ctx, p.account, p.content, Reload(p.t, p.state))
	if p.crashes("commit") || lost {
		p.state = before
		if p.beforeLook != nil {
			p.beforeLook()
		}
		return p.settle(at)
	}
	p.state = st
	if err == nil {
		p.renewed = false
		return "", nil
	}
	if failure := provider.AsError(err); failure.Kind == provider.OutcomeUnknown {
		p.failed = append(p.failed, failure)
		return p.settle(at)
	}
	return "", err
}

// cope handles an error that means that nothing was published.
func (p *publication) cope(ctx context.Context, failure *provider.Error) End {
	p.t.Helper()
	p.failed = append(p.failed, failure)
	switch failure.Kind {
	case provider.Rejected:
		if p.state.Done {
			p.state.RequiresPolling = false
			return ""
		}
		return Refused
	case provider.AuthExpired:
		return p.renew(ctx)
	case provider.OutcomeUnknown:
		if p.state.RequiresPolling { // it was accepted before
			return Unknown
		}
		p.t.Fatalf("a call that publishes nothing has an unknown outcome: %v", failure)
	}
	p.clock.Advance(max(failure.RetryAfter, time.Second))
	return ""
}

// renew refreshes the token, once.
func (p *publication) renew(ctx context.Context) End {
	if p.features.Refresher == nil || p.renewed {
		return LostToken
	}
	token, err := p.features.Refresher.Refresh(ctx, p.account)
	if err != nil {
		return LostToken
	}
	p.account.Token, p.renewed = token, true
	return ""
}

// settle determines the outcome of a call without a response.
func (p *publication) settle(at provider.Attempt) (End, error) {
	ctx := context.Background()
	if p.features.Reconciler == nil {
		return Unknown, nil
	}
	absences := 0
	for range 50 {
		strategy := p.features.Reconciler.Strategy(p.account, p.content, p.state)
		p.clock.AdvanceTo(at.StartedAt.Add(max(strategy.NotBefore, 10*time.Second)))
		switch {
		case strategy.Method == provider.Impossible,
			strategy.NotAfter > 0 && p.clock.Now().After(at.StartedAt.Add(strategy.NotAfter)):
			return Unknown, nil
		case strategy.Method == provider.ByResending:
			return p.resend(ctx)
		}
		outcome, st, err := p.features.Reconciler.Reconcile(ctx, p.account, p.content, Reload(p.t, p.state), at)
		if err != nil {
			if end := p.cope(ctx, provider.AsError(err)); end != "" {
				return end, nil
			}
			continue
		}
		switch outcome {
		case provider.OutcomePublished:
			p.state = st
			return "", nil
		case provider.OutcomeUnclear:
			return Unknown, nil
		case provider.OutcomePending:
			p.state = st
			p.clock.Advance(5 * time.Second)
			p.clock.AdvanceTo(st.NextPollAfter)
		case provider.OutcomeAbsent:
			if absences++; absences >= strategy.Absences {
				p.state = st
				return "", nil
			}
			p.clock.Advance(max(time.Second, strategy.Apart))
		}
	}
	return Unknown, nil
}

// resend repeats the identical request; a network with this strategy responds with the existing post.
func (p *publication) resend(ctx context.Context) (End, error) {
	st, err := p.features.Resender.Resend(ctx, p.account, p.content, Reload(p.t, p.state))
	if err != nil {
		return Unknown, nil //nolint:nilerr // it says nothing about the repeated request
	}
	p.state = st
	return "", nil
}

// mustPublish drives a publication that must succeed.
func (p *publication) mustPublish() provider.State {
	p.t.Helper()
	if end := p.run(context.Background()); end != Published || len(p.failed) > 0 {
		p.t.Fatalf("%s, after %v", end, p.failed)
	}
	return p.state
}

// exactlyOnce fails unless each part is on the timeline once and the client knows its id, or the outcome is unknown and
// none is there twice.
func (p *publication) exactlyOnce(end End) {
	p.t.Helper()
	parts := len(p.content.Parts)
	posts := slices.DeleteFunc(p.timeline(), func(post shown) bool {
		return slices.Contains(p.before,
			post.PlatformPostID)
	})
	switch {
	case end == Published && len(posts) != parts, end == Refused && len(posts) != 0, len(posts) > parts:
		p.t.Errorf("%s, and the timeline shows %q; there are %d parts", end, texts(posts), parts)
		return
	case end != Published:
		return
	}
	var entered []string
	for _, part := range p.state.Published {
		entered = append(entered, part.PlatformPostID)
	}
	if !slices.Equal(entered, ids(posts)) {
		p.t.Errorf("the client takes %q for its posts; the timeline shows %q", entered, ids(posts))
	}
}
