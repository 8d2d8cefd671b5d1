package publish

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/store"
)

// NetworkMedia converts an asset to provider media, with its JPEG rendition if there is one.
func (c *Content) NetworkMedia(a store.Asset, facts media.Facts) provider.Media {
	info := facts.Info
	m := provider.Media{
		ID: a.ID, FileName: a.FileName, MIMEType: a.MimeType, Size: a.ByteSize, FrameRate: info.FrameRate,
		VideoCodec: info.VideoCodec, AudioCodec: info.AudioCodec,
	}
	if a.Width != nil && a.Height != nil {
		m.Width, m.Height = *a.Width, *a.Height
	}
	if a.DurationSeconds != nil {
		m.Duration = time.Duration(*a.DurationSeconds * float64(time.Second))
	}
	if info.Kind == media.KindGIF {
		m.Frames = info.Frames
	}
	if a.AltText != nil {
		m.AltText = *a.AltText
	}
	c.makeReadable(&m, media.VariantOriginal)
	small := c.converted(m, facts.Small, media.VariantSmall)
	if m.JPEG = c.converted(m, facts.JPEG, media.VariantJPEG); m.JPEG != nil {
		m.JPEG.JPEG = small
	} else {
		m.JPEG = small
	}
	return m
}

// converted returns the JPEG rendition of an image; nil if there is none.
func (c *Content) converted(m provider.Media, facts *media.JPEGFacts, variant string) *provider.Media {
	if facts == nil {
		return nil
	}
	m.FileName, m.MIMEType, m.Size = jpegName(m.FileName), media.TypeJPEG, facts.ByteSize
	m.Width, m.Height = facts.Width, facts.Height
	c.makeReadable(&m, variant)
	return &m
}

// makeReadable gives media access to one of its asset's files, and a URL from which a network can fetch it.
func (c *Content) makeReadable(m *provider.Media, variant string) {
	key := media.Key{ID: m.ID, Variant: variant}
	m.Open = func(ctx context.Context) (provider.MediaReader, error) {
		blob, err := c.blobs.Open(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("open the file of asset %s: %w", key.ID, err)
		}
		return blob, nil
	}
	m.URL = func(context.Context) (string, error) { return c.addresses.URL(key), nil }
}

// filesDeleted says why a publication of lacksFiles cannot be published.
const filesDeleted = "A file that it needs was deleted. Give the post another one and schedule it again."

// lacksFiles reports whether an asset was deleted that a part to be published, or a setting, needs. Assets of live
// publications are not deleted, but those of one that has failed may be, and it may be retried.
func lacksFiles(info provider.Info, content provider.Content, st provider.State) bool {
	for id := range info.AssetIDs(content.Settings) {
		if _, ok := content.Assets[id]; !ok {
			return true
		}
	}
	open := content.Parts[min(st.NextPart(), len(content.Parts)):]
	return slices.ContainsFunc(open, func(part provider.Part) bool {
		return slices.ContainsFunc(part.Media, func(m provider.Media) bool { return m.Open == nil })
	})
}

func jpegName(fileName string) string {
	return strings.TrimSuffix(fileName, path.Ext(fileName)) + ".jpg"
}

// Adapt replaces images by their JPEG renditions where the network does not accept the original's type or size.
func Adapt(info provider.Info, content provider.Content) provider.Content {
	parts := make([]provider.Part, len(content.Parts))
	for i, part := range content.Parts {
		parts[i] = part
		parts[i].Media = make([]provider.Media, len(part.Media))
		for j, m := range part.Media {
			parts[i].Media[j] = AdaptMedia(info, m)
		}
	}
	content.Parts = parts
	return content
}

// AdaptMedia returns the rendition of a file that a network accepts.
func AdaptMedia(info provider.Info, m provider.Media) provider.Media {
	if m.JPEG == nil || len(FormatIssues(info, m)) == 0 {
		return m
	}
	for jpeg := m.JPEG; jpeg != nil; jpeg = jpeg.JPEG {
		if acceptsJPEG(info, *jpeg) {
			found := *jpeg
			found.Position, found.AltText = m.Position, m.AltText
			return found
		}
	}
	return m
}

// acceptsJPEG reports whether a network allows conversion and accepts the result.
func acceptsJPEG(info provider.Info, jpeg provider.Media) bool {
	return slices.ContainsFunc(formatsOf(info), func(f provider.Format) bool {
		limit, ok := f.LimitFor(media.TypeJPEG)
		return ok && limit.ConvertTo == media.TypeJPEG && len(limit.Problems(jpeg)) == 0
	})
}

// formatsOf returns all formats in which a network accepts media.
func formatsOf(info provider.Info) []provider.Format {
	formats := info.Formats
	if info.Comment != nil {
		formats = append(slices.Clip(formats), *info.Comment)
	}
	return formats
}

// FormatIssues returns why no format of a network accepts the media as is; nothing when one does. It reports the
// closest format.
func FormatIssues(info provider.Info, m provider.Media) []string {
	var nearest []string
	for _, format := range formatsOf(info) {
		limit, ok := format.LimitFor(m.MIMEType)
		if !ok {
			continue
		}
		problems := limit.Problems(m)
		if len(problems) == 0 {
			return nil
		}
		if nearest == nil || len(problems) < len(nearest) {
			nearest = problems
		}
	}
	if nearest == nil {
		return []string{"is of a type that is not accepted: " + m.MIMEType}
	}
	return nearest
}
