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
