package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier/internal/provider"
)

// deleter is a network that can also delete.
type deleter struct{ plain }

func (deleter) Delete(context.Context, provider.Account, string) (provider.Deletion, error) {
	return provider.Deleted, nil
}

func TestRegistryRejectsContradictions(t *testing.T) {
	t.Parallel()
	declared := plainInfo("my")
	declared.Abilities.Delete = true
	comments := plainInfo("my")
	comments.Abilities.Comment = true
	for _, tc := range []struct {
		name      string
		providers []provider.Provider
		want      string // part of the error; empty if there is none
	}{
		{"consistent", []provider.Provider{deleter{plain{info: declared}}}, ""},
		{"declared, not implemented", []provider.Provider{plain{info: declared}},
			"ability delete: declared true, implemented false"},
		{"implemented, not declared", []provider.Provider{deleter{plain{info: plainInfo("my")}}},
			"ability delete: declared false, implemented true"},
		{"comments without a format", []provider.Provider{plain{info: comments}}, "belong together"},
		{"two of one name", []provider.Provider{plain{info: plainInfo("my")}, plain{info: plainInfo("my")}},
			"registered twice"},
		{"no name", []provider.Provider{plain{info: plainInfo("")}}, "are needed"},
		{"setting without prefix", []provider.Provider{plain{info: plainInfo("my", provider.Setting{Key: "mode"})}},
			"capitalised"},
		{"setting without capital", []provider.Provider{plain{info: plainInfo("my", provider.Setting{Key: "mymode"})}},
			"capitalised"},
		{"setting twice", []provider.Provider{plain{info: plainInfo("my", provider.Setting{Key: "myA"},
			provider.Setting{Key: "myA"})}}, "declared twice"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := provider.NewRegistry(tc.providers...)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("NewRegistry error = %v, want %q", err, tc.want)
			}
		})
	}
}

func TestFeaturesFollowImplementedInterfaces(t *testing.T) {
	t.Parallel()
	info := plainInfo("my")
	info.Abilities.Delete = true
	p := deleter{plain{info: info}}
	r := newRegistry(t, p)
	if f := r.Features(p); f.Deleter == nil || f.Meter != nil || f.Connector != nil {
		t.Errorf("features %+v", f)
	}
	got, ok := r.Get("my")
	if _, known := r.Get("other"); !ok || known || got.Info().Name != "my" {
		t.Error("Get does not find by name")
	}
	if c := r.Capabilities(p, provider.Account{}); !c.Delete || c.PostMetrics || len(c.PostTypes) != 1 {
		t.Errorf("capabilities %+v", c)
	}
	if cost := r.Cost(p, provider.Content{Parts: make([]provider.Part, 2)}); !cmp.Equal(cost, []int64{0, 0}) {
		t.Errorf("cost %v, want 0 for each part", cost)
	}
}

func TestStateRoundTripsWithoutSecrets(t *testing.T) {
	t.Parallel()
	st := provider.State{
		Ready: true, RequiresPolling: true, PollingReason: "waiting", NextPollAfter: now, PollingSince: now,
		PublishID:      "p",
		ProviderStatus: "s", FailureCode: "f", UploadProgress: &provider.UploadProgress{NextByteStart: 1,
			UploadSize: 2},
		Uploads: []provider.Upload{{Part: 1, Media: 2, ID: "u", Step: "sent", NextByte: 3, Size: 4, ChunkSize: 5,
			Tags: []string{"e"}, ExpiresAt: now, Redone: 1}},
		ContainerID: "c", Data: map[string]string{"k": "v"}, Warnings: []string{"w"},
	}
	st.Publish(provider.Published{PlatformPostID: "1", Permalink: "l", PublishedAt: now}, 2)
	st.Hide("uploadUrl", "https://up.test/?token=1")
	data, err := json.Marshal(st)
	if err != nil || strings.Contains(string(data), "up.test") {
		t.Fatalf("encoded %s, %v", data, err)
	}
	var got provider.State
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	st.Secrets = nil
	if diff := cmp.Diff(st, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	for _, key := range []string{"requiresPolling", "publishId", "platformPostId", "providerStatus", "pollingReason",
		"uploadProgress", "failureCode"} {
		if !strings.Contains(string(data), `"`+key+`"`) {
			t.Errorf("the contract's key %s is missing in %s", key, data)
		}
	}
}

func TestCloneIsDeep(t *testing.T) {
	t.Parallel()
	st := provider.State{
		Published: []provider.Published{{PlatformPostID: "1"}}, Uploads: []provider.Upload{{Tags: []string{"a"}}},
		Warnings:       []string{"w"},
		UploadProgress: &provider.UploadProgress{}, Data: map[string]string{"k": "v"},
		Secrets: map[string]provider.Secret{"k": "v"},
	}
	clone := st.Clone()
	clone.Published[0].PlatformPostID, clone.Uploads[0].Tags[0], clone.Warnings[0] = "2", "b", "x"
	clone.UploadProgress.UploadSize = 9
	clone.Note("k", "x")
	clone.Hide("k", "x")
	if st.Published[0].PlatformPostID != "1" || st.Uploads[0].Tags[0] != "a" || st.Warnings[0] != "w" ||
		st.UploadProgress.UploadSize != 0 ||
		st.Data["k"] != "v" || st.Secrets["k"] != "v" {
		t.Errorf("the original changed: %+v", st)
	}
}

func TestWaitingKeepsItsStart(t *testing.T) {
	t.Parallel()
	var st provider.State
	st.WaitUntil(now.Add(time.Second), now, "a")
	st.WaitUntil(now.Add(time.Minute), now.Add(time.Second), "a")
	if !st.PollingSince.Equal(now) {
		t.Errorf("waiting since %v, want %v", st.PollingSince, now)
	}
	st.WaitUntil(now.Add(time.Minute), now.Add(time.Second), "b")
	if st.PollingSince.Equal(now) {
		t.Error("another reason must start a new wait")
	}
	if st.StopWaiting(); !st.NextPollAfter.IsZero() || st.PollingReason != "" {
		t.Errorf("still waiting: %+v", st)
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	t.Parallel()
	a := provider.Account{Token: provider.Token{Access: "access-token",
		Extra: map[string]provider.Secret{"user": "user-token"}}}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "token", a.Token.Access)
	shown := fmt.Sprintf("%v %+v %#v %s %q %s", a, a, a, a.Token.Access, a.Token.Access, log.String())
	if strings.Contains(shown, "access-token") || strings.Contains(shown, "user-token") {
		t.Errorf("a secret appears in %s", shown)
	}
	if _, err := json.Marshal(a.Token); err == nil {
		t.Error("a token was encoded")
	}
	if a.Token.Access.Reveal() != "access-token" {
		t.Error("Reveal does not reveal")
	}
}

func TestForeignErrorsAreUnknown(t *testing.T) {
	t.Parallel()
	if provider.AsError(nil) != nil {
		t.Error("nil became an error")
	}
	if e := provider.AsError(errors.New("bug")); e.Kind != provider.OutcomeUnknown {
		t.Errorf("kind %s, want an unknown outcome", e.Kind)
	}
	cause := &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected,
		Scope: provider.ScopeInstallation, Message: "m"}
	if e := provider.AsError(fmt.Errorf("wrapped: %w", cause)); e != cause || !e.OperatorProblem() ||
		e.Error() != "media_rejected: m" {
		t.Errorf("unwrapped %v", e)
	}
}

func TestTextLengthUnits(t *testing.T) {
	t.Parallel()
	const text = "aä😀"
	for unit, want := range map[provider.TextUnit]int{provider.Characters: 3, provider.UTF16: 4, provider.Bytes: 7,
		provider.Weighted: 42} {
		limit := provider.TextLimit{Unit: unit, Count: func(string) int { return 42 }}
		if got := limit.Length(text); got != want {
			t.Errorf("%s of %q: %d, want %d", unit, text, got, want)
		}
	}
}

func TestMediaChecksSkipUnknownValues(t *testing.T) {
	t.Parallel()
	limit := provider.MediaLimit{
		MinBytes: 10, MaxBytes: 100, MinSeconds: 3, MaxSeconds: 60, MinWidth: 320, MaxWidth: 1440, MaxPixels: 1_000_000,
		MinAspect: 0.8, MaxAspect: 1.91,
		MinFPS: 23, MaxFPS: 60, MaxFrames: 10, VideoCodecs: []string{"h264"}, AudioCodecs: []string{"aac"},
	}
	good := provider.Media{Size: 50, Duration: 10 * time.Second, Width: 1000, Height: 1000, FrameRate: 30, Frames: 1,
		VideoCodec: "h264", AudioCodec: "aac"}
	for _, tc := range []struct {
		name   string
		change func(*provider.Media)
		want   string
	}{
		{"good", func(*provider.Media) {}, ""},
		{"nothing known but the size", func(m *provider.Media) { *m = provider.Media{Size: 10} }, ""},
		{"too small", func(m *provider.Media) { m.Size = 9 }, "too small"},
		{"too large", func(m *provider.Media) { m.Size = 101 }, "too large"},
		{"too short", func(m *provider.Media) { m.Duration = 2 * time.Second }, "too short"},
		{"too long", func(m *provider.Media) { m.Duration = 61 * time.Second }, "too long"},
		{"too narrow", func(m *provider.Media) { m.Width, m.Height = 319, 319 }, "widths 320 to 1440"},
		{"too many pixels", func(m *provider.Media) { m.Width, m.Height = 1001, 1000 }, "too many pixels"},
		{"too tall", func(m *provider.Media) { m.Width, m.Height = 700, 1000 }, "aspect ratio 0.70"},
		{"too slow", func(m *provider.Media) { m.FrameRate = 22 }, "too few frames"},
		{"too fast", func(m *provider.Media) { m.FrameRate = 61 }, "too many frames per second"},
		{"too many frames", func(m *provider.Media) { m.Frames = 11 }, "too many frames"},
		{"video codec", func(m *provider.Media) { m.VideoCodec = "av1" }, "video codec av1"},
		{"audio codec", func(m *provider.Media) { m.AudioCodec = "opus" }, "audio codec opus"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := good
			tc.change(&m)
			got := strings.Join(limit.Problems(m), "; ")
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("problems %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFormatMediaRequirements(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]provider.Format{
		"needs a picture or a video": {MinMedia: 1, MaxMedia: 2,
			Media: []provider.MediaLimit{{Class: "image"}, {Class: "gif"}, {Class: "video"}}},
		"needs a video": {MinMedia: 1, MaxMedia: 1, Media: []provider.MediaLimit{{Class: "video"}}},
		"needs at least 2 attachments, has 0": {MinMedia: 2, MaxMedia: 4,
			Media: []provider.MediaLimit{{Class: "image"}}},
	} {
		var found provider.Findings
		f.CheckPart(provider.Content{Action: provider.Post, Parts: []provider.Part{{}}}, 0, &found)
		if len(found.Issues) != 1 || found.Issues[0].Message != want {
			t.Errorf("%+v, want %s", found.Issues, want)
		}
	}
}

func TestFormatAttachments(t *testing.T) {
	t.Parallel()
	f := provider.Format{
		Text: provider.TextLimit{Max: 5, Required: true}, MinMedia: 1, MaxMedia: 2, MaxAltText: 3,
		Media: []provider.MediaLimit{{Class: "image", MIMETypes: []string{"image/jpeg"}, MaxCount: 2},
			{Class: "video", MIMETypes: []string{"video/mp4"}, MaxCount: 1}},
	}
	jpeg := provider.Media{MIMEType: "image/jpeg"}
	clip := provider.Media{MIMEType: "video/mp4", Position: 1}
	for _, tc := range []struct {
		name, text string
		media      []provider.Media
		mixed      bool
		want       string
	}{
		{"good", "Hello", []provider.Media{jpeg, jpeg}, false, ""},
		{"no media", "Hello", nil, false, "attachments"},
		{"too many", "Hello", []provider.Media{jpeg, jpeg, jpeg}, false, "attachments"},
		{"no text", " ", []provider.Media{jpeg}, false, "text"},
		{"long text", "Hello!", []provider.Media{jpeg}, false, "text"},
		{"mixed", "Hello", []provider.Media{jpeg, clip}, false, "attachments"},
		{"mixed and allowed", "Hello", []provider.Media{jpeg, clip}, true, ""},
		{"too many of a class", "Hello", []provider.Media{clip, clip}, true, "attachments"},
		{"unknown type", "Hello", []provider.Media{{Position: 3}}, false, "attachments.3"},
		{"long alt text", "Hello", []provider.Media{{MIMEType: "image/jpeg", AltText: "äöüß"}}, false,
			"attachments.0.altText"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			format := f
			format.MixedMedia = tc.mixed
			var found provider.Findings
			format.CheckPart(provider.Content{Action: provider.Post,
				Parts: []provider.Part{{Text: tc.text, Media: tc.media}}}, 0, &found)
			var got []string
			for _, issue := range found.Issues {
				got = append(got, strings.TrimPrefix(strings.Join(issue.Path, "."), "postInput."))
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("issues at %v, want %q", found.Issues, tc.want)
			}
		})
	}
}

func TestDefaultPrepareIsReadyAndPollDoesNothing(t *testing.T) {
	t.Parallel()
	p := plain{info: plainInfo("my")}
	st, err := p.Prepare(context.Background(), provider.Account{}, provider.Content{},
		provider.State{RequiresPolling: true})
	if err != nil || !st.Ready {
		t.Errorf("Prepare = %+v, %v", st, err)
	}
	if st, err = p.Poll(context.Background(), provider.Account{}, provider.Content{}, st); err != nil ||
		st.RequiresPolling {
		t.Errorf("Poll = %+v, %v", st, err)
	}
}
