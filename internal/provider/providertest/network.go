package providertest

import (
	"fmt"
	"maps"
	"slices"

	"crier/internal/provider"
	"crier/internal/sandbox"
)

// Network describes a client and its network's sandbox for tests. What to publish and the expected result are data: Run
// drives the client alone with it, and other tests drive the whole service.
type Network struct {
	// New returns the client for a sandbox at an address.
	New func(box string, clock *Clock) (provider.Provider, error)
	// Handle is the account that publishes; the sandbox derives some kinds of accounts from it.
	Handle string
	// Settings are the publish settings that are required to publish.
	Settings map[string]any
	// Variants are further posts to publish: the kinds of post that need a setting.
	Variants []Variant
	// Picture and Film are a JPEG and a video that the network accepts.
	Picture, Film Sample
	// Faults maps faults of the sandbox to errors, where they differ from most networks. A fault that the client
	// handles itself has an empty kind.
	Faults map[string]Class
	// RefusesLongText is false for a network whose text limit is the client's own precaution.
	RefusesLongText bool
	// RotatesRefreshToken means that a refresh token works once.
	RotatesRefreshToken bool
	// Blind lists the post types and actions whose outcome cannot be determined after a lost response.
	Blind []string
	// NeverSureOfAbsence means that a post that is not found may still exist.
	NeverSureOfAbsence bool
	// RenewsInTime means that an expired token cannot be refreshed.
	RenewsInTime bool
}

// Variant is a kind of post that is selected by a setting.
type Variant struct {
	Name, PostType string
	Settings       map[string]any
	// Hides is true if the network does not show its text.
	Hides bool
}

// Sample is a file and its properties.
type Sample struct {
	Bytes []byte
	Media provider.Media
}

// Post is a post to publish.
type Post struct {
	Name, PostType string
	// Texts are the texts of its parts; several make a thread.
	Texts []string
	// Pictures and Films are the numbers of media per part.
	Pictures, Films int
	Settings        map[string]any
	// Hides is true if the network does not show its text.
	Hides bool
}

// Posts returns one post of every type that the network declares, one of each variant, and a thread where supported.
func (n Network) Posts(info provider.Info) []Post {
	var list []Post
	for _, postType := range info.PostTypes() {
		list = append(list, n.post(postType, "A "+postType+" on its way"))
	}
	for _, v := range n.Variants {
		p := n.post(v.PostType, "A "+v.Name+" on its way")
		maps.Copy(p.Settings, v.Settings)
		p.Name, p.Hides = v.Name, v.Hides
		list = append(list, p)
	}
	if info.Abilities.Threads {
		list = append(list, n.thread(info))
	}
	return list
}

// Simplest returns the simplest post of the network.
func (n Network) Simplest(info provider.Info) Post {
	types := info.PostTypes()
	for _, postType := range []string{"text_post", "text_image"} {
		if slices.Contains(types, postType) {
			return n.post(postType, "The simplest post")
		}
	}
	return n.post("text_video", "The simplest post")
}

// thread returns a post of three parts.
func (n Network) thread(info provider.Info) Post {
	p := n.Simplest(info)
	p.Name, p.Texts = "thread", []string{"The first part", "The second part", "The third part"}
	return p
}

// post returns a post of a type, with the required media.
func (n Network) post(postType, text string) Post {
	p := Post{Name: postType, PostType: postType, Texts: []string{text}, Settings: map[string]any{}}
	maps.Copy(p.Settings, n.Settings)
	switch postType {
	case "text_image":
		p.Pictures = 1
	case "carousel":
		p.Pictures = 2
	case "text_video":
		p.Films = 1
	}
	return p
}

// connection is a client and an account with a token of the sandbox.
type connection struct {
	provider provider.Provider
	account  provider.Account
	info     provider.Info
	features provider.Features
}

// Info returns the Info for the account that publishes.
func (n Network) Info() (provider.Info, error) {
	c, err := n.connect("http://sandbox.test", NewClock())
	return c.info, err
}

// connect returns the client for a sandbox at an address.
func (n Network) connect(box string, clock *Clock) (c connection, err error) {
	if c.provider, err = n.New(box, clock); err != nil {
		return c, fmt.Errorf("make the client: %w", err)
	}
	seed, err := sandbox.SeedAccount(c.provider.Info().Name, n.Handle)
	if err != nil {
		return c, fmt.Errorf("make an account: %w", err)
	}
	c.account = provider.Account{
		ProviderAccountID: seed.AccountID, Handle: seed.Handle, SubType: seed.AccountKind, Scopes: seed.Scopes,
		Token: provider.Token{Access: provider.Secret(seed.AccessToken), Refresh: provider.Secret(seed.RefreshToken),
			Scopes: seed.Scopes},
	}
	registry, err := provider.NewRegistry(c.provider)
	if err != nil {
		return c, fmt.Errorf("register the client: %w", err)
	}
	c.info, c.features = registry.InfoFor(c.provider, c.account), registry.Features(c.provider)
	if c.account.Token.Refresh != "" { // regardless of the expiry
		c.info.Abilities.Refresh = true
	}
	return c, nil
}
