package graph

import (
	"time"

	"crier/internal/sandbox/sim"
)

// ContainerLife is how long a container can be published.
const ContainerLife = 24 * time.Hour

// Statuses of a container.
const (
	InProgress = "IN_PROGRESS"
	Finished   = "FINISHED"
	Published  = "PUBLISHED"
	Failed     = "ERROR"
	Lapsed     = "EXPIRED"
)

// Container is a prepared post of Instagram and Threads: the app creates it, waits until it is finished, and publishes
// it once.
type Container struct {
	ID        string    `json:"id"`
	OwnerID   string    `json:"owner"`
	CreatedAt time.Time `json:"created"`
	// CompleteAt is when all of its media had arrived; processing starts then.
	CompleteAt time.Time `json:"complete,omitzero"`
	// Work is how long the processing takes.
	Work time.Duration `json:"work"`
	// Failure is why it cannot be published, which is reported when the processing ends.
	Failure string `json:"failure,omitempty"`
	// Media are its files: none for a text, several for a carousel.
	Media []sim.Media `json:"media,omitempty"`
	// PostID is the resulting post.
	PostID string `json:"post,omitempty"`
}

// Status returns the status of the container: once its files are complete, it only needs time.
func (c Container) Status(now time.Time) string {
	switch {
	case c.PostID != "":
		return Published
	case !now.Before(c.CreatedAt.Add(ContainerLife)):
		return Lapsed
	case c.CompleteAt.IsZero() || now.Before(c.CompleteAt.Add(c.Work)):
		return InProgress
	case c.Failure != "":
		return Failed
	default:
		return Finished
	}
}

// Kept reports whether the container is still stored: an expired one is distinguished from an unknown one for a while.
func (c Container) Kept(now time.Time) bool {
	return c.PostID != "" || now.Before(c.CreatedAt.Add(7*ContainerLife))
}
