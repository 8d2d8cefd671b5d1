package youtube_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

func TestLostAnswerToTheLastChunkLeavesOneVideo(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	video := file(block + 100)
	address := a.open(len(video), metadata)
	a.Fault(sim.Publish, sim.LostResponse, nil)
	if resp := a.put(address, video[:block], fmt.Sprintf("bytes 0-%d/%d", block-1, len(video))); resp.Status != 308 {
		t.Fatalf("the first chunk is not a publish call: %d", resp.Status)
	}
	if resp := a.put(address, video[block:], fmt.Sprintf("bytes %d-%d/%d", block, len(video)-1,
		len(video))); resp.Status != 0 {
		t.Fatalf("the response was not lost: %d", resp.Status)
	}
	probe := a.put(address, nil, fmt.Sprintf("bytes */%d", len(video)))
	posts := a.Posts()
	if probe.Status != http.StatusOK || len(posts) != 1 || posts[0].PlatformPostID != probe.Text("id") {
		t.Errorf("probe: %d %s, posts %+v", probe.Status, probe.Body, posts)
	}
}

func TestFaultsUseGoogleErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind           sim.FaultKind
		more           map[string]any
		status         int
		reason, domain string
	}{
		"outage":       {sim.Outage, nil, 503, "backendError", "global"},
		"auth expired": {sim.AuthExpired, nil, 401, "authError", "global"},
		"reject":       {sim.Reject, nil, 400, "invalidVideoMetadata", "youtube.video"},
		"restricted":   {sim.Restricted, nil, 403, "authenticatedUserAccountSuspended", "youtube.common"},
		"rate limit":   {sim.RateLimit, nil, 429, "rateLimitExceeded", "usageLimits"},
		"quota of the day": {sim.RateLimit, map[string]any{"retryAfterSeconds": 7200}, 403, "quotaExceeded",
			"youtube.quota"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			address := a.open(1000, metadata)
			a.Fault(sim.Publish, c.kind, c.more)
			resp := a.put(address, file(1000), "bytes 0-999/1000")
			if resp.Status != c.status || reason(resp) != c.reason ||
				resp.Text("error", "errors", 0, "domain") != c.domain {
				t.Errorf("%d %s", resp.Status, resp.Body)
			}
			if posts := a.Posts(); len(posts) != 0 {
				t.Errorf("it was published: %+v", posts)
			}
			if again := a.put(address, file(1000), "bytes 0-999/1000"); again.Status != http.StatusCreated {
				t.Errorf("afterwards: %d", again.Status)
			}
		})
	}
}

func TestFaultsAreScopedToTheirChannel(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	address := a.open(1000, metadata)
	a.Fault(sim.Publish, sim.Outage, map[string]any{"accountId": a.Seed("bob").AccountID})
	if resp := a.put(address, file(1000), ""); resp.Status != http.StatusCreated {
		t.Errorf("ada: %d", resp.Status)
	}
	a.seed = a.Seed("bob")
	if resp := a.put(a.open(1000, metadata), file(1000), ""); resp.Status != http.StatusServiceUnavailable {
		t.Errorf("bob: %d", resp.Status)
	}
}

func TestInsertsHaveTheirOwnQuota(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	for i := range 100 {
		if i == 50 { // a channel has its own limit
			if resp := a.start(1000, metadata); resp.Status != 400 || reason(resp) != "uploadLimitExceeded" {
				t.Fatalf("%d %s", resp.Status, resp.Body)
			}
			a.seed = a.Seed("bob")
			continue
		}
		a.open(1000, metadata)
	}
	resp := a.start(1000, metadata)
	if resp.Status != 403 || reason(resp) != "quotaExceeded" ||
		!strings.Contains(resp.Text("error", "message"), `<a href="/youtube/v3/getting-started#quota">quota</a>`) {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.get(http.StatusOK, "channels?part=id&mine=true")
}

func TestQuotaUnits(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	id := a.publish(metadata, file(100))
	for range 200 {
		a.post(http.StatusOK, "commentThreads?part=snippet",
			threadBody(id, "hi"))
	}
	if resp := a.get(http.StatusForbidden, "videos?part=id&id="+id); reason(resp) != "quotaExceeded" {
		t.Errorf("response %s", resp.Body)
	}
	a.open(1000, metadata)
}

func TestQuotaResetsAtMidnightPacific(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	for _, name := range []string{"ada", "bob"} {
		a.seed = a.Seed(name)
		for range 50 {
			a.open(1000, metadata)
		}
	}
	a.Clock.Advance(23*time.Hour - time.Second) // 23:59:59 in California
	a.seed = a.Seed("carol")
	if resp := a.start(1000, metadata); reason(resp) != "quotaExceeded" {
		t.Errorf("before midnight: %d %s", resp.Status, resp.Body)
	}
	a.Clock.Advance(time.Second)
	a.open(1000, metadata)
}
