package facebook

import (
	"context"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

const (
	vendorPage = "1755847768034402"
	vendorPost = vendorPage + "_1234"
)

// vendorPhotos are the photos of Facebook's examples.
var vendorPhotos = []string{"1002088839996", "1002088840149"}

// TestVendorExamples replays the examples of Facebook's documentation (testdata/vendor names the pages).
func TestVendorExamples(t *testing.T) {
	t.Parallel()
	at := func(t *testing.T, address string) bundle {
		b := setup(t)
		p, err := New(Config{Caller: providertest.NewCaller(b.clock), Now: b.clock.Now}.WithBase(address))
		if err != nil {
			t.Fatal(err)
		}
		b.Provider, b.account.ProviderAccountID = p, vendorPage
		return b
	}
	commit := func(c provider.Content, id string, uploads ...provider.Upload) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := at(t, address)
			st, err := b.Commit(context.Background(), b.account, c, provider.State{Ready: true, Uploads: uploads})
			if err != nil || st.PlatformPostID != id {
				t.Errorf("Commit = %+v, %v", st, err)
			}
		}
	}
	link := post("your_message_text")
	link.Parts[0].Links = []provider.Link{{URL: "https://example.com/"}}
	photos := []provider.Upload{{Media: 0, ID: vendorPhotos[0], Step: stepReady},
		{Media: 1, ID: vendorPhotos[1], Step: stepReady}}
	clip := provider.Upload{ID: "123", Step: stepReady}
	reelOf := func() provider.Content {
		return withSettings(post("What a great day", video()), `{"facebookPostType":"reel"}`)
	}
	note := comment("your_message_text")
	note.Target.PlatformPostID = vendorPost
	providertest.RunVendor(t, providertest.Vendor{
		Calls: map[string]func(*testing.T, string){
			"link": commit(link, vendorPost),
			"photos": commit(post("Testing multi-photo post!", image("a.jpg", ""), image("b.jpg", "")), vendorPost,
				photos...),
			"comment": commit(note, "1234_5678"),
			"photo-story": commit(withSettings(post("", image("a.jpg", "")), `{"facebookPostType":"story"}`),
				"1234", photos[0]),
			"reel-start": func(t *testing.T, address string) {
				b := at(t, address)
				st, err := b.Prepare(context.Background(), b.account, reelOf(), provider.State{})
				if err != nil || st.Uploads[0].ID != "123" || st.Secrets[secretUpload] == "" {
					t.Errorf("Prepare = %+v, %v", st, err)
				}
			},
			"reel-finish": commit(reelOf(), "", clip),
			"reel-status": func(t *testing.T, address string) {
				b := at(t, address)
				_, err := b.Poll(context.Background(), b.account, reelOf(), provider.State{RequiresPolling: true,
					ProviderStatus: "accepted", Uploads: []provider.Upload{clip}})
				if failure := provider.AsError(err); failure == nil || failure.Code != provider.CodeMediaRejected {
					t.Errorf("Poll: %v, want the resolution refused", err)
				}
			},
			"delete": func(t *testing.T, address string) {
				b := at(t, address)
				if got, err := b.Delete(context.Background(), b.account, vendorPost); err != nil ||
					got != provider.Deleted {
					t.Errorf("Delete = %s, %v", got, err)
				}
			},
		},
		Sandbox: map[string]func(*testing.T, providertest.VendorExample){
			"link": sendExample, "photos": sendExample, "comment": sendExample, "photo-story": sendExample,
			"reel-start": sendExample, "reel-finish": sendExample, "reel-status": sendExample, "delete": sendExample,
		},
	})
}

// sendExample sends an example to a sandbox, with the ids of a Page, a post, photos and a reel that exist there.
func sendExample(t *testing.T, e providertest.VendorExample) {
	t.Helper()
	p := play(t)
	st := p.mustPublish(t, post("Before"))
	prepare := func(c provider.Content) provider.State {
		st := provider.State{}
		for range 20 {
			var err error
			if st, err = p.Prepare(context.Background(), p.account, c, st); err != nil {
				t.Fatal(err)
			}
			if st.Ready {
				break
			}
			p.clock.Advance(time.Minute)
		}
		return st
	}
	photos := prepare(post("Two", p.picture(t), p.picture(t)))
	reel := prepare(withSettings(post("A reel", p.clip()), `{"facebookPostType":"reel"}`))
	e.Send(t, p.sandbox, "/facebook", p.account.Token.Access.Reveal(), map[string]string{
		vendorPost: st.PlatformPostID, "/" + vendorPage + "/": "/" + p.account.ProviderAccountID + "/",
		vendorPhotos[0]: photos.Uploads[0].ID, vendorPhotos[1]: photos.Uploads[1].ID,
		"=123&": "=" + reel.Uploads[0].ID + "&", "/123?": "/" + reel.Uploads[0].ID + "?",
	})
}
