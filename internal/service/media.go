package service

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/store"
)

// assetReader reads assets, inside or outside a transaction.
type assetReader interface {
	AssetsByID(ctx context.Context, team crier.ID, ids []crier.ID) ([]store.Asset, error)
}

// media is the assets of a team as networks see them. Those that are unknown, deleted or not ready are missing.
func (c *core) media(ctx context.Context, r assetReader, team crier.ID, ids []crier.ID) (map[crier.ID]provider.Media, error) {
	assets, err := r.AssetsByID(ctx, team, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[crier.ID]provider.Media, len(assets))
	for _, a := range assets {
		if a.Status != crier.AssetReady {
			continue
		}
		facts, err := factsOf(a)
		if err != nil {
			return nil, err
		}
		found[a.ID] = c.networkMedia(a, facts)
	}
	return found, nil
}

// assetFacts is what the library knows about a file beyond what it shows.
type assetFacts struct {
	Info media.Info `json:"info"`
	// Thumbnail is true when the file has one.
	Thumbnail bool `json:"thumbnail,omitempty"`
	// JPEG is the picture in the one form that most networks take; nil when the file is in that form itself.
	JPEG *jpegFacts `json:"jpeg,omitempty"`
	// Small is the picture as a JPEG of at most 1080p; nil when the file is no larger.
	Small *jpegFacts `json:"small,omitempty"`
}

// jpegFacts describes a JPEG that was made of a picture.
type jpegFacts struct {
	ByteSize int64 `json:"byteSize"`
	Width    int   `json:"width"`
	Height   int   `json:"height"`
}

func factsOf(a store.Asset) (assetFacts, error) {
	var facts assetFacts
	if err := json.Unmarshal(a.Facts, &facts); err != nil {
		return facts, fmt.Errorf("decode the facts of asset %s: %w", a.ID, err)
	}
	return facts, nil
}

// networkMedia describes an asset to networks, with its JPEG beside it if there is one.
func (c *core) networkMedia(a store.Asset, facts assetFacts) provider.Media {
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

// converted is a JPEG that was made of a picture; nil when none was.
func (c *core) converted(m provider.Media, facts *jpegFacts, variant string) *provider.Media {
	if facts == nil {
		return nil
	}
	m.FileName, m.MIMEType, m.Size = jpegName(m.FileName), media.TypeJPEG, facts.ByteSize
	m.Width, m.Height = facts.Width, facts.Height
	c.makeReadable(&m, variant)
	return &m
}

// makeReadable gives a media the bytes of one of its asset's files, and an address from which a network can fetch them.
func (c *core) makeReadable(m *provider.Media, variant string) {
	key := media.Key{ID: m.ID, Variant: variant}
	m.Open = func(ctx context.Context) (provider.MediaReader, error) {
		blob, err := c.blobs.Open(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("open the file of asset %s: %w", key.ID, err)
		}
		return blob, nil
	}
	m.URL = func(context.Context) (string, error) { return c.mediaURL(key), nil }
}

func jpegName(fileName string) string {
	return strings.TrimSuffix(fileName, path.Ext(fileName)) + ".jpg"
}

// suited puts a JPEG of a picture in place of the original where the network takes only that: it has no use for the
// original's type, or finds it too large.
func suited(info provider.Info, content provider.Content) provider.Content {
	parts := make([]provider.Part, len(content.Parts))
	for i, part := range content.Parts {
		parts[i] = part
		parts[i].Media = make([]provider.Media, len(part.Media))
		for j, m := range part.Media {
			parts[i].Media[j] = suitedMedia(info, m)
		}
	}
	content.Parts = parts
	return content
}

func suitedMedia(info provider.Info, m provider.Media) provider.Media {
	if m.JPEG == nil || len(formatIssues(info, m)) == 0 {
		return m
	}
	for jpeg := m.JPEG; jpeg != nil; jpeg = jpeg.JPEG {
		if takesJPEG(info, *jpeg) {
			found := *jpeg
			found.Position, found.AltText = m.Position, m.AltText
			return found
		}
	}
	return m
}

// takesJPEG is true when a network lets pictures be converted and takes the result.
func takesJPEG(info provider.Info, jpeg provider.Media) bool {
	return slices.ContainsFunc(formatsOf(info), func(f provider.Format) bool {
		limit, ok := f.LimitFor(media.TypeJPEG)
		return ok && limit.ConvertTo == media.TypeJPEG && len(limit.Problems(jpeg)) == 0
	})
}

// formatsOf are all forms in which a network takes media.
func formatsOf(info provider.Info) []provider.Format {
	formats := info.Formats
	if info.Comment != nil {
		formats = append(slices.Clip(formats), *info.Comment)
	}
	return formats
}

// formatIssues says why no format of a network takes a media as it is; nothing when one does. The nearest miss is told.
func formatIssues(info provider.Info, m provider.Media) []string {
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

const (
	// mediaURLValid is how long the address of a file works at least.
	mediaURLValid = 24 * time.Hour
	// mediaURLStable is how long the same file has the same address, so that caches can know it again.
	mediaURLStable = time.Hour
	// mediaPurpose keeps the signatures of addresses apart from all others of the instance.
	mediaPurpose = "media addresses"
)

// mediaURL is an address from which a file can be fetched without a token.
func (c *core) mediaURL(key media.Key) string {
	expires := c.clock().Truncate(mediaURLStable).Add(mediaURLStable + mediaURLValid)
	signature := media.Sign(c.mediaKey(), string(key.ID), key.Variant, expires)
	return fmt.Sprintf("%s/media/%s/%s?signature=%s", c.publicURL, key.ID, key.Variant, signature)
}

func (c *core) thumbnailURL(asset crier.ID) string {
	return c.mediaURL(media.Key{ID: asset, Variant: media.VariantThumbnail})
}

func (c *core) mediaKey() []byte { return c.keys.Sign(nil, mediaPurpose) }
