package media

import (
	"bufio"
	"encoding/binary"
	"image"
	"io"
	"math"
)

// parseGIF counts the frames of a GIF and sums their delays; the pixels are skipped, not decompressed.
func (l Limits) parseGIF(src *source) (Info, error) {
	stream := src.stream(6)
	info := Info{Colour: "palette", Orientation: 1, Kind: KindImage}
	var screen [7]byte
	if _, err := io.ReadFull(stream, screen[:]); err != nil {
		return Info{}, err
	}
	info.Width, info.Height = int(binary.LittleEndian.Uint16(screen[:])), int(binary.LittleEndian.Uint16(screen[2:]))
	if err := l.checkPixels(info.Width, info.Height); err != nil {
		return Info{}, err
	}
	info.decodeBytes = int64(info.Width) * int64(info.Height)
	if err := skipColours(stream, screen[4]); err != nil {
		return Info{}, err
	}
	if err := l.readGIFBlocks(stream, &info); err != nil {
		return Info{}, err
	}
	if info.Frames == 0 {
		return Info{}, corrupt("GIF file", "it has no picture")
	}
	if info.Frames == 1 {
		info.DurationSeconds = 0
		return info, nil
	}
	info.Kind = KindGIF
	info.DurationSeconds = math.Round(info.DurationSeconds*100) / 100 // delays are hundredths
	if info.DurationSeconds > 0 {
		info.FrameRate = float64(info.Frames) / info.DurationSeconds
		info.BitRate = averageBitRate(src.size, info.DurationSeconds)
	}
	return info, nil
}

// skipColours skips a color table, if the flags announce one.
func skipColours(stream *bufio.Reader, flags byte) error {
	if flags&0x80 == 0 {
		return nil
	}
	_, err := stream.Discard(3 << (flags&7 + 1))
	return err
}

// readGIFBlocks reads from the color table to the trailer.
func (l Limits) readGIFBlocks(stream *bufio.Reader, info *Info) error {
	const extension, picture, trailer = 0x21, 0x2c, 0x3b
	for {
		block, err := stream.ReadByte()
		if err != nil {
			return err
		}
		switch block {
		case extension:
			err = readGIFExtension(stream, info)
		case picture:
			if info.Frames++; info.Frames > l.MaxFrames {
				return tooManyFrames("GIF", l.MaxFrames)
			}
			err = skipGIFPicture(stream, info)
		case trailer:
			return nil
		default:
			return corrupt("GIF file", "it has a part of an unknown kind")
		}
		if err != nil {
			return err
		}
	}
}

// readGIFExtension reads delay and transparency from a graphic control extension.
func readGIFExtension(stream *bufio.Reader, info *Info) error {
	const graphicControl = 0xf9
	head, err := stream.Peek(6)
	if err == nil && head[0] == graphicControl && head[1] == 4 {
		info.HasAlpha = info.HasAlpha || head[2]&1 == 1
		info.DurationSeconds += float64(binary.LittleEndian.Uint16(head[3:])) / 100
	}
	if _, err := stream.Discard(1); err != nil {
		return err
	}
	return skipSubBlocks(stream)
}

func skipGIFPicture(stream *bufio.Reader, info *Info) error {
	var header [9]byte
	if _, err := io.ReadFull(stream, header[:]); err != nil {
		return err
	}
	value := func(at int) int { return int(binary.LittleEndian.Uint16(header[at:])) }
	frame := image.Rect(value(0), value(2), value(0)+value(4), value(2)+value(6))
	if frame.Empty() || !frame.In(image.Rect(0, 0, info.Width, info.Height)) {
		return corrupt("GIF file", "a frame lies outside of the picture")
	}
	if err := skipColours(stream, header[8]); err != nil {
		return err
	}
	if _, err := stream.Discard(1); err != nil {
		return err
	}
	return skipSubBlocks(stream)
}

// skipSubBlocks skips blocks that start with their length, up to the empty one.
func skipSubBlocks(stream *bufio.Reader) error {
	for {
		length, err := stream.ReadByte()
		if err != nil || length == 0 {
			return err
		}
		if _, err := stream.Discard(int(length)); err != nil {
			return err
		}
	}
}
