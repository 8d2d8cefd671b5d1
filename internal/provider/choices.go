package provider

import "context"

// Mentioner is a network on which people and organizations can be searched, to mention them.
type Mentioner interface {
	// Mentions returns the matches for a text, best first.
	Mentions(ctx context.Context, a Account, query string) ([]Mention, error)
}

// Mention is a person or organization that a post can mention.
type Mention struct {
	// ID is their id on the network.
	ID       string
	Name     string
	Handle   string
	ImageURL string
	Kind     string // person or organization
}

// Chooser is a network that can list the possible values of settings for an account. Those settings have Choices set.
type Chooser interface {
	// Choices returns the values of a setting. A query narrows long lists where the network can search.
	Choices(ctx context.Context, a Account, setting, query string) (Choices, error)
}

// Choices are the possible values of a setting for an account.
type Choices struct {
	// Face is the account's current name and picture, where the network returns them too.
	Face *Face
	List []Choice
}

// Choice is one value, as used in the setting.
type Choice struct {
	Value string
	Label string
	// Detail distinguishes choices with the same label.
	Detail string
}

// Face is the name and the picture of an account.
type Face struct {
	DisplayName string
	Handle      string
	ImageURL    string
}

// Declaration is a text that a person has to see or accept before or after posting.
type Declaration struct {
	Key string `json:"key"`
	// Text has a placeholder such as {musicUsage} for each link.
	Text  string            `json:"text"`
	Links map[string]string `json:"links,omitempty"`
	// Labels are the link texts.
	Labels map[string]string `json:"labels,omitempty"`
	// When limits the declaration to posts with these setting values; empty means all posts.
	When map[string]any `json:"when,omitempty"`
	// Moment is when to show it: before or after posting.
	Moment string `json:"moment"`
}

// The moments of declarations.
const (
	BeforePosting = "before"
	AfterPosting  = "after"
)
