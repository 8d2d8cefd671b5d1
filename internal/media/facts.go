package media

import (
	"encoding/json"
	"fmt"
)

// Facts is what the library knows about a file beyond what it shows.
type Facts struct {
	Info Info `json:"info"`
	// Thumbnail is true when the file has one.
	Thumbnail bool `json:"thumbnail,omitempty"`
	// JPEG is the picture in the form that most networks accept; nil when the file has that form itself.
	JPEG *JPEGFacts `json:"jpeg,omitempty"`
	// Small is the picture as a JPEG of at most 1080p; nil when the file is no larger.
	Small *JPEGFacts `json:"small,omitempty"`
}

// JPEGFacts describes a JPEG that was made of a picture.
type JPEGFacts struct {
	ByteSize int64 `json:"byteSize"`
	Width    int   `json:"width"`
	Height   int   `json:"height"`
}

// DecodeFacts reads facts as the store keeps them.
func DecodeFacts(data json.RawMessage) (Facts, error) {
	var facts Facts
	if err := json.Unmarshal(data, &facts); err != nil {
		return facts, fmt.Errorf("decode the facts of a file: %w", err)
	}
	return facts, nil
}
