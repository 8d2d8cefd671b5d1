package instagram

import (
	"context"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox/graph/graphtest"
)

// vendorPicture returns the picture of Instagram's examples.
func vendorPicture(address string) provider.Media {
	m := image("bronz-fonz.jpg", "")
	m.URL = func(context.Context) (string, error) { return address, nil }
	return m
}

// TestVendorExamples replays the examples of Instagram's documentation (testdata/vendor names the pages).
func TestVendorExamples(t *testing.T) {
	t.Parallel()
	at := func(t *testing.T, address, account string) bundle {
		b := setupMode(t, FacebookLogin)
		b.api = b.api.WithBase(address)
		b.account.ProviderAccountID = account
		return b
	}
	fonz := post("#BronzFonz", vendorPicture("https://www.example.com/images/bronz-fonz.jpg"))
	providertest.RunVendor(t, providertest.Vendor{
		Calls: map[string]func(*testing.T, string){
			"image": func(t *testing.T, address string) {
				b := at(t, address, "17841400008460056")
				got, err := b.createContainer(context.Background(), b.account, fonz, provider.State{}, graph.Whole)
				if err != nil || got != "17889455560051444" {
					t.Errorf("createContainer = %s, %v", got, err)
				}
			},
			"partnership": func(t *testing.T, address string) {
				b := at(t, address, "17841400008460056")
				c := withSettings(fonz, `{"instagramPaidPartnership":true,
					"instagramSponsorIds":["17841401441775531","17841405309211844"]}`)
				if _, err := b.createContainer(context.Background(), b.account, c, provider.State{},
					graph.Whole); err != nil {
					t.Errorf("createContainer: %v", err)
				}
			},
			"publish": func(t *testing.T, address string) {
				b := at(t, address, "17841405822304914")
				st, err := b.Commit(context.Background(), b.account, fonz, provider.State{Ready: true,
					ContainerID: "17889455560051444",
					Uploads:     []provider.Upload{{Media: graph.Whole, ID: "17889455560051444", Step: "ready"}}})
				if err != nil || st.PlatformPostID != "17920238422030506" {
					t.Errorf("Commit = %+v, %v", st, err)
				}
			},
			"container": func(t *testing.T, address string) {
				b := at(t, address, "17841405822304914")
				got, err := b.readContainer(context.Background(), b.account, "17889615691921648")
				if err != nil || got.Word != graph.Finished {
					t.Errorf("readContainer = %+v, %v", got, err)
				}
			},
			"limit": func(t *testing.T, address string) {
				b := at(t, address, "17841405822304914")
				if _, err := b.checkQuota(context.Background(), b.account, provider.State{}); err != nil {
					t.Errorf("checkQuota: %v", err)
				}
			},
			"comment": func(t *testing.T, address string) {
				b := at(t, address, "17841405822304914")
				c := comment("This is awesome!")
				c.Target.PlatformPostID = "17895695668004550"
				st, err := b.Commit(context.Background(), b.account, c, provider.State{Ready: true})
				if err != nil || st.PlatformPostID != "17870913679156914" {
					t.Errorf("Commit = %+v, %v", st, err)
				}
			},
			"delete": func(t *testing.T, address string) {
				b := at(t, address, "17841405822304914")
				if got, err := b.Delete(context.Background(), b.account, "17918920912340654"); err != nil ||
					got != provider.Deleted {
					t.Errorf("Delete = %s, %v", got, err)
				}
			},
			"refresh": func(t *testing.T, address string) {
				b := setup(t)
				p, err := New(Config{Caller: providertest.NewCaller(b.clock), Now: b.clock.Now}.WithBase(address))
				if err != nil {
					t.Fatal(err)
				}
				b.account.Token.Access = "ACCESS-TOKEN"
				token, err := p.Refresh(context.Background(), b.account)
				if err != nil || token.Access != "{long-lived-user-access-token}" || token.ExpiresAt.IsZero() {
					t.Errorf("Refresh = %+v, %v", token, err)
				}
			},
		},
		Sandbox: map[string]func(*testing.T, providertest.VendorExample){
			"image": sendExample, "partnership": sendExample, "publish": sendExample, "container": sendExample,
			"limit": sendExample, "comment": sendExample, "delete": sendExample,
		},
	})
}

// sendExample sends an example to a sandbox, with the ids of an account, a container and a post that exist there.
func sendExample(t *testing.T, e providertest.VendorExample) {
	t.Helper()
	p := play(t, FacebookLogin)
	st := p.mustPublish(t, post("Before", p.picture(t)))
	picture := p.host.Serve("/bronz-fonz.jpg", "image/jpeg", graphtest.JPEG(t, 800, 800))
	container, err := p.createContainer(context.Background(), p.account, post("Next", p.picture(t)), provider.State{},
		graph.Whole)
	if err != nil {
		t.Fatal(err)
	}
	p.clock.Advance(time.Minute)
	e.Send(t, p.sandbox, "/instagram/v25.0", p.account.Token.Access.Reveal(), map[string]string{
		"17841400008460056": p.account.ProviderAccountID, "17841405822304914": p.account.ProviderAccountID,
		"https://www.example.com/images/bronz-fonz.jpg": picture, "17889455560051444": container,
		"17889615691921648": container, "17895695668004550": st.PlatformPostID,
		"17918920912340654": st.PlatformPostID,
	})
}
