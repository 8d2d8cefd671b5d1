package mediatest

// The audio of every test video: AAC-LC, stereo, 48 kHz, silence, padded to a bit rate that networks accept.
const (
	aacSampleRate      = 48000
	aacSamplesPerFrame = 1024
	aacBitRate         = 128000
	aacFrameBytes      = aacBitRate * aacSamplesPerFrame / aacSampleRate / 8
)

// aacConfig is the AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): AAC-LC, index 3 (48 kHz), two channels.
var aacConfig = [2]byte{0x11, 0x90}

// silentAACFrame returns one raw_data_block of silence (ISO/IEC 14496-3, 4.4.2.1) of aacFrameBytes.
func silentAACFrame() []byte {
	var w bitWriter
	w.put(3, 1) // channel_pair_element
	w.put(4, 0)
	w.flag(false) // no common window
	for range 2 {
		w.put(8, 0)  // global_gain
		w.put(11, 0) // ics_info with max_sfb 0: no spectrum
		w.put(3, 0)  // no pulse, TNS or gain control data
	}
	putFill(&w, aacFrameBytes)
	w.put(3, 7) // end
	w.align()
	return w.bytes
}

// putFill appends fill elements until a frame of the given size lacks little more than its end marker.
func putFill(w *bitWriter, frameBytes int) {
	const idFill, endBits, shortHeaderBits, longHeaderBits = 6, 3, 7, 15
	for {
		room := frameBytes*8 - endBits - w.bitLen()
		if room < shortHeaderBits {
			return
		}
		w.put(3, idFill)
		if count := min((room-longHeaderBits)/8, 269); count >= 15 {
			w.put(4, 15)
			w.put(8, uint64(count-14))
			w.put(8*count, 0)
			continue
		}
		count := min((room-shortHeaderBits)/8, 14)
		w.put(4, uint64(count))
		w.put(8*count, 0)
	}
}
