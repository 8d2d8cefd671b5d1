package x

import (
	"crier/internal/provider"
)

// settings are the decoded publish settings. The tags are the keys of the API.
type settings struct {
	ReplySettings       string          `json:"xReplySettings"`
	CommunityID         string          `json:"xCommunityId"`
	ShareWithFollowers  bool            `json:"xShareWithFollowers"`
	MadeWithAI          bool            `json:"xMadeWithAi"`
	PaidPartnership     bool            `json:"xPaidPartnership"`
	SuperFollowersOnly  bool            `json:"xSuperFollowersOnly"`
	Poll                *pollSetting    `json:"xPoll"`
	QuotePostID         string          `json:"xQuotePostId"`
	ReplyToPostID       string          `json:"xReplyToPostId"`
	ExcludeReplyUserIDs []string        `json:"xExcludeReplyUserIds"`
	TaggedUserIDs       []string        `json:"xTaggedUserIds"`
	PlaceID             string          `json:"xPlaceId"`
	SensitiveMedia      *sensitiveMedia `json:"xSensitiveMedia"`
}

type pollSetting struct {
	Options         []string `json:"options"`
	DurationMinutes int      `json:"durationMinutes"`
}

type sensitiveMedia struct {
	AdultContent    bool `json:"adultContent"`
	GraphicViolence bool `json:"graphicViolence"`
	Other           bool `json:"other"`
}

// everyone is the reply setting that is not sent: it is X's default.
const everyone = "everyone"

func settingDeclarations() []provider.Setting {
	digits := provider.Setting{Type: provider.TypeString, Format: provider.FormatDigits}
	minMinutes, maxMinutes := provider.Between(5, 10_080)
	minOptions, maxOptions := provider.Between(2, 4)
	minOption, maxOption := provider.Between(1, 25)
	flag := func(key, description string) provider.Setting {
		return provider.Setting{Key: key, Type: provider.TypeBoolean, Default: false, Description: description}
	}
	id := func(key, description string) provider.Setting {
		return provider.Setting{Key: key, Type: provider.TypeString, Format: provider.FormatDigits,
			Description: description}
	}
	return []provider.Setting{
		{
			Key: "xReplySettings", Type: provider.TypeString, Default: everyone,
			Enum:        []string{everyone, "following", "mentionedUsers", "subscribers", "verified"},
			Description: "Who may reply.",
		},
		id("xCommunityId", "The community to post into."),
		flag("xShareWithFollowers", "Show a community post to followers too; needs xCommunityId."),
		flag("xMadeWithAi", "Label the media as made with AI."),
		flag("xPaidPartnership", "Label the post as a paid partnership."),
		flag("xSuperFollowersOnly", "Show the post to subscribers of the account only."),
		{
			Key: "xPoll", Type: provider.TypeObject,
			Description: "A poll; excludes media and quotes. In a thread it stands in the first post.",
			Fields: []provider.Setting{
				{
					Key: "options", Type: provider.TypeArray, Required: true, Minimum: minOptions, Maximum: maxOptions,
					Description: "The options to vote for.",
					Items:       &provider.Setting{Type: provider.TypeString, Minimum: minOption, Maximum: maxOption},
				},
				{Key: "durationMinutes", Type: provider.TypeInteger, Required: true, Minimum: minMinutes,
					Maximum: maxMinutes, Description: "How long people can vote."},
			},
		},
		id("xQuotePostId", "The post to quote; excludes media and a poll."),
		id("xReplyToPostId", "The post to reply to."),
		{
			Key: "xExcludeReplyUserIds", Type: provider.TypeArray, Items: &digits, Maximum: provider.AtMost(100),
			Description: "Users not to mention in the reply; needs xReplyToPostId.",
		},
		{
			Key: "xTaggedUserIds", Type: provider.TypeArray, Items: &digits, Maximum: provider.AtMost(10),
			Description: "Users to tag in the media.",
		},
		{
			Key: "xPlaceId", Type: provider.TypeString, Minimum: provider.AtLeast(1), Maximum: provider.AtMost(64),
			Description: "The place of the post.",
		},
		{
			Key: "xSensitiveMedia", Type: provider.TypeObject, Description: "Content warnings for the media.",
			Fields: []provider.Setting{
				{Key: "adultContent", Type: provider.TypeBoolean, Description: "They show nudity or sex."},
				{Key: "graphicViolence", Type: provider.TypeBoolean, Description: "They show violence."},
				{Key: "other", Type: provider.TypeBoolean, Description: "They may disturb for another reason."},
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
