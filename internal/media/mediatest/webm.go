package mediatest

import (
	"encoding/binary"
	"math"
)

// WebM returns a video of VP9 and, if wanted, Opus in a WebM file, 30 frames per second. The headers are valid; the
// frames are not.
func WebM(width, height int, seconds float64, audio bool) []byte {
	const frameNanoseconds = 1_000_000_000 / 30
	video := ebml(0xae, ebmlUint(0xd7, 1), ebmlUint(0x83, 1), ebml(0x86, []byte("V_VP9")),
		ebmlUint(0x23e383, frameNanoseconds), ebml(0xe0, ebmlUint(0xb0, width), ebmlUint(0xba, height)))
	tracks := [][]byte{video}
	if audio {
		tracks = append(tracks, ebml(0xae, ebmlUint(0xd7, 2), ebmlUint(0x83, 2), ebml(0x86, []byte("A_OPUS")),
			ebml(0xe1, ebmlFloat(0xb5, 48000), ebmlUint(0x9f, 2))))
	}
	info := ebml(0x1549a966, ebmlUint(0x2ad7b1, 1_000_000), ebmlFloat(0x4489, seconds*1000))
	segment := ebml(0x18538067, info, ebml(0x1654ae6b, tracks...), webmCluster(seconds))
	return join(ebml(0x1a45dfa3, ebmlUint(0x4286, 1), ebml(0x4282, []byte("webm"))), segment)
}

// webmCluster holds one block for every frame.
func webmCluster(seconds float64) []byte {
	blocks := [][]byte{ebmlUint(0xe7, 0)}
	for i := range int(seconds * 30) {
		blocks = append(blocks, ebml(0xa3, []byte{0x81}, u16(i*33), []byte{0x80}, make([]byte, 32)))
	}
	return ebml(0x1f43b675, blocks...)
}

// ebml writes an element with an eight-byte size (RFC 8794).
func ebml(id uint32, parts ...[]byte) []byte {
	body := join(parts...)
	name := binary.BigEndian.AppendUint32(nil, id)
	for name[0] == 0 {
		name = name[1:]
	}
	return join(name, binary.BigEndian.AppendUint64(nil, 1<<56|uint64(len(body))), body)
}

func ebmlUint(id uint32, v int) []byte { return ebml(id, u32(v)) }

func ebmlFloat(id uint32, v float64) []byte {
	return ebml(id, binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
}
