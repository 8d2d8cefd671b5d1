package publish

import (
	"context"
	"net/http"
	"testing"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// meteredNetwork allows one post a day, and is called through a Caller like the real ones.
type meteredNetwork struct {
	*testNetwork
	caller *provider.Caller
	sent   int
}

func (n *meteredNetwork) Info() provider.Info {
	info := n.testNetwork.Info()
	info.RateLimits = []provider.RateLimit{{Name: "posts a day", Scope: provider.ScopeInstallation, Max: 1,
		Seconds: 24 * 60 * 60, Units: map[provider.Operation]int64{provider.OpPublish: 1}, Counted: true}}
	return info
}

// RoundTrip answers every request.
func (n *meteredNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	n.sent++
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: http.Header{}}, nil
}

func (n *meteredNetwork) Commit(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	if _, err := n.caller.Send(ctx, provider.Request{Operation: provider.OpPublish, Method: http.MethodPost,
		URL: "http://network.example/posts"}); err != nil {
		return st, err
	}
	return n.testNetwork.Commit(ctx, a, c, st)
}

func TestStepCallsCountAgainstAccountLimits(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := &meteredNetwork{testNetwork: newTestNetwork()}
		f := newFixture(t, st, n)
		n.now = f.now
		n.caller = provider.NewCaller(provider.CallerConfig{Transport: n, Now: f.now})
		first := f.run(t, f.insert(t).ID)
		if first.Status != crier.Published || n.sent != 1 {
			t.Fatalf("the first is %s after %d requests", first.Status, n.sent)
		}
		second := f.run(t, f.insert(t).ID)
		if second.Status != crier.Missed || n.sent != 1 {
			t.Errorf("the second is %s after %d requests", second.Status, n.sent)
		}
	})
}
