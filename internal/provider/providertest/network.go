package providertest

import (
	"fmt"
	"maps"
	"slices"

	"crier/internal/provider"
	"crier/internal/sandbox"
)

// Network is a client and what tests have to know to put it in front of its network's sandbox. What is to be published
// and what has to come of it is data: Run drives the client alone with it, and other tests drive the whole service.
type Network struct {
	// New makes the client for a sandbox at an address.
	New func(box string, clock *Clock) (provider.Provider, error)
	// Handle names the account that publishes; the sandbox knows some kinds of accounts by it.
	Handle string
	// Settings are the publish settings without which nothing can be published.
	Settings map[string]any
	// Variants are further things to publish: the kinds of post that need a setting.
	Variants []Variant
	// Picture and Film are a JPEG and a video that the network takes.
	Picture, Film Sample
	// Faults says which error each fault of the sandbox becomes, where it is not what most networks say. A fault that
	// the client gets over by itself has an empty kind.
	Faults map[string]Class
	// RefusesLongText is false for a network whose limit of text is the client's own precaution.
	RefusesLongText bool
	// RotatesRefreshToken means that a refresh token works once.
	RotatesRefreshToken bool
	// Blind lists what nobody can find out about when the answer is lost: types of posts and actions.
	Blind []string
	// NeverSureOfAbsence means that a post which cannot be found may be there all the same.
	NeverSureOfAbsence bool
	// RenewsInTime means that only a token that has not ended can be renewed.
	RenewsInTime bool
}

// Variant is a kind of post that is asked for by a setting.
type Variant struct {
	Name, PostType string
	Settings       map[string]any
	// Hides is true when the network shows no text with it.
	Hides bool
}

// Sample is a file and what is known about it.
type Sample struct {
	Bytes []byte
	Media provider.Media
}

// Post is something to publish.
type Post struct {
	Name, PostType string
	// Texts are those of its parts; several make a thread.
	Texts []string
	// Pictures and Films are how many of them each part has.
	Pictures, Films int
	Settings        map[string]any
	// Hides is true when the network shows no text with it.
	Hides bool
}

// Posts returns one of every type that the network declares, one of each variant, and a thread where it has them.
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

// Simplest returns what the network publishes with the least effort.
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

// post returns one of a type, with as many media as it needs.
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

// connection is a client and an account with a token that the sandbox knows.
type connection struct {
	provider provider.Provider
	account  provider.Account
	info     provider.Info
	features provider.Features
}

// Info returns what holds for the account that publishes.
func (n Network) Info() (provider.Info, error) {
	c, err := n.connect("http://sandbox.test", NewClock())
	return c.info, err
}

// connect makes the client for a sandbox at an address.
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
	if c.account.Token.Refresh != "" { // whatever holds for others
		c.info.Abilities.Refresh = true
	}
	return c, nil
}
