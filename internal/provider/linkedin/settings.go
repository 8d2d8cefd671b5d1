package linkedin

import (
	"cmp"

	"crier"
	"crier/internal/provider"
)

// settings are the decoded publish settings. The tags are the keys of the API.
type settings struct {
	Visibility        string          `json:"linkedinVisibility"`
	FeedDistribution  string          `json:"linkedinFeedDistribution"`
	DisableReshare    bool            `json:"linkedinDisableReshare"`
	TargetEntities    []targetEntity  `json:"linkedinTargetEntities"`
	DocumentTitle     string          `json:"linkedinDocumentTitle"`
	VideoTitle        string          `json:"linkedinVideoTitle"`
	VideoCaptions     string          `json:"linkedinVideoCaptions"`
	VideoThumbnail    crier.ID        `json:"linkedinVideoThumbnailMediaId"`
	Carousel          bool            `json:"linkedinCarousel"`
	Article           *articleSetting `json:"linkedinArticle"`
	Poll              *pollSetting    `json:"linkedinPoll"`
	ReshareURN        string          `json:"linkedinReshareUrn"`
	Mentions          []mention       `json:"linkedinMentions"`
	CommentsState     string          `json:"linkedinCommentsState"`
	LandingPageURL    string          `json:"linkedinLandingPageUrl"`
	CallToActionLabel string          `json:"linkedinCallToActionLabel"`
}

// targetEntity is one audience of an organization's post; the names are LinkedIn's.
type targetEntity struct {
	GeoLocations     []string `json:"geoLocations,omitempty"`
	Industries       []string `json:"industries,omitempty"`
	Seniorities      []string `json:"seniorities,omitempty"`
	JobFunctions     []string `json:"jobFunctions,omitempty"`
	StaffCountRanges []string `json:"staffCountRanges,omitempty"`
}

type articleSetting struct {
	URL         string   `json:"url"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Thumbnail   crier.ID `json:"thumbnailMediaId"`
}

type pollSetting struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Duration string   `json:"duration"`
}

// Values of settings.
const (
	visibilityPublic      = "public"
	visibilityConnections = "connections"
	visibilityLoggedIn    = "loggedIn"
	feedMain              = "mainFeed"
	feedNone              = "none"
	commentsOpen          = "open"
	commentsClosed        = "closed"
)

// Wire values of settings.
var (
	wireVisibility = map[string]string{visibilityPublic: "PUBLIC", visibilityConnections: "CONNECTIONS",
		visibilityLoggedIn: "LOGGED_IN"}
	wireFeed     = map[string]string{feedMain: "MAIN_FEED", feedNone: "NONE"}
	wireDuration = map[string]string{"oneDay": "ONE_DAY", "threeDays": "THREE_DAYS", "sevenDays": "SEVEN_DAYS",
		"fourteenDays": "FOURTEEN_DAYS"}
)

// maxCaptions limits captions in characters: an hour of speech is less than half of it.
const maxCaptions = 200_000

// Limits of an article (documentation: article posts).
const (
	maxArticleTitle       = 399
	maxArticleDescription = 4085
)

func settingDeclarations(limits Limits) []provider.Setting {
	minTitle, maxTitle := provider.Between(1, 400)
	return []provider.Setting{
		{
			Key: "linkedinVisibility", Type: provider.TypeString, Default: visibilityPublic,
			Enum:        []string{visibilityPublic, visibilityConnections, visibilityLoggedIn},
			Description: "Who sees the post; organizations cannot choose connections.",
		},
		{
			Key: "linkedinFeedDistribution", Type: provider.TypeString, Default: feedMain,
			Enum:        []string{feedMain, feedNone},
			Description: "Whether the post shows in feeds; none is for organizations.",
		},
		{Key: "linkedinDisableReshare", Type: provider.TypeBoolean, Default: false,
			Description: "Do not let others share the post."},
		targetingDeclaration(),
		{Key: "linkedinDocumentTitle", Type: provider.TypeString, Minimum: minTitle, Maximum: maxTitle,
			Description: "The title of a document; its file name by default."},
		{Key: "linkedinVideoTitle", Type: provider.TypeString, Minimum: minTitle, Maximum: maxTitle,
			Description: "The title of a video."},
		{Key: "linkedinVideoCaptions", Type: provider.TypeString, Minimum: provider.AtLeast(1),
			Maximum:     provider.AtMost(maxCaptions),
			Description: "The captions of a video in English, as the text of a SubRip file (.srt)."},
		{Key: "linkedinVideoThumbnailMediaId", Type: provider.TypeString, Format: provider.FormatAsset,
			Description: "The image to show before a video plays."},
		{Key: "linkedinCarousel", Type: provider.TypeBoolean, Default: false,
			Description: "Show several images as a carousel: they become the pages of a document, without alt texts."},
		articleDeclaration(),
		pollDeclaration(limits),
		{Key: "linkedinReshareUrn", Type: provider.TypeString, Format: provider.FormatURN,
			Description: "The post to share; excludes media, an article and a poll."},
		{
			Key: "linkedinMentions", Type: provider.TypeArray, Maximum: provider.AtMost(40),
			Description: "People and organizations that the text names as @name.",
			Items: &provider.Setting{Type: provider.TypeObject, Fields: []provider.Setting{
				{Key: "urn", Type: provider.TypeString, Format: provider.FormatURN, Required: true,
					Description: "URN of the person or organization, such as urn:li:organization:2414183."},
				{Key: "name", Type: provider.TypeString, Required: true, Minimum: minTitle, Maximum: maxTitle,
					Description: "Exactly as the organization is called."},
			}},
		},
		{
			Key: "linkedinCommentsState", Type: provider.TypeString, Default: commentsOpen,
			Enum:        []string{commentsOpen, commentsClosed},
			Description: "Whether the post can be commented.",
		},
		{Key: "linkedinLandingPageUrl", Type: provider.TypeString, Format: provider.FormatURL,
			Description: "Where the button of an organization's post leads."},
		{
			Key: "linkedinCallToActionLabel", Type: provider.TypeString, Minimum: provider.AtLeast(1),
			Maximum:     provider.AtMost(40),
			Description: "The label of that button, such as LEARN_MORE; needs linkedinLandingPageUrl.",
		},
	}
}

func targetingDeclaration() provider.Setting {
	facet := func(key, description string) provider.Setting {
		return provider.Setting{
			Key: key, Type: provider.TypeArray, Maximum: provider.AtMost(100), Description: description,
			Items: &provider.Setting{Type: provider.TypeString, Minimum: provider.AtLeast(1),
				Maximum: provider.AtMost(100)},
		}
	}
	return provider.Setting{
		Key: "linkedinTargetEntities", Type: provider.TypeArray, Maximum: provider.AtMost(10),
		Description: "Audience of an organization's post; it must have 300 followers or more.",
		Items: &provider.Setting{Type: provider.TypeObject, Fields: []provider.Setting{
			facet("geoLocations", "URNs of places."), facet("industries", "URNs of industries."),
			facet("seniorities", "URNs of seniorities."),
			facet("jobFunctions", "URNs of functions."),
			facet("staffCountRanges", "Sizes of companies, such as SIZE_2_TO_10."),
		}},
	}
}

func articleDeclaration() provider.Setting {
	minTitle, maxTitle := provider.Between(1, maxArticleTitle)
	return provider.Setting{
		Key: "linkedinArticle", Type: provider.TypeObject,
		Description: "A link with its title, description and picture; LinkedIn does not read them from the page.",
		Fields: []provider.Setting{
			{Key: "url", Type: provider.TypeString, Format: provider.FormatURL, Required: true,
				Description: "Where the link leads."},
			{Key: "title", Type: provider.TypeString, Required: true, Minimum: minTitle, Maximum: maxTitle,
				Description: "The heading of the card."},
			{Key: "description", Type: provider.TypeString, Maximum: provider.AtMost(maxArticleDescription),
				Description: "The text below it."},
			{Key: "thumbnailMediaId", Type: provider.TypeString, Format: provider.FormatAsset,
				Description: "An image of the team's library."},
		},
	}
}

func pollDeclaration(limits Limits) provider.Setting {
	minOptions, maxOptions := provider.Between(2, 4)
	minQuestion, maxQuestion := provider.Between(1, float64(limits.QuestionLength))
	minOption, maxOption := provider.Between(1, float64(limits.OptionLength))
	return provider.Setting{
		Key: "linkedinPoll", Type: provider.TypeObject,
		Description: "A poll; excludes media, an article and a reshare.",
		Fields: []provider.Setting{
			{Key: "question", Type: provider.TypeString, Required: true, Minimum: minQuestion, Maximum: maxQuestion,
				Description: "The question."},
			{
				Key: "options", Type: provider.TypeArray, Required: true, Minimum: minOptions, Maximum: maxOptions,
				Description: "The answers to choose from.",
				Items:       &provider.Setting{Type: provider.TypeString, Minimum: minOption, Maximum: maxOption},
			},
			{Key: "duration", Type: provider.TypeString, Required: true,
				Enum:        []string{"oneDay", "threeDays", "sevenDays", "fourteenDays"},
				Description: "How long people can vote."},
		},
	}
}

// decodeSettings decodes the settings of a content, with their defaults. Invalid settings, which the registry did not
// check, are rejected.
func decodeSettings(c provider.Content) (settings, error) {
	s := settings{Visibility: visibilityPublic, FeedDistribution: feedMain, CommentsState: commentsOpen}
	if err := c.Settings.Decode(&s); err != nil {
		return settings{}, &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "the publish settings cannot be read",
			Err: err,
		}
	}
	return s, nil
}

// plan is how a content is published on LinkedIn: its text and at most one attachment.
type plan struct {
	settings
	text    string
	article *articleSetting
	media   []provider.Media
	// pages are the images that become the document of a carousel, which is then the only media.
	pages   []provider.Media
	reshare string
}

// newPlan classifies a content. The first link attachment of a post without media is its article; further ones, and
// those beside media, are added to the text, where LinkedIn shows them as plain links.
func newPlan(c provider.Content) (plan, error) {
	s, err := decodeSettings(c)
	if err != nil {
		return plan{}, err
	}
	p := plan{settings: s, reshare: s.ReshareURN}
	if c.Action == provider.Repost || c.Action == provider.Quote {
		p.reshare = c.Target.PlatformPostID
	}
	if len(c.Parts) == 0 {
		return p, nil
	}
	part := c.Parts[0]
	p.text, p.media, p.article = part.Text, part.Media, s.Article
	if s.Carousel && len(part.Media) > 0 && resourceOf(part.Media[0]) == images {
		p.pages, p.media = part.Media, []provider.Media{{FileName: carouselName, MIMEType: typePDF}}
	}
	for _, link := range part.Links {
		switch {
		case p.article == nil && len(p.media) == 0 && s.Poll == nil && p.reshare == "":
			p.article = &articleSetting{URL: link.URL, Title: cmp.Or(link.Title, link.URL),
				Description: link.Description}
		case p.article == nil || p.article.URL != link.URL:
			p.text = provider.AppendLink(p.text, link.URL)
		}
	}
	return p, nil
}
