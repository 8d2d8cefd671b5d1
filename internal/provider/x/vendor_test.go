package x

import (
	"context"
	"testing"

	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
	sandbox "crier/internal/sandbox/x"
)

// vendorPost is the id of the post in X's examples.
const vendorPost = "1445880548472328192"

// vendorUpload is the id of the video in X's examples.
const vendorUpload = "1880028106020515840"

func vendorVideo(text string) provider.Content {
	return provider.Content{Action: provider.Post, PostType: "text_video", Parts: []provider.Part{{Text: text,
		Media: []provider.Media{providertest.NewMedia("v.mp4", "video/mp4", mediatest.VerticalMP4())}}}}
}

// TestVendorExamples replays the examples of X's documentation (testdata/vendor names the pages).
func TestVendorExamples(t *testing.T) {
	t.Parallel()
	commit := func(c provider.Content, uploads ...provider.Upload) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := setup(t)
			b.api.BaseURL = address
			st, err := b.Commit(context.Background(), b.account, c, provider.State{Ready: true, Uploads: uploads})
			if err != nil || st.PlatformPostID != vendorPost {
				t.Errorf("Commit = %+v, %v", st, err)
			}
		}
	}
	providertest.RunVendor(t, providertest.Vendor{
		Calls: map[string]func(*testing.T, string){
			"create": commit(text("Hello from the X API!")),
			"reply":  commit(withSettings(text("This is a reply!"), `{"xReplyToPostId":"1234567890"}`)),
			"quote":  commit(withSettings(text("Check this out!"), `{"xQuotePostId":"1234567890"}`)),
			"media": commit(vendorVideo("Check out this video!"),
				provider.Upload{ID: vendorUpload, Step: stepReady}),
			"delete": func(t *testing.T, address string) {
				b := setup(t)
				b.api.BaseURL = address
				if got, err := b.Delete(context.Background(), b.account, vendorPost); err != nil ||
					got != provider.Deleted {
					t.Errorf("Delete = %s, %v", got, err)
				}
			},
			"status": func(t *testing.T, address string) {
				b := setup(t)
				b.api.BaseURL = address
				st, err := b.Prepare(context.Background(), b.account, vendorVideo("A video"),
					provider.State{Uploads: []provider.Upload{{ID: vendorUpload, Step: stepProcessing}}})
				if err != nil || st.ProviderStatus != "pending" || st.NextPollAfter.IsZero() {
					t.Errorf("Prepare = %+v, %v", st, err)
				}
			},
		},
		Sandbox: map[string]func(*testing.T, providertest.VendorExample){
			"create": sendExample, "reply": sendExample, "quote": sendExample, "delete": sendExample,
			"media": sendExample, "status": sendExample,
		},
	})
}

// sendExample sends an example to a sandbox, with the ids of a post and a video that exist there.
func sendExample(t *testing.T, e providertest.VendorExample) {
	t.Helper()
	p := play(t, sandbox.Settings{Quotes: true}, Config{})
	own, err := p.drive(t, text("root"))
	if err != nil {
		t.Fatal(err)
	}
	st := provider.State{}
	done := func() bool { return st.Ready || e.Name == "status" && st.ProviderStatus == "pending" }
	for range 20 {
		if st, err = p.Prepare(context.Background(), p.account, vendorVideo("A video"), st); err != nil {
			t.Fatal(err)
		}
		if done() {
			break
		}
		p.clock.AdvanceTo(st.NextPollAfter)
	}
	e.Send(t, p.sandbox, "/x", p.account.Token.Access.Reveal(), map[string]string{
		"1234567890": own.PlatformPostID, vendorPost: own.PlatformPostID, vendorUpload: st.Uploads[0].ID,
	})
}
