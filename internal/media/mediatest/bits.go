package mediatest

// bitWriter collects bits, most significant first, as H.264 and AAC write them.
type bitWriter struct {
	bytes []byte
	free  int // unused bits in the last byte
}

// put appends the lowest n bits of v.
func (w *bitWriter) put(n int, v uint64) {
	for i := n - 1; i >= 0; i-- {
		if w.free == 0 {
			w.bytes = append(w.bytes, 0)
			w.free = 8
		}
		w.free--
		w.bytes[len(w.bytes)-1] |= byte(v>>i&1) << w.free
	}
}

// flag appends one bit.
func (w *bitWriter) flag(on bool) {
	if on {
		w.put(1, 1)
	} else {
		w.put(1, 0)
	}
}

// ue appends an unsigned Exp-Golomb code (ITU-T H.264, section 9.1).
func (w *bitWriter) ue(v uint64) {
	length := 0
	for rest := v + 1; rest > 1; rest >>= 1 {
		length++
	}
	w.put(length, 0)
	w.put(length+1, v+1)
}

// align fills the last byte with zeros.
func (w *bitWriter) align() { w.free = 0 }

// raw appends whole bytes; the writer must be aligned.
func (w *bitWriter) raw(b []byte) { w.bytes = append(w.bytes, b...) }

// bitLen returns the number of bits written.
func (w *bitWriter) bitLen() int { return len(w.bytes)*8 - w.free }
