package crier

// SchedulingSlot is a wall-clock time of a team's week at which posts may go out.
type SchedulingSlot struct {
	ID         ID      `json:"id"`
	TeamID     ID      `json:"teamId"`
	Hour       int     `json:"hour" minimum:"0" maximum:"23"`
	Minute     int     `json:"minute" minimum:"0" maximum:"59"`
	Label      *string `json:"label"`
	DaysOfWeek []int   `json:"daysOfWeek" minimum:"0" maximum:"6" minItems:"1" doc:"0 is Sunday, 6 is Saturday; sorted, without repetitions."`
	CreatedAt  Time    `json:"createdAt"`
	UpdatedAt  Time    `json:"updatedAt"`
}

// SchedulingSlots is the grid of a team.
type SchedulingSlots struct {
	Timezone      string        `json:"timezone"`
	UsingDefaults bool          `json:"usingDefaults" doc:"The team has no slots of its own; these are the implicit ones."`
	Slots         []SlotSummary `json:"slots" doc:"Sorted by hour and minute."`
}

// SlotSummary is a slot as the grid lists it.
type SlotSummary struct {
	ID         ID      `json:"id"`
	Hour       int     `json:"hour" number:"true"`
	Minute     int     `json:"minute" number:"true"`
	Label      *string `json:"label"`
	DaysOfWeek []int   `json:"daysOfWeek"`
}

// SlotCreate is the body that makes a slot.
type SlotCreate struct {
	Hour       int     `json:"hour" minimum:"0" maximum:"23"`
	Minute     int     `json:"minute" minimum:"0" maximum:"59"`
	Label      *string `json:"label,omitempty" null:"true" maxLength:"200"`
	DaysOfWeek []int   `json:"daysOfWeek,omitempty" minItems:"1" maxItems:"100" minimum:"0" maximum:"6" doc:"0 is Sunday; all seven days when absent. Repetitions are removed."`
}

// SlotUpdate is the body that changes a slot; what is absent stays.
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
