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

// Container is what Instagram and Threads make of a post before it is public: the app creates it, waits until it is
// finished, and publishes it once.
type Container struct {
	ID        string    `json:"id"`
	OwnerID   string    `json:"owner"`
	CreatedAt time.Time `json:"created"`
	// CompleteAt is when all of its media had come; from then on it is worked on.
	CompleteAt time.Time `json:"complete,omitzero"`
	// Work is how long that takes.
	Work time.Duration `json:"work"`
	// Failure is why it cannot be published, which is told when the work is done.
	Failure string `json:"failure,omitempty"`
	// Media are its files: none of a text, several of a carousel.
	Media []sim.Media `json:"media,omitempty"`
	// PostID is what it became.
	PostID string `json:"post,omitempty"`
}

// Status returns how far the container is: with its files complete, it only needs time.
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

// Kept tells whether the container is worth keeping: an expired one is told apart from one that never was for a while.
func (c Container) Kept(now time.Time) bool {
	return c.PostID != "" || now.Before(c.CreatedAt.Add(7*ContainerLife))
}
