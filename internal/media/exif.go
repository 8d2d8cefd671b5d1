package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

// readExifSegment reads the orientation from an APP1 segment of a JPEG, if it is Exif.
func readExifSegment(stream *bufio.Reader, size int, info *Info) error {
	segment := make([]byte, size)
	if _, err := io.ReadFull(stream, segment); err != nil {
		return err
	}
	if tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok {
		info.Orientation = exifOrientation(tiff)
	}
	return nil
}

// exifOrientation finds the orientation in a TIFF structure (CIPA DC-008, tag 274). It returns 1 if there is none:
// broken Exif is no reason to reject a picture.
func exifOrientation(tiff []byte) int {
	const tag, upright, entrySize = 0x112, 1, 12
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(tiff, []byte("II")) {
		order = binary.LittleEndian
	}
	if len(tiff) < 8 {
		return upright
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return upright
	}
	directory := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(directory) < entrySize {
			return upright
		}
		if order.Uint16(directory) == tag {
			return validOrientation(int(order.Uint16(directory[8:])))
		}
		directory = directory[entrySize:]
	}
	return upright
}

func validOrientation(orientation int) int {
	if orientation < 1 || orientation > 8 {
		return 1
	}
	return orientation
}
