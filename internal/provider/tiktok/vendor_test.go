package tiktok

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
	sandbox "crier/internal/sandbox/tiktok"
)

const (
	vendorTitle   = "this will be a funny #cat video on your @tiktok #fyp"
	vendorCaption = "this will be a #funny photo on your @tiktok #fyp"
	vendorFriends = `{"tiktokPrivacyLevel":"MUTUAL_FOLLOW_FRIENDS","tiktokAllowDuet":true,"tiktokAllowStitch":true,
		"tiktokVideoCoverTimestampMs":1000}`
)

// vendorVideo returns the video of TikTok's examples, with a size.
func vendorVideo(size int64, settings string) provider.Content {
	m := providertest.NewMedia("example_video.mp4", "video/mp4", nil)
	m.Size = size
	m.URL = func(context.Context) (string, error) {
		return "https://example.verified.domain.com/example_video.mp4", nil
	}
	return withSettings(provider.Content{Action: provider.Post, PostType: "text_video",
		Parts: []provider.Part{{Text: vendorTitle, Media: []provider.Media{m}}}}, settings)
}

func vendorPhotos(settings string) provider.Content {
	c := withSettings(provider.Content{Action: provider.Post, PostType: "carousel",
		Parts: []provider.Part{{Text: vendorCaption}}}, settings)
	for _, name := range []string{"example-image-01.webp", "example-image-02.webp"} {
		m := providertest.NewMedia(name, "image/webp", []byte("a picture"))
		m.URL = func(context.Context) (string, error) { return "https://tiktokcdn.com/obj/" + name, nil }
		c.Parts[0].Media = append(c.Parts[0].Media, m)
	}
	return c
}

// vendorState returns a State with the creator of TikTok's examples.
func vendorState(b bundle) provider.State {
	st := provider.State{}
	st.Note(noteCreator, `{"privacy_level_options":["PUBLIC_TO_EVERYONE","MUTUAL_FOLLOW_FRIENDS","SELF_ONLY"]}`)
	st.Note(noteCreatorAt, b.clock.Now().Format("2006-01-02T15:04:05Z07:00"))
	return st
}

// TestVendorExamples replays the examples of TikTok's documentation (testdata/vendor names the pages).
func TestVendorExamples(t *testing.T) {
	t.Parallel()
	at := func(t *testing.T, address string, pull bool, limits Limits) bundle {
		b := setup(t)
		p, err := New(Config{Caller: providertest.NewCaller(b.clock), Now: b.clock.Now, Limits: limits,
			PullVideos: pull}.WithBase(address))
		if err != nil {
			t.Fatal(err)
		}
		b.Provider = p
		return b
	}
	begin := func(c provider.Content, id string, limits Limits) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := at(t, address, false, limits)
			st, err := b.Prepare(context.Background(), b.account, c, vendorState(b))
			if err != nil || st.PublishID != id || st.Secrets[secretUpload] == "" {
				t.Errorf("Prepare = %+v, %v", st, err)
			}
		}
	}
	commit := func(c provider.Content, id string) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := at(t, address, true, Limits{})
			st := vendorState(b)
			st.Ready = true
			st, err := b.Commit(context.Background(), b.account, c, st)
			if err != nil || st.PublishID != id || !st.RequiresPolling {
				t.Errorf("Commit = %+v, %v", st, err)
			}
		}
	}
	providertest.RunVendor(t, providertest.Vendor{
		Calls: map[string]func(*testing.T, string){
			"creator": func(t *testing.T, address string) {
				b := at(t, address, false, Limits{})
				got, err := b.Choices(context.Background(), b.account, "tiktokPrivacyLevel", "")
				if err != nil || len(got.List) != 3 || got.Face == nil || got.Face.DisplayName != "TikTok Official" {
					t.Errorf("Choices = %+v, %v", got, err)
				}
			},
			"video-file": begin(vendorVideo(50_000_123, vendorFriends), "v_pub_file~v2-1.123456789",
				Limits{SingleChunkBytes: 1, ChunkBytes: 10_000_000}),
			"inbox-file": begin(vendorVideo(4_194_304, `{"tiktokPostMode":"inbox"}`), "v_inbox_file~v2.123456789",
				Limits{}),
			"video-pull": commit(vendorVideo(50_000_123, vendorFriends), "v_pub_url~v2.123456789"),
			"photos": commit(vendorPhotos(`{"tiktokPrivacyLevel":"PUBLIC_TO_EVERYONE","tiktokTitle":"funny cat",
				"tiktokPhotoCoverIndex":1,"tiktokAutoAddMusic":true}`), "p_pub_url~v2.123456789"),
			"photos-inbox": commit(vendorPhotos(`{"tiktokPostMode":"inbox","tiktokTitle":"funny cat",
				"tiktokPhotoCoverIndex":1}`), "p_pub_url~v2.123456789"),
			"status": func(t *testing.T, address string) {
				b := at(t, address, false, Limits{})
				st, err := b.Poll(context.Background(), b.account, vendorVideo(1, vendorFriends),
					provider.State{PublishID: "v_pub_url~v2.123456789", RequiresPolling: true})
				if failure := provider.AsError(err); failure == nil || failure.Code != provider.CodeMediaRejected ||
					st.FailureCode != "picture_size_check_failed" {
					t.Errorf("Poll = %+v, %v", st, err)
				}
			},
		},
		Sandbox: map[string]func(*testing.T, providertest.VendorExample){
			"creator": sendExample, "video-file": sendExample, "inbox-file": sendExample, "video-pull": sendExample,
			"photos": sendExample, "photos-inbox": sendExample, "status": sendExample,
		},
	})
}

// sendExample sends an example to a sandbox, with files that exist there.
func sendExample(t *testing.T, e providertest.VendorExample) {
	t.Helper()
	s := simulate(t, "wanderer", sandbox.Settings{})
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, kind := mediatest.JPEG(1080, 1350), "image/jpeg"
		if r.URL.Path == "/example_video.mp4" {
			content, kind = mediatest.VerticalMP4(), "video/mp4"
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content) // the sandbox fetches after its answer: the test may be over
	}))
	t.Cleanup(files.Close)
	replace := map[string]string{"https://example.verified.domain.com": files.URL, "https://tiktokcdn.com": files.URL}
	if e.Name == "status" {
		st, err := s.drive(t, videoPost(public), provider.State{})
		if err != nil {
			t.Fatal(err)
		}
		replace["v_pub_url~v2.123456789"] = st.PublishID
	}
	e.Send(t, s.network, "/tiktok", s.account.Token.Access.Reveal(), replace)
}
