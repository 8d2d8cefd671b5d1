package youtube

import (
	"strings"

	"crier"
	"crier/internal/provider"
)

// captionSetting are captions in one language.
type captionSetting struct {
	Language string `json:"language"`
	Name     string `json:"name"`
	Text     string `json:"text"`
}

// settings are the decoded publish settings. The tags are the keys of the API.
type settings struct {
	Title                   string           `json:"youtubeTitle"`
	Description             *string          `json:"youtubeDescription"`
	Tags                    []string         `json:"youtubeTags"`
	CategoryID              string           `json:"youtubeCategoryId"`
	PrivacyStatus           string           `json:"youtubePrivacyStatus"`
	PublishAt               string           `json:"youtubePublishAt"`
	MadeForKids             bool             `json:"youtubeMadeForKids"`
	ContainsSyntheticMedia  *bool            `json:"youtubeContainsSyntheticMedia"`
	HasPaidProductPlacement *bool            `json:"youtubeHasPaidProductPlacement"`
	License                 string           `json:"youtubeLicense"`
	Embeddable              *bool            `json:"youtubeEmbeddable"`
	PublicStatsViewable     *bool            `json:"youtubePublicStatsViewable"`
	NotifySubscribers       *bool            `json:"youtubeNotifySubscribers"`
	DefaultLanguage         string           `json:"youtubeDefaultLanguage"`
	DefaultAudioLanguage    string           `json:"youtubeDefaultAudioLanguage"`
	ThumbnailMediaID        crier.ID         `json:"youtubeThumbnailMediaId"`
	Captions                []captionSetting `json:"youtubeCaptions"`
	PlaylistIDs             []string         `json:"youtubePlaylistIds"`
	IsShort                 bool             `json:"youtubeIsShort"`
}

// Values of settings.
const (
	privacyPublic   = "public"
	privacyUnlisted = "unlisted"
	privacyPrivate  = "private"
	licenseYouTube  = "youtube"
	licenseCommons  = "creativeCommon"
	peopleAndBlogs  = "22"
)

func settingDeclarations() []provider.Setting {
	minTitle, maxTitleLength := provider.Between(1, maxTitle)
	minTag, maxTag := provider.Between(1, maxTags)
	minPlaylist, maxPlaylist := provider.Between(2, 64)
	flag := func(key string, usual bool, description string) provider.Setting {
		return provider.Setting{Key: key, Type: provider.TypeBoolean, Default: usual, Description: description}
	}
	return []provider.Setting{
		{
			Key: "youtubeTitle", Type: provider.TypeString, Minimum: minTitle, Maximum: maxTitleLength,
			Description: "The title; without it, the first line of the text is. Must not contain < or >.",
		},
		{
			Key: "youtubeDescription", Type: provider.TypeString, Maximum: provider.AtMost(maxDescription),
			Description: "The description, at most 5,000 bytes; without it, the text is. Must not contain < or >.",
		},
		{
			Key: "youtubeTags", Type: provider.TypeArray, Maximum: provider.AtMost(maxTags),
			Items:       &provider.Setting{Type: provider.TypeString, Minimum: minTag, Maximum: maxTag},
			Description: "Tags; 500 characters together, with a comma between them and two more for a tag with spaces.",
		},
		{
			Key: "youtubeCategoryId", Type: provider.TypeString, Format: provider.FormatDigits, Default: peopleAndBlogs,
			Description: "The category: 1 Film, 2 Autos, 10 Music, 15 Pets, 17 Sports, 19 Travel, 20 Gaming, 22 " +
				"People & Blogs, 23 Comedy, " +
				"24 Entertainment, 25 News, 26 Howto, 27 Education, 28 Science & Technology, 29 Nonprofits.",
		},
		{
			Key: "youtubePrivacyStatus", Type: provider.TypeString, Default: privacyPublic,
			Enum: []string{privacyPublic, privacyUnlisted, privacyPrivate}, Description: "Who may watch.",
		},
		{
			Key: "youtubePublishAt", Type: provider.TypeString, Format: provider.FormatTime,
			Description: "When YouTube itself makes a private video public; needs youtubePrivacyStatus private.",
		},
		flag("youtubeMadeForKids", false,
			"Whether the video is made for children, which the law wants to know. Such videos have no comments."),
		flag("youtubeContainsSyntheticMedia", false,
			"Whether realistic pictures or sounds were made or altered with AI."),
		flag("youtubeHasPaidProductPlacement", false, "Whether somebody paid for the video."),
		{
			Key: "youtubeLicense", Type: provider.TypeString, Default: licenseYouTube,
			Enum:        []string{licenseYouTube, licenseCommons},
			Description: "The licence.",
		},
		flag("youtubeEmbeddable", true, "Whether other sites may show the video."),
		flag("youtubePublicStatsViewable", true, "Whether everybody sees the video's numbers."),
		flag("youtubeNotifySubscribers", true, "Tell the subscribers."),
		language("youtubeDefaultLanguage", "The language of title and description, such as en or pt-BR."),
		language("youtubeDefaultAudioLanguage", "The language that is spoken, such as en or pt-BR."),
		{
			Key: "youtubeThumbnailMediaId", Type: provider.TypeString, Format: provider.FormatAsset,
			Description: "The picture to show before the video plays, 1280×720 at best. Needs a channel with a " +
				"verified phone number.",
		},
		captionsDeclaration(),
		{
			Key: "youtubePlaylistIds", Type: provider.TypeArray, Maximum: provider.AtMost(maxPlaylists),
			Items:       &provider.Setting{Type: provider.TypeString, Minimum: minPlaylist, Maximum: maxPlaylist},
			Description: "Playlists of the channel to add the video to.",
		},
		flag("youtubeIsShort", false,
			"Make sure that the video becomes a Short: at most 180 seconds and not wider than tall. YouTube decides "+
				"by itself."),
	}
}

func captionsDeclaration() provider.Setting {
	spoken := language("language", "The language of the captions, such as en or pt-BR.")
	spoken.Required = true
	return provider.Setting{
		Key: "youtubeCaptions", Type: provider.TypeArray, Maximum: provider.AtMost(maxCaptions),
		Description: "Captions, each as the text of a SubRip (.srt) or WebVTT (.vtt) file.",
		Items: &provider.Setting{Type: provider.TypeObject, Fields: []provider.Setting{
			spoken,
			{Key: "name", Type: provider.TypeString, Maximum: provider.AtMost(maxCaptionName),
				Description: "Distinguishes several captions in one language."},
			{Key: "text", Type: provider.TypeString, Required: true, Minimum: provider.AtLeast(1),
				Maximum: provider.AtMost(maxCaptionText), Description: "The text of the file."},
		}},
	}
}

func language(key, description string) provider.Setting {
	shortest, longest := provider.Between(2, 35)
	return provider.Setting{Key: key, Type: provider.TypeString, Minimum: shortest, Maximum: longest,
		Description: description}
}

// decodeSettings decodes the settings of a content. Invalid settings, which the registry did not check, are rejected.
func decodeSettings(c provider.Content) (settings, error) {
	s := settings{CategoryID: peopleAndBlogs, PrivacyStatus: privacyPublic}
	if err := c.Settings.Decode(&s); err != nil {
		return settings{}, &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "the publish settings cannot be read",
			Err: err,
		}
	}
	return s, nil
}

// title returns the title to send: the setting, or the first line of the text, as much as fits.
func (s settings) title(part provider.Part) string {
	if s.Title != "" {
		return strings.TrimSpace(s.Title)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(part.Text), "\n")
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > maxTitle {
		return strings.TrimSpace(string(runes[:maxTitle-1])) + "…"
	}
	return line
}

// description returns the description to send: the setting, or the text with the links missing in it.
func (s settings) description(part provider.Part) string {
	if s.Description != nil {
		return *s.Description
	}
	return part.TextWithLinks()
}

// notify reports whether subscribers are notified, which is the default.
func (s settings) notify() bool { return s.NotifySubscribers == nil || *s.NotifySubscribers }
