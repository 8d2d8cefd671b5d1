package crier

// Bounds of posts.
const (
	MaxTextLength  = 100_000
	MaxThreadParts = 50
	MinThreadParts = 2
	MaxAttachments = 20
)

// PostType is the type of a post, by its media.
type PostType string

// The types of posts.
const (
	TextPost  PostType = "text_post"
	TextImage PostType = "text_image"
	TextVideo PostType = "text_video"
	Carousel  PostType = "carousel"
)

// PostTypes lists the types of posts.
func PostTypes() []PostType { return []PostType{TextPost, TextImage, TextVideo, Carousel} }

// Enum lists the values on the wire.
func (PostType) Enum() []string { return enumOf(PostTypes()) }
