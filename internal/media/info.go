package media

import (
	"mime"
	"strings"
)

// Kind is the kind of a file.
type Kind string

// The kinds of files.
const (
	KindImage    Kind = "image" // a still picture
	KindGIF      Kind = "gif"   // an animated GIF
	KindVideo    Kind = "video"
	KindDocument Kind = "document"
)

// The supported types.
const (
	TypeJPEG = "image/jpeg"
	TypePNG  = "image/png"
	TypeWebP = "image/webp"
	TypeGIF  = "image/gif"
	TypeMP4  = "video/mp4"
	TypeMOV  = "video/quicktime"
	TypeWebM = "video/webm"
	TypePDF  = "application/pdf"
)

// allowedTypes lists the supported types, for messages.
const allowedTypes = "JPEG, PNG, WebP, GIF, MP4, MOV, WebM and PDF"

// Info holds the properties read from the bytes of a file. Properties that a type does not have, or its file does not
// state, are zero.
type Info struct {
	MimeType string `json:"mimeType"`
	Kind     Kind   `json:"kind"`
	ByteSize int64  `json:"byteSize"`

	Width       int     `json:"width,omitempty"`       // as shown: after Orientation or Rotation
	Height      int     `json:"height,omitempty"`      // as shown
	PixelAspect float64 `json:"pixelAspect,omitempty"` // width of a pixel divided by its height; 1 is square
	Frames      int     `json:"frames,omitempty"`      // number of frames

	// Of pictures.
	Orientation int    `json:"orientation,omitempty"` // EXIF: 1 is upright, 2 to 8 are rotated or mirrored
	HasAlpha    bool   `json:"hasAlpha,omitempty"`    // may have transparent pixels
	Colour      string `json:"colour,omitempty"`      // rgb, gray, cmyk or palette

	// Of videos and animations.
	DurationSeconds float64 `json:"durationSeconds,omitempty"`
	FrameRate       float64 `json:"frameRate,omitempty"` // frames per second, on average
	BitRate         int64   `json:"bitRate,omitempty"`   // bits per second of the whole file, on average

	// Of videos. Codecs without a common name are given by their four-letter code.
	Rotation        int    `json:"rotation,omitempty"` // clockwise degrees by which a player rotates the stored frames
	VideoCodec      string `json:"videoCodec,omitempty"`
	VideoProfile    string `json:"videoProfile,omitempty"`
	Chroma          string `json:"chroma,omitempty"` // 4:2:0, 4:2:2, 4:4:4 or 4:0:0
	BitDepth        int    `json:"bitDepth,omitempty"`
	Interlaced      bool   `json:"interlaced,omitempty"`
	AudioCodec      string `json:"audioCodec,omitempty"` // empty: silent
	AudioChannels   int    `json:"audioChannels,omitempty"`
	AudioSampleRate int    `json:"audioSampleRate,omitempty"`
	FastStart       bool   `json:"fastStart,omitempty"`  // the index precedes the frames
	EditList        bool   `json:"editList,omitempty"`   // edits trim, delay or repeat a track
	Fragmented      bool   `json:"fragmented,omitempty"` // the index is spread over the file

	// Of documents.
	Pages int `json:"pages,omitempty"`

	decodeBytes int64 // memory needed to decode the pixels
}

// CheckDeclared returns a *Refusal if a file is not of the declared type. An empty type and application/octet-stream
// declare nothing.
func (i Info) CheckDeclared(declared string) error {
	name, _, err := mime.ParseMediaType(declared)
	if err != nil {
		name = strings.ToLower(strings.TrimSpace(declared))
	}
	switch name {
	case "", "application/octet-stream", "binary/octet-stream":
		return nil
	case "image/jpg", "image/pjpeg":
		name = TypeJPEG
	case "video/x-m4v":
		name = TypeMP4
	}
	if name != i.MimeType {
		return refuse(ReasonWrongType,
			"The file was declared as %s, but its content is %s. Give it its true type, or upload another file.",
			printable(name), i.MimeType)
	}
	return nil
}

// printable shortens untrusted text for a message.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	if len(s) > 80 {
		s = s[:80] + "..."
	}
	return s
}

// Limits bounds what is read and decoded. They are checked against headers, before anything is decoded. Zero fields
// have defaults.
type Limits struct {
	MaxPixels     int64 // of a picture; default 100 million
	MaxFrames     int   // of an animation; default 5,000
	MaxImageBytes int64 // of a picture or document; default 256 MiB
	// MaxDecodeBytes is the maximum memory for the pixels of a picture; default 320 MiB, which holds 100 million pixels
	// of an ordinary photo.
	MaxDecodeBytes int64
}

func (l Limits) withDefaults() Limits {
	if l.MaxPixels == 0 {
		l.MaxPixels = 100_000_000
	}
	if l.MaxFrames == 0 {
		l.MaxFrames = 5_000
	}
	if l.MaxImageBytes == 0 {
		l.MaxImageBytes = 256 << 20
	}
	if l.MaxDecodeBytes == 0 {
		l.MaxDecodeBytes = decodeBudget
	}
	return l
}

// checkDecoding rejects pictures whose pixels need too much memory.
func (l Limits) checkDecoding(info Info) error {
	if info.decodeBytes <= l.MaxDecodeBytes {
		return nil
	}
	pixels := float64(info.Width) * float64(info.Height)
	return refuse(ReasonTooManyPixels,
		"Decoding the picture takes %s; at most %s are allowed, which is %.4g million pixels of its kind. Make it "+
			"smaller, or save it with 8 bits a channel.", byteCount(info.decodeBytes), byteCount(l.MaxDecodeBytes),
		pixels*float64(l.MaxDecodeBytes)/float64(info.decodeBytes)/1e6)
}

// checkPixels rejects pictures without pixels, or with more than can be decoded safely.
func (l Limits) checkPixels(width, height int) error {
	if width <= 0 || height <= 0 {
		return corrupt("picture", "it has no pixels")
	}
	if int64(width)*int64(height) > l.MaxPixels {
		return refuse(ReasonTooManyPixels,
			"The picture has %d x %d pixels; at most %.4g million are allowed. Make it smaller.",
			width, height, float64(l.MaxPixels)/1e6)
	}
	return nil
}
