package crier

// Bounds of a team's settings.
const (
	DefaultPublishLateMinutes = 60
	MaxPublishLateMinutes     = 1440
)

// Team belongs to an organization and owns social accounts, assets, folders and posts.
type Team struct {
	ID                  ID      `json:"id"`
	OrganizationID      ID      `json:"organizationId"`
	Name                string  `json:"name"`
	Website             *string `json:"website" doc:"The brand's website, used for enrichment and display."`
	LinkTrackingDefault *bool   `json:"linkTrackingDefault" doc:"Default of link tracking for new posts; null means the plan's default, which is off."`
	Timezone            *string `json:"timezone" doc:"IANA name; the time zone of the slots' wall-clock times."`
	RequireApproval     bool    `json:"requireApproval" doc:"Only approved posts can be scheduled."`
	PublishLateMinutes  int     `json:"publishLateMinutes" doc:"How late a post may still be published automatically."`
	CreatedAt           Time    `json:"createdAt"`
	UpdatedAt           Time    `json:"updatedAt"`
}

// TeamCreate is the request to create a team.
type TeamCreate struct {
	OrganizationID      ID      `json:"organizationId"`
	Name                Name    `json:"name" doc:"2 to 64 characters after trimming, no control characters."`
	Website             *WebURL `json:"website,omitempty" null:"true" maxLength:"2048"`
	Timezone            *Zone   `json:"timezone,omitempty" null:"true"`
	LinkTrackingDefault *bool   `json:"linkTrackingDefault,omitempty" null:"true"`
}

// TeamUpdate is the request to update a team; absent fields keep their value.
type TeamUpdate struct {
	Name                Optional[Name]   `json:"name,omitzero"`
	Website             Optional[WebURL] `json:"website,omitzero" null:"true" maxLength:"2048"`
	LinkTrackingDefault Optional[bool]   `json:"linkTrackingDefault,omitzero" null:"true" doc:"null resets to the plan's default."`
	Timezone            Optional[Zone]   `json:"timezone,omitzero" null:"true" doc:"A name of the embedded IANA list."`
	RequireApproval     Optional[bool]   `json:"requireApproval,omitzero"`
	PublishLateMinutes  Optional[int]    `json:"publishLateMinutes,omitzero" minimum:"0" maximum:"1440"`
}

// Deleted is the response to a deletion.
type Deleted struct {
	Deleted bool `json:"deleted" enum:"true"`
}
