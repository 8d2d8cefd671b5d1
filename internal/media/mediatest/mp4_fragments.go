package mediatest

import "bytes"

// fragmentedFile writes an index without samples and one fragment per second (ISO/IEC 14496-12, 8.8).
func (v Video) fragmentedFile(ftyp []byte, tracks []track) []byte {
	parts := [][]byte{v.movieHeader(tracks)}
	var defaults [][]byte
	for i, t := range tracks {
		empty := track{video: t.video, timescale: t.timescale, sampleTicks: t.sampleTicks, entry: t.entry}
		parts = append(parts, v.trak(i+1, t, empty.sampleTable(nil)))
		defaults = append(defaults, fullBox("trex", 0, u32(i+1), u32(1), u32(t.sampleTicks), u32(0), u32(0)))
	}
	file := join(ftyp, box("moov", append(parts, box("mvex", defaults...))...))
	for second := range seconds(tracks) {
		file = append(file, fragment(tracks, second)...)
	}
	return file
}

// fragment returns one second of every track.
func fragment(tracks []track, second int) []byte {
	var data []byte
	for _, t := range tracks {
		data = append(data, join(t.chunk(second)...)...)
	}
	size := len(movieFragment(tracks, second, 0))
	return join(movieFragment(tracks, second, size+8), box("mdat", data))
}

// movieFragment describes the samples of one second; its size does not depend on their offsets.
func movieFragment(tracks []track, second, dataAt int) []byte {
	parts := [][]byte{fullBox("mfhd", 0, u32(second+1))}
	for i, t := range tracks {
		const baseIsMoof, dataOffsetPresent, sizesPresent = 0x20000, 0x1, 0x200
		samples := t.chunk(second)
		sizes := new(bytes.Buffer)
		for _, s := range samples {
			sizes.Write(u32(len(s)))
		}
		started := (second*t.timescale + t.sampleTicks - 1) / t.sampleTicks * t.sampleTicks
		parts = append(parts, box("traf",
			fullBox("tfhd", baseIsMoof, u32(i+1)),
			fullBox("tfdt", 0, u32(started)),
			fullBox("trun", dataOffsetPresent|sizesPresent, u32(len(samples)), u32(dataAt), sizes.Bytes())))
		dataAt += len(join(samples...))
	}
	return box("moof", parts...)
}
