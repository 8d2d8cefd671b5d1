package crier

// Provider is the name of a social network.
type Provider string

// The networks.
const (
	ProviderX         Provider = "x"
	ProviderTikTok    Provider = "tiktok"
	ProviderInstagram Provider = "instagram"
	ProviderFacebook  Provider = "facebook"
	ProviderYouTube   Provider = "youtube"
	ProviderLinkedIn  Provider = "linkedin"
	ProviderThreads   Provider = "threads"
)

// Providers lists the networks in the order of the contract.
func Providers() []Provider {
	return []Provider{ProviderX, ProviderTikTok, ProviderInstagram, ProviderFacebook, ProviderYouTube, ProviderLinkedIn,
		ProviderThreads}
}

// Enum lists the values on the wire.
func (Provider) Enum() []string { return enumOf(Providers()) }

// ProviderInfo is the static description of a network.
type ProviderInfo struct {
	Name         Provider              `json:"name"`
	DisplayName  string                `json:"displayName"`
	Abilities    ProviderAbilities     `json:"abilities"`
	Formats      []PostFormat          `json:"formats" doc:"The kinds of post that the network distinguishes, the usual one first."`
	Comment      *PostFormat           `json:"comment,omitempty" doc:"Rules for comments; absent if comments are not supported."`
	Settings     []PublishSetting      `json:"settings" doc:"The settings allowed in platformSettings."`
	Scopes       []ProviderScope       `json:"scopes" doc:"The scopes that a consent requests."`
	Costs        []ProviderCost        `json:"costs"`
	Declarations []ProviderDeclaration `json:"declarations,omitempty" doc:"Notices that must be shown to a person before or after posting."`
	RateLimits   []ProviderRateLimit   `json:"rateLimits" doc:"Limits published by the network, for planning; the network's responses are authoritative."`
	FetchesMedia bool                  `json:"fetchesMedia" doc:"The network fetches media from this installation, which it must be able to reach."`
}

// ProviderAbilities are the abilities of a network besides posting.
type ProviderAbilities struct {
	Threads           bool `json:"threads"`
	FirstComment      bool `json:"firstComment"`
	FirstCommentMedia bool `json:"firstCommentMedia"`
	Repost            bool `json:"repost"`
	Quote             bool `json:"quote"`
	Delete            bool `json:"delete"`
	ReportsMetrics    bool `json:"metrics" doc:"The network reports metrics of posts."`
	ReportsAnalytics  bool `json:"analytics" doc:"The network reports metrics of accounts."`
	Refresh           bool `json:"refresh" doc:"Connections are renewed automatically."`
	AltText           bool `json:"altText"`
	Mentions          bool `json:"mentions" doc:"People and organizations can be looked up to mention them."`
}

// PostFormat is one kind of post on a network, and its limits.
type PostFormat struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	PostTypes   []PostType   `json:"postTypes" doc:"The types of posts that can have this form."`
	Text        TextLimit    `json:"text"`
	MinMedia    int          `json:"minMedia"`
	MaxMedia    int          `json:"maxMedia" doc:"0 means no attachments."`
	MixedMedia  bool         `json:"mixedMedia" doc:"Media of different classes may be combined."`
	Media       []MediaLimit `json:"media"`
	MaxAltText  int          `json:"maxAltText" doc:"In characters; 0 means that alternative texts are not supported."`
	MaxParts    int          `json:"maxParts" doc:"Of a thread; 0 means that threads are not supported."`
}

// TextLimit is the limits of a text on a network.
type TextLimit struct {
	Max      int    `json:"max"`
	Unit     string `json:"unit" enum:"characters,utf16,bytes,weighted" doc:"Unicode code points, UTF-16 code units, bytes of UTF-8, or the network's own rule."`
	Required bool   `json:"required" doc:"A post must have text."`
	FoldAt   int    `json:"foldAt,omitempty" doc:"After how many characters the network shows \"see more\"; absent when it does not fold."`
}

// MediaLimit is the limits of the media of one class; an absent limit does not apply.
type MediaLimit struct {
	Class        string   `json:"class" enum:"image,gif,video,document"`
	MimeTypes    []string `json:"mimeTypes"`
	ConvertTo    string   `json:"convertTo,omitempty" doc:"The type other images are converted to; absent when they are rejected."`
	MaxCount     int      `json:"maxCount"`
	MinBytes     int64    `json:"minBytes,omitempty"`
	MaxBytes     int64    `json:"maxBytes,omitempty"`
	MinSeconds   float64  `json:"minSeconds,omitempty"`
	MaxSeconds   float64  `json:"maxSeconds,omitempty"`
	MinWidth     int      `json:"minWidth,omitempty"`
	MaxWidth     int      `json:"maxWidth,omitempty"`
	MinHeight    int      `json:"minHeight,omitempty"`
	MaxHeight    int      `json:"maxHeight,omitempty"`
	MaxShortSide int      `json:"maxShortSide,omitempty" doc:"Of the shorter of width and height."`
	MaxPixels    int64    `json:"maxPixels,omitempty"`
	MinAspect    float64  `json:"minAspect,omitempty" doc:"Width divided by height."`
	MaxAspect    float64  `json:"maxAspect,omitempty" doc:"Width divided by height."`
	MinFPS       float64  `json:"minFps,omitempty"`
	MaxFPS       float64  `json:"maxFps,omitempty"`
	MaxFrames    int      `json:"maxFrames,omitempty"`
	VideoCodecs  []string `json:"videoCodecs,omitempty"`
	AudioCodecs  []string `json:"audioCodecs,omitempty"`
}

// PublishSetting describes one publish setting of a network, or one value inside it.
type PublishSetting struct {
	Key         string           `json:"key,omitempty" doc:"The key in platformSettings, or the name inside an object; absent for items of a list."`
	Type        string           `json:"type" enum:"string,boolean,integer,number,array,object"`
	Format      string           `json:"format,omitempty" enum:"digits,uri,date-time,asset,urn" doc:"Of a string: a decimal id, an http or https address, an RFC 3339 time, the id of an asset of the team, a URN."`
	Description string           `json:"description,omitempty"`
	Enum        []string         `json:"enum,omitempty"`
	Default     any              `json:"default,omitempty" doc:"The default when the setting is absent."`
	Minimum     *float64         `json:"minimum,omitempty" doc:"Of a number, the characters of a string, or the items of a list."`
	Maximum     *float64         `json:"maximum,omitempty"`
	Required    bool             `json:"required,omitempty" doc:"Required for every post, or in every such object."`
	Choices     bool             `json:"choices,omitempty" doc:"The possible values depend on the account: request its choices."`
	Items       *PublishSetting  `json:"items,omitempty" doc:"Of a list."`
	Fields      []PublishSetting `json:"fields,omitempty" doc:"Of an object."`
}

// ProviderScope is a scope that a consent requests.
type ProviderScope struct {
	Scope    string `json:"scope"`
	Purpose  string `json:"purpose"`
	Required bool   `json:"required" doc:"Nothing can be published without it."`
}

// ProviderCost is the price of one call.
type ProviderCost struct {
	Key         string `json:"key"`
	Price       int64  `json:"credits"`
	Description string `json:"description"`
}

// ProviderDeclaration is a notice that a person must see, or agree to.
type ProviderDeclaration struct {
	Key    string            `json:"key"`
	Text   string            `json:"text" doc:"With a placeholder such as {musicUsage} for each link."`
	Links  map[string]string `json:"links,omitempty" doc:"URLs by placeholder."`
	Labels map[string]string `json:"labels,omitempty" doc:"Link texts by placeholder."`
	When   map[string]any    `json:"when,omitempty" doc:"Settings and values that it applies to; absent when it applies to all posts."`
	Moment string            `json:"moment" enum:"before,after" doc:"Before or after posting."`
}

// ProviderRateLimit is a rate limit published by a network.
type ProviderRateLimit struct {
	Name      string           `json:"name"`
	Scope     string           `json:"scope" enum:"account,installation" doc:"Whether the limit applies per account or to the whole installation."`
	Max       int64            `json:"max"`
	Seconds   int64            `json:"seconds" doc:"The length of the window; it slides unless resetZone is present."`
	ResetZone string           `json:"resetZone,omitempty" doc:"The time zone at whose midnight a daily limit resets."`
	Units     map[string]int64 `json:"units" doc:"Usage of one call, by operation; absent operations use nothing."`
	Counted   bool             `json:"counted" doc:"crier counts the usage and observes the limit automatically."`
}

// Capabilities are the capabilities of an account's network and connection.
type Capabilities struct {
	ProviderAbilities
	PostTypes           []PostType       `json:"postTypes"`
	Formats             []PostFormat     `json:"formats"`
	Comment             *PostFormat      `json:"comment,omitempty" doc:"Rules for comments; absent if comments are not supported."`
	Settings            []PublishSetting `json:"settings,omitempty" doc:"Publish settings that allow less here than on the network as a whole."`
	UnavailableSettings []string         `json:"unavailableSettings,omitempty" doc:"Keys of settings that have no effect here."`
}
