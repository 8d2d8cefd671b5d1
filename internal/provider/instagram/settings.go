package instagram

import (
	"cmp"
	"strings"

	"crier"
	"crier/internal/provider"
)

// settings are the decoded publish settings. The tags are the keys of the API.
type settings struct {
	PostType        string        `json:"instagramPostType"`
	ShareToFeed     *bool         `json:"instagramShareToFeed"`
	CoverURL        string        `json:"instagramCoverUrl"`
	CoverMediaID    crier.ID      `json:"instagramCoverMediaId"`
	ThumbOffsetMs   *int64        `json:"instagramThumbOffsetMs"`
	AudioName       string        `json:"instagramAudioName"`
	Audio           *audioSetting `json:"instagramAudio"`
	Collaborators   []string      `json:"instagramCollaborators"`
	UserTags        []tagSetting  `json:"instagramUserTags"`
	LocationID      string        `json:"instagramLocationId"`
	TrialReel       *trialSetting `json:"instagramTrialReel"`
	IsAIGenerated   bool          `json:"instagramIsAiGenerated"`
	CommentsEnabled *bool         `json:"instagramCommentsEnabled"`
	// ProductTags, PaidPartnership and SponsorIDs need Facebook Login.
	ProductTags     []productSetting `json:"instagramProductTags"`
	PaidPartnership bool             `json:"instagramPaidPartnership"`
	SponsorIDs      []string         `json:"instagramSponsorIds"`
}

type productSetting struct {
	ProductID  string   `json:"productId"`
	X          *float64 `json:"x"`
	Y          *float64 `json:"y"`
	MediaIndex int      `json:"mediaIndex"`
}

type audioSetting struct {
	ID          string `json:"id"`
	AudioVolume *int   `json:"audioVolume"`
	VideoVolume *int   `json:"videoVolume"`
}

type tagSetting struct {
	Username   string   `json:"username"`
	X          *float64 `json:"x"`
	Y          *float64 `json:"y"`
	MediaIndex int      `json:"mediaIndex"`
}

type trialSetting struct {
	Enabled            bool   `json:"enabled"`
	GraduationStrategy string `json:"graduationStrategy"`
}

func settingDeclarations() []provider.Setting {
	minName, maxName := provider.Between(1, 30)
	minShare, maxShare := provider.Between(0, 1)
	minVolume, maxVolume := provider.Between(0, 100)
	username := provider.Setting{Type: provider.TypeString, Minimum: minName, Maximum: maxName}
	share := func(key, description string) provider.Setting {
		return provider.Setting{Key: key, Type: provider.TypeNumber, Minimum: minShare, Maximum: maxShare,
			Description: description}
	}
	volume := func(key, description string) provider.Setting {
		return provider.Setting{Key: key, Type: provider.TypeInteger, Minimum: minVolume, Maximum: maxVolume,
			Description: description}
	}
	return []provider.Setting{
		{
			Key: "instagramPostType", Type: provider.TypeString, Enum: []string{feed, reel, story},
			Description: "The kind of post; by default one video is a reel and everything else a feed post.",
		},
		{Key: "instagramShareToFeed", Type: provider.TypeBoolean, Default: true,
			Description: "Show a reel in the feed too."},
		{Key: "instagramCoverUrl", Type: provider.TypeString, Format: provider.FormatURL,
			Description: "The address of a reel's cover, a JPEG."},
		{Key: "instagramCoverMediaId", Type: provider.TypeString, Format: provider.FormatAsset,
			Description: "The asset that is a reel's cover."},
		{
			Key: "instagramThumbOffsetMs", Type: provider.TypeInteger, Minimum: provider.AtLeast(0),
			Maximum:     provider.AtMost(15 * 60 * 1000),
			Description: "The moment of the video that is its cover, in milliseconds; a cover wins over it.",
		},
		{Key: "instagramAudioName", Type: provider.TypeString, Minimum: provider.AtLeast(1),
			Maximum: provider.AtMost(100), Description: "The name of a reel's sound."},
		{
			Key: "instagramAudio", Type: provider.TypeObject,
			Description: "Licensed sound of a reel; only for accounts connected by Facebook Login.",
			Fields: []provider.Setting{
				{Key: "id", Type: provider.TypeString, Required: true, Minimum: provider.AtLeast(1),
					Maximum: provider.AtMost(64), Description: "The id of the sound on Instagram."},
				volume("audioVolume", "How loud the sound is."),
				volume("videoVolume", "How loud the video's own sound is."),
			},
		},
		{
			Key: "instagramCollaborators", Type: provider.TypeArray, Items: &username,
			Maximum:     provider.AtMost(maxCollaborators),
			Description: "Usernames of accounts that are invited as co-authors; not for stories.",
		},
		{
			Key: "instagramUserTags", Type: provider.TypeArray, Maximum: provider.AtMost(20),
			Description: "People in the media. Images need x and y, videos have none.",
			Items: &provider.Setting{Type: provider.TypeObject, Fields: []provider.Setting{
				{Key: "username", Type: provider.TypeString, Required: true, Minimum: minName, Maximum: maxName,
					Description: "The account to tag."},
				share("x", "Where, from the left."), share("y", "Where, from the top."),
				{Key: "mediaIndex", Type: provider.TypeInteger, Default: 0, Minimum: provider.AtLeast(0),
					Maximum: provider.AtMost(maxItems - 1), Description: "In which of the media, from 0."},
			}},
		},
		{Key: "instagramLocationId", Type: provider.TypeString, Format: provider.FormatDigits,
			Description: "The Facebook Page of the place."},
		trialDeclaration(),
		{Key: "instagramIsAiGenerated", Type: provider.TypeBoolean, Default: false,
			Description: "Label the post as made with AI."},
		{Key: "instagramCommentsEnabled", Type: provider.TypeBoolean, Default: true,
			Description: "Let people comment; switched off right after publishing."},
		productDeclaration(share),
		{Key: "instagramPaidPartnership", Type: provider.TypeBoolean, Default: false,
			Description: "Label the post as a paid partnership; only for accounts connected by Facebook Login."},
		{
			Key: "instagramSponsorIds", Type: provider.TypeArray, Maximum: provider.AtMost(maxSponsors),
			Items: &provider.Setting{Type: provider.TypeString, Format: provider.FormatDigits},
			Description: "The Instagram ids of the brands behind a paid partnership, which the label names once they " +
				"have agreed; only for accounts connected by Facebook Login.",
		},
	}
}

func productDeclaration(share func(key, description string) provider.Setting) provider.Setting {
	return provider.Setting{
		Key: "instagramProductTags", Type: provider.TypeArray, Maximum: provider.AtMost(maxProductTags * maxItems),
		Description: "Products of the account's shop in the media, at most five in each. Images need x and y, videos " +
			"have none. Only for accounts connected by Facebook Login.",
		Items: &provider.Setting{Type: provider.TypeObject, Fields: []provider.Setting{
			{Key: "productId", Type: provider.TypeString, Format: provider.FormatDigits, Required: true,
				Description: "The id of the product in the catalogue."},
			share("x", "Where, from the left."), share("y", "Where, from the top."),
			{Key: "mediaIndex", Type: provider.TypeInteger, Default: 0, Minimum: provider.AtLeast(0),
				Maximum: provider.AtMost(maxItems - 1), Description: "In which of the media, from 0."},
		}},
	}
}

func trialDeclaration() provider.Setting {
	return provider.Setting{
		Key: "instagramTrialReel", Type: provider.TypeObject,
		Description: "Show a reel to people who do not follow the account first.",
		Fields: []provider.Setting{
			{Key: "enabled", Type: provider.TypeBoolean, Required: true, Description: "Whether the reel is a trial."},
			{
				Key: "graduationStrategy", Type: provider.TypeString, Enum: []string{"MANUAL", "SS_PERFORMANCE"},
				Default:     "MANUAL",
				Description: "Who decides that followers see it too: a person, or Instagram if the reel performs well.",
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

// formatOf returns the format for the media. A single video is a reel, even if a feed post was requested.
func formatOf(p provider.Part, s settings) string {
	if len(p.Media) == 1 && isVideo(p.Media[0]) && s.PostType != story {
		return reel
	}
	return cmp.Or(s.PostType, feed)
}

func isVideo(m provider.Media) bool { return strings.HasPrefix(m.MIMEType, "video/") }

// on returns the value of a switch that is on by default.
func on(flag *bool) bool { return flag == nil || *flag }
