package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crier/internal/media"
	"crier/internal/media/mediatest"
)

func probe(t testing.TB, file []byte) (media.Info, error) {
	t.Helper()
	return media.Probe(t.Context(), bytes.NewReader(file), int64(len(file)))
}

// sameInfo compares properties; rates are results of divisions.
var sameInfo = cmp.Options{cmpopts.IgnoreUnexported(media.Info{}),
	cmpopts.IgnoreFields(media.Info{}, "ByteSize", "BitRate"),
	cmpopts.EquateApprox(0.001, 0)}

func TestProbeReadsPictures(t *testing.T) {
	t.Parallel()
	still := media.Info{Kind: media.KindImage, Width: 60, Height: 40, Frames: 1, Orientation: 1, Colour: "rgb"}
	with := func(change func(*media.Info)) media.Info {
		info := still
		change(&info)
		return info
	}
	cases := map[string]struct {
		file []byte
		want media.Info
	}{
		"JPEG": {mediatest.JPEG(60, 40), with(func(i *media.Info) { i.MimeType = media.TypeJPEG })},
		"JPEG turned by a camera": {mediatest.RotatedJPEG(60, 40, 6), with(func(i *media.Info) {
			i.MimeType, i.Orientation = media.TypeJPEG, 6
		})},
		"JPEG upside down": {mediatest.RotatedJPEG(60, 40, 3), with(func(i *media.Info) {
			i.MimeType, i.Orientation = media.TypeJPEG, 3
		})},
		"PNG": {mediatest.PNG(60, 40), with(func(i *media.Info) { i.MimeType = media.TypePNG })},
		"PNG with alpha": {mediatest.TransparentPNG(60, 40), with(func(i *media.Info) {
			i.MimeType, i.HasAlpha = media.TypePNG, true
		})},
		"WebP": {mediatest.WebP(60, 40), with(func(i *media.Info) { i.MimeType = media.TypeWebP })},
		"WebP with alpha": {mediatest.TransparentWebP(60, 40), with(func(i *media.Info) {
			i.MimeType, i.HasAlpha = media.TypeWebP, true
		})},
		"lossy WebP": {fromHex(t,
			"52494646340000005745425056503820280000009001009d012a1000100007409625a00274ba00039800fee50af827a9728f"+
				"fe378f02bc9763a00000"), with(func(i *media.Info) {
			i.MimeType, i.Width, i.Height = media.TypeWebP, 16,
				16
		})},
		"lossy WebP with alpha": {fromHex(t,
			"524946465800000057454250565038580a000000100000000f00000f0000414c50480a0000000107d0bf8808"+
				"4444ff0356503820280000009001009d012a1000100007409625a00274ba00039800fee50af827a9728ffe378f02"+
				"bc9763a00000"),
			with(func(i *media.Info) { i.MimeType, i.Width, i.Height, i.HasAlpha = media.TypeWebP, 16, 16, true })},
		"GIF of one frame": {mediatest.GIF(60, 40, 1), with(func(i *media.Info) {
			i.MimeType, i.Colour = media.TypeGIF, "palette"
		})},
		"animated GIF": {mediatest.GIF(60, 40, 5), with(func(i *media.Info) {
			i.MimeType, i.Kind, i.Colour, i.Frames = media.TypeGIF, media.KindGIF, "palette", 5
			i.DurationSeconds, i.FrameRate = 0.5, 10
		})},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := probe(t, c.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, sameInfo); diff != "" {
				t.Error(diff)
			}
			if got.ByteSize != int64(len(c.file)) {
				t.Errorf("ByteSize = %d, want %d", got.ByteSize, len(c.file))
			}
		})
	}
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	file, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestProbeReadsVideos(t *testing.T) {
	t.Parallel()
	clip := media.Info{MimeType: media.TypeMP4, Kind: media.KindVideo, Width: 540, Height: 960, PixelAspect: 1,
		Frames:          150,
		DurationSeconds: 5, FrameRate: 30, VideoCodec: "h264", VideoProfile: "High", Chroma: "4:2:0", BitDepth: 8,
		AudioCodec: "aac", AudioChannels: 2, AudioSampleRate: 48000, FastStart: true}
	with := func(change func(*media.Info)) media.Info {
		info := clip
		change(&info)
		return info
	}
	silent := func(i *media.Info) { i.AudioCodec, i.AudioChannels, i.AudioSampleRate = "", 0, 0 }
	cases := map[string]struct {
		file []byte
		want media.Info
	}{
		"vertical": {mediatest.VerticalMP4(), clip},
		"landscape": {mediatest.MP4(mediatest.Video{Width: 1920, Height: 1080, Seconds: 2.5, FPS: 60, Audio: true}),
			with(func(i *media.Info) {
				i.Width, i.Height, i.DurationSeconds, i.FrameRate, i.Frames = 1920, 1080, 2.5, 60, 150
			})},
		"stored across, shown upright": {mediatest.MP4(mediatest.Video{Width: 960, Height: 540, Rotate: 90,
			Audio: true}),
			with(func(i *media.Info) { i.Rotation = 90 })},
		"upside down": {mediatest.MP4(mediatest.Video{Rotate: 180, Audio: true}),
			with(func(i *media.Info) { i.Rotation = 180 })},
		"turned the other way": {mediatest.MP4(mediatest.Video{Width: 960, Height: 540, Rotate: 270, Audio: true}),
			with(func(i *media.Info) { i.Rotation = 270 })},
		"without sound": {mediatest.MP4(mediatest.Video{}), with(silent)},
		"MOV": {mediatest.MOV(mediatest.Video{Audio: true}),
			with(func(i *media.Info) { i.MimeType = media.TypeMOV })},
		"index last": {mediatest.MP4(mediatest.Video{Audio: true, MoovLast: true}),
			with(func(i *media.Info) { i.FastStart = false })},
		"edit list": {mediatest.MP4(mediatest.Video{Audio: true, EditList: true}),
			with(func(i *media.Info) { i.EditList = true })},
		"an edit for the encoder's delay": {mediatest.MP4(mediatest.Video{Audio: true, EncoderDelay: true}), clip},
		"fragments": {mediatest.MP4(mediatest.Video{Audio: true, Fragmented: true}),
			with(func(i *media.Info) { i.Fragmented = true })},
		"HEVC": {mediatest.MP4(mediatest.Video{Audio: true, Codec: "hvc1"}), with(func(i *media.Info) {
			i.VideoCodec, i.VideoProfile = "hevc", "Main"
		})},
		"VP9": {mediatest.MP4(mediatest.Video{Audio: true, Codec: "vp09"}), with(func(i *media.Info) {
			i.VideoCodec, i.VideoProfile = "vp9", ""
		})},
		"AV1": {mediatest.MP4(mediatest.Video{Audio: true, Codec: "av01"}), with(func(i *media.Info) {
			i.VideoCodec, i.VideoProfile = "av1", ""
		})},
		"a codec without a common name": {mediatest.MP4(mediatest.Video{Audio: true, Codec: "cvid"}),
			with(func(i *media.Info) {
				i.VideoCodec = "cvid"
			})},
		"WebM": {mediatest.WebM(320, 240, 2, true),
			media.Info{MimeType: media.TypeWebM, Kind: media.KindVideo, Width: 320, Height: 240,
				PixelAspect: 1, DurationSeconds: 2, FrameRate: 30, VideoCodec: "vp9", AudioCodec: "opus",
				AudioChannels:   2,
				AudioSampleRate: 48000, FastStart: true}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := probe(t, c.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, sameInfo); diff != "" {
				t.Error(diff)
			}
			if want := int64(float64(len(c.file)) * 8 / got.DurationSeconds); got.BitRate != want {
				t.Errorf("BitRate = %d, want %d", got.BitRate, want)
			}
		})
	}
}

func TestProbeCountsPages(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"plain": mediatest.PDF(12), "compressed": mediatest.CompressedPDF(12)} {
		info, err := probe(t, file)
		if err != nil || info.Kind != media.KindDocument || info.MimeType != media.TypePDF || info.Pages != 12 {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
}

func TestProbeRejects(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		file    []byte
		reason  media.Reason
		wantErr string
	}{
		"an empty file":            {nil, media.ReasonEmpty, "empty"},
		"a web page":               {mediatest.HTML(), media.ReasonUnsupported, "text/html"},
		"HEIC":                     {mediatest.HEIC(), media.ReasonUnsupported, "Convert the picture to JPEG"},
		"AVIF":                     {mediatest.AVIF(), media.ReasonUnsupported, "Convert the picture to JPEG"},
		"an animated WebP":         {mediatest.AnimatedWebP(60, 40), media.ReasonUnsupported, "GIF or MP4"},
		"a PNG bomb":               {mediatest.BombPNG(), media.ReasonTooManyPixels, "10400 x 10400"},
		"a JPEG bomb":              {mediatest.BombJPEG(), media.ReasonTooManyPixels, "65535 x 65535"},
		"a GIF bomb":               {mediatest.BombGIF(), media.ReasonTooManyPixels, "65535 x 65535"},
		"a GIF of too many frames": {mediatest.GIF(2, 2, 5001), media.ReasonTooManyPixels, "5000 frames"},
		"an MP4 without an index":  {indexless(), media.ReasonCutOff, "index is missing"},
		"sound without pictures": {[]byte("\x00\x00\x00\x10ftypM4A \x00\x00\x00\x00"), media.ReasonUnsupported,
			"only sound"},
		"a 3GP video": {[]byte("\x00\x00\x00\x10ftyp3gp5\x00\x00\x00\x00"), media.ReasonUnsupported,
			"Convert the video to MP4"},
		"a PNG with a wrong sum":   {withChangedByte(mediatest.PNG(60, 40), 60), media.ReasonCorrupt, "check sum"},
		"a box that lies":          {lyingBox(), media.ReasonCorrupt, "size of a part is wrong"},
		"a WebP without a picture": {[]byte("RIFF\x04\x00\x00\x00WEBP"), media.ReasonCorrupt, "no picture"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := probe(t, c.file)
			wantRefusal(t, err, c.reason)
			if err != nil && !strings.Contains(err.Error(), c.wantErr) {
				t.Errorf("says %q, which lacks %q", err, c.wantErr)
			}
		})
	}
}

// boxAt returns the offset of a box of an MP4.
func boxAt(file []byte, name string) int { return bytes.Index(file, []byte(name)) - 4 }

// indexless returns an interrupted recording: frames, but no moov box.
func indexless() []byte {
	file := mediatest.MP4(mediatest.Video{MoovLast: true})
	return file[:boxAt(file, "moov")]
}

func withChangedByte(file []byte, at int) []byte {
	file[at] ^= 0x55
	return file
}

// lyingBox returns an MP4 in which a box within the index claims to be longer than the index.
func lyingBox() []byte {
	file := mediatest.VerticalMP4()
	binary.BigEndian.PutUint32(file[boxAt(file, "mdia"):], 1<<30)
	return file
}

func TestProbeRejectsTruncatedFiles(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{
		"JPEG": mediatest.JPEG(600, 400), "PNG": mediatest.PNG(600, 400), "WebP": mediatest.WebP(60, 40),
		"GIF": mediatest.GIF(60, 40, 5),
		"MP4": mediatest.VerticalMP4(), "MP4, index last": mediatest.MP4(mediatest.Video{MoovLast: true}),
		"MP4, fragments": mediatest.MP4(mediatest.Video{Fragmented: true}), "MOV": mediatest.MOV(mediatest.Video{}),
		"WebM": mediatest.WebM(320, 240, 2, true), "PDF": mediatest.PDF(100),
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := probe(t, mediatest.Cut(file))
			wantRefusal(t, err, media.ReasonCutOff)
			_, err = probe(t, file[:len(file)-8])
			wantRefusal(t, err, media.ReasonCutOff)
		})
	}
}

// An MP4 whose last box extends "to the end of the file" looks complete at any length.
func TestProbeComparesTheIndexWithThePictures(t *testing.T) {
	t.Parallel()
	file := mediatest.VerticalMP4()
	binary.BigEndian.PutUint32(file[boxAt(file, "mdat"):], 0)
	if _, err := probe(t, file); err != nil {
		t.Fatalf("the whole file: %v", err)
	}
	_, err := probe(t, file[:len(file)/2])
	wantRefusal(t, err, media.ReasonCutOff)
}

func TestLimitsAreEnforced(t *testing.T) {
	t.Parallel()
	small := media.Limits{MaxPixels: 2400, MaxFrames: 3, MaxImageBytes: 30_000}
	cases := map[string]struct {
		file   []byte
		reason media.Reason
	}{
		"pixels as allowed":   {mediatest.PNG(60, 40), ""},
		"a row too many":      {mediatest.PNG(60, 41), media.ReasonTooManyPixels},
		"frames as allowed":   {mediatest.GIF(10, 10, 3), ""},
		"a frame too many":    {mediatest.GIF(10, 10, 4), media.ReasonTooManyPixels},
		"too many bytes":      {append(mediatest.PNG(60, 40), make([]byte, 30_000)...), media.ReasonTooLarge},
		"videos may be large": {mediatest.VerticalMP4(), ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := small.Probe(t.Context(), bytes.NewReader(c.file), int64(len(c.file)))
			if c.reason != "" {
				wantRefusal(t, err, c.reason)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMislabeledFileIsRejected(t *testing.T) {
	t.Parallel()
	png, err := probe(t, mediatest.PNG(6, 4))
	if err != nil {
		t.Fatal(err)
	}
	jpeg, err := probe(t, mediatest.JPEG(6, 4))
	if err != nil {
		t.Fatal(err)
	}
	for _, declared := range []string{"", "application/octet-stream", "image/png", "IMAGE/PNG",
		"image/png; charset=binary"} {
		if err := png.CheckDeclared(declared); err != nil {
			t.Errorf("a PNG declared as %q: %v", declared, err)
		}
	}
	for _, declared := range []string{"image/jpeg", "video/mp4", "text/html", "image/png-ish", "nonsense"} {
		wantRefusal(t, png.CheckDeclared(declared), media.ReasonWrongType)
	}
	if err := jpeg.CheckDeclared("image/jpg"); err != nil {
		t.Errorf("the old name of JPEG: %v", err)
	}
}

// brokenReader fails like a disk or a network.
type brokenReader struct{ err error }

func (b brokenReader) ReadAt([]byte, int64) (int, error) { return 0, b.err }

func TestReadErrorIsNotARejection(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is on fire")
	_, err := media.Probe(t.Context(), brokenReader{broken}, 1000)
	var refusal *media.Refusal
	if !errors.Is(err, broken) || errors.As(err, &refusal) {
		t.Errorf("error %v, want the one of the disk", err)
	}
	_, err = media.Probe(t.Context(), brokenReader{io.EOF}, 1000)
	if !errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &refusal) {
		t.Errorf("a reader shorter than its size: error %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := media.Probe(cancelled, bytes.NewReader(mediatest.JPEG(6, 4)), 100); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// hugeVideo is an MP4 of 5 GiB that exists only as far as it is read: a valid index after a hole.
type hugeVideo struct {
	head, tail []byte
	size       int64
	read       int64
}

func (h *hugeVideo) ReadAt(p []byte, at int64) (int, error) {
	h.read += int64(len(p))
	clear(p)
	if at < int64(len(h.head)) {
		copy(p, h.head[at:])
	}
	tailAt := h.size - int64(len(h.tail))
	switch {
	case at >= tailAt:
		copy(p, h.tail[at-tailAt:])
	case at+int64(len(p)) > tailAt:
		copy(p[tailAt-at:], h.tail)
	}
	return len(p), nil
}

func TestLargeVideoIsProbedFromItsIndex(t *testing.T) {
	t.Parallel()
	whole := mediatest.MP4(mediatest.Video{Audio: true, MoovLast: true})
	mdat, moov := boxAt(whole, "mdat"), boxAt(whole, "moov")
	video := &hugeVideo{tail: whole[moov:], size: 5 << 30}
	video.head = append(bytes.Clone(whole[:mdat]), 0, 0, 0, 1, 'm', 'd', 'a', 't')
	video.head = binary.BigEndian.AppendUint64(video.head, uint64(video.size)-uint64(mdat)-uint64(len(video.tail)))
	info, err := media.Probe(t.Context(), video, video.size)
	if err != nil || info.DurationSeconds != 5 || info.ByteSize != 5<<30 {
		t.Fatalf("%+v, %v", info, err)
	}
	if video.read > 1<<20 {
		t.Errorf("read %d bytes of a 5 GiB video", video.read)
	}
}
