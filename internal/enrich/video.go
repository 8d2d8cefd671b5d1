package enrich

// Lengths of videos, in seconds.
const (
	shortVideo  = 60
	mediumVideo = 600
)

// Video returns the tags of a video: landscape, portrait or square as displayed after rotating it by rotation degrees;
// short (under a minute), medium (under ten) or long. Unknown values, zero or less, yield no tag.
func Video(width, height, rotation int, durationSeconds float64) []string {
	if rotation%180 != 0 {
		width, height = height, width
	}
	tags := orientation(width, height)
	switch {
	case durationSeconds >= mediumVideo:
		return append(tags, "long")
	case durationSeconds >= shortVideo:
		return append(tags, "medium")
	case durationSeconds > 0:
		return append(tags, "short")
	}
	return tags
}
