package media

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngChunkHeader is the size of a chunk's length and name.
const pngChunkHeader = 8

// parsePNG follows the chunks of a PNG to its end and verifies their checksums, without decompressing the pixels.
func (l Limits) parsePNG(src *source) (Info, error) {
	stream := src.stream(int64(len(pngSignature)))
	info := Info{Kind: KindImage, Frames: 1, Orientation: 1}
	hasPixels := false
	for name := ""; name != "IEND"; {
		var header [pngChunkHeader]byte
		if _, err := io.ReadFull(stream, header[:]); err != nil {
			return Info{}, err
		}
		first := name == ""
		name = string(header[4:])
		if first != (name == "IHDR") {
			return Info{}, corrupt("PNG file", "its header is not where it belongs")
		}
		if err := l.readPNGChunk(stream, header, &info); err != nil {
			return Info{}, err
		}
		hasPixels = hasPixels || name == "IDAT"
	}
	if !hasPixels {
		return Info{}, corrupt("PNG file", "it has no pixels")
	}
	orient(&info)
	return info, nil
}

// readPNGChunk reads a chunk as far as needed and verifies its checksum.
func (l Limits) readPNGChunk(stream *bufio.Reader, header [pngChunkHeader]byte, info *Info) error {
	const maxRead = 64 << 10
	length, name := int64(binary.BigEndian.Uint32(header[:])), string(header[4:])
	sum := crc32.NewIEEE()
	_, _ = sum.Write(header[4:]) // a hash cannot fail
	body := io.TeeReader(io.LimitReader(stream, length), sum)
	data := make([]byte, min(length, maxRead))
	if name == "IDAT" {
		data = nil
	}
	if _, err := io.ReadFull(body, data); err != nil {
		return io.ErrUnexpectedEOF
	}
	if err := l.readPNGFacts(name, data, info); err != nil {
		return err
	}
	if rest, err := io.Copy(io.Discard, body); err != nil || rest != length-int64(len(data)) {
		return io.ErrUnexpectedEOF
	}
	var want [4]byte
	if _, err := io.ReadFull(stream, want[:]); err != nil {
		return err
	}
	if sum.Sum32() != binary.BigEndian.Uint32(want[:]) {
		return corrupt("PNG file", "the check sum of a part is wrong")
	}
	return nil
}

func (l Limits) readPNGFacts(name string, body []byte, info *Info) error {
	switch {
	case name == "IHDR" && len(body) == 13:
		return l.readPNGHeader(body, info)
	case name == "IHDR":
		return corrupt("PNG file", "its header has a wrong length")
	case name == "tRNS":
		info.HasAlpha = true
	case name == "eXIf":
		info.Orientation = exifOrientation(body)
	case name == "acTL" && len(body) == 8:
		info.Frames = int(binary.BigEndian.Uint32(body))
		if info.Frames > l.MaxFrames {
			return tooManyFrames("PNG", l.MaxFrames)
		}
	}
	return nil
}

func (l Limits) readPNGHeader(body []byte, info *Info) error {
	const gray, rgb, palette, grayAlpha, rgbAlpha = 0, 2, 3, 4, 6
	width, height := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
	if width > 1<<31-1 || height > 1<<31-1 {
		return corrupt("PNG file", "its size is impossible")
	}
	info.Width, info.Height = int(width), int(height)
	depth, colour := body[8], body[9]
	info.HasAlpha = colour == grayAlpha || colour == rgbAlpha
	info.Colour = map[byte]string{gray: "gray", rgb: "rgb", palette: "palette", grayAlpha: "gray",
		rgbAlpha: "rgb"}[colour]
	if info.Colour == "" {
		return corrupt("PNG file", "its color type is invalid")
	}
	if err := l.checkPixels(info.Width, info.Height); err != nil {
		return err
	}
	perPixel := int64(4)
	if depth == 16 {
		perPixel = 8
	}
	info.decodeBytes = int64(width) * int64(height) * perPixel
	return nil
}

func tooManyFrames(what string, most int) *Refusal {
	return refuse(ReasonTooManyPixels, "The %s has more than the allowed %d frames.", what, most)
}
