package tiktok

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
)

func envelopeOf(data string) string { return `{"data":` + data + `,"error":{"code":"ok"}}` }

// TestUploadFromBeforeARestoreProvesOnlySuccess: the attempt may have used another upload, so one that failed or is
// incomplete proves nothing; restarting it could post twice.
func TestUploadFromBeforeARestoreProvesOnlySuccess(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status       string
		fresh, stale provider.Outcome
	}{
		{`{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[7123456789012345678]}`, provider.OutcomePublished, provider.OutcomePublished},
		{`{"status":"SEND_TO_USER_INBOX"}`, provider.OutcomePublished, provider.OutcomePublished},
		{`{"status":"PROCESSING_UPLOAD","uploaded_bytes":12000005}`, provider.OutcomePublished, provider.OutcomePublished},
		{`{"status":"PROCESSING_DOWNLOAD"}`, provider.OutcomePublished, provider.OutcomePublished},
		{`{"status":"PROCESSING_UPLOAD","uploaded_bytes":5000000}`, provider.OutcomeAbsent, provider.OutcomeUnclear},
		{`{"status":"FAILED","fail_reason":"internal"}`, provider.OutcomePublished, provider.OutcomeUnclear},
	} {
		for stale, want := range map[bool]provider.Outcome{false: tc.fresh, true: tc.stale} {
			b := answering(t, 200, envelopeOf(tc.status))
			st := provider.State{PublishID: "p1", Uploads: []provider.Upload{{ID: "p1", Step: stepSending,
				Size: 12_000_005, ChunkSize: 5_000_000, NextByte: 5_000_000}}}
			got, _, err := b.Reconcile(context.Background(), b.account, clip(public), st,
				provider.Attempt{StartedAt: b.clock.Now(), Stale: stale})
			if err != nil || got != want {
				t.Errorf("%s, stale %t: %q, %v; want %q", tc.status, stale, got, err, want)
			}
		}
	}
}

func TestUnknownLostUploadsAreUnclear(t *testing.T) {
	t.Parallel()
	st := provider.State{PublishID: "p1", Uploads: []provider.Upload{{ID: "p1", Step: stepSending, Size: 12_000_005,
		ChunkSize: 5_000_000}}}
	for code, want := range map[string]provider.Outcome{"invalid_publish_id": provider.OutcomeUnclear,
		"token_not_authorized_for_specified_publish_id": provider.OutcomeUnclear, "access_token_invalid": ""} {
		b := answering(t, 400, refusal(code))
		got, _, err := b.Reconcile(context.Background(), b.account, clip(public), st,
			provider.Attempt{StartedAt: b.clock.Now()})
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v; want %q", code, got, err, want)
		}
	}
	b := setup(t)
	if s := b.Strategy(b.account, withSettings(clip(public), `{"tiktokPrivacyLevel":7}`), st); s.Method != provider.Impossible {
		t.Errorf("with invalid settings: %+v", s)
	}
}

func TestUnsupportedContentIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, tc := range map[string]struct {
		content provider.Content
		want    string
	}{
		"a comment": {provider.Content{Action: provider.Comment, Parts: []provider.Part{{Text: "a"}}},
			"comment: TikTok takes no comments from other programs"},
		"a repost": {provider.Content{Action: provider.Repost},
			"repostAfter: TikTok takes no reposts from other programs"},
		"a quote": {provider.Content{Action: provider.Quote},
			"repostAfter: TikTok takes no reposts from other programs"},
		"nothing": {provider.Content{Action: provider.Post}, "postInput: has no content"},
		"a thread": {provider.Content{Action: provider.Post, Parts: make([]provider.Part, 2)},
			"postInput.posts: TikTok has no threads: only a single post can be published there"},
		"a text alone": {provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "a"}}},
			"postInput.attachments: TikTok needs a video or pictures"},
		"invalid settings": {withSettings(clip(public), `{"tiktokTitle":7}`), "platformSettings: cannot be read"},
	} {
		found := b.Check(b.account, tc.content)
		if len(found.Issues) != 1 || strings.Join(found.Issues[0].Path, ".")+": "+found.Issues[0].Message != tc.want {
			t.Errorf("%s: %v, want %s", name, found.Issues, tc.want)
		}
	}
}

func TestMessagesNameTheCodeAndTheLogOnce(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]apiError{"": {}, "spam_risk": {Code: "spam_risk"},
		"No. (spam_risk)":         {Code: "spam_risk", Message: "No."},
		"No. (spam_risk) [log 9]": {Code: "spam_risk", Message: "No.", LogID: "9"}, "No.": {Message: "No."}} {
		if e.LogID == "" && want == "" {
			e.LogID = "9" // a log id without an error is not shown
		}
		if got := e.message(); got != want {
			t.Errorf("%+v: message %q, want %q", e, got, want)
		}
	}
}

func TestUploadsWithoutAnAddressRestart(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{}`, `{"publish_id":"p"}`, `{"upload_url":"https://up.test"}`} {
		b := answering(t, 200, envelopeOf(data))
		st := provider.State{Uploads: []provider.Upload{{}}}
		plan, err := b.newPlan(clip(public))
		if err != nil {
			t.Fatal(err)
		}
		st, err = b.uploadStep(context.Background(), b.account, plan, st)
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
			st.PublishID != "" || st.Uploads[0].Step != stepNew ||
			failure.Message != "TikTok did not say where to upload" {
			t.Errorf("%s: %v, state %+v", data, err, st)
		}
	}
}

// TestUploadRestartsAreBounded: the address of the old upload is forgotten.
func TestUploadRestartsAreBounded(t *testing.T) {
	t.Parallel()
	for redone := range maxRedone + 1 {
		st := provider.State{PublishID: "p"}
		st.Hide(secretUpload, "https://up.test/?token=1")
		u := provider.Upload{ID: "p", Step: stepSending, Redone: redone}
		failure := provider.AsError(restart(&st, &u, &provider.Error{Message: "gone"}))
		if redone < maxRedone && (failure.Kind != provider.Temporary || u.Step != stepNew || u.Redone != redone+1 ||
			st.PublishID != "" || len(st.Secrets) != 0) {
			t.Errorf("after %d: %v, %+v, %+v", redone, failure, u, st)
		}
		if redone == maxRedone && (failure.Kind != provider.Rejected || failure.Code != provider.CodeMediaRejected) {
			t.Errorf("after %d: %v, want it given up", redone, failure)
		}
	}
}

func TestUploadContinuesAtTikToksOffset(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status, step string
		next         int64
		taken        bool
		kind         provider.Kind
	}{
		{status: `{"status":"PROCESSING_UPLOAD","uploaded_bytes":0}`, step: stepSending},
		{status: `{"status":"PROCESSING_UPLOAD","uploaded_bytes":4999999}`, step: stepSending},
		{status: `{"status":"PROCESSING_UPLOAD","uploaded_bytes":5000000}`, step: stepSending, next: 5_000_000},
		{status: `{"status":"PROCESSING_UPLOAD","uploaded_bytes":12000004}`, step: stepSending, next: 5_000_000},
		{status: `{"status":"PROCESSING_UPLOAD","uploaded_bytes":12000005}`, step: stepAsking, taken: true},
		{status: `{"status":"PUBLISH_COMPLETE"}`, step: stepAsking, taken: true},
		{status: `{"status":"FAILED","fail_reason":"internal"}`, step: stepNew, kind: provider.Temporary},
		{status: `{"status":"FAILED","fail_reason":"spam_risk_too_many_posts"}`, step: stepNew,
			kind: provider.Temporary},
		{status: `{"status":"FAILED","fail_reason":"file_format_check_failed"}`, step: stepAsking,
			kind: provider.Rejected},
		{status: `{"status":"FAILED","fail_reason":"spam_risk_user_banned_from_posting"}`, step: stepAsking,
			kind: provider.Rejected},
	} {
		b := answering(t, 200, envelopeOf(tc.status))
		st := provider.State{PublishID: "p"}
		u := provider.Upload{ID: "p", Step: stepAsking, Size: 12_000_005, ChunkSize: 5_000_000}
		failure := provider.AsError(b.askUpload(context.Background(), b.account, &st, &u))
		if (failure == nil) != (tc.kind == "") || failure != nil && failure.Kind != tc.kind || u.Step != tc.step ||
			u.NextByte != tc.next || (st.Data[noteTaken] != "") != tc.taken {
			t.Errorf("%s: %v, upload %+v, notes %v", tc.status, failure, u, st.Data)
		}
	}
}

func TestPollIntervalGrows(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]time.Duration{0: 2 * time.Second, 8 * time.Second: 2 * time.Second,
		20 * time.Second: 5 * time.Second, 40 * time.Minute: 10 * time.Minute, 5 * time.Hour: longestDelay} {
		if got := pollDelay(waited); got != want {
			t.Errorf("after %v: polled after %v, want %v", waited, got, want)
		}
	}
}

func TestPermalinksNeedTheCreatorsName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pictures := plan{photos: []provider.Media{{}}}
	for _, tc := range []struct {
		handle string
		plan   plan
		want   string
	}{
		{"", plan{}, ""}, {"ada", plan{}, "/@ada/video/7"}, {"@ada", plan{}, "/@ada/video/7"},
		{"ada", pictures, "/@ada/photo/7"}, {"a b", plan{}, "/@a%20b/video/7"},
	} {
		got := b.permalink(provider.Account{Handle: tc.handle}, provider.State{}, tc.plan, "7")
		if want := tc.want; want != "" && got != b.consentURL+want || want == "" && got != "" {
			t.Errorf("%q: %s, want %s", tc.handle, got, want)
		}
	}
}

func TestPostIDsKeepAllDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{}`: "", `{"publicaly_available_post_id":[]}`: "",
		`{"publicaly_available_post_id":[7123456789012345679]}`:   "7123456789012345679",
		`{"publicaly_available_post_id":["7123456789012345679"]}`: "7123456789012345679",
		`{"publicaly_available_post_id":[1,2]}`:                   "1"} {
		var s statusAnswer
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.postID() != want {
			t.Errorf("%s: %q, %v; want %q", text, s.postID(), err, want)
		}
	}
}

func TestDisabledOptionsCannotBeTurnedOn(t *testing.T) {
	t.Parallel()
	b := answering(t, 200, envelopeOf(`{"creator_username":"ada","creator_nickname":"Ada","creator_avatar_url":"https://i.test/a",
		"privacy_level_options":["PUBLIC_TO_EVERYONE","SELF_ONLY","NEW_LEVEL"],"comment_disabled":true,"duet_disabled":false,"stitch_disabled":true}`))
	for setting, want := range map[string][]string{
		keyPrivacyLevel: {"PUBLIC_TO_EVERYONE=Everyone", "SELF_ONLY=Only you", "NEW_LEVEL="},
		keyAllowComment: {"false=Off"}, keyAllowDuet: {"false=Off", "true=On"}, keyAllowStitch: {"false=Off"}} {
		choices, err := b.Choices(context.Background(), b.account, setting, "")
		var got []string
		for _, c := range choices.List {
			got = append(got, c.Value+"="+c.Label)
		}
		if err != nil || !slices.Equal(got, want) || *choices.Face != (provider.Face{DisplayName: "Ada", Handle: "ada", ImageURL: "https://i.test/a"}) {
			t.Errorf("%s: %v, face %+v, %v; want %v", setting, got, choices.Face, err, want)
		}
	}
	_, err := answering(t, 401, refusal("access_token_invalid")).Choices(context.Background(), b.account,
		keyAllowDuet, "")
	if failure := provider.AsError(err); failure == nil || failure.Code != provider.CodeAuthExpired {
		t.Errorf("invalid token: %v", err)
	}
}

func TestUnreadableVideosAreRetried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	content := clip(public)
	content.Parts[0].Media[0].Open = func(context.Context) (provider.MediaReader, error) {
		return nil, errors.New("down")
	}
	plan, err := b.newPlan(content)
	if err != nil {
		t.Fatal(err)
	}
	st := provider.State{Uploads: []provider.Upload{{Step: stepSending, Size: 12_000_005, ChunkSize: 5_000_000}}}
	st.Hide(secretUpload, "https://up.test")
	st, err = b.uploadStep(context.Background(), b.account, plan, st)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
		st.Uploads[0].Step != stepAsking {
		t.Errorf("%v, upload %+v", err, st.Uploads)
	}
}
