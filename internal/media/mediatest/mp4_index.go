package mediatest

import "bytes"

// movieTimescale is the unit of durations in the movie and track headers: a millisecond.
const movieTimescale = 1000

// moov returns the index of the file, for samples that start at the given offset.
func (v Video) moov(tracks []track, dataAt int) []byte {
	parts := [][]byte{v.movieHeader(tracks)}
	for i, t := range tracks {
		parts = append(parts, v.trak(i+1, t, t.sampleTable(chunkOffsets(tracks, i, dataAt))))
	}
	return box("moov", parts...)
}

func (v Video) movieHeader(tracks []track) []byte {
	longest := 0.0
	for _, t := range tracks {
		longest = max(longest, t.seconds())
	}
	if v.Fragmented {
		longest = 0
	}
	return fullBox("mvhd", 0, u32(0), u32(0), u32(movieTimescale), u32(int(longest*movieTimescale)),
		u32(0x10000), u16(0x100), make([]byte, 10), matrix(0, 0, 0), make([]byte, 24), u32(len(tracks)+1))
}

// chunkOffsets returns the offsets of one track's chunks.
func chunkOffsets(tracks []track, number, dataAt int) []int {
	var offsets []int
	at := dataAt
	for second := range seconds(tracks) {
		for i, t := range tracks {
			if i == number && len(t.chunk(second)) > 0 {
				offsets = append(offsets, at)
			}
			at += len(join(t.chunk(second)...))
		}
	}
	return offsets
}

func (v Video) trak(id int, t track, sampleTable []byte) []byte {
	duration := int(t.seconds() * movieTimescale)
	ticks := t.ticks()
	if v.Fragmented {
		duration, ticks = 0, 0
	}
	handler, header := "vide", fullBox("vmhd", 1, make([]byte, 8))
	if !t.video {
		handler, header = "soun", fullBox("smhd", 0, make([]byte, 4))
	}
	source := fullBox("dref", 0, u32(1), fullBox("url ", 1))
	parts := [][]byte{v.trackHeader(id, t, duration)}
	whole := join(u32(duration), u32(0), u32(0x10000))
	switch {
	case v.EditList:
		nothing := join(u32(movieTimescale/2), u32(-1), u32(0x10000))
		parts = append(parts, box("edts", fullBox("elst", 0, u32(2), nothing, whole)))
	case v.EncoderDelay:
		parts = append(parts, box("edts", fullBox("elst", 0, u32(1), whole)))
	}
	parts = append(parts, box("mdia",
		fullBox("mdhd", 0, u32(0), u32(0), u32(t.timescale), u32(ticks), u16(0x55c4), u16(0)),
		fullBox("hdlr", 0, u32(0), []byte(handler), make([]byte, 12), []byte("crier\x00")),
		box("minf", header, box("dinf", source), sampleTable)))
	return box("trak", parts...)
}

func (v Video) trackHeader(id int, t track, duration int) []byte {
	volume, width, height, rotate := 0, v.Width, v.Height, v.Rotate
	if !t.video {
		volume, width, height, rotate = 0x100, 0, 0, 0
	}
	return fullBox("tkhd", 3, u32(0), u32(0), u32(id), u32(0), u32(duration), make([]byte, 8), u16(0), u16(0),
		u16(volume), u16(0), matrix(rotate, width, height), u32(width<<16), u32(height<<16))
}

// matrix rotates pictures of the given size clockwise and moves them back into view (ISO/IEC 14496-12, 8.3.2).
func matrix(rotate, width, height int) []byte {
	const one = 0x10000
	a, b, c, d, x, y := one, 0, 0, one, 0, 0
	switch rotate {
	case 90:
		a, b, c, d, x = 0, one, -one, 0, height<<16
	case 180:
		a, d, x, y = -one, -one, width<<16, height<<16
	case 270:
		a, b, c, d, y = 0, -one, one, 0, width<<16
	}
	return join(u32(a), u32(b), u32(0), u32(c), u32(d), u32(0), u32(x), u32(y), u32(0x40000000))
}

// sampleTable contains duration, size and offset of every sample.
func (t track) sampleTable(offsets []int) []byte {
	sizes, places := new(bytes.Buffer), new(bytes.Buffer)
	for _, s := range t.samples {
		sizes.Write(u32(len(s)))
	}
	for _, o := range offsets {
		places.Write(u32(o))
	}
	parts := [][]byte{
		fullBox("stsd", 0, u32(1), t.entry),
		fullBox("stts", 0, u32(1), u32(len(t.samples)), u32(t.sampleTicks)),
		t.chunkTable(len(offsets)),
		fullBox("stsz", 0, u32(0), u32(len(t.samples)), sizes.Bytes()),
		fullBox("stco", 0, u32(len(offsets)), places.Bytes()),
	}
	if t.sync != nil {
		parts = append(parts, t.syncTable())
	}
	return box("stbl", parts...)
}

// chunkTable contains the number of samples of each chunk.
func (t track) chunkTable(chunks int) []byte {
	var entries []byte
	count := 0
	for i := range chunks {
		entries = append(entries, join(u32(i+1), u32(len(t.chunk(i))), u32(1))...)
		count++
	}
	return fullBox("stsc", 0, u32(count), entries)
}

func (t track) syncTable() []byte {
	var entries []byte
	for _, number := range t.sync {
		entries = append(entries, u32(number)...)
	}
	return fullBox("stss", 0, u32(len(t.sync)), entries)
}

// visualEntry describes the video track (ISO/IEC 14496-12, 12.1.3).
func (v Video) visualEntry(stream h264) []byte {
	return box(v.Codec, make([]byte, 6), u16(1), make([]byte, 16), u16(v.Width), u16(v.Height),
		u32(72<<16), u32(72<<16), u32(0), u16(1), make([]byte, 32), u16(24), u16(0xffff),
		v.codecConfiguration(stream), box("pasp", u32(1), u32(1)))
}

// codecConfiguration returns the box with the decoder configuration.
func (v Video) codecConfiguration(stream h264) []byte {
	switch v.Codec {
	case "hvc1": // ISO/IEC 14496-15, 8.3.2.1: Main profile, 4:2:0, 8 bit, no parameter sets
		return box("hvcC", []byte{1, 1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 93, 0xf0, 0, 0xfc, 0xfd, 0xf8, 0xf8, 0, 0,
			0x0f, 0})
	case "vp09": // profile 0, level 3.1, 8 bit, 4:2:0, BT.709
		return box("vpcC", []byte{1, 0, 0, 0, 0, 31, 0x82, 1, 1, 1, 0, 0})
	case "av01": // profile 0, level 3.1, 8 bit, 4:2:0
		return box("av1C", []byte{0x81, 5, 0x0c, 0})
	default:
		return stream.configuration()
	}
}

// configuration returns the avcC box (ISO/IEC 14496-15, 5.3.3.1).
func (s h264) configuration() []byte {
	sps, pps := s.sps(), s.pps()
	return box("avcC", []byte{1, profileHigh, 0, s.level(), 0xff, 0xe1}, u16(len(sps)), sps,
		[]byte{1}, u16(len(pps)), pps, []byte{0xfd, 0xf8, 0xf8, 0})
}

// soundEntry describes the audio track (ISO/IEC 14496-14, 6.7.2).
func soundEntry() []byte {
	specific := append([]byte{5, byte(len(aacConfig))}, aacConfig[:]...)
	decoder := join([]byte{4, byte(13 + len(specific)), 0x40, 0x15, 0, 0, 0}, u32(aacBitRate), u32(aacBitRate),
		specific)
	stream := join([]byte{3, byte(3 + len(decoder) + 3)}, u16(1), []byte{0}, decoder, []byte{6, 1, 2})
	return box("mp4a", make([]byte, 6), u16(1), make([]byte, 8), u16(2), u16(16), u32(0), u32(aacSampleRate<<16),
		fullBox("esds", 0, stream))
}
