package media

import (
	"encoding/json"
	"fmt"
)

// Facts are the properties of a file that the library stores besides those it shows.
type Facts struct {
	Info Info `json:"info"`
	// Thumbnail is true if the file has one.
	Thumbnail bool `json:"thumbnail,omitempty"`
	// JPEG is the picture as a JPEG that most networks accept; nil if the file itself is one.
	JPEG *JPEGFacts `json:"jpeg,omitempty"`
	// Small is the picture as a JPEG of at most 1080p; nil if the file is no larger.
	Small *JPEGFacts `json:"small,omitempty"`
}

// JPEGFacts describes a JPEG created from a picture.
type JPEGFacts struct {
	ByteSize int64 `json:"byteSize"`
	Width    int   `json:"width"`
	Height   int   `json:"height"`
}

// DecodeFacts decodes stored facts.
func DecodeFacts(data json.RawMessage) (Facts, error) {
	var facts Facts
	if err := json.Unmarshal(data, &facts); err != nil {
		return facts, fmt.Errorf("decode the facts of a file: %w", err)
	}
	return facts, nil
}
