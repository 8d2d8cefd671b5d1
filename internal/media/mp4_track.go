package media

import (
	"encoding/binary"
	"math"

	"github.com/abema/go-mp4"
)

// movieTrack collects the properties of one track.
type movieTrack struct {
	id            uint32
	handler       string // vide, soun, ...
	timescale     uint32
	duration      uint64 // of the samples in the index; 0 if it is unknown
	shownFor      uint64 // in units of the movie; 0 if it is unknown
	samples       uint64
	fragmentTicks uint64
	rotation      int
	width, height int

	codec            string
	profile          string
	chroma           string
	bitDepth         int
	interlaced       bool
	aspectH, aspectV uint32
	channels         int
	sampleRate       int
}

// visitTrack reads a box within a track as far as needed.
func (m *movie) visitTrack(t *movieTrack, box isoBox) error {
	switch box.name {
	case "tkhd":
		return m.readTrackHeader(t, box)
	case "mdhd":
		var header mp4.Mdhd
		err := m.leaf(box, &header)
		t.timescale, t.duration = header.Timescale, knownTicks(header.GetDuration())
		return err
	case "hdlr":
		return m.readHandler(t, box)
	case "elst":
		return m.readEdits(box)
	case "stts":
		return m.readSampleTimes(t, box)
	case "stsz", "stz2":
		return m.readCount(box, 8, &t.samples)
	case "stco", "co64":
		return m.checkLastChunk(box)
	case "stsd":
		return m.readDescriptions(t, box)
	}
	return nil
}

// readHandler distinguishes video from audio. QuickTime has a second hdlr, for the data, within minf.
func (m *movie) readHandler(t *movieTrack, box isoBox) error {
	const inMedia = 3 // moov, trak, mdia
	if box.depth != inMedia {
		return nil
	}
	head, err := m.src.bytes(box.start, 12)
	if err == nil {
		t.handler = string(head[8:])
	}
	return err
}

func (m *movie) readTrackHeader(t *movieTrack, box isoBox) error {
	var header mp4.Tkhd
	if err := m.leaf(box, &header); err != nil {
		return err
	}
	t.id, t.width, t.height = header.TrackID, int(header.Width>>16), int(header.Height>>16)
	t.shownFor = knownTicks(header.GetDuration())
	a, b, c, d := sign(header.Matrix[0]), sign(header.Matrix[1]), sign(header.Matrix[3]), sign(header.Matrix[4])
	switch [4]int{a, b, c, d} {
	case [4]int{0, 1, -1, 0}:
		t.rotation = 90
	case [4]int{-1, 0, 0, -1}:
		t.rotation = 180
	case [4]int{0, -1, 1, 0}:
		t.rotation = 270
	}
	return nil
}

func sign(v int32) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// readEdits distinguishes edits that trim, delay or repeat from the one that most encoders write, which skips their own
// delay.
func (m *movie) readEdits(box isoBox) error {
	const oneEdit = 8 + 20 // version, flags and count, one entry with 64-bit times
	if box.end-box.start > oneEdit {
		m.editList = true
		return nil
	}
	var edits mp4.Elst
	if err := m.leaf(box, &edits); err != nil {
		return err
	}
	for i, edit := range edits.Entries {
		m.editList = m.editList || i > 0 || edits.GetMediaTime(i) < 0 || edit.MediaRateInteger != 1
	}
	return nil
}

// readCount reads a number of samples at an offset in a box.
func (m *movie) readCount(box isoBox, at int64, into *uint64) error {
	field, err := m.src.bytes(box.start+at, 4)
	if err == nil {
		*into = uint64(binary.BigEndian.Uint32(field))
	}
	return err
}

// checkLastChunk detects a file whose frames are missing although its index is complete.
func (m *movie) checkLastChunk(box isoBox) error {
	head, err := m.src.bytes(box.start, 8)
	if err != nil {
		return err
	}
	count, width := int64(binary.BigEndian.Uint32(head[4:])), int64(4)
	if box.name == "co64" {
		width = 8
	}
	if count == 0 {
		return nil
	}
	if box.start+8+count*width > box.end {
		return corrupt("video", "its index claims more than it has")
	}
	offset, err := m.src.number(box.start+8+(count-1)*width, int(width))
	if err == nil && (offset < 0 || offset >= m.src.size) {
		return errBeyondEnd
	}
	return err
}

// readDescriptions reads the codec of a track's samples. A second description is rare and never adds information.
func (m *movie) readDescriptions(t *movieTrack, box isoBox) error {
	const versionAndCount = 8
	if box.end-box.start < versionAndCount+8 {
		return nil
	}
	entry, err := m.box(box.start+versionAndCount, box.end, box.depth+1)
	if err != nil {
		return err
	}
	switch t.handler {
	case "vide":
		return m.readVisualEntry(t, entry)
	case "soun":
		return m.readSoundEntry(t, entry)
	}
	return nil
}

// readVisualEntry decodes any video description as if it were avc1: they all start alike.
func (m *movie) readVisualEntry(t *movieTrack, entry isoBox) error {
	description := &mp4.VisualSampleEntry{
		SampleEntry: mp4.SampleEntry{AnyTypeBox: mp4.AnyTypeBox{Type: mp4.BoxTypeAvc1()}}}
	children, err := m.leafPrefix(entry, description)
	if err != nil {
		return err
	}
	t.codec = codecName(entry.name)
	if description.Width > 0 && description.Height > 0 {
		t.width, t.height = int(description.Width), int(description.Height)
	}
	return m.eachChild(children, entry, func(box isoBox) error { return m.readVisualDetail(t, box) })
}

func (m *movie) eachChild(at int64, parent isoBox, read func(isoBox) error) error {
	for at < parent.end {
		box, err := m.box(at, parent.end, parent.depth+1)
		if err != nil {
			return err
		}
		if err := read(box); err != nil {
			return err
		}
		at = box.end
	}
	return nil
}

func (m *movie) readVisualDetail(t *movieTrack, box isoBox) error {
	switch box.name {
	case "avcC":
		config := &mp4.AVCDecoderConfiguration{AnyTypeBox: mp4.AnyTypeBox{Type: mp4.BoxTypeAvcC()}}
		if err := m.leaf(box, config); err != nil {
			return err
		}
		t.describeH264(config)
	case "hvcC":
		var config mp4.HvcC
		if err := m.leaf(box, &config); err != nil {
			return err
		}
		t.profile = map[uint8]string{1: "Main", 2: "Main 10", 3: "Main Still Picture"}[config.GeneralProfileIdc]
		t.chroma, t.bitDepth = chromaName(int(config.ChromaFormatIdc)), int(config.BitDepthLumaMinus8)+8
	case "vpcC":
		var config mp4.VpcC
		if err := m.leaf(box, &config); err != nil {
			return err
		}
		t.bitDepth = int(config.BitDepth)
		t.chroma = map[uint8]string{0: "4:2:0", 1: "4:2:0", 2: "4:2:2", 3: "4:4:4"}[config.ChromaSubsampling]
	case "av1C":
		var config mp4.Av1C
		if err := m.leaf(box, &config); err != nil {
			return err
		}
		t.describeAV1(config)
	case "pasp":
		aspect := &mp4.PixelAspectRatioBox{AnyTypeBox: mp4.AnyTypeBox{Type: mp4.BoxTypePasp()}}
		if err := m.leaf(box, aspect); err != nil {
			return err
		}
		t.aspectH, t.aspectV = aspect.HSpacing, aspect.VSpacing
	}
	return nil
}

// readSoundEntry decodes any audio description as if it were mp4a: they all start alike.
func (m *movie) readSoundEntry(t *movieTrack, entry isoBox) error {
	description := &mp4.AudioSampleEntry{
		SampleEntry: mp4.SampleEntry{AnyTypeBox: mp4.AnyTypeBox{Type: mp4.BoxTypeMp4a()}}}
	children, err := m.leafPrefix(entry, description)
	if err != nil {
		return err
	}
	t.codec = codecName(entry.name)
	t.channels, t.sampleRate = int(description.ChannelCount), int(description.SampleRate>>16)
	if long := description.QuickTimeData; description.EntryVersion == 2 && len(long) == 36 {
		// The second QuickTime version has a 64-bit rate and a 32-bit count (QuickTime File Format, Sound Sample
		// Description).
		if rate := math.Float64frombits(binary.BigEndian.Uint64(long[4:])); rate > 0 && rate < 1e7 {
			t.sampleRate = int(rate)
		}
		t.channels = int(binary.BigEndian.Uint32(long[12:]) & 0xffff)
	}
	return m.eachChild(children, entry, func(box isoBox) error { return m.readSoundDetail(t, box) })
}

// readSoundDetail determines the codec behind mp4a; QuickTime nests it in a wave box.
func (m *movie) readSoundDetail(t *movieTrack, box isoBox) error {
	switch box.name {
	case "wave":
		return m.eachChild(box.start, box, func(inner isoBox) error { return m.readSoundDetail(t, inner) })
	case "esds":
		var descriptors mp4.Esds
		if err := m.leaf(box, &descriptors); err != nil {
			return err
		}
		for _, d := range descriptors.Descriptors {
			switch {
			case d.DecoderConfigDescriptor != nil:
				t.codec = soundObjectName(d.DecoderConfigDescriptor.ObjectTypeIndication)
			case d.Tag == mp4.DecSpecificInfoTag && t.codec == "aac":
				t.readAACConfig(d.Data)
			}
		}
	}
	return nil
}

// readAACConfig reads the number of channels from an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): MP4 files say 2 in
// the description even if there is one. Configurations with escape codes are ignored.
func (t *movieTrack) readAACConfig(config []byte) {
	const escapedType, escapedRate = 31, 15
	if len(config) < 2 || config[0]>>3 == escapedType || (config[0]&7)<<1|config[1]>>7 == escapedRate {
		return
	}
	switch channels := int(config[1] >> 3 & 15); {
	case channels >= 1 && channels <= 6:
		t.channels = channels
	case channels == 7:
		t.channels = 8
	}
}

func (t *movieTrack) describeAV1(config mp4.Av1C) {
	t.bitDepth = 8 + 2*int(config.HighBitdepth) + 2*int(config.HighBitdepth&config.TwelveBit)
	switch {
	case config.Monochrome == 1:
		t.chroma = "4:0:0"
	case config.ChromaSubsamplingY == 1:
		t.chroma = "4:2:0"
	case config.ChromaSubsamplingX == 1:
		t.chroma = "4:2:2"
	default:
		t.chroma = "4:4:4"
	}
}
