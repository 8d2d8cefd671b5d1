// Package alltest describes each of the networks for tests: how to drive it through the suite of providertest, and the
// expected results. The clients alone pass the suite in package all, and the whole service in cmd/crier.
package alltest

import (
	"fmt"
	"strings"
	"time"

	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/all"
	"crier/internal/provider/providertest"
)

// Networks returns all networks by name. LinkedIn occurs twice, because a member's token cannot read what it wrote; the
// kind of the account then follows the name of the network, after a colon.
func Networks() map[string]providertest.Network {
	networks := peculiarities()
	for name, n := range networks {
		network, kind, _ := strings.Cut(name, ":")
		n.New, n.Handle = newClient(network), "wanderer"
		if kind != "" {
			n.Handle = kind + ":wanderer"
		}
		n.Picture, n.Film = picture(), film()
		networks[name] = n
	}
	return networks
}

// peculiarities returns the differences between the networks.
func peculiarities() map[string]providertest.Network {
	return map[string]providertest.Network{
		"x": {RefusesLongText: true, RotatesRefreshToken: true},
		"tiktok": {
			Settings:           map[string]any{"tiktokPrivacyLevel": "PUBLIC_TO_EVERYONE"},
			NeverSureOfAbsence: true, // no list contains the posts that TikTok is still checking
			RefusesLongText:    true, RotatesRefreshToken: true,
		},
		"instagram": {
			Variants: []providertest.Variant{
				{Name: "story", PostType: "text_image", Settings: map[string]any{"instagramPostType": "story"},
					Hides: true},
				{Name: "story of a video", PostType: "text_video",
					Settings: map[string]any{"instagramPostType": "story"}, Hides: true},
			},
			RefusesLongText: true, RenewsInTime: true,
		},
		"facebook": {
			Variants: []providertest.Variant{
				{Name: "reel", PostType: "text_video", Settings: map[string]any{"facebookPostType": "reel"}},
				{Name: "story", PostType: "text_image", Settings: map[string]any{"facebookPostType": "story"},
					Hides: true},
				{Name: "story of a video", PostType: "text_video",
					Settings: map[string]any{"facebookPostType": "story"}, Hides: true},
			},
			// Facebook restricts for a while and says that it is temporary.
			Faults: map[string]providertest.Class{"restricted": {Kind: provider.Temporary,
				Code: provider.CodeAccountRestricted}},
			RefusesLongText: true,
		},
		"youtube":               {RefusesLongText: true},
		"linkedin":              {Blind: []string{"comment"}, RefusesLongText: true},
		"linkedin:organization": {RefusesLongText: true},
		"threads":               {RefusesLongText: true, RenewsInTime: true},
	}
}

// newClient returns a constructor of a network's client.
func newClient(network string) func(string, *providertest.Clock) (provider.Provider, error) {
	return func(box string, clock *providertest.Clock) (provider.Provider, error) {
		config := all.Config{Caller: providertest.NewCaller(clock), Now: clock.Now}
		config = config.WithAccess(network, all.Access{Credentials: provider.Credentials{ClientID: "client",
			ClientSecret: "secret"}})
		registry, err := all.New(config.WithSandbox(box))
		if err != nil {
			return nil, err
		}
		client, ok := registry.Get(network)
		if !ok {
			return nil, fmt.Errorf("there is no network %s", network)
		}
		return client, nil
	}
}

func picture() providertest.Sample {
	return providertest.Sample{
		Bytes: mediatest.JPEG(640, 640),
		Media: provider.Media{FileName: "picture.jpg", MIMEType: "image/jpeg", Width: 640, Height: 640},
	}
}

func film() providertest.Sample {
	return providertest.Sample{
		Bytes: mediatest.VerticalMP4(),
		Media: provider.Media{
			FileName: "film.mp4", MIMEType: "video/mp4", Width: 540, Height: 960, Duration: 4 * time.Second,
			FrameRate: 30, VideoCodec: "h264", AudioCodec: "aac",
		},
	}
}
