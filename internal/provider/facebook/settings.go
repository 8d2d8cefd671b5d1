package facebook

import (
	"crier"
	"crier/internal/provider"
)

// settings are the decoded publish settings. The tags are the keys of the API.
type settings struct {
	PostType            string            `json:"facebookPostType"`
	Link                string            `json:"facebookLink"`
	VideoTitle          string            `json:"facebookVideoTitle"`
	PlaceID             string            `json:"facebookPlaceId"`
	Targeting           *targetingSetting `json:"facebookTargeting"`
	FeedTargeting       *targetingSetting `json:"facebookFeedTargeting"`
	ThumbnailMediaID    crier.ID          `json:"facebookThumbnailMediaId"`
	BackgroundPresetID  string            `json:"facebookBackgroundPresetId"`
	CollaboratorPageIDs []string          `json:"facebookCollaboratorPageIds"`
	Draft               bool              `json:"facebookDraft"`
}

type targetingSetting struct {
	Countries []string  `json:"countries"`
	Cities    []geoCity `json:"cities"`
	Regions   []geoKey  `json:"regions"`
	AgeMin    int       `json:"ageMin"`
}

// wire returns the targeting in Facebook's format.
func (t targetingSetting) wire() targetingSpec {
	spec := targetingSpec{AgeMin: t.AgeMin}
	if len(t.Countries)+len(t.Cities)+len(t.Regions) > 0 {
		spec.Locations = &geoLocations{Countries: t.Countries, Cities: t.Cities, Regions: t.Regions}
	}
	return spec
}

// maxCollaborators is how many Pages can be invited per day.
const maxCollaborators = 10

func settingDeclarations() []provider.Setting {
	digits := provider.Setting{Type: provider.TypeString, Format: provider.FormatDigits}
	minTitle, maxTitle := provider.Between(1, 255)
	return []provider.Setting{
		{Key: "facebookPostType", Type: provider.TypeString, Enum: []string{feed, reel, story}, Default: feed,
			Description: "The kind of post."},
		{Key: "facebookLink", Type: provider.TypeString, Format: provider.FormatURL,
			Description: "The link that is shown as a card; not with media."},
		{Key: "facebookVideoTitle", Type: provider.TypeString, Minimum: minTitle, Maximum: maxTitle,
			Description: "The title of a video or reel."},
		{Key: "facebookPlaceId", Type: provider.TypeString, Format: provider.FormatDigits,
			Description: "The Page of the place."},
		targetingDeclaration("facebookTargeting", "Who can see the post; others never do."),
		targetingDeclaration("facebookFeedTargeting", "In whose feeds the post is shown first; everybody can see it."),
		{Key: "facebookThumbnailMediaId", Type: provider.TypeString, Format: provider.FormatAsset,
			Description: "The asset that is the thumbnail of a video or reel."},
		{Key: "facebookBackgroundPresetId", Type: provider.TypeString, Format: provider.FormatDigits,
			Description: "The background of a short text."},
		{
			Key: "facebookCollaboratorPageIds", Type: provider.TypeArray, Items: &digits,
			Maximum:     provider.AtMost(maxCollaborators),
			Description: "Pages that are invited as co-authors of a reel.",
		},
		{Key: "facebookDraft", Type: provider.TypeBoolean, Default: false,
			Description: "Leave a reel as a draft on Facebook instead of publishing it."},
	}
}

func targetingDeclaration(key, description string) provider.Setting {
	minCode, maxCode := provider.Between(2, 2)
	minAge, maxAge := provider.Between(13, 65)
	code := provider.Setting{Type: provider.TypeString, Minimum: minCode, Maximum: maxCode}
	id := provider.Setting{Key: "key", Type: provider.TypeString, Required: true, Minimum: provider.AtLeast(1),
		Maximum: provider.AtMost(30), Description: "Its key at Facebook."}
	name := provider.Setting{Key: "name", Type: provider.TypeString, Maximum: provider.AtMost(200),
		Description: "Its name, for people."}
	return provider.Setting{
		Key: key, Type: provider.TypeObject, Description: description,
		Fields: []provider.Setting{
			{Key: "countries", Type: provider.TypeArray, Items: &code, Maximum: provider.AtMost(250),
				Description: "Countries as ISO 3166-1 codes."},
			{
				Key: "cities", Type: provider.TypeArray, Maximum: provider.AtMost(250), Description: "Cities.",
				Items: &provider.Setting{Type: provider.TypeObject, Fields: []provider.Setting{id, name}},
			},
			{
				Key: "regions", Type: provider.TypeArray, Maximum: provider.AtMost(250),
				Description: "Regions or states.",
				Items:       &provider.Setting{Type: provider.TypeObject, Fields: []provider.Setting{id}},
			},
			{Key: "ageMin", Type: provider.TypeInteger, Minimum: minAge, Maximum: maxAge,
				Description: "The youngest age."},
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
