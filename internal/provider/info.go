package provider

import (
	"encoding/json"
	"slices"
	"time"
)

// Info is the static description of a network. Validation, the OpenAPI document, the list of providers, the dashboard's
// forms and the documentation are all based on it.
type Info struct {
	// Name is the value of SocialAccount.provider and the prefix of the settings' keys.
	Name        string    `json:"name"`
	DisplayName string    `json:"displayName"`
	Abilities   Abilities `json:"abilities"`
	// Formats are the network's kinds of posts, the default first.
	Formats []Format `json:"formats"`
	// Comment is the format of comments; nil where there are none.
	Comment  *Format   `json:"comment,omitempty"`
	Settings []Setting `json:"settings"`
	Scopes   []Grant   `json:"scopes"`
	Costs    []Cost    `json:"costs"`
	// Declarations are texts that a person has to see before or after posting.
	Declarations []Declaration `json:"declarations,omitempty"`
	// RateLimits are the limits that the network documents. They are for planning; its responses are authoritative.
	RateLimits []RateLimit `json:"rateLimits"`
	// PKCE means that a consent needs a verifier.
	PKCE bool `json:"-"`
	// FetchesMedia means that the network fetches media from a URL instead of receiving uploads.
	FetchesMedia bool `json:"fetchesMedia"`
	// MetricsBatch is the maximum number of posts per call of PostMetrics.
	MetricsBatch int `json:"-"`
	// RenewAhead is how long before its expiry an unused token is refreshed; zero leaves it to the engine. It is long
	// where an expired token can no longer be refreshed.
	RenewAhead time.Duration `json:"-"`
	// ProfileLife is how long the result of Profile is valid for scheduling; zero means that it is only read when
	// connecting.
	ProfileLife time.Duration `json:"-"`
	// PrepareLead is how long in advance a post without media has to be prepared; zero means that there is nothing to
	// prepare.
	PrepareLead time.Duration `json:"-"`
	// CommitTimeout is the maximum time Commit waits for a response.
	CommitTimeout time.Duration `json:"-"`
}

// Abilities are the features of a network besides posting. Comment, Repost and Quote are actions that Prepare and
// Commit accept; the others stand for the optional interfaces of this package.
type Abilities struct {
	Threads        bool `json:"threads"`
	Comment        bool `json:"firstComment"`
	CommentMedia   bool `json:"firstCommentMedia"`
	Repost         bool `json:"repost"`
	Quote          bool `json:"quote"`
	Delete         bool `json:"delete"`
	PostMetrics    bool `json:"metrics"`
	AccountMetrics bool `json:"analytics"`
	Refresh        bool `json:"refresh"`
	AltText        bool `json:"altText"`
	Mentions       bool `json:"mentions"`
	Reconcile      bool `json:"-"`
}

// Format is one kind of post: its parts and limits.
type Format struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// PostTypes are crier's post types that can be published in this format.
	PostTypes []string  `json:"postTypes"`
	Text      TextLimit `json:"text"`
	// MinMedia and MaxMedia bound the attachments; both zero means none.
	MinMedia int `json:"minMedia"`
	MaxMedia int `json:"maxMedia"`
	// MixedMedia means that media of different classes may be combined.
	MixedMedia bool         `json:"mixedMedia"`
	Media      []MediaLimit `json:"media"`
	// MaxAltText bounds an alt text in characters; zero means that the network has no alt texts.
	MaxAltText int `json:"maxAltText"`
	// MaxParts bounds a thread; zero means that there are no threads.
	MaxParts int `json:"maxParts"`
}

// MarshalJSON encodes empty lists as lists: a comment has no post types and may have no media.
func (f Format) MarshalJSON() ([]byte, error) {
	type plain Format
	if f.PostTypes == nil {
		f.PostTypes = []string{}
	}
	if f.Media == nil {
		f.Media = []MediaLimit{}
	}
	return json.Marshal(plain(f))
}

// TextUnit is how a network counts text.
type TextUnit string

// The units of text length.
const (
	Characters TextUnit = "characters" // Unicode code points
	UTF16      TextUnit = "utf16"      // UTF-16 code units
	Bytes      TextUnit = "bytes"      // of UTF-8
	Weighted   TextUnit = "weighted"   // the network's own rule, in Count
)

// TextLimit bounds a text.
type TextLimit struct {
	Max  int      `json:"max"`
	Unit TextUnit `json:"unit"`
	// Required means that a post needs text.
	Required bool `json:"required"`
	// FoldAt is the number of characters (code points) after which the network shows "see more"; zero means that it
	// does not fold.
	FoldAt int `json:"foldAt,omitempty"`
	// Count returns the length of a text under Weighted.
	Count func(text string) int `json:"-"`
}

// MediaLimit bounds the media of one class, identified by their MIME types. A zero bound means no limit.
type MediaLimit struct {
	Class     string   `json:"class"` // image, gif, video, document
	MIMETypes []string `json:"mimeTypes"`
	// ConvertTo is the type to which other images are converted before publishing; empty means that they are rejected.
	ConvertTo  string  `json:"convertTo,omitempty"`
	MaxCount   int     `json:"maxCount"`
	MinBytes   int64   `json:"minBytes,omitempty"`
	MaxBytes   int64   `json:"maxBytes,omitempty"`
	MinSeconds float64 `json:"minSeconds,omitempty"`
	MaxSeconds float64 `json:"maxSeconds,omitempty"`
	MinWidth   int     `json:"minWidth,omitempty"`
	MaxWidth   int     `json:"maxWidth,omitempty"`
	MinHeight  int     `json:"minHeight,omitempty"`
	MaxHeight  int     `json:"maxHeight,omitempty"`
	// MaxShortSide bounds the shorter of width and height.
	MaxShortSide int      `json:"maxShortSide,omitempty"`
	MaxPixels    int64    `json:"maxPixels,omitempty"`
	MinAspect    float64  `json:"minAspect,omitempty"` // width divided by height
	MaxAspect    float64  `json:"maxAspect,omitempty"`
	MinFPS       float64  `json:"minFps,omitempty"`
	MaxFPS       float64  `json:"maxFps,omitempty"`
	MaxFrames    int      `json:"maxFrames,omitempty"`
	VideoCodecs  []string `json:"videoCodecs,omitempty"`
	AudioCodecs  []string `json:"audioCodecs,omitempty"`
}

// Grant is a scope that a consent requests.
type Grant struct {
	Scope   string `json:"scope"`
	Purpose string `json:"purpose"`
	// Required means that nothing can be published without it.
	Required bool `json:"required"`
}

// Cost is the price of one call, in credits.
type Cost struct {
	Key         string `json:"key"`
	Credits     int64  `json:"credits"`
	Description string `json:"description"`
}

// Cost returns the price with this key; zero if there is none.
func (i Info) Cost(key string) int64 {
	for _, c := range i.Costs {
		if c.Key == key {
			return c.Credits
		}
	}
	return 0
}

// Keys of the prices of calls that do not publish.
const (
	CostAccountMetrics = "account_metrics" // per call of AccountMetrics
	CostPostRead       = "post_read"       // per post that PostMetrics returns
	CostDelete         = "delete"          // per call of Delete
)

// Format returns the format with this name; ok is false if there is none.
func (i Info) Format(name string) (f Format, ok bool) {
	for _, f := range i.Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// FormatFor returns the first format for one of crier's post types.
func (i Info) FormatFor(postType string) (f Format, ok bool) {
	for _, f := range i.Formats {
		if slices.Contains(f.PostTypes, postType) {
			return f, true
		}
	}
	return Format{}, false
}

// PostTypes returns crier's post types that the network accepts in any format.
func (i Info) PostTypes() []string {
	seen := map[string]bool{}
	types := []string{}
	for _, f := range i.Formats {
		for _, t := range f.PostTypes {
			if !seen[t] {
				seen[t] = true
				types = append(types, t)
			}
		}
	}
	return types
}

// Operation is the purpose of an exchange.
type Operation string

// The operations of exchanges and rate limits.
const (
	OpPublish Operation = "publish"
	OpUpload  Operation = "upload"
	OpComment Operation = "comment"
	OpEdit    Operation = "edit" // of published content: a thumbnail, an entry in a playlist
	// OpCaptions adds captions to a video, which costs more than other edits.
	OpCaptions Operation = "captions"
	OpRepost   Operation = "repost"
	OpDelete   Operation = "delete"
	OpRead     Operation = "read"
	OpConnect  Operation = "connect"
	OpRefresh  Operation = "refresh"
)

// RateLimit is a limit that the network documents: Max units per Window, counted per Scope.
type RateLimit struct {
	Name  string `json:"name"`
	Scope Scope  `json:"scope"` // ScopeAccount or ScopeInstallation
	Max   int64  `json:"max"`
	// Seconds is the length of the window; it slides, unless ResetZone is set.
	Seconds int64 `json:"seconds"`
	// ResetZone is the time zone in which a daily limit resets at midnight.
	ResetZone string `json:"resetZone,omitempty"`
	// Units is how much one exchange of an operation uses; operations that are missing use nothing.
	Units map[Operation]int64 `json:"units"`
	// Counted means that crier counts the use and enforces the limit itself: the network does not report how much is
	// left, and exceeding it harms others.
	Counted bool `json:"counted"`
}
