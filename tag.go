package crier

// TagSummary is a tag of a post.
type TagSummary struct {
	ID     ID     `json:"id"`
	Name   string `json:"name"`
	Colour string `json:"colour"`
}

// Tag is a label of a team, given to posts by people and agents.
type Tag struct {
	ID        ID     `json:"id"`
	TeamID    ID     `json:"teamId"`
	Name      string `json:"name"`
	Colour    string `json:"colour" doc:"Such as #1d9bf0."`
	PostCount int64  `json:"postCount" number:"true" doc:"Number of posts with the tag that are not deleted."`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
}

// TagCreate is the request to create a tag.
type TagCreate struct {
	Name   TagName `json:"name"`
	Colour *Colour `json:"colour,omitempty" doc:"Chosen from the name when absent."`
}

// TagUpdate is the request to update a tag; absent fields keep their value.
type TagUpdate struct {
	Name   Optional[TagName] `json:"name,omitzero"`
	Colour Optional[Colour]  `json:"colour,omitzero"`
}
