package crier

// SchedulingSlot is a wall-clock time of a team's week at which posts can be published.
type SchedulingSlot struct {
	ID         ID      `json:"id"`
	TeamID     ID      `json:"teamId"`
	Hour       int     `json:"hour" minimum:"0" maximum:"23"`
	Minute     int     `json:"minute" minimum:"0" maximum:"59"`
	Label      *string `json:"label"`
	DaysOfWeek []int   `json:"daysOfWeek" minimum:"0" maximum:"6" minItems:"1" doc:"0 is Sunday, 6 is Saturday; sorted, without duplicates."`
	CreatedAt  Time    `json:"createdAt"`
	UpdatedAt  Time    `json:"updatedAt"`
}

// SchedulingSlots is the grid of a team.
type SchedulingSlots struct {
	Timezone      string        `json:"timezone"`
	UsingDefaults bool          `json:"usingDefaults" doc:"The team has no slots; these are the implicit ones."`
	Slots         []SlotSummary `json:"slots" doc:"Sorted by hour and minute."`
}

// SlotSummary is a slot in the list of a grid.
type SlotSummary struct {
	ID         ID      `json:"id"`
	Hour       int     `json:"hour" number:"true"`
	Minute     int     `json:"minute" number:"true"`
	Label      *string `json:"label"`
	DaysOfWeek []int   `json:"daysOfWeek"`
}

// SlotCreate is the request to create a slot.
type SlotCreate struct {
	Hour       int     `json:"hour" minimum:"0" maximum:"23"`
	Minute     int     `json:"minute" minimum:"0" maximum:"59"`
	Label      *string `json:"label,omitempty" null:"true" maxLength:"200"`
	DaysOfWeek []int   `json:"daysOfWeek,omitempty" minItems:"1" maxItems:"100" minimum:"0" maximum:"6" doc:"0 is Sunday; all seven days when absent. Duplicates are removed."`
}

// SlotUpdate is the request to update a slot; absent fields keep their value.
type SlotUpdate struct {
	Hour       Optional[int]    `json:"hour,omitzero" minimum:"0" maximum:"23"`
	Minute     Optional[int]    `json:"minute,omitzero" minimum:"0" maximum:"59"`
	Label      Optional[string] `json:"label,omitzero" null:"true" maxLength:"200"`
	DaysOfWeek Optional[[]int]  `json:"daysOfWeek,omitzero" minItems:"1" maxItems:"100" minimum:"0" maximum:"6"`
}

// UpcomingSlots are the next instants of a grid.
type UpcomingSlots struct {
	Slots []UpcomingSlot `json:"slots"`
}

// UpcomingSlot is one instant of a grid; hour and minute are the slot's.
type UpcomingSlot struct {
	StartsAt Time    `json:"startsAt"`
	Hour     int     `json:"hour" number:"true"`
	Minute   int     `json:"minute" number:"true"`
	Label    *string `json:"label"`
}

// SlotCalendar is the instants of a team's grid in a period.
type SlotCalendar struct {
	From          Time          `json:"from"`
	To            Time          `json:"to"`
	Timezone      string        `json:"timezone" doc:"The team's, else UTC."`
	UsingDefaults bool          `json:"usingDefaults"`
	Slots         []SlotInstant `json:"slots" doc:"In order of time."`
}

// SlotInstant is one instant of a grid and the scheduled posts that take it.
type SlotInstant struct {
	SlotID    ID          `json:"slotId"`
	StartsAt  Time        `json:"startsAt"`
	LocalDate string      `json:"localDate" doc:"In the team's zone, such as 2026-11-15."`
	LocalTime string      `json:"localTime" doc:"In the team's zone, such as 09:00."`
	Hour      int         `json:"hour" number:"true" doc:"The slot's own; on a day of a clock change the local time may differ."`
	Minute    int         `json:"minute" number:"true"`
	Label     *string     `json:"label"`
	Past      bool        `json:"past" doc:"True when it is too late to schedule at this instant."`
	TakenBy   []SlotTaken `json:"takenBy" doc:"Empty when the slot is free for all the accounts."`
}

// SlotTaken is a scheduled post that takes a slot on its account.
type SlotTaken struct {
	SocialAccountID ID                  `json:"socialAccountId"`
	ScheduledPostID ID                  `json:"scheduledPostId"`
	PostID          ID                  `json:"postId"`
	Status          ScheduledPostStatus `json:"status"`
}
