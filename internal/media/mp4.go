package media

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/abema/go-mp4"
)

const (
	// maxLeaf bounds a box that is read completely. Sample tables, which grow with the file, are not: only their counts
	// are read.
	maxLeaf = 64 << 10
	// maxBoxes bounds the walk; an hour of one-second fragments has some 40,000.
	maxBoxes = 200_000
	maxDepth = 8
)

// isoBox is one box of an ISO base media file: its name and the range of its content.
type isoBox struct {
	name       string
	start, end int64
	depth      int
}

// movie collects the results of walking an MP4 or MOV file.
type movie struct {
	src       *source
	context   mp4.Context
	boxes     int
	timescale uint32
	duration  uint64 // in units of timescale; 0 if it is unknown
	segments  segmentTimes
	tracks    []*movieTrack
	defaults  map[uint32]uint32 // ticks per sample of a fragmented track
	fragment  *movieTrack       // the track of the current fragment
	ticks     uint32            // per sample of that fragment
	indexAt   int64             // start of moov; 0 until it is seen
	dataAt    int64             // start of the first mdat
	editList  bool
}

// parseMP4 walks the boxes of an MP4 or MOV file (ISO/IEC 14496-12). It reads the index as far as needed; the frames
// are skipped, and their position is compared with the size of the file.
func parseMP4(src *source, quickTime bool) (Info, error) {
	m := &movie{src: src, defaults: map[uint32]uint32{}}
	m.context.IsQuickTimeCompatible = quickTime
	if err := m.walk(0, src.size, 0); err != nil {
		return Info{}, err
	}
	if m.indexAt == 0 && m.timescale == 0 {
		return Info{}, refuse(ReasonCutOff,
			"The video is cut off: its index is missing. Record or export it again, and upload the whole file.")
	}
	return m.info()
}

// walk visits the boxes in a range. A box that exceeds the file was truncated; one that exceeds its parent is invalid.
func (m *movie) walk(at, end int64, depth int) error {
	for at < end {
		box, err := m.box(at, end, depth)
		if err != nil {
			return err
		}
		if err := m.visit(box, at); err != nil {
			return fmt.Errorf("box %q: %w", box.name, err)
		}
		at = box.end
	}
	return nil
}

// box reads the header of the box at an offset.
func (m *movie) box(at, end int64, depth int) (isoBox, error) {
	if m.boxes++; m.boxes > maxBoxes || depth > maxDepth {
		return isoBox{}, corrupt("video", "it has too many parts")
	}
	if depth > 0 && end-at < 8 {
		return isoBox{name: "padding", start: end, end: end}, nil // QuickTime ends some lists with a zero
	}
	head, err := m.src.bytes(at, 8)
	if err != nil {
		return isoBox{}, err
	}
	box := isoBox{name: string(head[4:]), start: at + 8, depth: depth}
	size := int64(binary.BigEndian.Uint32(head))
	switch {
	case size == 0 && depth == 0:
		size = end - at
	case size == 1:
		if size, err = m.src.number(at+8, 8); err != nil {
			return isoBox{}, err
		}
		box.start = at + 16
	}
	if size > end-at && depth == 0 {
		return isoBox{}, errBeyondEnd
	}
	if size > end-at || size < box.start-at {
		return isoBox{}, corrupt("video", "the size of a part is wrong")
	}
	box.end = at + size
	return box, nil
}

// visit reads a box as far as needed. Boxes that are not listed here are skipped.
func (m *movie) visit(box isoBox, at int64) error {
	if box.depth == 0 {
		m.recordOffset(box, at)
	}
	switch box.name {
	case "moov", "trak", "mdia", "minf", "stbl", "edts", "mvex", "moof", "traf":
		return m.enter(box)
	case "mvhd":
		var header mp4.Mvhd
		err := m.leaf(box, &header)
		m.timescale, m.duration = header.Timescale, knownTicks(header.GetDuration())
		return err
	case "mehd":
		var header mp4.Mehd
		err := m.leaf(box, &header)
		m.duration = max(m.duration, knownTicks(header.GetFragmentDuration()))
		return err
	case "trex":
		var defaults mp4.Trex
		err := m.leaf(box, &defaults)
		m.defaults[defaults.TrackID] = defaults.DefaultSampleDuration
		return err
	case "sidx":
		return m.readSegmentIndex(box)
	case "tfhd":
		return m.readFragmentHeader(box)
	case "trun":
		return m.readFragmentRun(box)
	}
	if box.depth > 1 && len(m.tracks) > 0 {
		return m.visitTrack(m.tracks[len(m.tracks)-1], box)
	}
	return nil
}

// recordOffset records the offsets of index and frames.
func (m *movie) recordOffset(box isoBox, at int64) {
	switch {
	case box.name == "moov":
		m.indexAt = at
	case box.name == "mdat" && m.dataAt == 0:
		m.dataAt = at
	}
}

func (m *movie) enter(box isoBox) error {
	if box.name == "trak" {
		if len(m.tracks) == 64 {
			return corrupt("video", "it has more than 64 tracks")
		}
		m.tracks = append(m.tracks, &movieTrack{})
	}
	return m.walk(box.start, box.end, box.depth+1)
}

// leaf reads a whole box. The library may trust the counts in it: all it can read is in memory.
func (m *movie) leaf(box isoBox, into mp4.IBox) error {
	_, err := m.leafPrefix(box, into)
	return err
}

// leafPrefix is leaf for boxes that contain other boxes at the end; it returns where those start.
func (m *movie) leafPrefix(box isoBox, into mp4.IBox) (int64, error) {
	size := box.end - box.start
	if size > maxLeaf {
		return 0, corrupt("video", "a part of its index is far too long")
	}
	data, err := m.src.bytes(box.start, int(size))
	if err != nil {
		return 0, err
	}
	read, err := mp4.Unmarshal(bytes.NewReader(data), uint64(len(data)), into, m.context)
	if err != nil {
		refusal := corrupt("video", "a part of its index cannot be read")
		refusal.Err = err
		return 0, refusal
	}
	return box.start + int64(read), nil //nolint:gosec // at most maxLeaf
}

// readFragmentHeader finds the track of a fragment.
func (m *movie) readFragmentHeader(box isoBox) error {
	var header mp4.Tfhd
	if err := m.leaf(box, &header); err != nil {
		return err
	}
	m.fragment, m.ticks = nil, m.defaults[header.TrackID]
	if header.GetFlags()&mp4.TfhdDefaultSampleDurationPresent != 0 {
		m.ticks = header.DefaultSampleDuration
	}
	for _, t := range m.tracks {
		if t.id == header.TrackID {
			m.fragment = t
		}
	}
	return nil
}

// readFragmentRun counts the samples of a fragment. It parses the box itself: a run whose samples have no fields may
// claim any number of them in sixteen bytes.
func (m *movie) readFragmentRun(box isoBox) error {
	head, err := m.src.bytes(box.start, 8)
	if err != nil || m.fragment == nil {
		return err
	}
	flags, count := binary.BigEndian.Uint32(head)&0xffffff, binary.BigEndian.Uint32(head[4:])
	m.fragment.samples += uint64(count)
	ticks := uint64(m.ticks) * uint64(count)
	if flags&0x100 != 0 { // every sample has its own duration
		if ticks, err = m.runTicks(box, flags, count); err != nil {
			return err
		}
	}
	m.fragment.fragmentTicks += ticks
	return nil
}

func (m *movie) runTicks(box isoBox, flags, count uint32) (uint64, error) {
	start, perSample := box.start+8, 0
	for _, bit := range []uint32{0x1, 0x4} { // data_offset, first_sample_flags
		if flags&bit != 0 {
			start += 4
		}
	}
	for _, bit := range []uint32{0x100, 0x200, 0x400, 0x800} {
		if flags&bit != 0 {
			perSample += 4
		}
	}
	if size := int64(count) * int64(perSample); size > box.end-start || size > maxLeaf {
		return 0, corrupt("video", "a fragment claims more frames than it has room for")
	}
	entries, err := m.src.bytes(start, int(count)*perSample)
	ticks := uint64(0)
	for ; len(entries) > 0; entries = entries[perSample:] {
		ticks += uint64(binary.BigEndian.Uint32(entries))
	}
	return ticks, err
}
