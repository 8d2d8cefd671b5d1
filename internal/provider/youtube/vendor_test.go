package youtube

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
	sandbox "crier/internal/sandbox/youtube"
)

const (
	vendorToken   = "1/fFAGRNJru1FTz70BzhT3Zg"
	vendorVideo   = "dQw4w9WgXcQ"
	vendorSession = "/upload/youtube/v3/videos?uploadType=resumable&upload_id=xa298sd_f&" +
		"part=snippet,status,contentDetails"
)

// vendorPost returns the video of YouTube's examples, with a size.
func vendorPost(size int) provider.Content {
	return withSettings(provider.Content{Action: provider.Post, PostType: "text_video", Parts: []provider.Part{{
		Text: "This is a description of my video", Media: []provider.Media{providertest.NewMedia("v", "video/*",
			make([]byte, size))}}}}, `{"youtubeTitle":"My video title","youtubeTags":["cool","video","more keywords"],
		"youtubeEmbeddable":true,"youtubeLicense":"youtube"}`)
}

// TestVendorExamples replays the examples of YouTube's documentation (testdata/vendor names the pages).
func TestVendorExamples(t *testing.T) {
	t.Parallel()
	at := func(t *testing.T, address string) bundle {
		b := setup(t)
		b.api.BaseURL = address
		return b
	}
	withApp := func(t *testing.T, address string) *Provider {
		b := setup(t)
		p, err := New(Config{Caller: providertest.NewCaller(b.clock), Now: b.clock.Now,
			Credentials: provider.Credentials{
				ClientID: "your_client_id", ClientSecret: "your_client_secret"}}.WithBase(address))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	upload := func(size int, step string, want int64) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := at(t, address)
			st := provider.State{Uploads: []provider.Upload{{Step: step, Size: int64(size), ChunkSize: 2 * unit}}}
			st.Hide(secretSession, provider.Secret(address+vendorSession))
			st, err := b.Prepare(context.Background(), b.account, vendorPost(size), st)
			if err != nil || st.Uploads[0].NextByte != want {
				t.Errorf("Prepare = %+v, %v; want byte %d next", st, err, want)
			}
		}
	}
	follow := func(c provider.Content, next string) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := at(t, address)
			st := provider.State{Done: true, RequiresPolling: true, PlatformPostID: vendorVideo}
			st.Note(noteNext, next)
			st, err := b.Poll(context.Background(), b.account, c, st)
			if err != nil || st.Data[noteNext] != nextWatch || len(st.Warnings) > 0 {
				t.Errorf("Poll = %+v, %v", st, err)
			}
		}
	}
	providertest.RunVendor(t, providertest.Vendor{
		Calls: map[string]func(*testing.T, string){
			"start": func(t *testing.T, address string) {
				b := at(t, address)
				st, err := b.Prepare(context.Background(), b.account, vendorPost(3_000_000), provider.State{})
				if err != nil || st.Secrets[secretSession] != provider.Secret(address+vendorSession) {
					t.Errorf("Prepare = %+v, %v", st, err)
				}
			},
			"token": func(t *testing.T, address string) {
				token, err := withApp(t, address).Exchange(context.Background(), provider.CodeExchange{
					Code: "4/P7q7W91a-oMsCeLvIaQm6bTrgtp7", Verifier: "verifier",
					RedirectURL: "https://oauth2.example.com/code"})
				if err != nil || token.Access != vendorToken || token.ExpiresAt.IsZero() ||
					token.Refresh != "1//xEoDL4iW3cxlI7yDbSRFYNG01kVKM2C-259HOF2aQbI" {
					t.Errorf("Exchange = %+v, %v", token, err)
				}
			},
			"refresh": func(t *testing.T, address string) {
				token, err := withApp(t, address).Refresh(context.Background(),
					provider.Account{Token: provider.Token{Refresh: "refresh_token"}})
				if err != nil || token.Access != vendorToken || token.Refresh != "refresh_token" {
					t.Errorf("Refresh = %+v, %v", token, err)
				}
			},
			"chunk": upload(2_000_000, stepSending, 524_288),
			"probe": upload(3_000_000, stepAsking, 1_000_000),
			"comment": func(t *testing.T, address string) {
				b := at(t, address)
				c := comment()
				c.Parts[0].Text = "text"
				st, err := b.Commit(context.Background(), b.account, c, provider.State{Ready: true})
				if err != nil || st.PlatformPostID != "UgxExampleOfAComment" {
					t.Errorf("Commit = %+v, %v", st, err)
				}
			},
			"playlist": follow(withSettings(clip(), `{"youtubePlaylistIds":["PLexample"]}`), nextAdd),
			"thumbnail": follow(withSettings(clip(), `{"youtubeThumbnailMediaId":"`+string(pictureID)+`"}`),
				nextThumbnail),
			"statistics": func(t *testing.T, address string) {
				b := at(t, address)
				got, err := b.PostMetrics(context.Background(), b.account, []string{vendorVideo})
				if err != nil || *got[vendorVideo].Views != 12 || *got[vendorVideo].Likes != 1 {
					t.Errorf("PostMetrics = %+v, %v", got, err)
				}
			},
		},
		Sandbox: map[string]func(*testing.T, providertest.VendorExample){
			"start": sendExample, "chunk": sendExample, "probe": sendExample, "comment": sendExample,
			"playlist": sendExample, "statistics": sendExample, "refresh": sendExample,
		},
	})
}

// sendExample sends an example to a sandbox, with the ids of a video, a playlist and an upload that exist there.
func sendExample(t *testing.T, e providertest.VendorExample) {
	t.Helper()
	s := simulate(t, sandbox.Settings{})
	st, err := s.drive(t, videoPost(), provider.State{})
	if err != nil {
		t.Fatal(err)
	}
	lists, err := s.Choices(context.Background(), s.account, keyPlaylists, "")
	if err != nil || len(lists.List) == 0 {
		t.Fatalf("Choices = %+v, %v", lists, err)
	}
	replace := map[string]string{vendorVideo: st.PlatformPostID, "PLexample": lists.List[0].Value}
	if e.Name == "refresh" {
		replace["refresh_token=refresh_token"] = "refresh_token=" +
			url.QueryEscape(s.network.Seed("wanderer").RefreshToken)
	}
	if e.Name == "chunk" || e.Name == "probe" {
		size := map[string]int{"chunk": 2_000_000, "probe": 3_000_000}[e.Name]
		started, err := s.Prepare(context.Background(), s.account, vendorPost(size), provider.State{})
		if err != nil {
			t.Fatal(err)
		}
		if e.Name == "probe" { // the session reports a range only when it has some bytes
			if started, err = s.Prepare(context.Background(), s.account, vendorPost(size), started); err != nil {
				t.Fatal(err)
			}
		}
		session := started.Secrets[secretSession].Reveal()
		replace[vendorSession] = session[strings.Index(session, "/upload/"):]
	}
	e.Send(t, s.network, "/youtube", s.account.Token.Access.Reveal(), replace)
}
