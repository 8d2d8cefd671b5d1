package facebook

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
)

// TestPhasesReportTheirError tests both formats of Facebook.
func TestPhasesReportTheirError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: "", `{"status":"complete"}`: "", `{"status":"in_progress","errors":[]}`: "",
		`{"status":"error"}`: "Facebook does not say what is wrong with the video",
		`{"status":"error","error":{"message":"Too short."}}`:             "Too short.",
		`{"status":"error","error":{"message":""}}`:                       "Facebook does not say what is wrong with the video",
		`{"status":"error","errors":[{"message":""},{"message":"Odd."}]}`: "Odd.",
		`{"errors":[{"message":"First."}],"error":{"message":"Second."}}`: "First.",
	} {
		var p phase
		if err := json.Unmarshal([]byte(text), &p); err != nil || p.problem() != want {
			t.Errorf("%s: %q, %v; want %q", text, p.problem(), err, want)
		}
	}
}

func TestVideoStatus(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: "", `{"status":{"video_status":"processing"}}`: "", `{"status":{"video_status":"ready"}}`: "public",
		`{"status":{"video_status":"ready"},"published":false}`:                                       "",
		`{"status":{"video_status":"ready"},"published":true}`:                                        "public",
		`{"status":{"video_status":"ready","publishing_phase":{"status":"in_progress"}}}`:             "",
		`{"status":{"video_status":"processing","publishing_phase":{"status":"complete"}}}`:           "public",
		`{"status":{"video_status":"error"}}`:                                                         "Facebook could not process the video (error)",
		`{"status":{"video_status":"expired"}}`:                                                       "Facebook could not process the video (expired)",
		`{"status":{"video_status":"processing","processing_phase":{"errors":[{"message":"Odd."}]}}}`: "Odd.",
	} {
		var v videoAnswer
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		got := v.failure()
		if got == "" && v.isPublic() {
			got = "public"
		}
		if got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// TestLostVideosAreReconciledByStatus: a video that is being processed was accepted.
func TestLostVideosAreReconciledByStatus(t *testing.T) {
	t.Parallel()
	ready := provider.State{PublishID: "s", Uploads: []provider.Upload{{ID: "901", Step: stepReady}}}
	reelPost := withSettings(post("R", video()), `{"facebookPostType":"reel"}`)
	for _, tc := range []struct {
		name    string
		content provider.Content
		state   provider.State
		body    string
		stale   bool
		want    provider.Outcome
		forgets bool
	}{
		{name: "public", content: post("V", video()), state: ready, body: `{"status":{"video_status":"ready"}}`, want: provider.OutcomePublished},
		{name: "failed", content: post("V", video()), state: ready, body: `{"status":{"video_status":"error"}}`, want: provider.OutcomeAbsent, forgets: true},
		{name: "processed, in the feed", content: post("V", video()), state: ready, body: `{"status":{"processing_phase":{"status":"complete"}}}`, want: provider.OutcomePending},
		{name: "processed, as a reel", content: reelPost, state: ready, body: `{"status":{"processing_phase":{"status":"complete"}}}`, want: provider.OutcomeAbsent},
		{name: "publishing", content: reelPost, state: ready, body: `{"status":{"publishing_phase":{"status":"in_progress"}}}`, want: provider.OutcomePending},
		{name: "waiting", content: reelPost, state: ready, body: `{"status":{"video_status":"upload_complete"}}`, want: provider.OutcomeAbsent},
		{name: "without an upload", content: post("V", video()), body: `{}`, want: provider.OutcomeAbsent},
		{name: "from before a restore", content: post("V", video()), state: ready, stale: true, body: `{}`, want: provider.OutcomeUnclear},
	} {
		b := answering(t, 200, tc.body)
		got, st, err := b.Reconcile(context.Background(), b.account, tc.content, tc.state,
			provider.Attempt{StartedAt: b.clock.Now(), Stale: tc.stale})
		if err != nil || got != tc.want || tc.forgets && (len(st.Uploads) != 0 || st.PublishID != "") {
			t.Errorf("%s: %q, %v, state %+v; want %q", tc.name, got, err, st, tc.want)
		}
	}
}

func TestPostsMatchByPhotosOrText(t *testing.T) {
	t.Parallel()
	photos := plan{text: "A", media: []provider.Media{image("a.jpg", "")}}
	st := provider.State{Uploads: []provider.Upload{{ID: "11"}, {ID: "12"}}}
	for _, tc := range []struct {
		name string
		plan plan
		post string
		want bool
	}{
		{"the text", plan{text: "A"}, `{"message":" A\r\n"}`, true}, {"another text", plan{text: "A"}, `{"message":"B"}`, false},
		{"one of its photos", photos, `{"message":"edited","attachments":{"data":[{"target":{"id":"12"}}]}}`, true},
		{"one in an album", photos, `{"attachments":{"data":[{"target":{"id":"9"},"subattachments":{"data":[{"target":{"id":"11"}}]}}]}}`, true},
		{"photos of another", photos, `{"message":"A","attachments":{"data":[{"target":{"id":"13"}}]}}`, false},
		{"photos that are not listed", photos, `{"message":"A"}`, true},
	} {
		var listed listedPost
		if err := json.Unmarshal([]byte(tc.post), &listed); err != nil {
			t.Fatal(err)
		}
		if got := matches(tc.plan, st, listed); got != tc.want {
			t.Errorf("%s: %t", tc.name, got)
		}
		if got := matchesText(tc.plan, st, listed); got != provider.SameText(tc.plan.text, listed.Message) {
			t.Errorf("%s: matchesText = %t", tc.name, got)
		}
	}
}

// TestListProvesAbsenceOnlyWithinItsRange: on a busy Page, all listed posts may be newer than the attempt.
func TestListProvesAbsenceOnlyWithinItsRange(t *testing.T) {
	t.Parallel()
	full := func(at string) string {
		return `{"data":[` + strings.TrimSuffix(strings.Repeat(`{"id":"1_1","message":"x","created_time":"`+at+`"},`, listedCount), ",") + `]}`
	}
	for _, tc := range []struct {
		name, body string
		want       provider.Outcome
	}{
		{"an empty Page", `{"data":[]}`, provider.OutcomeAbsent}, {"all are newer", full("2026-11-15T12:00:01+0000"), provider.OutcomeUnclear},
		{"the last is older", full("2026-11-15T11:00:00+0000"), provider.OutcomeAbsent},
		{"the post", `{"data":[{"id":"1755_9","message":"A","created_time":"2026-11-15T12:00:02+0000","permalink_url":"https://f.test/9"}]}`, provider.OutcomePublished},
		{"one that is older than the attempt", `{"data":[{"id":"1755_9","message":"A","created_time":"2026-11-15T11:59:00+0000"}]}`, provider.OutcomeAbsent},
	} {
		b := answering(t, 200, tc.body)
		got, st, err := b.Reconcile(context.Background(), b.account, post("A"), provider.State{},
			provider.Attempt{StartedAt: b.clock.Now()})
		if err != nil || got != tc.want {
			t.Errorf("%s: %q, %v; want %q", tc.name, got, err, tc.want)
		}
		if tc.want == provider.OutcomePublished && (st.PlatformPostID != "1755_9" || st.Published[0].Permalink != "https://f.test/9") {
			t.Errorf("post %+v", st.Published)
		}
		// A refusal as a duplicate means that the post exists, whatever the list shows.
		duplicate := provider.State{Data: map[string]string{noteDuplicate: "true"}}
		got, _, err = b.Reconcile(context.Background(), b.account, post("A"), duplicate,
			provider.Attempt{StartedAt: b.clock.Now()})
		if want := tc.want; err != nil || want == provider.OutcomeAbsent && got != provider.OutcomeUnclear {
			t.Errorf("%s, refused as a duplicate: %q, %v", tc.name, got, err)
		}
	}
	want := provider.Strategy{Method: provider.ByReading, NotBefore: 15 * time.Second, Absences: 2, Apart: time.Minute}
	if got := setup(t).Strategy(provider.Account{}, provider.Content{}, provider.State{}); got != want {
		t.Errorf("strategy %+v", got)
	}
}

func TestOffsetsStayWithinTheFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		start, end  offset
		next, chunk int64
		step        string
		wrong       bool
	}{
		{start: "0", end: "500", chunk: 500, step: stepSending},
		{start: "500", end: "1000", next: 500, chunk: 500, step: stepSending},
		{start: "1000", end: "1000", next: 1000, step: stepReady},
		{start: "", end: "", wrong: true}, {start: "5", end: "4", wrong: true},
		{start: "0", end: "1001", wrong: true}, {start: "-1", end: "5", wrong: true},
		{start: "x", end: "5", wrong: true},
	} {
		u := provider.Upload{Step: stepSending, Size: 1000}
		err := moveTo(&u, offsets{Start: tc.start, End: tc.end})
		if (err != nil) != tc.wrong ||
			err == nil && (u.NextByte != tc.next || u.ChunkSize != tc.chunk || u.Step != tc.step) {
			t.Errorf("%s to %s: %v, %+v", tc.start, tc.end, err, u)
		}
		if failure := provider.AsError(err); tc.wrong && (failure.Kind != provider.Temporary || u.Step != stepSending) {
			t.Errorf("%s to %s: %+v", tc.start, tc.end, failure)
		}
	}
}

// TestUnstoredPartIsRetriedLater: sending it again at once could go on forever.
func TestUnstoredPartIsRetriedLater(t *testing.T) {
	t.Parallel()
	for told, kind := range map[string]provider.Kind{
		`{"start_offset":"1000","end_offset":"2000"}`: "",
		`{"start_offset":"2000","end_offset":"2000"}`: "",
		`{"start_offset":"0","end_offset":"1000"}`:    provider.Temporary,
	} {
		b := answering(t, 200, told)
		st := provider.State{PublishID: "s1", Uploads: []provider.Upload{{ID: "v1", Step: stepSending, Size: 2000,
			ChunkSize: 1000}}}
		_, err := b.Prepare(context.Background(), b.account, post("A video", video()), st)
		failure := provider.AsError(err)
		if (failure == nil) != (kind == "") || failure != nil && failure.Kind != kind {
			t.Errorf("%s: %v, want %q", told, err, kind)
		}
	}
}

func TestFinishFormsFollowTheFormat(t *testing.T) {
	t.Parallel()
	st := provider.State{PublishID: "s1"}
	spec := settings{VideoTitle: "T", PlaceID: "77",
		Targeting: &targetingSetting{Countries: []string{"DE"}, AgeMin: 18}}
	draft := spec
	draft.Draft = true
	const audience = "&place=77&targeting=%7B%22geo_locations%22%3A%7B%22countries%22%3A%5B%22DE%22%5D%7D%2C" +
		"%22age_min%22%3A18%7D&title=T"
	for want, p := range map[string]plan{
		"upload_phase=finish&video_id=9": {format: story, text: "t", settings: spec},
		"description=t" + audience + "&upload_phase=finish&video_id=9&video_state=PUBLISHED": {
			format: reel, text: "t", settings: spec},
		"description=t" + audience + "&upload_phase=finish&video_id=9&video_state=DRAFT": {
			format: reel, text: "t", settings: draft},
		"place=77&published=true" + audience[len("&place=77"):] + "&upload_phase=finish&upload_session_id=s1": {
			format: feed, settings: spec},
	} {
		form, err := finishForm(p, st, "9")
		wanted, _ := url.ParseQuery(want)
		if err != nil || form.Encode() != wanted.Encode() {
			t.Errorf("%s: %s, %v; want %s", p.format, form.Encode(), err, wanted.Encode())
		}
	}
}

// TestFollowUpsRunOneByOne: a step that fails becomes a warning, and the others still run.
func TestFollowUpsRunOneByOne(t *testing.T) {
	t.Parallel()
	b := answering(t, 400, problem(100, 0))
	st := provider.State{Done: true, RequiresPolling: true, PlatformPostID: "9",
		Published: []provider.Published{{PlatformPostID: "9"}},
		Data:      map[string]string{noteAfterwards: "thumbnail,collaborator:88,permalink,unknown"}}
	for i, left := range []string{"collaborator:88,permalink,unknown", "permalink,unknown", "unknown", ""} {
		var err error
		st, err = b.Poll(context.Background(), b.account, post("V", video()), st)
		if err != nil || st.Data[noteAfterwards] != left || st.RequiresPolling != (left != "") {
			t.Fatalf("after step %d: %v, state %+v; want %q left", i+1, err, st, left)
		}
	}
	want := []string{"the thumbnail could not be set: the asset is not there any more",
		"the Page 88 could not be invited: m", "the address of the story could not be read: m"}
	if !slices.Equal(st.Warnings, want) {
		t.Errorf("warnings %q, want %q", st.Warnings, want)
	}
}

func TestPermalinksMayBePaths(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for permalink, want := range map[string]string{"": b.consentURL + "/1_2",
		"/cafe/videos/9/":        b.consentURL + "/cafe/videos/9/",
		"https://facebook.com/x": "https://facebook.com/x"} {
		if got := b.permalink(permalink, "1_2"); got != want {
			t.Errorf("permalink of %q: %s, want %s", permalink, got, want)
		}
	}
}

func TestUnreadablePhotosAreRetried(t *testing.T) {
	t.Parallel()
	broken := image("a.jpg", "")
	broken.Open = func(context.Context) (provider.MediaReader, error) { return nil, errors.New("down") }
	for name, tc := range map[string]struct {
		media provider.Media
		want  string
	}{"unreadable": {broken, "the media could not be read"},
		"without an id":         {image("a.jpg", ""), "Facebook answered without the id of the photo"},
		"a video without an id": {video(), "Facebook answered without the id of the video"}} {
		b := answering(t, http.StatusOK, `{}`)
		st, err := b.Prepare(context.Background(), b.account, post("P", tc.media), provider.State{})
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
			failure.Message != tc.want || st.Ready {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Facebook has accepted the video. If it does not know it in the end, nobody knows whether it is public.
func TestAcceptedVideoThatCannotBeReadIsUnknown(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		body   string
		after  time.Duration
		want   provider.Kind
	}{
		{400, `{"error":{"code":100,"error_subcode":33,"message":"gone"}}`, time.Minute, ""},
		{400, `{"error":{"code":100,"error_subcode":33,"message":"gone"}}`, time.Hour, provider.OutcomeUnknown},
		{404, "not found", time.Hour, provider.OutcomeUnknown},
		{503, "<html>", time.Minute, ""},
		{503, "<html>", time.Hour, ""}, // an outage: it counts as published, with a warning
		{400, `{"error":{"code":190,"message":"expired"}}`, time.Minute, provider.AuthExpired},
	} {
		b := answering(t, tc.status, tc.body)
		st := provider.State{RequiresPolling: true, Uploads: []provider.Upload{{ID: "901", Step: stepReady}}}
		st.WaitUntil(b.clock.Now(), b.clock.Now(), processing)
		b.clock.Advance(tc.after)
		st, err := b.Poll(context.Background(), b.account, post("V", video()), st)
		failure := provider.AsError(err)
		if (failure == nil) != (tc.want == "") || failure != nil && failure.Kind != tc.want ||
			st.Done != (tc.status == 503 && tc.after == time.Hour) {
			t.Errorf("%d %s after %s: %v, state %+v; want %q", tc.status, tc.body, tc.after, err, st, tc.want)
		}
	}
}
