package threads

import (
	"crier/internal/provider"
)

// settings are the decoded publish settings. The tags are the keys of the API.
type settings struct {
	ReplyControl            string                 `json:"threadsReplyControl"`
	TopicTag                string                 `json:"threadsTopicTag"`
	LinkAttachment          string                 `json:"threadsLinkAttachment"`
	QuotePostID             string                 `json:"threadsQuotePostId"`
	ReplyToID               string                 `json:"threadsReplyToId"`
	SpoilerMedia            bool                   `json:"threadsSpoilerMedia"`
	TextSpoilers            []textSpan             `json:"threadsTextSpoilers"`
	Poll                    *pollSetting           `json:"threadsPoll"`
	GIF                     *gifSetting            `json:"threadsGif"`
	TextAttachment          *textAttachmentSetting `json:"threadsTextAttachment"`
	AllowlistedCountryCodes []string               `json:"threadsAllowlistedCountryCodes"`
	LocationID              string                 `json:"threadsLocationId"`
	EnableReplyApprovals    bool                   `json:"threadsEnableReplyApprovals"`
	GhostPost               bool                   `json:"threadsGhostPost"`
	ShareToInstagramStory   string                 `json:"threadsShareToInstagramStory"`
}

type textSpan struct {
	Offset int `json:"offset"`
	Length int `json:"length"`
}

type pollSetting struct {
	Options []string `json:"options"`
}

type gifSetting struct {
	ID       string `json:"id"`
	Provider string `json:"provider"`
}

type textAttachmentSetting struct {
	Plaintext string `json:"plaintext"`
	LinkURL   string `json:"linkUrl"`
	Styles    []struct {
		Offset int      `json:"offset"`
		Length int      `json:"length"`
		Styles []string `json:"styles"`
	} `json:"styles"`
}

// Values of settings that are not sent: they are Threads' defaults.
const (
	everyone = "everyone"
	off      = "off"
)

// wireReplyControl maps to the values of Threads.
var wireReplyControl = map[string]string{
	"accountsYouFollow": "accounts_you_follow", "mentionedOnly": "mentioned_only",
	"parentPostAuthorOnly": "parent_post_author_only", "followersOnly": "followers_only",
}

func settingDeclarations() []provider.Setting {
	flag := func(key, description string) provider.Setting {
		return provider.Setting{Key: key, Type: provider.TypeBoolean, Default: false, Description: description}
	}
	id := func(key, description string) provider.Setting {
		return provider.Setting{Key: key, Type: provider.TypeString, Format: provider.FormatDigits,
			Description: description}
	}
	minTag, maxTag := provider.Between(1, 50)
	minCode, maxCode := provider.Between(2, 2)
	return []provider.Setting{
		{
			Key: "threadsReplyControl", Type: provider.TypeString, Default: everyone,
			Enum: []string{everyone, "accountsYouFollow", "mentionedOnly", "parentPostAuthorOnly",
				"followersOnly"},
			Description: "Who may reply.",
		},
		{
			Key: "threadsTopicTag", Type: provider.TypeString, Minimum: minTag, Maximum: maxTag,
			Description: "The topic of the post, without . and &; otherwise the first hashtag of the text is it.",
		},
		{Key: "threadsLinkAttachment", Type: provider.TypeString, Format: provider.FormatURL,
			Description: "The link that is shown as a card; text posts only."},
		id("threadsQuotePostId", "The post to quote."),
		id("threadsReplyToId", "The post to reply to."),
		flag("threadsSpoilerMedia", "Hide the media until they are tapped."),
		{
			Key: "threadsTextSpoilers", Type: provider.TypeArray, Maximum: provider.AtMost(10),
			Description: "Passages of the text to hide until they are tapped.",
			Items:       &provider.Setting{Type: provider.TypeObject, Fields: span()},
		},
		pollDeclaration(),
		{
			Key: "threadsGif", Type: provider.TypeObject, Description: "A GIF by its id; text posts only.",
			Fields: []provider.Setting{
				{Key: "id", Type: provider.TypeString, Required: true, Minimum: provider.AtLeast(1),
					Maximum: provider.AtMost(100), Description: "The id of the GIF at its provider."},
				{Key: "provider", Type: provider.TypeString, Enum: []string{"GIPHY"}, Default: "GIPHY",
					Description: "Where the GIF comes from."},
			},
		},
		textAttachmentDeclaration(),
		{
			Key: "threadsAllowlistedCountryCodes", Type: provider.TypeArray, Minimum: provider.AtLeast(1),
			Maximum: provider.AtMost(250),
			Items:   &provider.Setting{Type: provider.TypeString, Minimum: minCode, Maximum: maxCode},
			Description: "The countries in which the post is shown, as ISO 3166-1 codes; only for accounts that may " +
				"do so.",
		},
		{Key: keyLocation, Type: provider.TypeString, Format: provider.FormatDigits, Choices: true,
			Description: "The place of the post."},
		flag("threadsEnableReplyApprovals", "Show replies only after they were approved."),
		flag("threadsGhostPost", "Let the post disappear after a day; text posts only, without replies."),
		{
			Key: "threadsShareToInstagramStory", Type: provider.TypeString, Default: off,
			Enum:        []string{off, "light", "dark"},
			Description: "Share the post as a story of the linked Instagram account too.",
		},
	}
}

// maxAttachedText is the maximum length of a text attachment.
const maxAttachedText = 10_000

// span returns the settings of a text range.
func span() []provider.Setting {
	return []provider.Setting{
		{Key: "offset", Type: provider.TypeInteger, Required: true, Minimum: provider.AtLeast(0),
			Maximum: provider.AtMost(maxAttachedText), Description: "Where the passage starts, from 0."},
		{Key: "length", Type: provider.TypeInteger, Required: true, Minimum: provider.AtLeast(1),
			Maximum: provider.AtMost(maxAttachedText), Description: "How long it is."},
	}
}

func pollDeclaration() provider.Setting {
	minOptions, maxOptions := provider.Between(2, 4)
	minOption, maxOption := provider.Between(1, 25)
	return provider.Setting{
		Key: "threadsPoll", Type: provider.TypeObject, Description: "A poll; text posts only.",
		Fields: []provider.Setting{{
			Key: "options", Type: provider.TypeArray, Required: true, Minimum: minOptions, Maximum: maxOptions,
			Description: "The options to vote for.",
			Items:       &provider.Setting{Type: provider.TypeString, Minimum: minOption, Maximum: maxOption},
		}},
	}
}

func textAttachmentDeclaration() provider.Setting {
	minText, maxText := provider.Between(1, maxAttachedText)
	style := provider.Setting{Type: provider.TypeString,
		Enum: []string{"bold", "italic", "highlight", "underline", "strikethrough"}}
	return provider.Setting{
		Key: "threadsTextAttachment", Type: provider.TypeObject,
		Description: "A longer text behind the post; text posts only, not with a poll.",
		Fields: []provider.Setting{
			{Key: "plaintext", Type: provider.TypeString, Required: true, Minimum: minText, Maximum: maxText,
				Description: "The text."},
			{Key: "linkUrl", Type: provider.TypeString, Format: provider.FormatURL, Description: "A link below it."},
			{
				Key: "styles", Type: provider.TypeArray, Maximum: provider.AtMost(100),
				Description: "Passages that look different.",
				Items: &provider.Setting{Type: provider.TypeObject, Fields: append(span(), provider.Setting{
					Key: "styles", Type: provider.TypeArray, Required: true, Minimum: provider.AtLeast(1),
					Maximum: provider.AtMost(5), Items: &style,
					Description: "How they look.",
				})},
			},
		},
	}
}

// decodeSettings decodes the settings of a content. Invalid settings, which the registry did not check, are rejected.
func decodeSettings(c provider.Content) (settings, error) {
	var s settings
	if err := c.Settings.Decode(&s); err != nil {
		return settings{}, &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "the publish settings cannot be read",
			Err: err,
		}
	}
	return s, nil
}
