package all_test

import (
	"testing"
	"time"

	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/facebook"
	"crier/internal/provider/instagram"
	"crier/internal/provider/linkedin"
	"crier/internal/provider/providertest"
	"crier/internal/provider/threads"
	"crier/internal/provider/tiktok"
	"crier/internal/provider/x"
	"crier/internal/provider/youtube"
)

// client are the credentials with which the sandbox knows this installation.
var client = provider.Credentials{ClientID: "client", ClientSecret: "secret"}

// conforming are all networks; LinkedIn twice, because a member's token cannot read what it wrote.
func conforming() map[string]providertest.Network {
	return map[string]providertest.Network{
		"x": {
			New: func(base string, c *providertest.Clock) (provider.Provider, error) {
				return x.New(x.Config{Credentials: client, Caller: providertest.NewCaller(c), Now: c.Now}.WithBase(base))
			},
			RefusesLongText: true, RotatesRefreshToken: true,
		},
		"tiktok": {
			New: func(base string, c *providertest.Clock) (provider.Provider, error) {
				return tiktok.New(tiktok.Config{Credentials: client, Caller: providertest.NewCaller(c), Now: c.Now}.WithBase(base))
			},
			Settings:           `{"tiktokPrivacyLevel":"PUBLIC_TO_EVERYONE"}`,
			NeverSureOfAbsence: true, // no list tells which posts TikTok is still looking at
			RefusesLongText:    true, RotatesRefreshToken: true,
		},
		"instagram": {
			New: func(base string, c *providertest.Clock) (provider.Provider, error) {
				return instagram.New(instagram.Config{Credentials: client, Caller: providertest.NewCaller(c), Now: c.Now}.WithBase(base))
			},
			Variants: []providertest.Variant{
				{Name: "story", PostType: "text_image", Settings: `{"instagramPostType":"story"}`, Hides: true},
				{Name: "story of a video", PostType: "text_video", Settings: `{"instagramPostType":"story"}`, Hides: true},
			},
			RefusesLongText: true, RenewsInTime: true,
		},
		"facebook": {
			New: func(base string, c *providertest.Clock) (provider.Provider, error) {
				return facebook.New(facebook.Config{Credentials: client, Caller: providertest.NewCaller(c), Now: c.Now}.WithBase(base))
			},
			Variants: []providertest.Variant{
				{Name: "reel", PostType: "text_video", Settings: `{"facebookPostType":"reel"}`},
				{Name: "story", PostType: "text_image", Settings: `{"facebookPostType":"story"}`, Hides: true},
				{Name: "story of a video", PostType: "text_video", Settings: `{"facebookPostType":"story"}`, Hides: true},
			},
			// Facebook restricts for a while and says that it passes.
			Faults:          map[string]providertest.Class{"restricted": {Kind: provider.Temporary, Code: provider.CodeAccountRestricted}},
			RefusesLongText: true,
		},
		"youtube": {
			New: func(base string, c *providertest.Clock) (provider.Provider, error) {
				return youtube.New(youtube.Config{Credentials: client, Caller: providertest.NewCaller(c), Now: c.Now}.WithBase(base))
			},
			RefusesLongText: true,
		},
		"linkedin": {
			New: func(base string, c *providertest.Clock) (provider.Provider, error) {
				return linkedin.New(linkedin.Config{Credentials: client, Caller: providertest.NewCaller(c), Now: c.Now}.WithBase(base))
			},
			Blind:           []string{"comment"},
			RefusesLongText: true,
		},
		"linkedin organization": {
			New: func(base string, c *providertest.Clock) (provider.Provider, error) {
				return linkedin.New(linkedin.Config{Credentials: client, Caller: providertest.NewCaller(c), Now: c.Now}.WithBase(base))
			},
			Handle:          "organization:wanderers",
			RefusesLongText: true,
		},
		"threads": {
			New: func(base string, c *providertest.Clock) (provider.Provider, error) {
				return threads.New(threads.Config{Credentials: client, Caller: providertest.NewCaller(c), Now: c.Now}.WithBase(base))
			},
			RefusesLongText: true, RenewsInTime: true,
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	picture := providertest.Sample{
		Bytes: mediatest.JPEG(640, 640),
		Media: provider.Media{FileName: "picture.jpg", MIMEType: "image/jpeg", Width: 640, Height: 640},
	}
	film := providertest.Sample{
		Bytes: mediatest.VerticalMP4(),
		Media: provider.Media{
			FileName: "film.mp4", MIMEType: "video/mp4", Width: 540, Height: 960, Duration: 4 * time.Second, FrameRate: 30, VideoCodec: "h264", AudioCodec: "aac",
		},
	}
	for name, network := range conforming() {
		network.Picture, network.Film = picture, film
		if network.Handle == "" {
			network.Handle = "wanderer"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Run(t, network)
		})
	}
}
