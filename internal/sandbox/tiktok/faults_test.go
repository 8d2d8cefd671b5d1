package tiktok_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

func TestLostAnswerToTheLastChunkLeavesOnePost(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	publishID, address := a.open(10_000_000, 5_000_000, 2)
	body := file(10_000_000)
	a.Fault(sim.Publish, sim.LostResponse, nil)
	if resp := a.put(address, body[:5_000_000], "bytes 0-4999999/10000000"); resp.Status != http.StatusPartialContent {
		t.Fatalf("the first chunk is not a publish call: %d", resp.Status)
	}
	if resp := a.put(address, body[5_000_000:], "bytes 5000000-9999999/10000000"); resp.Status != 0 {
		t.Fatalf("the response was not lost: %d", resp.Status)
	}
	if resp := a.wantStatus(publishID, "PROCESSING_UPLOAD"); resp.Value("data", "uploaded_bytes") != 1e7 {
		t.Errorf("status is %s", resp.Body)
	}
	if resp := a.put(address, body[5_000_000:],
		"bytes 5000000-9999999/10000000"); resp.Status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("the last chunk again: %d", resp.Status)
	}
	a.Clock.Advance(time.Second)
	a.wantStatus(publishID, "PUBLISH_COMPLETE")
	if posts := a.Posts(); len(posts) != 1 {
		t.Errorf("posts are %+v", posts)
	}
}

func TestLostAnswerToAnInitOfPhotosLeavesOnePost(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	files := host(t, map[string][]byte{"/1.jpg": jpegFile(t, 12, 8)})
	a.Fault(sim.Publish, sim.LostResponse, nil)
	if resp := a.call("post/publish/content/init/", photoBody("PUBLIC_TO_EVERYONE", files+"/1.jpg")); resp.Status != 0 {
		t.Fatalf("the response was not lost: %d", resp.Status)
	}
	a.Clock.Advance(2 * time.Second)
	list := a.must("video/list/?fields=id,title,video_description,create_time", `{}`)
	if list.Text("data", "videos", 0, "title") != "funny cat" ||
		list.Text("data", "videos", 0, "video_description") != "text #funny" || len(a.Posts()) != 1 {
		t.Errorf("list is %s", list.Body)
	}
}

func TestFaultsOfTheLastChunk(t *testing.T) {
	t.Parallel()
	cases := map[sim.FaultKind]struct {
		status int
		reason string
	}{
		sim.RateLimit:   {status: 429},
		sim.Outage:      {status: 503},
		sim.AuthExpired: {201, "auth_removed"},
		sim.Reject:      {201, "spam_risk_text"},
		sim.Restricted:  {201, "spam_risk_user_banned_from_posting"},
	}
	for kind, c := range cases {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			publishID, address := a.open(1000, 1000, 1)
			a.Fault(sim.Publish, kind, map[string]any{"accountId": a.seed.AccountID})
			if resp := a.put(address, file(1000), "bytes 0-999/1000"); resp.Status != c.status || len(resp.Body) != 0 {
				t.Errorf("%d %s", resp.Status, resp.Body)
			}
			a.Clock.Advance(time.Second)
			if c.reason == "" {
				a.wantStatus(publishID, "PROCESSING_UPLOAD")
				a.put(address, file(1000), "bytes 0-999/1000")
				return
			}
			if resp := a.wantStatus(publishID, "FAILED"); resp.Text("data", "fail_reason") != c.reason ||
				len(a.Posts()) != 0 {
				t.Errorf("status is %s", resp.Body)
			}
		})
	}
}

func TestFaultsUseTikTokErrors(t *testing.T) {
	t.Parallel()
	const direct, info = "post/publish/video/init/", "post/publish/creator_info/query/"
	cases := map[string]struct {
		op         sim.Operation
		kind       sim.FaultKind
		more       map[string]any
		path, body string
		status     int
		code       string
	}{
		"rate limit": {sim.Upload, sim.RateLimit, nil, direct, uploadBody(1000, 1000, 1), 429,
			"rate_limit_exceeded"},
		"limit of the day": {sim.Upload, sim.RateLimit, map[string]any{"retryAfterSeconds": 7200}, direct,
			uploadBody(1000, 1000, 1), 403, "spam_risk_too_many_posts"},
		"outage": {sim.Upload, sim.Outage, nil, direct, uploadBody(1000, 1000, 1), 503, "internal_error"},
		"auth expired": {sim.Publish, sim.AuthExpired, nil, "post/publish/content/init/",
			photoBody("SELF_ONLY", "https://a.example/1.jpg"), 401, "access_token_invalid"},
		"restricted": {sim.Upload, sim.Restricted, nil, direct, uploadBody(1000, 1000, 1), 403,
			"spam_risk_user_banned_from_posting"},
		"restricted creator": {sim.Read, sim.Restricted, nil, info, "", 200, "spam_risk_user_banned_from_posting"},
		"rejected upload": {sim.Upload, sim.Reject, nil, direct, uploadBody(1000, 1000, 1), 400,
			"invalid_file_upload"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			a.Fault(c.op, c.kind, c.more)
			a.refused(c.status, c.code, c.path, c.body)
			a.must(info, "")
		})
	}
}

func TestRejectedPhotosFailAsynchronously(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.Fault(sim.Publish, sim.Reject, nil)
	publishID := a.must("post/publish/content/init/", photoBody("SELF_ONLY", "https://a.example/1.jpg")).Text("data",
		"publish_id")
	a.Clock.Advance(time.Second)
	if resp := a.wantStatus(publishID, "FAILED"); resp.Text("data", "fail_reason") != "spam_risk_text" {
		t.Errorf("status is %s", resp.Body)
	}
	a.seed = a.Seed("bob")
	a.refused(400, "token_not_authorized_for_specified_publish_id", "post/publish/status/fetch/",
		`{"publish_id":"`+publishID+`"}`)
	a.refused(400, "invalid_publish_id", "post/publish/status/fetch/",
		`{"publish_id":"`+strings.Replace(publishID, "~", "-", 1)+`"}`)
}

func TestCallsAreLimitedPerMinute(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		limit      int
		path, body string
	}{
		"init":         {6, "post/publish/video/init/", uploadBody(1000, 1000, 1)},
		"creator info": {20, "post/publish/creator_info/query/", ""},
		"list":         {600, "video/list/?fields=id", `{}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{LimitFactor: 1})
			for range c.limit {
				a.must(c.path, c.body)
			}
			a.refused(429, "rate_limit_exceeded", c.path, c.body)
			a.Clock.Advance(time.Minute)
			a.must(c.path, c.body)
		})
	}
}

func TestAccountsPostFifteenTimesADay(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	for range 15 {
		a.small()
		a.Clock.Advance(time.Minute)
	}
	a.refused(403, "spam_risk_too_many_posts", "post/publish/video/init/", uploadBody(1000, 1000, 1))
	a.refused(200, "spam_risk_too_many_posts", "post/publish/creator_info/query/", "")
	a.Clock.Advance(24*time.Hour - 15*time.Minute)
	a.seed.AccessToken = a.refresh(http.StatusOK, a.seed.RefreshToken).Text("access_token")
	a.must("post/publish/creator_info/query/", "")
	a.small()
}
