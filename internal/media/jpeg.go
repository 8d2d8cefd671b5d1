package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// JPEG markers (ITU-T T.81, table B.1).
const (
	jpegEOI  = 0xd9
	jpegSOS  = 0xda
	jpegAPP1 = 0xe1
)

// parseJPEG follows the markers of a JPEG to its end. The picture data between them is skipped, not decoded.
func (l Limits) parseJPEG(src *source) (Info, error) {
	stream := src.stream(2)
	info := Info{Kind: KindImage, Frames: 1, Orientation: 1}
	marker, err := nextMarker(stream)
	for ; err == nil && marker != jpegEOI; marker, err = nextMarker(stream) {
		if hasNoSegment(marker) {
			continue
		}
		if err := l.readSegment(stream, marker, &info); err != nil {
			return Info{}, err
		}
	}
	if err != nil {
		return Info{}, err
	}
	if info.Width == 0 {
		return Info{}, corrupt("JPEG file", "it has no picture")
	}
	orient(&info)
	return info, nil
}

// nextMarker skips picture data and fill bytes until a marker other than the restart markers within the data.
func nextMarker(stream *bufio.Reader) (byte, error) {
	for {
		if err := skipTo(stream, 0xff); err != nil {
			return 0, err
		}
		b := byte(0xff)
		var err error
		for b == 0xff && err == nil {
			b, err = stream.ReadByte()
		}
		if err != nil || b != 0 {
			return b, err
		}
	}
}

// skipTo reads up to and including the next byte of the given value.
func skipTo(stream *bufio.Reader, value byte) error {
	_, err := stream.ReadSlice(value)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = stream.ReadSlice(value)
	}
	return err
}

// hasNoSegment reports whether no segment follows a marker: restarts, TEM and a repeated start.
func hasNoSegment(marker byte) bool {
	return marker >= 0xd0 && marker <= 0xd8 || marker == 0x01
}

// readSegment reads the segment of a marker, as far as needed.
func (l Limits) readSegment(stream *bufio.Reader, marker byte, info *Info) error {
	var length [2]byte
	if _, err := io.ReadFull(stream, length[:]); err != nil {
		return err
	}
	size := int(binary.BigEndian.Uint16(length[:])) - 2
	if size < 0 {
		return corrupt("JPEG file", "a segment has a negative length")
	}
	switch {
	case isFrameHeader(marker):
		return l.readFrameHeader(stream, marker, size, info)
	case marker == jpegAPP1:
		return readExifSegment(stream, size, info)
	case marker == jpegSOS && info.Width == 0:
		return corrupt("JPEG file", "its picture comes before its size")
	}
	_, err := stream.Discard(size)
	return err
}

// isFrameHeader reports whether a marker is SOF0 to SOF15; three codes among them have other meanings.
func isFrameHeader(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

func (l Limits) readFrameHeader(stream *bufio.Reader, marker byte, size int, info *Info) error {
	const baseline, progressive = 0xc0, 0xc2
	frame := make([]byte, size)
	if _, err := io.ReadFull(stream, frame); err != nil {
		return err
	}
	if size < 6 || info.Width != 0 {
		return corrupt("JPEG file", "its picture has no clear size")
	}
	if marker < baseline || marker > progressive || frame[0] != 8 {
		return refuse(ReasonUnsupported,
			"This rare kind of JPEG (lossless, arithmetic or 12 bit) cannot be used. Save it again as an ordinary "+
				"JPEG.")
	}
	info.Height, info.Width = int(binary.BigEndian.Uint16(frame[1:])), int(binary.BigEndian.Uint16(frame[3:]))
	info.Colour = map[byte]string{1: "gray", 3: "rgb", 4: "cmyk"}[frame[5]]
	if info.Colour == "" {
		return corrupt("JPEG file", "its number of colours is not 1, 3 or 4")
	}
	// The decoder uses a byte per sample, and for progressive files a 32-bit coefficient too.
	perSample := int64(1)
	if marker == progressive {
		perSample = 5
	}
	info.decodeBytes = int64(info.Width) * int64(info.Height) * int64(frame[5]) * perSample
	return l.checkPixels(info.Width, info.Height)
}

// orient converts the stored dimensions to those displayed.
func orient(info *Info) {
	if info.Orientation >= 5 {
		info.Width, info.Height = info.Height, info.Width
	}
}
