package media

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
)

// probed returns the properties of a file, or why it was rejected.
func probed(t *testing.T, file []byte) (Info, *Refusal) {
	t.Helper()
	info, err := Probe(t.Context(), bytes.NewReader(file), int64(len(file)))
	refusal, refused := errors.AsType[*Refusal](err)
	if err != nil && !refused {
		t.Fatal(err)
	}
	return info, refusal
}

// reasonOf returns why a file was rejected, or "".
func reasonOf(r *Refusal) Reason {
	if r == nil {
		return ""
	}
	return r.Reason
}

// tiff returns an Exif structure with one entry.
func tiff(order binary.AppendByteOrder, tag, value uint16) []byte {
	mark := "MM\x00*"
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		mark = "II*\x00"
	}
	out := order.AppendUint32([]byte(mark), 8)
	out = order.AppendUint16(out, 1)
	out = order.AppendUint16(order.AppendUint16(out, tag), 3)
	return order.AppendUint16(order.AppendUint16(order.AppendUint32(out, 1), value), 0)
}

func TestExifOrientationIsReadInBothByteOrders(t *testing.T) {
	t.Parallel()
	const orientation = 0x112
	big, little := tiff(binary.BigEndian, orientation, 6), tiff(binary.LittleEndian, orientation, 8)
	beyond := slices.Clone(big)
	binary.BigEndian.PutUint32(beyond[4:], 1<<31)
	claims := slices.Clone(big)
	binary.BigEndian.PutUint16(claims[8:], 9) // number of entries, of which only one exists
	claims = slices.Clone(claims)
	binary.BigEndian.PutUint16(claims[10:], 1) // and that is another tag
	for name, c := range map[string]struct {
		data []byte
		want int
	}{
		"big end first": {big, 6}, "little end first": {little, 8}, "nothing": {nil, 1}, "too short": {big[:7], 1},
		"no entries": {big[:9], 1}, "half an entry": {big[:15], 1}, "a directory beyond the end": {beyond, 1},
		"more entries than there are": {claims, 1}, "another tag": {tiff(binary.BigEndian, 0x100, 6), 1},
		"zero": {tiff(binary.BigEndian, orientation, 0), 1}, "nine": {tiff(binary.BigEndian, orientation, 9), 1},
		"mirrored": {tiff(binary.LittleEndian, orientation, 2), 2},
	} {
		if got := exifOrientation(c.data); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestSniffTellsTypesFromTheFirstBytes(t *testing.T) {
	t.Parallel()
	brand := func(name string) string { return "\x00\x00\x00\x18ftyp" + name + "\x00\x00\x00\x00" }
	for head, want := range map[string]string{
		"\xff\xd8\xff\xe0": TypeJPEG, pngSignature: TypePNG, "GIF87a": TypeGIF, "GIF89a": TypeGIF,
		"RIFF\x00\x00\x00\x00WEBPVP8 ": TypeWebP, brand("isom"): TypeMP4, brand("mp42"): TypeMP4,
		brand("qt  "):          TypeMOV,
		"\x00\x00\x00\x08wide": TypeMOV, "\x00\x00\x01\x00moov": TypeMOV, "\x00\x00\x01\x00mdat": TypeMOV,
		"\x1a\x45\xdf\xa3\x00\x42\x82\x84webm": TypeWebM, "%PDF-1.7": TypePDF,
	} {
		if got, err := Sniff([]byte(head)); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %s", head, got, err, want)
		}
	}
	for head, want := range map[string]string{
		"":                          "The file is empty.",
		"\x00\x00\x00\x18ftypis":    "cut off",
		brand("heic"):               "HEIC pictures cannot be used",
		brand("mif1"):               "HEIC pictures cannot be used",
		brand("avif"):               "AVIF pictures cannot be used",
		brand("M4A "):               "The file has only sound.",
		brand("3gp4"):               "3GP videos cannot be used.",
		brand("crx "):               "Files of this kind (image/crx) cannot be used.",
		brand("jp2 "):               "Files of this kind (image/jp2) cannot be used.",
		"\x1a\x45\xdf\xa3 matroska": "Matroska videos cannot be used.",
		"\x1a\x45\xdf\xa3" + strings.Repeat("\x00", 60) + "webm": "Matroska videos cannot be used.", // too far in
		"<html>":                "Files of this kind (text/html; charset=utf-8) cannot be used.",
		"RIFF\x00\x00\x00\x00A": "cannot be used",
		"MZ\x90\x00":            "Files of this kind (application/octet-stream) cannot be used.",
		"ID3":                   "Files of this kind (audio/mpeg) cannot be used. Allowed are " + allowedTypes + ".",
	} {
		got, err := Sniff([]byte(head))
		if got != "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %q: %v, want %q", head, got, err, want)
		}
	}
}

func TestDeclaredTypesAreComparedWithTheContent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content, declared, shown string // shown: rejected, with this name
	}{
		{TypeJPEG, "", ""}, {TypeJPEG, "application/octet-stream", ""}, {TypeJPEG, "binary/octet-stream", ""},
		{TypeJPEG, "image/jpeg", ""}, {TypeJPEG, " IMAGE/JPEG ; q=1", ""}, {TypeJPEG, "image/jpg", ""},
		{TypeJPEG, "image/pjpeg", ""}, {TypeMP4, "video/x-m4v", ""}, {TypePNG, "image/jpeg", "image/jpeg"},
		{TypeMP4, "video/quicktime", "video/quicktime"}, {TypePDF, "no type\x07\x1b[31m é", "no type??[31m ?"},
		{TypePDF, strings.Repeat("x", 100), strings.Repeat("x", 80) + "..."},
	} {
		err := Info{MimeType: c.content}.CheckDeclared(c.declared)
		if c.shown == "" {
			if err != nil {
				t.Errorf("%s declared as %q: %v", c.content, c.declared, err)
			}
			continue
		}
		want := "The file was declared as " + c.shown + ", but its content is " + c.content +
			". Give it its true type, or upload another file."
		refusal, ok := errors.AsType[*Refusal](err)
		if !ok || refusal.Reason != ReasonWrongType || refusal.Message != want {
			t.Errorf("%s declared as %q: %v, want %s", c.content, c.declared, err, want)
		}
	}
}

// pngChunk returns a chunk with its checksum.
func pngChunk(name string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, name...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func pngHeader(width, height uint32, depth, colour byte) []byte {
	body := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	return pngChunk("IHDR", append(body, depth, colour, 0, 0, 0))
}

func pngOf(chunks ...[]byte) []byte { return append([]byte(pngSignature), bytes.Join(chunks, nil)...) }

func TestPNGFactsComeFromItsChunks(t *testing.T) {
	t.Parallel()
	pixels, end := pngChunk("IDAT", []byte("packed")), pngChunk("IEND", nil)
	header := pngHeader(30, 20, 8, 2)
	frames := func(n uint32) []byte { return pngChunk("acTL", binary.BigEndian.AppendUint64(nil, uint64(n)<<32)) }
	turned := pngChunk("eXIf", tiff(binary.BigEndian, 0x112, 6))
	for name, c := range map[string]struct {
		file   []byte
		reason Reason
		want   Info
	}{
		"plain": {pngOf(header, pixels, end), "", Info{Width: 30, Height: 20, Frames: 1, Orientation: 1,
			Colour: "rgb"}},
		"grey and alpha": {pngOf(pngHeader(30, 20, 16, 4), pixels, end), "", Info{Width: 30, Height: 20, Frames: 1,
			Orientation: 1, Colour: "gray", HasAlpha: true}},
		"palette with transparency": {pngOf(pngHeader(30, 20, 8, 3), pngChunk("tRNS", []byte{0}), pixels, end), "",
			Info{Width: 30, Height: 20, Frames: 1, Orientation: 1, Colour: "palette", HasAlpha: true}},
		"turned": {pngOf(header, turned, pixels, end), "", Info{Width: 20, Height: 30, Frames: 1, Orientation: 6,
			Colour: "rgb"}},
		"animated": {pngOf(header, frames(7), pixels, end), "",
			Info{Width: 30, Height: 20, Frames: 7, Orientation: 1, Colour: "rgb"}},
		"too many frames":     {pngOf(header, frames(5001), pixels, end), ReasonTooManyPixels, Info{}},
		"no pixels":           {pngOf(header, end), ReasonCorrupt, Info{}},
		"no header":           {pngOf(pixels, end), ReasonCorrupt, Info{}},
		"two headers":         {pngOf(header, header, pixels, end), ReasonCorrupt, Info{}},
		"a short header":      {pngOf(pngChunk("IHDR", make([]byte, 12)), pixels, end), ReasonCorrupt, Info{}},
		"no width":            {pngOf(pngHeader(0, 20, 8, 2), pixels, end), ReasonCorrupt, Info{}},
		"an impossible width": {pngOf(pngHeader(1<<31, 20, 8, 2), pixels, end), ReasonCorrupt, Info{}},
		"no such colour":      {pngOf(pngHeader(30, 20, 8, 5), pixels, end), ReasonCorrupt, Info{}},
		"too many pixels":     {pngOf(pngHeader(100_000, 100_000, 8, 2), pixels, end), ReasonTooManyPixels, Info{}},
		"no end":              {pngOf(header, pixels), ReasonCutOff, Info{}},
		"half a chunk":        {pngOf(header, pixels[:10]), ReasonCutOff, Info{}},
		"a wrong sum": {pngOf(header, append(slices.Clone(pixels[:len(pixels)-1]), 0), end), ReasonCorrupt,
			Info{}},
	} {
		got, refusal := probed(t, c.file)
		if got.decodeBytes, got.MimeType, got.Kind, got.ByteSize = 0, "", "", 0; refusal != nil {
			got = Info{}
		}
		if reasonOf(refusal) != c.reason || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v, %q", name, got, refusal, c.want, c.reason)
		}
	}
}

// riff returns a WebP file of chunks.
func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riffPart(name string, body []byte) []byte {
	out := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))), body...)
	if len(body)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

func lossless(width, height uint32) []byte {
	return riffPart("VP8L", append([]byte{0x2f}, binary.LittleEndian.AppendUint32(nil, width-1|(height-1)<<14)...))
}

func canvas(flags byte, width, height uint32) []byte {
	w, h := width-1, height-1
	return riffPart("VP8X", []byte{flags, 0, 0, 0, byte(w), byte(w >> 8), byte(w >> 16), byte(h), byte(h >> 8),
		byte(h >> 16)})
}

func TestWebPFactsComeFromItsChunks(t *testing.T) {
	t.Parallel()
	exif := tiff(binary.BigEndian, 0x112, 8)
	lossy := func(width, height uint16) []byte {
		body := []byte{0, 0, 0, 0x9d, 0x01, 0x2a}
		return riffPart("VP8 ", binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(body, width), height))
	}
	still := Info{Width: 30, Height: 20, Frames: 1, Orientation: 1, Colour: "rgb"}
	turned, alpha := still, still
	turned.Width, turned.Height, turned.Orientation = 20, 30, 8
	alpha.HasAlpha = true
	for name, c := range map[string]struct {
		file   []byte
		reason Reason
		want   Info
	}{
		"lossless":           {riff(lossless(30, 20)), "", still},
		"lossy":              {riff(lossy(30, 20)), "", still},
		"with a canvas":      {riff(canvas(0, 30, 20), lossy(30, 20)), "", still},
		"with alpha":         {riff(canvas(0x10, 30, 20), riffPart("ALPH", []byte{1}), lossy(30, 20)), "", alpha},
		"with an alpha part": {riff(riffPart("ALPH", []byte{1}), lossy(30, 20)), "", alpha},
		"turned":             {riff(canvas(8, 30, 20), lossy(30, 20), riffPart("EXIF", exif)), "", turned},
		"turned, as JPEG has it": {riff(lossless(30, 20), riffPart("EXIF", append([]byte("Exif\x00\x00"), exif...))),
			"", turned},
		"broken Exif":           {riff(lossless(30, 20), riffPart("EXIF", exif[:5])), "", still},
		"animated":              {riff(canvas(0x02, 30, 20), lossy(30, 20)), ReasonUnsupported, Info{}},
		"another canvas":        {riff(canvas(0, 300, 200), lossy(30, 20)), ReasonCorrupt, Info{}},
		"two pictures":          {riff(lossless(30, 20), lossless(30, 20)), ReasonCorrupt, Info{}},
		"no picture":            {riff(canvas(0, 30, 20)), ReasonCorrupt, Info{}},
		"a short canvas":        {riff(riffPart("VP8X", make([]byte, 4)), lossy(30, 20)), ReasonCorrupt, Info{}},
		"no width":              {riff(lossy(0, 20)), ReasonCorrupt, Info{}},
		"no such picture":       {riff(riffPart("VP8L", []byte("12345"))), ReasonCorrupt, Info{}},
		"too many pixels":       {riff(lossless(16000, 16000)), ReasonTooManyPixels, Info{}},
		"a part beyond the end": {riff(lossless(30, 20), []byte("EXIF\xff\xff\x00\x00")), ReasonCorrupt, Info{}},
		"more than a thousand":  {riff(bytes.Repeat(riffPart("JUNK", nil), 1001)), ReasonCorrupt, Info{}},
		"cut off":               {riff(lossless(30, 20))[:20], ReasonCutOff, Info{}},
	} {
		got, refusal := probed(t, c.file)
		if got.decodeBytes, got.MimeType, got.Kind, got.ByteSize = 0, "", "", 0; refusal != nil {
			got = Info{}
		}
		if reasonOf(refusal) != c.reason || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v, %q", name, got, refusal, c.want, c.reason)
		}
	}
}

// gifScreen returns the start of a GIF of 30 by 20 pixels.
func gifScreen(flags byte) []byte {
	return []byte{'G', 'I', 'F', '8', '9', 'a', 30, 0, 20, 0, flags, 0, 0}
}

func gifFrame(x, y, width, height, flags byte) []byte {
	frame := []byte{0x2c, x, 0, y, 0, width, 0, height, 0, flags}
	if flags&0x80 != 0 {
		frame = append(frame, make([]byte, 3<<(flags&7+1))...)
	}
	return append(frame, 2, 3, 1, 2, 3, 0)
}

func gifDelay(hundredths uint16, flags byte) []byte {
	return []byte{0x21, 0xf9, 4, flags, byte(hundredths), byte(hundredths >> 8), 0, 0}
}

func TestGIFFactsComeFromItsBlocks(t *testing.T) {
	t.Parallel()
	join := func(parts ...[]byte) []byte { return append(bytes.Join(parts, nil), 0x3b) }
	full, comment := gifFrame(0, 0, 30, 20, 0), []byte{0x21, 0xfe, 2, 'h', 'i', 0}
	still := Info{Kind: KindImage, Width: 30, Height: 20, Frames: 1, Orientation: 1, Colour: "palette"}
	moving := still
	moving.Kind, moving.Frames, moving.DurationSeconds, moving.FrameRate, moving.HasAlpha = KindGIF, 2, 0.5, 4, true
	untimed := still
	untimed.Kind, untimed.Frames = KindGIF, 2
	colours := append(gifScreen(0x80), make([]byte, 6)...)
	for name, c := range map[string]struct {
		file   []byte
		reason Reason
		want   Info
	}{
		"still":                 {join(gifScreen(0), full), "", still},
		"still with a delay":    {join(gifScreen(0), gifDelay(10, 0), comment, full), "", still},
		"with colours":          {join(colours, gifFrame(5, 5, 10, 10, 0x81)), "", still},
		"moving":                {join(gifScreen(0), gifDelay(20, 1), full, gifDelay(30, 0), full), "", moving},
		"moving without delays": {join(gifScreen(0), full, full), "", untimed},
		"no picture":            {join(gifScreen(0), comment), ReasonCorrupt, Info{}},
		"a frame beyond":        {join(gifScreen(0), gifFrame(5, 0, 30, 20, 0)), ReasonCorrupt, Info{}},
		"an empty frame":        {join(gifScreen(0), gifFrame(5, 0, 0, 20, 0)), ReasonCorrupt, Info{}},
		"an unknown part":       {join(gifScreen(0), []byte{0x77}), ReasonCorrupt, Info{}},
		"no width":              {join([]byte("GIF89a\x00\x00\x14\x00\x00\x00\x00"), full), ReasonCorrupt, Info{}},
		"no end":                {bytes.Join([][]byte{gifScreen(0), full}, nil), ReasonCutOff, Info{}},
		"half a screen":         {gifScreen(0)[:9], ReasonCutOff, Info{}},
		"half a colour table":   {colours[:15], ReasonCutOff, Info{}},
		"half a frame":          {append(gifScreen(0), full[:6]...), ReasonCutOff, Info{}},
		"half a block":          {append(gifScreen(0), full[:13]...), ReasonCutOff, Info{}},
		"an extension cut off":  {append(gifScreen(0), 0x21), ReasonCutOff, Info{}},
		"frames without end":    {join(gifScreen(0), bytes.Repeat(full, 5001)), ReasonTooManyPixels, Info{}},
	} {
		got, refusal := probed(t, c.file)
		if got.decodeBytes, got.MimeType, got.ByteSize, got.BitRate = 0, "", 0, 0; refusal != nil {
			got = Info{}
		}
		if reasonOf(refusal) != c.reason || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v, %q", name, got, refusal, c.want, c.reason)
		}
	}
}

func TestJPEGsThatCannotBeUsedSayWhy(t *testing.T) {
	t.Parallel()
	segment := func(marker byte, body ...byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
	}
	frame := func(marker, depth, colours byte) []byte {
		return segment(marker, depth, 0, 20, 0, 30, colours, 0, 0, 0)
	}
	file := func(parts ...[]byte) []byte {
		return append(append([]byte{0xff, 0xd8}, bytes.Join(parts, nil)...), 0xff, 0xd9)
	}
	scan, baseline := segment(jpegSOS, 0), frame(0xc0, 8, 3)
	for name, c := range map[string]struct {
		file   []byte
		reason Reason
		colour string
	}{
		"baseline":             {file(baseline, scan, []byte("data\xff\x00\xff\xd0more")), "", "rgb"},
		"progressive and grey": {file(frame(0xc2, 8, 1), scan), "", "gray"},
		"for print":            {file(frame(0xc1, 8, 4), scan), "", "cmyk"},
		"fill bytes":           {file([]byte{0xff, 0xff, 0xff}, baseline[1:], scan), "", "rgb"},
		"lossless":             {file(frame(0xc3, 8, 3), scan), ReasonUnsupported, ""},
		"arithmetic":           {file(frame(0xc9, 8, 3), scan), ReasonUnsupported, ""},
		"12 bits":              {file(frame(0xc1, 12, 3), scan), ReasonUnsupported, ""},
		"two colours":          {file(frame(0xc0, 8, 2), scan), ReasonCorrupt, ""},
		"two sizes":            {file(baseline, baseline, scan), ReasonCorrupt, ""},
		"a short size":         {file(segment(0xc0, 8, 0, 20), scan), ReasonCorrupt, ""},
		"no size":              {file(scan), ReasonCorrupt, ""},
		"no picture":           {file(segment(0xe0, 1)), ReasonCorrupt, ""},
		"a negative length":    {file([]byte{0xff, 0xe0, 0, 1}), ReasonCorrupt, ""},
		"a segment cut off":    {[]byte{0xff, 0xd8, 0xff, 0xe1, 0, 9, 'E'}, ReasonCutOff, ""},
		"a length cut off":     {[]byte{0xff, 0xd8, 0xff, 0xe0, 0}, ReasonCutOff, ""},
		"a size cut off":       {[]byte{0xff, 0xd8, 0xff, 0xc0, 0, 17, 8}, ReasonCutOff, ""},
		"no end":               {file(baseline, scan)[:20], ReasonCutOff, ""},
	} {
		got, refusal := probed(t, c.file)
		if reasonOf(refusal) != c.reason || refusal == nil && (got.Colour != c.colour || got.Width != 30 ||
			got.Height != 20) {
			t.Errorf("%s: %+v, %v; want %q %s", name, got, refusal, c.reason, c.colour)
		}
	}
}

func TestCodecsAreNamedAsPeopleKnowThem(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"avc1": "h264", "hev1": "hevc", "av01": "av1", "apch": "prores",
		"mp4a": "aac", "xyz ": "xyz", "\x00ab\xff": "?ab?"} {
		if got := codecName(code); got != want {
			t.Errorf("%q is %s, want %s", code, got, want)
		}
	}
	for object, want := range map[byte]string{0x40: "aac", 0x66: "aac", 0x69: "mp3", 0x6b: "mp3", 0xa5: "ac3",
		0xa6: "eac3", 0xad: "opus", 0xdd: "mp4a.dd", 0x01: "mp4a.01"} {
		if got := soundObjectName(object); got != want {
			t.Errorf("object %#x is %s, want %s", object, got, want)
		}
	}
	for id, want := range map[string]string{"V_VP9": "vp9", "V_VP8": "vp8", "V_AV1": "av1", "A_OPUS": "opus",
		"A_VORBIS\x00\x00": "vorbis", "V_MPEG4/ISO/AVC": "mpeg4/iso/avc", "": ""} {
		if got := webmCodecName(id); got != want {
			t.Errorf("%q is %q, want %q", id, got, want)
		}
	}
	for format, want := range []string{"4:0:0", "4:2:0", "4:2:2", "4:4:4", "4:0:0"} {
		if got := chromaName(format); got != want {
			t.Errorf("chroma %d is %s, want %s", format, got, want)
		}
	}
	for _, c := range []struct {
		raw  []byte
		want float64
	}{{binary.BigEndian.AppendUint32(nil, math.Float32bits(1.5)), 1.5},
		{binary.BigEndian.AppendUint64(nil, math.Float64bits(-2.25)), -2.25}, {nil, 0}, {[]byte{1, 2, 3}, 0}} {
		if got := webmFloat(c.raw); got != c.want {
			t.Errorf("%x is %g, want %g", c.raw, got, c.want)
		}
	}
}

func TestPagesAreCountedInTheDictionaryOfTheTree(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "<< /Type /Pages /Count 3 >>": 3, "<</Count 12/Type/Pages>>": 12,
		"<< /Type /Page /Count 9 >>":                          0, // a page is no tree
		"<< /Count 5 /Kids << /X 1 >> /Type /Pages >>":        5,
		"<< /Type /Pages /Kids << /Count 9 >> /Count 2 >>":    9, // nested ones count, too
		"<< /Count 7 >> << /Type /Pages >>":                   0, // of another dictionary
		"<< /Type /Pages /Count 2 >> << /Count 40 >>":         2,
		"<< /Type /Pages /Count 2 >> <</Type/Pages/Count 6>>": 6,
		"/Type /Pages /Count 4":                               4, // its start was cut off
		"<< /Type /Pages /Count -1 >>":                        0,
		"<< /Type /Pages /Count 99999999 >>":                  0,
		"<< /Type /PagesX /Count 3 >>":                        0,
	} {
		if got := countPages([]byte(text)); got != want {
			t.Errorf("%s has %d pages, want %d", text, got, want)
		}
	}
}

func TestFactsAreReadAsTheyWereKept(t *testing.T) {
	t.Parallel()
	kept := Facts{Info: Info{MimeType: TypePNG, Kind: KindImage, ByteSize: 7, Width: 30, Height: 20, Frames: 1},
		Thumbnail: true, JPEG: &JPEGFacts{ByteSize: 5, Width: 30, Height: 20}}
	data, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeFacts(data)
	if err != nil || got.Info != kept.Info || !got.Thumbnail || *got.JPEG != *kept.JPEG || got.Small != nil {
		t.Errorf("%s is read as %+v, %v", data, got, err)
	}
	if empty, err := DecodeFacts(json.RawMessage(`{}`)); err != nil || empty != (Facts{}) {
		t.Errorf("a file of before has %+v, %v", empty, err)
	}
	if _, err := DecodeFacts(json.RawMessage(`[`)); err == nil || !strings.HasPrefix(err.Error(), "decode the facts of a file: ") {
		t.Errorf("broken facts: %v", err)
	}
}

func TestAddressesStayTheSameForAnHourAndWorkForADay(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	now := begin
	a := &Addresses{Key: []byte("key"), BaseURL: "https://crier.example", Now: func() time.Time { return now }}
	key := Key{ID: crier.NewID(), Variant: VariantOriginal}
	first := a.URL(key)
	path, signature, ok := strings.Cut(first, "?signature=")
	if !ok || path != "https://crier.example/media/"+string(key.ID)+"/"+VariantOriginal {
		t.Fatalf("the address is %s", first)
	}
	for after, same := range map[time.Duration]bool{time.Minute: true, time.Hour - 1: true, time.Hour: false} {
		now = begin.Add(after)
		if (a.URL(key) == first) != same {
			t.Errorf("after %s the address is the same: %t, want %t", after, !same, same)
		}
	}
	for after, want := range map[time.Duration]error{0: nil, 24 * time.Hour: nil, 25*time.Hour + 1: ErrExpired} {
		now = begin.Add(after)
		if err := a.Verify(key, signature); !errors.Is(err, want) {
			t.Errorf("after %s: %v, want %v", after, err, want)
		}
	}
	now = begin
	small := Key{ID: key.ID, Variant: VariantThumbnail}
	if a.Thumbnail(key.ID) != a.URL(small) || !errors.Is(a.Verify(small, signature), ErrSignature) ||
		!errors.Is(a.Verify(Key{ID: crier.NewID(), Variant: VariantOriginal}, signature), ErrSignature) {
		t.Error("the signature of one file opens another")
	}
	other := &Addresses{Key: []byte("other"), Now: a.Now}
	if err := other.Verify(key, signature); !errors.Is(err, ErrSignature) {
		t.Errorf("another installation takes the signature: %v", err)
	}
	other.OtherKeys = [][]byte{[]byte("a third"), a.Key}
	if err := other.Verify(key, signature); err != nil || other.URL(key) == first {
		t.Errorf("an installation that knows the key says %v", err)
	}
	if err := other.Verify(small, signature); !errors.Is(err, ErrSignature) {
		t.Errorf("it takes the signature for another file: %v", err)
	}
	now = begin.Add(26 * time.Hour)
	if err := other.Verify(key, signature); !errors.Is(err, ErrExpired) {
		t.Errorf("it says after a day: %v", err)
	}
}

func TestAddressesAreJudgedBeforeTheyAreLookedUp(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]Reason{
		"https://example.com/hook": "", "https://93.184.216.34/": "", "https://[2606:2800:220:1::1]/": "",
		"https://127.0.0.1/": ReasonAddress, "https://10.0.0.1/": ReasonAddress, "https://[::1]/": ReasonAddress,
		"https://169.254.169.254/latest": ReasonAddress, "https://[::ffff:10.0.0.1]/": ReasonAddress,
	} {
		refusal, _ := errors.AsType[*Refusal](Fetcher{}.CheckURL(address))
		if reasonOf(refusal) != want {
			t.Errorf("%s: %v, want %q", address, refusal, want)
		}
		if reason := RefusedAddress(Fetcher{}.CheckURL(address)); (reason != "") != (want == ReasonAddress) {
			t.Errorf("%s is explained as %q", address, reason)
		}
	}
	for _, address := range []string{"", "ftp://example.com/", "https://", "https://ada:hush@example.com/",
		"//example.com"} {
		if err := (Fetcher{}).CheckURL(address); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v", address, err)
		}
	}
	loopback := Fetcher{AllowAddr: netip.Addr.IsLoopback}
	if err := loopback.CheckURL("https://127.0.0.1/"); err != nil {
		t.Errorf("an allowed address: %v", err)
	}
	if RefusedAddress(nil) != "" || RefusedAddress(errors.New("x")) != "" ||
		RefusedAddress(refuse(ReasonTooLarge, "x")) != "" {
		t.Error("other errors are explained by the address")
	}
}
