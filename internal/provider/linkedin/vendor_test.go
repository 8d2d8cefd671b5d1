package linkedin

import (
	"context"
	"testing"

	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
	sandbox "crier/internal/sandbox/linkedin"
)

const (
	vendorOrganization = "urn:li:organization:5515715"
	vendorActivity     = "urn:li:activity:6631349431612559360"
	vendorVideo        = "urn:li:video:C5505AQH-oV1qvnFtKA"
)

func vendorVideoPost(settings string) provider.Content {
	content := make([]byte, 1_055_736)
	copy(content, mediatest.VerticalMP4())
	return withSettings(withMedia("Sample video Post", providertest.NewMedia("v.mp4", "video/mp4", content)), settings)
}

// TestVendorExamples replays the examples of LinkedIn's documentation (testdata/vendor names the pages).
func TestVendorExamples(t *testing.T) {
	t.Parallel()
	at := func(t *testing.T, address, author string) bundle {
		b := setup(t)
		b.api.BaseURL, b.consentURL = address, address
		b.organization.ProviderAccountID = author
		return b
	}
	commit := func(c provider.Content, author, id string, uploads ...provider.Upload) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := at(t, address, author)
			st, err := b.Commit(context.Background(), b.organization, c, provider.State{Ready: true, Uploads: uploads})
			if err != nil || st.PlatformPostID != id {
				t.Errorf("Commit = %+v, %v", st, err)
			}
		}
	}
	prepare := func(c provider.Content, author, id, step string, uploads ...provider.Upload) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			b := at(t, address, author)
			st := provider.State{Uploads: uploads}
			st.Hide("upload.0", `{"token":"","instructions":[]}`)
			st, err := b.Prepare(context.Background(), b.organization, c, st)
			if err != nil || st.Uploads[0].ID != id || st.Uploads[0].Step != step {
				t.Errorf("Prepare = %+v, %v", st, err)
			}
		}
	}
	video := vendorVideoPost(`{"linkedinVideoTitle":"title of the video"}`)
	note := on(provider.Comment, "First!")
	note.Target.PlatformPostID = vendorActivity
	providertest.RunVendor(t, providertest.Vendor{
		Calls: map[string]func(*testing.T, string){
			"text": commit(text("Sample text Post"), vendorOrganization, share),
			"mention": commit(withSettings(text("Hello @Devtestco"),
				`{"linkedinMentions":[{"urn":"urn:li:organization:2414183","name":"Devtestco"}]}`),
				"urn:li:organization:123456789", share),
			"video": commit(video, vendorOrganization, share,
				provider.Upload{ID: "urn:li:video:C5F10AQGKQg_6y2a4sQ", Step: stepReady}),
			"comment": commit(note, vendorOrganization,
				"urn:li:comment:(urn:li:activity:6631349431612559360,6636062862760562688)"),
			"image": prepare(withMedia("A picture", file("a.jpg", "image/jpeg", "a picture", "")),
				"urn:li:organization:5583111", "urn:li:image:C4E10AQFoyyAjHPMQuQ", stepSending),
			"video-init": prepare(video, "urn:li:organization:2414183", vendorVideo, stepSending),
			"video-finalize": prepare(video, "urn:li:organization:2414183", vendorVideo, stepProcessing,
				provider.Upload{ID: vendorVideo, Step: stepSent, Size: 1_055_736,
					Tags: []string{"/ambry-video/signedId/part1.bin"}}),
			"delete": func(t *testing.T, address string) {
				b := at(t, address, vendorOrganization)
				if got, err := b.Delete(context.Background(), b.organization, share); err != nil ||
					got != provider.Deleted {
					t.Errorf("Delete = %s, %v", got, err)
				}
			},
		},
		Sandbox: map[string]func(*testing.T, providertest.VendorExample){
			"text": sendExample, "mention": sendExample, "video": sendExample, "comment": sendExample,
			"image": sendExample, "video-init": sendExample, "video-finalize": sendExample, "delete": sendExample,
		},
	})
}

// sendExample sends an example to a sandbox, with the URNs of an organization, a post and a video that exist there.
func sendExample(t *testing.T, e providertest.VendorExample) {
	t.Helper()
	p := play(t, "organization:acme", sandbox.Settings{}, Config{})
	post, err := providertest.Drive(t, p, p.account, text("Before"), provider.State{}, p.clock)
	if err != nil {
		t.Fatal(err)
	}
	st := provider.State{}
	for range 20 {
		if st, err = p.Prepare(context.Background(), p.account, vendorVideoPost(`{}`), st); err != nil {
			t.Fatal(err)
		}
		if st.Ready || e.Name == "video-finalize" && st.Uploads[0].Step == stepSent {
			break
		}
		p.clock.AdvanceTo(st.NextPollAfter)
	}
	replace := map[string]string{
		"urn:li:organization:123456789": p.account.ProviderAccountID, vendorOrganization: p.account.ProviderAccountID,
		"urn:li:organization:5583111":      p.account.ProviderAccountID,
		"urn:li:video:C5F10AQGKQg_6y2a4sQ": st.Uploads[0].ID, vendorVideo: st.Uploads[0].ID,
		vendorActivity: post.PlatformPostID, urn(vendorActivity): urn(post.PlatformPostID),
		urn(share): urn(post.PlatformPostID),
	}
	if e.Name == "video-init" {
		replace["urn:li:organization:2414183"] = p.account.ProviderAccountID
	}
	if e.Name == "video-finalize" {
		replace["/ambry-video/signedId/part1.bin"] = st.Uploads[0].Tags[0]
	}
	e.Send(t, p.sandbox, "/linkedin", p.account.Token.Access.Reveal(), replace)
}
