package mediatest

// This file writes valid H.264 without an encoder: an intra-coded picture is one macroblock of raw samples, whose color
// all others copy by DC prediction with no residual, and every picture until the next one skips all its macroblocks.
// Section numbers are those of ITU-T H.264.

// h264 is one stream: its size in macroblocks and the common properties of its pictures.
type h264 struct {
	width, height int
	fps           int
}

func (s h264) columns() int     { return (s.width + 15) / 16 }
func (s h264) rows() int        { return (s.height + 15) / 16 }
func (s h264) macroblocks() int { return s.columns() * s.rows() }

// level returns the lowest level that allows the frame size and rate (table A-1).
func (s h264) level() byte {
	levels := []struct {
		idc             byte
		size, perSecond int
	}{{30, 1620, 40500}, {31, 3600, 108000}, {40, 8192, 245760}, {42, 8704, 522240}, {51, 36864, 983040}}
	for _, l := range levels {
		if s.macroblocks() <= l.size && s.macroblocks()*s.fps <= l.perSecond {
			return l.idc
		}
	}
	return 62
}

// profileHigh is the profile that all networks document.
const profileHigh = 100

// sps returns the sequence parameter set (7.3.2.1): High profile, 8 bit 4:2:0, progressive, square pixels, BT.709.
func (s h264) sps() []byte {
	var w bitWriter
	w.put(8, profileHigh)
	w.put(8, 0)
	w.put(8, uint64(s.level()))
	w.ue(0) // seq_parameter_set_id
	w.ue(1) // chroma_format_idc: 4:2:0
	w.ue(0) // bit_depth_luma_minus8
	w.ue(0) // bit_depth_chroma_minus8
	w.put(2, 0)
	w.ue(0) // log2_max_frame_num_minus4
	w.ue(2) // pic_order_cnt_type: output order is decoding order
	w.ue(1) // max_num_ref_frames
	w.flag(false)
	w.ue(uint64(s.columns() - 1))
	w.ue(uint64(s.rows() - 1))
	w.flag(true) // frame_mbs_only_flag: progressive
	w.flag(true) // direct_8x8_inference_flag
	s.putCropping(&w)
	s.putUsability(&w)
	return nalUnit(0x67, &w)
}

// putCropping crops the whole macroblocks to the wanted size, in steps of two samples (7.4.2.1.1).
func (s h264) putCropping(w *bitWriter) {
	right, bottom := s.columns()*16-s.width, s.rows()*16-s.height
	w.flag(right > 0 || bottom > 0)
	if right > 0 || bottom > 0 {
		w.ue(0)
		w.ue(uint64(right / 2))
		w.ue(0)
		w.ue(uint64(bottom / 2))
	}
}

// putUsability writes the VUI parameters (E.1.1).
func (s h264) putUsability(w *bitWriter) {
	w.flag(true)
	w.flag(true)
	w.put(8, 1) // aspect_ratio_idc: square
	w.flag(false)
	w.flag(true)       // video_signal_type_present_flag
	w.put(3, 5)        // video_format: unspecified
	w.flag(false)      // limited range
	w.flag(true)       // colour_description_present_flag
	w.put(24, 0x10101) // primaries, transfer, matrix: BT.709
	w.flag(false)
	w.flag(true) // timing_info_present_flag
	w.put(32, 1)
	w.put(32, uint64(2*s.fps))
	w.flag(true) // fixed_frame_rate_flag
	w.put(3, 0)  // no HRD, no pic_struct
	w.flag(true) // bitstream_restriction_flag
	w.flag(true)
	w.ue(0)
	w.ue(0)
	w.ue(10)
	w.ue(10)
	w.ue(0) // max_num_reorder_frames
	w.ue(1) // max_dec_frame_buffering
}

// pps returns the picture parameter set (7.3.2.2): CAVLC, one slice group, deblocking controlled by the slice.
func (s h264) pps() []byte {
	var w bitWriter
	w.ue(0)
	w.ue(0)
	w.put(2, 0)
	w.ue(0)
	w.ue(0)
	w.ue(0)
	w.put(3, 0)
	w.ue(0)
	w.ue(0)
	w.ue(0)
	w.put(3, 0b100)
	return nalUnit(0x68, &w)
}

// yuv is a color in limited-range BT.709.
type yuv struct{ y, cb, cr byte }

// intra returns a picture of one color that starts a closed group of pictures. Adjacent ones need different ids.
func (s h264) intra(id int, colour yuv) []byte {
	var w bitWriter
	w.ue(0) // first_mb_in_slice
	w.ue(7) // slice_type: I, all slices of the picture
	w.ue(0)
	w.put(4, 0) // frame_num
	w.ue(uint64(id))
	w.put(2, 0) // dec_ref_pic_marking
	w.ue(0)     // slice_qp_delta
	w.ue(1)     // disable_deblocking_filter_idc
	putRawMacroblock(&w, colour)
	for i := 1; i < s.macroblocks(); i++ {
		// The first block right of or below the raw macroblock predicts its coefficient count from it (9.2.1).
		putPredictedMacroblock(&w, i == 1 || i == s.columns())
	}
	return nalUnit(0x65, &w)
}

// putRawMacroblock writes an I_PCM macroblock of one color.
func putRawMacroblock(w *bitWriter, colour yuv) {
	w.ue(25) // mb_type: I_PCM
	w.align()
	for range 256 {
		w.raw([]byte{colour.y})
	}
	for range 64 {
		w.raw([]byte{colour.cb})
	}
	for range 64 {
		w.raw([]byte{colour.cr})
	}
}

// putPredictedMacroblock writes a 16x16 DC-predicted macroblock without coefficients.
func putPredictedMacroblock(w *bitWriter, besideRaw bool) {
	w.ue(3) // mb_type: I_16x16_2_0_0
	w.ue(0) // intra_chroma_pred_mode: DC
	w.ue(0) // mb_qp_delta
	if besideRaw {
		w.put(6, 0b000011) // coeff_token of no coefficients, 8 <= nC
	} else {
		w.put(1, 1) // coeff_token of no coefficients, 0 <= nC < 2
	}
}

// repeat returns a picture that repeats the one before it; n counts from 1 after an intra picture.
func (s h264) repeat(n int) []byte {
	var w bitWriter
	w.ue(0)
	w.ue(5) // slice_type: P, all slices of the picture
	w.ue(0)
	w.put(4, uint64(n%16)) // frame_num
	w.put(3, 0)            // default reference lists and marking
	w.ue(0)
	w.ue(1)
	w.ue(uint64(s.macroblocks())) // mb_skip_run
	return nalUnit(0x41, &w)
}

// nalUnit ends the payload with its stop bit and inserts the emulation prevention bytes (7.3.1).
func nalUnit(header byte, payload *bitWriter) []byte {
	payload.put(1, 1)
	payload.align()
	unit := []byte{header}
	zeros := 0
	for _, b := range payload.bytes {
		if zeros == 2 && b <= 3 {
			unit = append(unit, 3)
			zeros = 0
		}
		unit = append(unit, b)
		if b == 0 {
			zeros++
		} else {
			zeros = 0
		}
	}
	return unit
}
