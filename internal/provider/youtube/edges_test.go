package youtube

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"crier/internal/provider"
)

// TestRejectedVideosHaveAReason tests every status of a video that YouTube accepted and then rejected.
func TestRejectedVideosHaveAReason(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status  string
		code    provider.Code
		scope   provider.Scope
		message string
	}{
		{status: `{"uploadStatus":"uploaded"}`}, {status: `{"uploadStatus":"processed"}`}, {status: `{}`},
		{status: `{"uploadStatus":"failed","failureReason":"codec"}`, code: provider.CodeMediaRejected,
			message: "YouTube could not process the video: codec"},
		{status: `{"uploadStatus":"failed"}`, code: provider.CodeMediaRejected,
			message: "YouTube could not process the video: no reason given"},
		{status: `{"uploadStatus":"deleted"}`, code: provider.CodeContentRejected, message: "the video was deleted on YouTube"},
		{status: `{"uploadStatus":"rejected","rejectionReason":"copyright"}`, code: provider.CodeContentRejected,
			message: "YouTube rejected the video: copyright"},
		{status: `{"uploadStatus":"rejected"}`, code: provider.CodeContentRejected,
			message: "YouTube rejected the video: no reason given"},
		{status: `{"uploadStatus":"rejected","rejectionReason":"duplicate"}`, code: provider.CodeDuplicateContent,
			message: "YouTube rejected the video: duplicate"},
		{status: `{"uploadStatus":"rejected","rejectionReason":"uploaderAccountSuspended"}`, code: provider.CodeAccountRestricted,
			scope: provider.ScopeAccount, message: "YouTube rejected the video: uploaderAccountSuspended"},
	} {
		var v video
		if err := json.Unmarshal([]byte(`{"id":"1","status":`+tc.status+`}`), &v); err != nil {
			t.Fatal(err)
		}
		failure := provider.AsError(judgeVideo(v))
		if (failure == nil) != (tc.code == "") || failure != nil && (failure.Kind != provider.Rejected ||
			failure.Code != tc.code || failure.Scope != tc.scope || failure.Message != tc.message) {
			t.Errorf("%s: %+v, want %s: %s", tc.status, failure, tc.code, tc.message)
		}
	}
}

func TestSessionOffsets(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int64{"": 0, "bytes=0-0": 1, "bytes=0-524287": 524_288, "0-99": 100,
		"bytes=0-": 0, "bytes=0-x": 0, "bytes=": 0, "bytes=0--5": 0} {
		header := http.Header{}
		header.Set("Range", value)
		if got := storedBytes(header); got != want {
			t.Errorf("%q: %d bytes, want %d", value, got, want)
		}
	}
	for size, want := range map[int64]int64{0: 0, 1: unit, unit: unit, unit + 1: 2 * unit} {
		if got := roundUp(size); got != want {
			t.Errorf("%d bytes are rounded to %d, want %d", size, got, want)
		}
	}
	for _, tc := range []struct{ size, next, want int64 }{{unit, 0, 0}, {unit + 1, 0, unit}, {3 * unit, 0, 2 * unit},
		{3 * unit, 2 * unit, 0}, {1, 1, 0}, {0, 0, 0}} {
		if got := sendable(&provider.Upload{Size: tc.size, NextByte: tc.next}); got != tc.want {
			t.Errorf("of %d bytes, %d may be sent after %d, want %d", tc.size, got, tc.next, tc.want)
		}
	}
}

func TestSessionsContinueOrRestart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		body   string
		kind   provider.Kind
		step   string
		video  string
	}{
		{status: 308, step: stepSending},
		{status: 200, body: `{"id":"v1","status":{"privacyStatus":"private"}}`, step: stepAsking, video: "v1"},
		{status: 201, body: `{}`, kind: provider.Temporary, step: stepAsking},
		{status: 404, kind: provider.Temporary, step: stepNew},
		{status: 410, kind: provider.Temporary, step: stepNew},
		{status: 503, kind: provider.Temporary, step: stepAsking},
		{status: 401, kind: provider.AuthExpired, step: stepAsking},
		{status: 200, body: `<html>`, kind: provider.Temporary, step: stepAsking},
	} {
		b := answering(t, tc.status, map[string]string{"Range": "bytes=0-262143"}, tc.body)
		st := provider.State{}
		st.Hide(secretSession, provider.Secret(b.api.BaseURL+"/session"))
		u := provider.Upload{Step: stepAsking, Size: 600_000, ChunkSize: unit}
		failure := provider.AsError(b.askSession(context.Background(), b.account, &st, &u))
		if (failure == nil) != (tc.kind == "") || failure != nil && failure.Kind != tc.kind || u.Step != tc.step ||
			st.Data[noteVideo] != tc.video {
			t.Errorf("%d %s: %v, upload %+v, notes %v", tc.status, tc.body, failure, u, st.Data)
		}
		if tc.status == 308 && u.NextByte != unit {
			t.Errorf("it continues at %d", u.NextByte)
		}
		if tc.video != "" && st.Data[noteTakenPrivacy] != "private" {
			t.Errorf("privacy %q", st.Data[noteTakenPrivacy])
		}
	}
}

func TestUploadRestartsAreBounded(t *testing.T) {
	t.Parallel()
	for redone := range maxRedone + 1 {
		u := provider.Upload{Step: stepSending, NextByte: 5, Redone: redone}
		failure := provider.AsError(restart(&u, &provider.Error{}))
		if redone < maxRedone && (failure.Kind != provider.Temporary || u.Step != stepNew || u.NextByte != 0 ||
			u.Redone != redone+1) {
			t.Errorf("after %d: %v, %+v", redone, failure, u)
		}
		if redone == maxRedone && (failure.Kind != provider.Rejected || failure.Code != provider.CodeMediaRejected) {
			t.Errorf("after %d: %v, want it given up", redone, failure)
		}
	}
	b := answering(t, 200, nil, `{}`)
	st, err := b.Prepare(context.Background(), b.account, clip(), provider.State{})
	if failure := provider.AsError(err); failure == nil ||
		failure.Message != "YouTube did not say where to upload" || len(st.Secrets) != 0 {
		t.Errorf("without an upload URL: %v", err)
	}
}

// TestSessionsWithAllBytesAreReadAgain: YouTube may have all bytes of a video and not have made it yet. There is
// nothing left to send then, and the video may be there a moment later.
func TestSessionsWithAllBytesAreReadAgain(t *testing.T) {
	t.Parallel()
	for _, told := range []string{"bytes=0-599999", "bytes=0-699999"} {
		b := answering(t, 308, map[string]string{"Range": told}, "")
		upload := provider.Upload{Step: stepSending, NextByte: 2 * unit, Size: 600_000, ChunkSize: unit}
		st := provider.State{Ready: true, Uploads: []provider.Upload{upload}}
		st.Hide(secretSession, provider.Secret(b.api.BaseURL+"/session"))

		lost, err := b.Commit(context.Background(), b.account, clip(), st)
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
			t.Errorf("%s: Commit = %v, want an unknown outcome", told, err)
		}
		if u := lost.Upload(0, 0); u.NextByte >= u.Size || u.Step != stepAsking {
			t.Errorf("%s: upload %+v", told, u)
		}
		outcome, _, err := b.Reconcile(context.Background(), b.account, clip(), lost, provider.Attempt{})
		if failure := provider.AsError(err); outcome != "" || failure == nil || failure.Kind != provider.Temporary {
			t.Errorf("%s: Reconcile = %q, %v; want it read again", told, outcome, err)
		}
		next, err := b.Prepare(context.Background(), b.account, clip(), lost)
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary || next.Ready {
			t.Errorf("%s: Prepare = %+v, %v; want it read again", told, next, err)
		}
	}
}

// TestRefusedChunkIsCheckedFirst: a chunk may be refused because the session already has more bytes.
func TestRefusedChunkIsCheckedFirst(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		failure *provider.Error
		redone  int
		kind    provider.Kind
		step    string
	}{
		{&provider.Error{Kind: provider.Temporary}, 0, provider.Temporary, stepAsking},
		{&provider.Error{Kind: provider.Temporary, Err: errSessionGone}, 0, provider.Temporary, stepNew},
		{&provider.Error{Kind: provider.Rejected}, 0, provider.Temporary, stepAsking},
		{&provider.Error{Kind: provider.Rejected}, maxRedone, provider.Rejected, stepSending},
		{&provider.Error{Kind: provider.Rejected, Scope: provider.ScopeAccount}, 0, provider.Rejected, stepSending},
		{&provider.Error{Kind: provider.RateLimited}, 0, provider.RateLimited, stepSending},
	} {
		u := provider.Upload{Step: stepSending, Redone: tc.redone}
		if got := provider.AsError(afterRefusedPiece(&u, tc.failure)); got.Kind != tc.kind || u.Step != tc.step {
			t.Errorf("%+v after %d: %s, step %q; want %s, %q", tc.failure, tc.redone, got.Kind, u.Step,
				tc.kind, tc.step)
		}
	}
}

func TestUploadsPlaylistIsDerivedFromTheChannel(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]provider.Account{
		"UUabc": {ProviderAccountID: "UCabc"}, "": {ProviderAccountID: "UC"},
		"PL1": {ProviderAccountID: "UCabc", Details: json.RawMessage(`{"uploadsPlaylistId":"PL1"}`)},
		"UUx": {ProviderAccountID: "UCx", Details: json.RawMessage(`{"uploadsPlaylistId":7}`)},
	} {
		if got := uploadsPlaylist(a); got != want {
			t.Errorf("%+v: %q, want %q", a, got, want)
		}
	}
}

func TestReportsSkipMissingValues(t *testing.T) {
	t.Parallel()
	var r report
	if err := json.Unmarshal([]byte(`{"columnHeaders":[{"name":"video"},{"name":"estimatedMinutesWatched"},{"name":"averageViewDuration"}],
		"rows":[["a",12.9,30],["b",null,31],["c","x"],["d"]]}`), &r); err != nil {
		t.Fatal(err)
	}
	for i, want := range []map[string]int64{{"watchMinutes": 12, "averageViewSeconds": 30},
		{"averageViewSeconds": 31}, {}, {}} {
		got := r.watched(r.Rows[i])
		if len(got) != len(want) {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
		for name, n := range want {
			if got[name] != n {
				t.Errorf("row %d: %s is %d, want %d", i, name, got[name], n)
			}
		}
	}
	if cell := r.cell(r.Rows[0], "unknown"); cell != nil {
		t.Errorf("a missing column has %s", cell)
	}
}

func TestCountsAreStringsOrNumbers(t *testing.T) {
	t.Parallel()
	var c videoCounts
	if err := json.Unmarshal([]byte(`{"viewCount":"12","likeCount":3,"commentCount":null}`), &c); err != nil ||
		*c.Views.value() != 12 || *c.Likes.value() != 3 || c.Comments.value() != nil || c.Favorites.value() != nil {
		t.Errorf("decoded as %+v, %v", c, err)
	}
	for _, text := range []string{`"many"`, `1.5`, `{}`, `""`} {
		var n count
		if err := json.Unmarshal([]byte(text), &n); err == nil {
			t.Errorf("%s is decoded as %d", text, n)
		}
	}
}

// TestFollowUpsAreRetriedThenSkippedWithAWarning: the video is already published.
func TestFollowUpsAreRetriedThenSkippedWithAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	left := func(st *provider.State) { st.Note("left", "true") }
	busy := &provider.Error{Kind: provider.Temporary, Message: "busy"}
	expired := &provider.Error{Kind: provider.AuthExpired, Code: provider.CodeAuthExpired, Message: "expired"}
	for _, tc := range []struct {
		name    string
		tries   int
		failure *provider.Error
		wait    time.Duration
		failed  bool
	}{
		{name: "the first attempt", failure: busy, wait: followDelay},
		{name: "the third attempt", tries: 2, failure: busy, wait: 4 * followDelay},
		{name: "a limit with a time", failure: &provider.Error{Kind: provider.RateLimited,
			Code: provider.CodeRateLimited, RetryAfter: time.Minute}, wait: time.Minute},
		{name: "a limit of a day", failure: &provider.Error{Kind: provider.RateLimited,
			Code: provider.CodeRateLimited, RetryAfter: 24 * time.Hour}, wait: longestWatch},
		{name: "the last attempt", tries: maxFollowTries, failure: busy},
		{name: "an invalid token", failure: expired, failed: true},
		{name: "an invalid token again", tries: 1, failure: expired},
		{name: "refused", failure: &provider.Error{Kind: provider.Rejected, Message: "no"}},
		{name: "the daily quota is used up", failure: &provider.Error{Kind: provider.RateLimited,
			Code: provider.CodeQuotaExhausted}},
	} {
		st := provider.State{Data: map[string]string{noteTries: strconv.Itoa(tc.tries)}}
		st, err := b.followFailed(st, tc.failure, "it did not work", left)
		again := tc.wait > 0 || tc.failed
		if (err != nil) != tc.failed || (st.Data["left"] == "") != again || (len(st.Warnings) == 0) != again {
			t.Errorf("%s: %v, state %+v", tc.name, err, st)
		}
		if tc.wait > 0 && st.NextPollAfter.Sub(b.clock.Now()) != tc.wait {
			t.Errorf("%s: it waits %v, want %v", tc.name, st.NextPollAfter.Sub(b.clock.Now()), tc.wait)
		}
		if !again && !slices.Equal(st.Warnings, []string{"it did not work: " + tc.failure.Message}) {
			t.Errorf("%s: warnings %q", tc.name, st.Warnings)
		}
	}
}

func TestUnreadableChunksAreRetried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	content := clip()
	content.Parts[0].Media[0].Open = func(context.Context) (provider.MediaReader, error) {
		return nil, errors.New("down")
	}
	st := provider.State{Uploads: []provider.Upload{{Step: stepSending, Size: 600_000, ChunkSize: unit}}}
	st.Hide(secretSession, "https://up.test")
	st, err := b.Prepare(context.Background(), b.account, content, st)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
		st.Uploads[0].Step != stepAsking {
		t.Errorf("%v, upload %+v", err, st.Uploads)
	}
}
