package provider

import "context"

// Mentioner is a network on which people and organizations can be looked up, to mention them.
type Mentioner interface {
	// Mentions finds whom a text may mean, the best first.
	Mentions(ctx context.Context, a Account, query string) ([]Mention, error)
}

// Mention is somebody that a post can mention.
type Mention struct {
	// ID is what the network knows them by.
	ID       string
	Name     string
	Handle   string
	ImageURL string
	Kind     string // person or organization
}

// Chooser is a network that knows which values settings can have on an account. Those settings have Choices set.
type Chooser interface {
	// Choices asks for the values of a setting. A query narrows long lists, where the network can search.
	Choices(ctx context.Context, a Account, setting, query string) (Choices, error)
}

// Choices are the values that a setting can have on an account.
type Choices struct {
	// Face is how the account looks on its network right now, where the network tells it along.
	Face *Face
	List []Choice
}

// Choice is one value, as it stands in the setting.
type Choice struct {
	Value string
	Label string
	// Detail tells apart what has the same label.
	Detail string
}

// Face is the name and the picture of an account.
type Face struct {
	DisplayName string
	Handle      string
	ImageURL    string
}

// Declaration is a sentence that a person has to see, or agree to, before posting.
type Declaration struct {
	Key string `json:"key"`
	// Text has a mark such as {musicUsage} for each link.
	Text  string            `json:"text"`
	Links map[string]string `json:"links,omitempty"`
	// Labels are the texts of the links.
	Labels map[string]string `json:"labels,omitempty"`
	// When says for which posts it holds: a setting and its value; none means for all.
	When map[string]any `json:"when,omitempty"`
	// Moment is before or after posting.
	Moment string `json:"moment"`
}

// The moments of declarations.
const (
	BeforePosting = "before"
	AfterPosting  = "after"
)
