package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
	"golang.org/x/sync/semaphore"
)

const (
	// thumbnailSide is the longer side of a thumbnail.
	thumbnailSide = 640
	// decodeBudget is the memory for all pictures that are decoded at the same time.
	decodeBudget = 320 << 20
)

// Images decodes and converts pictures. It is safe for concurrent use and makes callers wait rather than exhaust the
// memory.
type Images struct {
	limits Limits
	budget *semaphore.Weighted
}

// NewImages returns an Images that rejects files beyond the limits.
func NewImages(limits Limits) *Images {
	return &Images{limits: limits.withDefaults(), budget: semaphore.NewWeighted(decodeBudget)}
}

// Picture is an encoded JPEG and its dimensions.
type Picture struct {
	JPEG          []byte
	Width, Height int
}

// Rendering is a decoded picture from which any number of JPEGs can be created: decoding is the expensive part.
type Rendering struct {
	pixels *image.RGBA
	kind   Kind
}

// Render decodes a picture once, upright, on white, with at most the given longer side. Videos and documents get a
// drawn placeholder of the right shape.
func (m *Images) Render(ctx context.Context, r io.ReaderAt, size int64, side int) (*Rendering, error) {
	info, err := m.limits.Probe(ctx, r, size)
	if err != nil {
		return nil, err
	}
	out := &Rendering{kind: info.Kind}
	switch info.Kind {
	case KindVideo:
		out.pixels = drawVideo(info)
	case KindDocument:
		out.pixels = drawDocument()
	default:
		out.pixels, err = m.upright(ctx, r, info, side)
	}
	return out, err
}

// Thumbnail returns a JPEG of at most 640 pixels on its longer side.
func (p *Rendering) Thumbnail(ctx context.Context) (Picture, error) {
	pixels, err := shrink(ctx, p.pixels, p.pixels.Rect, thumbnailSide)
	if err != nil {
		return Picture{}, err
	}
	return encodePicture(pixels, thumbnailQuality)
}

// Thumbnail returns the thumbnail of a file.
func (m *Images) Thumbnail(ctx context.Context, r io.ReaderAt, size int64) (Picture, error) {
	rendering, err := m.Render(ctx, r, size, thumbnailSide)
	if err != nil {
		return Picture{}, err
	}
	return rendering.Thumbnail(ctx)
}

// JPEGOptions are the requirements of a network for a JPEG. Zero fields have defaults.
type JPEGOptions struct {
	MaxSide  int   // longer side in pixels; default 4,096
	MaxBytes int64 // default unlimited
	Quality  int   // 1 to 100, the best to try; default 90
}

const (
	thumbnailQuality = 80
	defaultQuality   = 90
	worstQuality     = 50
	qualityStep      = 10
	defaultSide      = 4096
	smallestSide     = 64
)

func (o JPEGOptions) withDefaults() JPEGOptions {
	if o.Quality <= 0 || o.Quality > 100 {
		o.Quality = defaultQuality
	}
	if o.MaxSide <= 0 {
		o.MaxSide = defaultSide
	}
	return o
}

// JPEG returns a JPEG of a picture, or of the first frame of an animation, without metadata and as good as the options
// allow. Pictures are never enlarged.
func (p *Rendering) JPEG(ctx context.Context, o JPEGOptions) (Picture, error) {
	if p.kind != KindImage && p.kind != KindGIF {
		return Picture{}, refuse(ReasonUnsupported, "Only pictures can be turned into JPEG; this is a %s.", p.kind)
	}
	o = o.withDefaults()
	pixels, err := shrink(ctx, p.pixels, p.pixels.Rect, o.MaxSide)
	if err != nil {
		return Picture{}, err
	}
	return encodeWithin(ctx, pixels, o)
}

// ToJPEG converts the picture of a file to a JPEG.
func (m *Images) ToJPEG(ctx context.Context, r io.ReaderAt, size int64, o JPEGOptions) (Picture, error) {
	rendering, err := m.Render(ctx, r, size, o.withDefaults().MaxSide)
	if err != nil {
		return Picture{}, err
	}
	return rendering.JPEG(ctx, o)
}

// encodeWithin reduces the quality, then the dimensions, until the picture is small enough.
func encodeWithin(ctx context.Context, pixels *image.RGBA, o JPEGOptions) (Picture, error) {
	for {
		for quality := o.Quality; quality == o.Quality || quality >= worstQuality; quality -= qualityStep {
			picture, err := encodePicture(pixels, quality)
			if err != nil || o.MaxBytes <= 0 || int64(len(picture.JPEG)) <= o.MaxBytes {
				return picture, err
			}
			if err := ctx.Err(); err != nil {
				return Picture{}, err
			}
		}
		side := max(pixels.Rect.Dx(), pixels.Rect.Dy()) * 3 / 4
		if side < smallestSide {
			return Picture{}, refuse(ReasonTooLarge, "The picture cannot be made smaller than %s.",
				byteCount(o.MaxBytes))
		}
		var err error
		if pixels, err = shrink(ctx, pixels, pixels.Rect, side); err != nil {
			return Picture{}, err
		}
	}
}

func encodePicture(pixels *image.RGBA, quality int) (Picture, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, pixels, &jpeg.Options{Quality: quality}); err != nil {
		return Picture{}, fmt.Errorf("encode JPEG: %w", err)
	}
	return Picture{JPEG: b.Bytes(), Width: pixels.Rect.Dx(), Height: pixels.Rect.Dy()}, nil
}

// upright decodes a picture, shrinks it to at most the given side and rotates it upright.
func (m *Images) upright(ctx context.Context, r io.ReaderAt, info Info, side int) (*image.RGBA, error) {
	need := min(info.decodeBytes, decodeBudget)
	if err := m.budget.Acquire(ctx, need); err != nil {
		return nil, fmt.Errorf("wait for memory to decode a picture: %w", err)
	}
	defer m.budget.Release(need)
	canvas := storedSize(info)
	decoded, err := decode(ctx, r, info, canvas)
	if err != nil {
		return nil, err
	}
	small, err := shrink(ctx, decoded, canvas, side)
	if err != nil {
		return nil, err
	}
	return turnUpright(small, info.Orientation), nil
}

// storedSize returns the dimensions of the pixels in the file, before they are rotated upright.
func storedSize(info Info) image.Rectangle {
	if info.Orientation >= 5 {
		return image.Rect(0, 0, info.Height, info.Width)
	}
	return image.Rect(0, 0, info.Width, info.Height)
}

// decoder decodes one type.
type decoder struct {
	config func(io.Reader) (image.Config, error)
	pixels func(io.Reader) (image.Image, error) // of an animation: the first frame
}

var decoders = map[string]decoder{
	TypeJPEG: {jpeg.DecodeConfig, jpeg.Decode},
	TypePNG:  {png.DecodeConfig, png.Decode},
	TypeGIF:  {gif.DecodeConfig, gif.Decode},
	TypeWebP: {webp.DecodeConfig, webp.Decode},
}

// decode decodes the pixels. The decoder must see the dimensions that were probed and checked against the limits.
func decode(ctx context.Context, r io.ReaderAt, info Info, canvas image.Rectangle) (image.Image, error) {
	src := &source{ctx: ctx, r: r, size: info.ByteSize}
	config, err := decoders[info.MimeType].config(src.stream(0))
	if err == nil && (config.Width != canvas.Dx() || config.Height != canvas.Dy()) {
		return nil, corrupt("picture", "it has more than one size")
	}
	var picture image.Image
	if err == nil {
		picture, err = decoders[info.MimeType].pixels(src.stream(0))
	}
	switch {
	case err == nil:
		return picture, nil
	case src.err != nil:
		return nil, src.err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return nil, cutOff("picture")
	}
	refusal := corrupt("picture", "its pixels cannot be read")
	refusal.Err = err
	return nil, refusal
}
