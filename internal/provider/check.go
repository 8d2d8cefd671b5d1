package provider

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// NoSuchAsset is the message for a setting whose asset is unknown, another team's, deleted or still being processed.
const NoSuchAsset = "is not a finished asset of the team"

// Length returns the length of a text in the network's unit.
func (l TextLimit) Length(text string) int {
	switch l.Unit {
	case UTF16:
		return len(utf16.Encode([]rune(text)))
	case Bytes:
		return len(text)
	case Weighted:
		return l.Count(text)
	}
	return utf8.RuneCountInString(text)
}

// CheckPart applies the limits of the format to one part of the content.
func (f Format) CheckPart(c Content, part int, found *Findings) {
	p := c.Parts[part]
	f.checkText(c, part, found)
	if len(p.Media) < f.MinMedia {
		found.Reject(c.Path(part, "attachments"), f.tooFew(len(p.Media)))
	}
	if len(p.Media) > f.MaxMedia {
		found.Reject(c.Path(part, "attachments"), fmt.Sprintf("allows at most %s, has %d",
			plural(f.MaxMedia, "attachment"), len(p.Media)))
		return
	}
	f.checkClasses(c, part, found)
	for _, m := range p.Media {
		f.checkMedia(c, part, m, found)
	}
}

// tooFew returns the message for too few media.
func (f Format) tooFew(has int) string {
	if f.MinMedia > 1 {
		return fmt.Sprintf("needs at least %s, has %d", plural(f.MinMedia, "attachment"), has)
	}
	var kinds []string
	for _, limit := range f.Media {
		if kind := classNames[limit.Class]; !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return "needs " + strings.Join(kinds, " or ")
}

// classNames are the names of media classes for people; an animation counts as a picture.
var classNames = map[string]string{"image": "a picture", "gif": "a picture", "video": "a video",
	"document": "a document"}

func (f Format) checkText(c Content, part int, found *Findings) {
	text := c.Parts[part].Text
	if !utf8.ValidString(text) {
		found.Reject(c.Path(part, "text"), "must be valid UTF-8")
		return
	}
	if f.Text.Required && strings.TrimSpace(text) == "" {
		found.Reject(c.Path(part, "text"), "must not be empty")
	}
	if length := f.Text.Length(text); length > f.Text.Max {
		found.Reject(c.Path(part, "text"), fmt.Sprintf("is too long: %d of %d allowed (%s)", length, f.Text.Max,
			f.Text.Unit))
	}
}

// checkClasses checks how many media of which classes may be combined.
func (f Format) checkClasses(c Content, part int, found *Findings) {
	counts := map[string]int{}
	for _, m := range c.Parts[part].Media {
		if limit, ok := f.LimitFor(m.MIMEType); ok {
			counts[limit.Class]++
		}
	}
	if len(counts) > 1 && !f.MixedMedia {
		found.Reject(c.Path(part, "attachments"), "media of different kinds cannot stand together in one post")
	}
	for _, limit := range f.Media {
		if n := counts[limit.Class]; limit.MaxCount > 0 && n > limit.MaxCount {
			found.Reject(c.Path(part, "attachments"),
				fmt.Sprintf("allows at most %s, has %d", plural(limit.MaxCount, limit.Class), n))
		}
	}
}

func (f Format) checkMedia(c Content, part int, m Media, found *Findings) {
	limit, ok := f.LimitFor(m.MIMEType)
	if !ok {
		found.Reject(c.MediaPath(part, m), fmt.Sprintf("%s is not accepted; allowed: %s", orUnknown(m.MIMEType),
			strings.Join(f.MIMETypes(), ", ")))
		return
	}
	for _, problem := range limit.Problems(m) {
		found.Reject(c.MediaPath(part, m), problem)
	}
	if f.MaxAltText > 0 && utf8.RuneCountInString(m.AltText) > f.MaxAltText {
		found.Reject(c.MediaPath(part, m, "altText"), fmt.Sprintf("must be at most %d characters long", f.MaxAltText))
	}
}

// LimitFor returns the limit for media of a MIME type; ok is false if the type is not accepted.
func (f Format) LimitFor(mimeType string) (limit MediaLimit, ok bool) {
	for _, l := range f.Media {
		if slices.Contains(l.MIMETypes, mimeType) {
			return l, true
		}
	}
	return MediaLimit{}, false
}

// MIMETypes returns all MIME types that the format accepts.
func (f Format) MIMETypes() []string {
	var types []string
	for _, l := range f.Media {
		types = append(types, l.MIMETypes...)
	}
	return types
}

// Problems returns what is wrong with a media file, one sentence each. Unknown properties are not checked.
func (l MediaLimit) Problems(m Media) []string {
	var problems []string
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	add(l.MinBytes > 0 && m.Size < l.MinBytes, "is too small: %d bytes, at least %d are needed", m.Size, l.MinBytes)
	add(l.MaxBytes > 0 && m.Size > l.MaxBytes, "is too large: %d of %d bytes allowed", m.Size, l.MaxBytes)
	if seconds := m.Duration.Seconds(); seconds > 0 {
		add(seconds < l.MinSeconds, "is too short: %.1f s, at least %.1f s are needed", seconds, l.MinSeconds)
		add(l.MaxSeconds > 0 && seconds > l.MaxSeconds, "is too long: %.1f of %.0f s allowed", seconds, l.MaxSeconds)
	}
	if m.FrameRate > 0 {
		add(m.FrameRate < l.MinFPS, "has too few frames per second: %.2f, at least %.0f are needed", m.FrameRate,
			l.MinFPS)
		add(l.MaxFPS > 0 && m.FrameRate > l.MaxFPS, "has too many frames per second: %.2f of %.0f allowed", m.FrameRate,
			l.MaxFPS)
	}
	add(l.MaxFrames > 0 && m.Frames > l.MaxFrames, "has too many frames: %d of %d allowed", m.Frames, l.MaxFrames)
	add(!knownOrAllowed(m.VideoCodec, l.VideoCodecs), "has the video codec %s; allowed: %s", m.VideoCodec,
		strings.Join(l.VideoCodecs, ", "))
	add(!knownOrAllowed(m.AudioCodec, l.AudioCodecs), "has the audio codec %s; allowed: %s", m.AudioCodec,
		strings.Join(l.AudioCodecs, ", "))
	return append(problems, l.sizeProblems(m)...)
}

// sizeProblems checks width, height, the shorter of them, their product and their ratio.
func (l MediaLimit) sizeProblems(m Media) []string {
	if m.Width <= 0 || m.Height <= 0 {
		return nil
	}
	var problems []string
	if outside(m.Width, l.MinWidth, l.MaxWidth) || outside(m.Height, l.MinHeight, l.MaxHeight) {
		problems = append(problems, fmt.Sprintf("is %d×%d pixels; allowed are widths %s and heights %s",
			m.Width, m.Height, between(l.MinWidth, l.MaxWidth), between(l.MinHeight, l.MaxHeight)))
	}
	if short := min(m.Width, m.Height); l.MaxShortSide > 0 && short > l.MaxShortSide {
		problems = append(problems, fmt.Sprintf("is %d×%d pixels; the shorter side may have at most %d", m.Width,
			m.Height, l.MaxShortSide))
	}
	if l.MaxPixels > 0 && int64(m.Width)*int64(m.Height) > l.MaxPixels {
		problems = append(problems, fmt.Sprintf("has too many pixels: %d of %d allowed", int64(m.Width)*int64(m.Height),
			l.MaxPixels))
	}
	aspect := float64(m.Width) / float64(m.Height)
	if aspect < l.MinAspect || l.MaxAspect > 0 && aspect > l.MaxAspect {
		problems = append(problems, fmt.Sprintf("has the aspect ratio %.2f; allowed is %.2f to %.2f", aspect,
			l.MinAspect, l.MaxAspect))
	}
	return problems
}

func knownOrAllowed(codec string, allowed []string) bool {
	return codec == "" || len(allowed) == 0 || slices.Contains(allowed, codec)
}

func outside(value, low, high int) bool { return value < low || high > 0 && value > high }

func between(low, high int) string {
	if high == 0 {
		return fmt.Sprintf("from %d", low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func orUnknown(mimeType string) string {
	if mimeType == "" {
		return "an unknown type"
	}
	return mimeType
}
