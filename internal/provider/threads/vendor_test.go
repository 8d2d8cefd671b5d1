package threads

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/simtest"
)

// vendorPicture returns the picture of Threads' examples.
func vendorPicture(altText string) provider.Content {
	m := providertest.NewMedia("bronz-fonz.jpg", "image/jpeg", []byte("a picture"))
	m.AltText = altText
	m.URL = func(context.Context) (string, error) { return "https://www.example.com/images/bronz-fonz.jpg", nil }
	return withMedia("BronzFonz", m)
}

// TestVendorExamples replays the examples of Threads' documentation (testdata/vendor names the pages).
func TestVendorExamples(t *testing.T) {
	t.Parallel()
	at := func(t *testing.T, address string) bundle {
		b := setup(t)
		b.api = b.api.WithBase(address + "/v1.0")
		return b
	}
	container := func(c provider.Content, want string) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := at(t, address)
			got, err := b.createContainer(context.Background(), b.account, c, provider.State{}, graph.Whole)
			if err != nil || got != want {
				t.Errorf("createContainer = %s, %v", got, err)
			}
		}
	}
	status := func(want graph.ContainerStatus) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := at(t, address)
			got, err := b.readContainer(context.Background(), b.account, "17889615691921648")
			if err != nil || got != want {
				t.Errorf("readContainer = %+v, %v", got, err)
			}
		}
	}
	seventh := provider.Target{PlatformPostID: "1234567"}
	quote := vendorPicture("")
	quote.Action, quote.Target = provider.Quote, seventh
	providertest.RunVendor(t, providertest.Vendor{
		Calls: map[string]func(*testing.T, string){
			"alt-text": container(vendorPicture("Photograph of Bronze Fonz Statue"), "1234567"),
			"quote":    container(quote, "17890000000000001"),
			"reply": container(provider.Content{Action: provider.Comment, Target: seventh,
				Parts: []provider.Part{{Text: "Hello"}}}, "17890000000000001"),
			"finished": status(graph.ContainerStatus{Word: graph.Finished}),
			"failed":   status(graph.ContainerStatus{Word: graph.Failed, Reason: "FAILED_DOWNLOADING_VIDEO"}),
			"insights": func(t *testing.T, address string) {
				b := at(t, address)
				got, err := b.PostMetrics(context.Background(), b.account, []string{"1234567"})
				if err != nil || *got["1234567"].Likes != 100 || *got["1234567"].Comments != 10 {
					t.Errorf("PostMetrics = %+v, %v", got, err)
				}
			},
			"location": func(t *testing.T, address string) {
				b := at(t, address)
				got, err := b.Choices(context.Background(), b.account, keyLocation, "Menlo Park")
				want := provider.Choice{Value: "12345", Label: "Facebook Headquarters",
					Detail: "1 Hacker Way, Menlo Park, United States"}
				if err != nil || len(got.List) != 1 || got.List[0] != want {
					t.Errorf("Choices = %+v, %v", got, err)
				}
			},
		},
		Sandbox: map[string]func(*testing.T, providertest.VendorExample){
			"alt-text": sendExample, "quote": sendExample, "reply": sendExample, "finished": sendExample,
			"failed": sendExample, "insights": sendExample, "location": sendExample,
		},
	})
}

// sendExample sends an example to a sandbox, with the ids of a picture, a post and a container that exist there.
func sendExample(t *testing.T, e providertest.VendorExample) {
	t.Helper()
	p := play(t)
	picture := p.media("bronz-fonz.jpg", "image/jpeg", graphtest.JPEG(t, 800, 800))
	address, err := picture.URL(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	st := p.mustPublish(t, text("Before"))
	next := withMedia("Next", picture)
	if e.Name == "failed" {
		next = withMedia("Next", p.media("v.mp4", "video/mp4", []byte("no video")))
	}
	container, err := p.createContainer(context.Background(), p.account, next, provider.State{}, graph.Whole)
	if err != nil {
		t.Fatal(err)
	}
	p.clock.Advance(time.Minute)
	token := p.account.Token.Access.Reveal()
	if e.Name == "location" {
		token = p.sandbox.Seed("approved:ada").AccessToken
	}
	e.Send(t, p.sandbox, "/threads", token, map[string]string{
		"https://www.example.com/images/bronz-fonz.jpg": address, "17889615691921648": container,
		"1234567": st.PlatformPostID,
	})
}

// developers.facebook.com/documentation/threads/reference/publishing lists the parameters and values.
func TestSandboxAcceptsTheVendorsParameters(t *testing.T) {
	t.Parallel()
	p := play(t)
	for _, control := range []string{"everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only",
		"followers_only"} {
		got := p.sandbox.Do(simtest.Request{Method: http.MethodPost, Path: "/threads/v1.0/me/threads",
			Token: p.account.Token.Access.Reveal(), Form: url.Values{"media_type": {"TEXT"}, "text": {"Hello"},
				"reply_control": {control}}})
		if got.Status != http.StatusOK || got.Text("id") == "" {
			t.Errorf("reply_control %s: %d %s", control, got.Status, got.Body)
		}
		id := got.Text("id")
		status := p.sandbox.Do(simtest.Request{Method: http.MethodGet, Token: p.account.Token.Access.Reveal(),
			Path: "/threads/v1.0/" + id + "?fields=status,error_message"})
		if words := "EXPIRED ERROR FINISHED IN_PROGRESS PUBLISHED"; status.Text("id") != id ||
			!strings.Contains(words, status.Text("status")) || status.Text("status") == "" {
			t.Errorf("status %s", status.Body)
		}
	}
}
