package tiktok

import (
	"strings"

	"crier/internal/provider"
)

// settings are the decoded publish settings. The tags are the keys of the API.
type settings struct {
	PostMode              string `json:"tiktokPostMode"`
	PrivacyLevel          string `json:"tiktokPrivacyLevel"`
	AllowComment          bool   `json:"tiktokAllowComment"`
	AllowDuet             bool   `json:"tiktokAllowDuet"`
	AllowStitch           bool   `json:"tiktokAllowStitch"`
	Title                 string `json:"tiktokTitle"`
	PhotoCoverIndex       *int   `json:"tiktokPhotoCoverIndex"`
	AutoAddMusic          *bool  `json:"tiktokAutoAddMusic"`
	VideoCoverTimestampMs *int64 `json:"tiktokVideoCoverTimestampMs"`
	Discloses             *bool  `json:"tiktokDisclosesContent"`
	BrandContent          bool   `json:"tiktokBrandContent"`
	BrandOrganic          bool   `json:"tiktokBrandOrganic"`
	IsAIGenerated         bool   `json:"tiktokIsAiGenerated"`
}

// Values of settings.
const (
	modeDirect       = "direct"
	modeInbox        = "inbox"
	privacyPublic    = "PUBLIC_TO_EVERYONE"
	privacyFriends   = "MUTUAL_FOLLOW_FRIENDS"
	privacyFollowers = "FOLLOWER_OF_CREATOR"
	privacySelf      = "SELF_ONLY"
)

// Keys of settings that depend on the account.
const (
	keyPrivacyLevel = "tiktokPrivacyLevel"
	keyAllowComment = "tiktokAllowComment"
	keyAllowDuet    = "tiktokAllowDuet"
	keyAllowStitch  = "tiktokAllowStitch"
	keyBrandContent = "tiktokBrandContent"
	keyBrandOrganic = "tiktokBrandOrganic"
	keyDiscloses    = "tiktokDisclosesContent"
)

func settingDeclarations() []provider.Setting {
	minCover, maxCover := provider.Between(0, maxPhotos-1)
	flag := func(key, description string) provider.Setting {
		return provider.Setting{Key: key, Type: provider.TypeBoolean, Default: false, Description: description}
	}
	chosen := func(key, description string) provider.Setting {
		s := flag(key, description)
		s.Choices = true
		return s
	}
	return []provider.Setting{
		{
			Key: "tiktokPostMode", Type: provider.TypeString, Default: modeDirect,
			Enum: []string{modeDirect, modeInbox},
			Description: "direct posts at once; inbox sends a draft to the account's app, where a person finishes " +
				"it, and ignores text and other settings.",
		},
		{
			Key: keyPrivacyLevel, Type: provider.TypeString, Choices: true,
			Enum: []string{privacyPublic, privacyFriends, privacyFollowers, privacySelf},
			Description: "Who can see the post: one of the levels that the account offers. " +
				"Required for every direct post; there is no default.",
		},
		chosen(keyAllowComment, "Let others comment."),
		chosen(keyAllowDuet, "Let others make duets with the video."),
		chosen(keyAllowStitch, "Let others stitch the video."),
		{
			Key: "tiktokTitle", Type: provider.TypeString, Maximum: provider.AtMost(maxPhotoTitle),
			Description: "The title of a post of pictures, 90 UTF-16 units.",
		},
		{
			Key: "tiktokPhotoCoverIndex", Type: provider.TypeInteger, Default: 0, Minimum: minCover, Maximum: maxCover,
			Description: "Which picture is the cover, from 0.",
		},
		flag("tiktokAutoAddMusic", "Put music that TikTok recommends under pictures."),
		{
			Key: "tiktokVideoCoverTimestampMs", Type: provider.TypeInteger, Minimum: provider.AtLeast(0),
			Maximum:     provider.AtMost(600_000),
			Description: "The moment of the video that is its cover, in milliseconds.",
		},
		{
			Key: keyDiscloses, Type: provider.TypeBoolean,
			Description: "Whether the post promotes a brand, product or service: if so, tiktokBrandOrganic, " +
				"tiktokBrandContent or both say which.",
		},
		flag(keyBrandContent, "The post is a paid partnership; it cannot be SELF_ONLY."),
		flag(keyBrandOrganic, "The post promotes the account's own brand."),
		flag("tiktokIsAiGenerated", "The video was made with AI."),
	}
}

// decodeSettings decodes the settings of a content. Invalid settings, which the registry did not check, are rejected.
func decodeSettings(c provider.Content) (settings, error) {
	s := settings{PostMode: modeDirect}
	if err := c.Settings.Decode(&s); err != nil {
		return settings{}, &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "the publish settings cannot be read",
			Err: err,
		}
	}
	return s, nil
}

func (s settings) inbox() bool { return s.PostMode == modeInbox }

// plan is a post as it will be sent.
type plan struct {
	settings
	// text is the caption of a video or the description of pictures, with links.
	text   string
	video  provider.Media
	photos []provider.Media // none for a video
	// pulled means that TikTok fetches the files, so that the request itself publishes.
	pulled bool
}

// newPlan converts a content. It fails like Check if there is nothing to send.
func (p *Provider) newPlan(c provider.Content) (plan, error) {
	s, err := decodeSettings(c)
	if err != nil {
		return plan{}, err
	}
	if c.Action != provider.Post && c.Action != "" || len(c.Parts) != 1 || len(c.Parts[0].Media) == 0 {
		return plan{}, &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "TikTok takes posts of one video or of pictures",
		}
	}
	made := plan{settings: s, text: c.Parts[0].TextWithLinks()}
	if media := c.Parts[0].Media; isVideo(media[0]) {
		made.video, made.pulled = media[0], p.pullVideos
	} else {
		made.photos, made.pulled = media, true
	}
	return made, nil
}

func isVideo(m provider.Media) bool { return strings.HasPrefix(m.MIMEType, "video/") }
