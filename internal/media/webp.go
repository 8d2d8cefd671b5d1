package media

import (
	"encoding/binary"
)

// riffChunk is a chunk of a WebP: its name and the range of its content.
type riffChunk struct {
	name  string
	start int64
	size  int64
}

// parseWebP reads the chunks of a WebP (RFC 9649, section 2).
func (l Limits) parseWebP(src *source) (Info, error) {
	chunks, err := webpChunks(src)
	if err != nil {
		return Info{}, err
	}
	info := Info{Kind: KindImage, Frames: 1, Orientation: 1, Colour: "rgb"}
	canvas := false
	for _, c := range chunks {
		switch c.name {
		case "VP8X":
			canvas = true
			err = readWebPCanvas(src, c, &info)
		case "VP8 ", "VP8L":
			err = readWebPPicture(src, c, canvas, &info)
		case "ALPH":
			info.HasAlpha = true
		case "EXIF":
			err = readWebPExif(src, c, &info)
		}
		if err != nil {
			return Info{}, err
		}
	}
	if info.decodeBytes == 0 {
		return Info{}, corrupt("WebP file", "it has no picture")
	}
	if err := l.checkPixels(info.Width, info.Height); err != nil {
		return Info{}, err
	}
	orient(&info)
	return info, nil
}

// webpChunks returns the chunks, which must fill the file.
func webpChunks(src *source) ([]riffChunk, error) {
	const header, most = 8, 1000
	length, err := src.bytes(4, 4)
	if err != nil {
		return nil, err
	}
	end := header + int64(binary.LittleEndian.Uint32(length))
	if end > src.size {
		return nil, errBeyondEnd
	}
	var chunks []riffChunk
	for at := int64(12); at+header <= end; {
		head, err := src.bytes(at, header)
		if err != nil {
			return nil, err
		}
		c := riffChunk{name: string(head[:4]), start: at + header, size: int64(binary.LittleEndian.Uint32(head[4:]))}
		if c.start+c.size > end {
			return nil, corrupt("WebP file", "a part is longer than the file")
		}
		if chunks = append(chunks, c); len(chunks) > most {
			return nil, corrupt("WebP file", "it has too many parts")
		}
		at = c.start + c.size + c.size%2
	}
	return chunks, nil
}

func readWebPCanvas(src *source, c riffChunk, info *Info) error {
	const animated, alpha = 0x02, 0x10
	head, err := src.bytes(c.start, 10)
	if err != nil || c.size < 10 {
		return corrupt("WebP file", "its header is too short")
	}
	if head[0]&animated != 0 {
		return refuse(ReasonUnsupported,
			"Animated WebP pictures cannot be used, because no network accepts them. Convert it to GIF or MP4.")
	}
	info.HasAlpha = head[0]&alpha != 0
	info.Width, info.Height = 1+int(le24(head[4:])), 1+int(le24(head[7:]))
	return nil
}

func le24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// readWebPPicture reads the dimensions from the picture itself. A canvas of another size would hide how much there is
// to decode.
func readWebPPicture(src *source, c riffChunk, canvas bool, info *Info) error {
	head, err := src.bytes(c.start, int(min(c.size, 10)))
	if err != nil {
		return err
	}
	width, height, alpha, ok := webpFrameSize(c.name, head)
	if !ok || info.decodeBytes != 0 || canvas && (width != info.Width || height != info.Height) {
		return corrupt("WebP file", "its picture has no clear size")
	}
	info.Width, info.Height = width, height
	info.HasAlpha = info.HasAlpha || alpha
	info.decodeBytes = int64(width) * int64(height) * 4
	return nil
}

// webpFrameSize reads the header of a lossy (RFC 6386, section 9.1) or lossless (RFC 9649, section 3.4) picture.
func webpFrameSize(name string, head []byte) (width, height int, alpha, ok bool) {
	if name == "VP8L" && len(head) >= 5 && head[0] == 0x2f {
		bits := binary.LittleEndian.Uint32(head[1:])
		return 1 + int(bits&0x3fff), 1 + int(bits>>14&0x3fff), bits>>28&1 == 1, true
	}
	if name == "VP8 " && len(head) >= 10 && head[0]&1 == 0 && string(head[3:6]) == "\x9d\x01\x2a" {
		width, height = int(binary.LittleEndian.Uint16(head[6:])&0x3fff),
			int(binary.LittleEndian.Uint16(head[8:])&0x3fff)
		return width, height, false, width > 0 && height > 0
	}
	return 0, 0, false, false
}

func readWebPExif(src *source, c riffChunk, info *Info) error {
	body, err := src.bytes(c.start, int(min(c.size, 64<<10)))
	if err != nil {
		return err
	}
	if hasAt(body, 0, "Exif\x00\x00") {
		body = body[6:]
	}
	info.Orientation = exifOrientation(body)
	return nil
}
