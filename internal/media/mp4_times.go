package media

import (
	"encoding/binary"
	"math"
)

// knownTicks returns a duration from a header, or 0 if it is all ones, which means that it was unknown when the header
// was written.
func knownTicks(ticks uint64) uint64 {
	if ticks == math.MaxUint32 || ticks == math.MaxUint64 {
		return 0
	}
	return ticks
}

// addTimes calculates duration, frame rate and bit rate. The duration is that of the movie's header; recordings that
// were written while they ran have none there, and it is that of the longest track or of the index of segments.
func (m *movie) addTimes(video *movieTrack, info *Info) error {
	info.DurationSeconds = inSeconds(m.duration, m.timescale)
	if info.DurationSeconds == 0 {
		for _, t := range m.tracks {
			info.DurationSeconds = max(info.DurationSeconds, m.trackSeconds(t))
		}
	}
	if info.DurationSeconds == 0 {
		info.DurationSeconds = m.segments.seconds()
	}
	const longest = 1000 * 3600
	if info.DurationSeconds <= 0 || info.DurationSeconds > longest {
		return corrupt("video", "it has no duration")
	}
	info.BitRate = averageBitRate(m.src.size, info.DurationSeconds)
	if pictures := m.trackSeconds(video); pictures > 0 {
		info.FrameRate = float64(video.samples) / pictures
	}
	return nil
}

// trackSeconds returns the duration of a track: of its fragments, of its samples, or as its header says; 0 if it is
// unknown.
func (m *movie) trackSeconds(t *movieTrack) float64 {
	ticks := t.duration
	if t.fragmentTicks > 0 {
		ticks = t.fragmentTicks
	}
	if seconds := inSeconds(ticks, t.timescale); seconds > 0 {
		return seconds
	}
	return inSeconds(t.shownFor, m.timescale)
}

func inSeconds(ticks uint64, timescale uint32) float64 {
	if timescale == 0 {
		return 0
	}
	return float64(ticks) / float64(timescale)
}

// readSampleTimes sums the durations of a track's samples if its header has no duration. Long tables are skipped.
func (m *movie) readSampleTimes(t *movieTrack, box isoBox) error {
	const versionAndCount = 8
	if size := box.end - box.start; t.duration > 0 || size < versionAndCount || size > maxLeaf {
		return nil
	}
	table, err := m.src.bytes(box.start, int(box.end-box.start))
	if err != nil {
		return err
	}
	count, entries := binary.BigEndian.Uint32(table[4:]), table[versionAndCount:]
	for ; count > 0 && len(entries) >= 8; count, entries = count-1, entries[8:] {
		t.duration += uint64(binary.BigEndian.Uint32(entries)) * uint64(binary.BigEndian.Uint32(entries[4:]))
	}
	return nil
}

// segmentTimes is the period that the indexes of segments cover, in seconds.
type segmentTimes struct {
	found      bool
	start, end float64
}

func (s segmentTimes) seconds() float64 { return s.end - s.start }

func (s *segmentTimes) add(start, end float64) {
	if !s.found {
		s.found, s.start, s.end = true, start, end
	}
	s.start, s.end = min(s.start, start), max(s.end, end)
}

// readSegmentIndex reads the times of an index of segments (ISO/IEC 14496-12, 8.16.3). One that claims more than it has
// tells nothing: players do not need it.
func (m *movie) readSegmentIndex(box isoBox) error {
	const maxIndex = 32 + 12*math.MaxUint16
	if box.end-box.start > maxIndex || box.end-box.start < 24 {
		return nil
	}
	index, err := m.src.bytes(box.start, int(box.end-box.start))
	if err != nil {
		return err
	}
	timescale, from, at := binary.BigEndian.Uint32(index[8:]), uint64(binary.BigEndian.Uint32(index[12:])), 20
	if index[0] > 0 {
		if len(index) < 32 {
			return nil
		}
		from, at = binary.BigEndian.Uint64(index[12:]), 28
	}
	references, ticks := index[at+4:], uint64(0)
	count := int(binary.BigEndian.Uint16(index[at+2:]))
	if timescale == 0 || len(references) < 12*count {
		return nil
	}
	for i := range count {
		ticks += uint64(binary.BigEndian.Uint32(references[12*i+4:]))
	}
	start := inSeconds(from, timescale)
	m.segments.add(start, start+inSeconds(ticks, timescale))
	return nil
}
