package crier

// FacetField is a property of posts that is counted.
type FacetField string

// The facets.
const (
	FacetLanguage    FacetField = "language"
	FacetHashtags    FacetField = "hashtags"
	FacetMentions    FacetField = "mentions"
	FacetLinkDomains FacetField = "linkDomains"
	FacetTopics      FacetField = "topics"
	FacetSentiment   FacetField = "sentiment"
	FacetAssetTags   FacetField = "assetTags"
	FacetUserTags    FacetField = "userTags"
	FacetPostType    FacetField = "postType"
)

// FacetFields lists the facets.
func FacetFields() []FacetField {
	return []FacetField{
		FacetLanguage, FacetHashtags, FacetMentions, FacetLinkDomains, FacetTopics, FacetSentiment, FacetAssetTags,
		FacetUserTags, FacetPostType,
	}
}

// Enum lists the values on the wire.
func (FacetField) Enum() []string { return enumOf(FacetFields()) }

// MaxFacetValues is the maximum number of values of one facet.
const MaxFacetValues = 100

// Facets are the counts of a team's posts by property.
type Facets struct {
	Data []Facet `json:"data"`
}

// Facet is one property and its most frequent values.
type Facet struct {
	Field  FacetField   `json:"field"`
	Values []FacetValue `json:"values" doc:"By count, then by name; at most 100."`
}

// FacetValue is one value and its number of posts.
type FacetValue struct {
	Value     string `json:"value"`
	PostCount int64  `json:"postCount" number:"true"`
}
