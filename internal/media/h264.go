package media

import "github.com/abema/go-mp4"

// describeH264 reads profile, chroma, depth and interlacing from the decoder configuration of a track.
func (t *movieTrack) describeH264(config *mp4.AVCDecoderConfiguration) {
	t.profile = map[uint8]string{66: "Baseline", 77: "Main", 88: "Extended", 100: "High", 110: "High 10",
		122: "High 4:2:2",
		244: "High 4:4:4 Predictive"}[config.Profile]
	t.chroma, t.bitDepth = "4:2:0", 8
	if len(config.SequenceParameterSets) == 0 {
		return
	}
	if facts, ok := readSPS(config.SequenceParameterSets[0].NALUnit); ok {
		t.chroma, t.bitDepth, t.interlaced = chromaName(int(facts.chroma)), facts.bitDepth, facts.interlaced
	}
}

// spsFacts are the required values of a sequence parameter set.
type spsFacts struct {
	chroma     uint32
	bitDepth   int
	interlaced bool
}

// readSPS reads a sequence parameter set (ITU-T H.264, 7.3.2.1.1) up to frame_mbs_only_flag.
func readSPS(unit []byte) (spsFacts, bool) {
	if len(unit) < 5 || unit[0]&0x1f != 7 {
		return spsFacts{}, false
	}
	b := &spsReader{data: withoutEmulation(unit[4:])}
	facts := spsFacts{chroma: 1, bitDepth: 8}
	b.ue() // seq_parameter_set_id
	switch unit[1] {
	case 100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135:
		facts.chroma, facts.bitDepth = b.highProfileFields()
	}
	b.ue() // log2_max_frame_num_minus4
	b.skipPictureOrder()
	b.ue()  // max_num_ref_frames
	b.bit() // gaps_in_frame_num_value_allowed_flag
	b.ue()  // pic_width_in_mbs_minus1
	b.ue()  // pic_height_in_map_units_minus1
	facts.interlaced = b.bit() == 0
	return facts, !b.failed && facts.chroma <= 3
}

// withoutEmulation removes the emulation prevention bytes (7.3.1).
func withoutEmulation(unit []byte) []byte {
	plain := make([]byte, 0, len(unit))
	zeros := 0
	for _, b := range unit {
		if zeros >= 2 && b == 3 {
			zeros = 0
			continue
		}
		plain = append(plain, b)
		if b == 0 {
			zeros++
		} else {
			zeros = 0
		}
	}
	return plain
}

// spsReader reads bits. Past the end it returns zeros and has failed.
type spsReader struct {
	data   []byte
	at     int
	failed bool
}

func (r *spsReader) bit() uint32 {
	if r.at >= len(r.data)*8 {
		r.failed = true
		return 0
	}
	bit := r.data[r.at/8] >> (7 - r.at%8) & 1
	r.at++
	return uint32(bit)
}

// ue reads an unsigned Exp-Golomb code (9.1).
func (r *spsReader) ue() uint32 {
	zeros := 0
	for r.bit() == 0 {
		if zeros++; zeros > 31 || r.failed {
			r.failed = true
			return 0
		}
	}
	value := uint32(1)
	for range zeros {
		value = value<<1 | r.bit()
	}
	return value - 1
}

// se reads a signed Exp-Golomb code (9.1.1).
func (r *spsReader) se() int {
	code := int(r.ue())
	if code%2 == 0 {
		return -code / 2
	}
	return code/2 + 1
}

func (r *spsReader) highProfileFields() (chroma uint32, bitDepth int) {
	if chroma = r.ue(); chroma == 3 {
		r.bit() // separate_colour_plane_flag
	}
	bitDepth = int(r.ue()&7) + 8
	r.ue()  // bit_depth_chroma_minus8
	r.bit() // qpprime_y_zero_transform_bypass_flag
	if r.bit() == 1 {
		r.skipScalingLists(chroma)
	}
	return chroma, bitDepth
}

func (r *spsReader) skipScalingLists(chroma uint32) {
	lists := 8
	if chroma == 3 {
		lists = 12
	}
	for list := range lists {
		if r.bit() == 0 {
			continue
		}
		size, last, next := 16, 8, 8
		if list >= 6 {
			size = 64
		}
		for range size {
			if next != 0 {
				next = (last + r.se() + 256) % 256
			}
			if next != 0 {
				last = next
			}
		}
	}
}

func (r *spsReader) skipPictureOrder() {
	switch r.ue() {
	case 0:
		r.ue() // log2_max_pic_order_cnt_lsb_minus4
	case 1:
		r.bit()
		r.se()
		r.se()
		for count := r.ue(); count > 0 && !r.failed; count-- {
			r.se()
		}
	}
}
