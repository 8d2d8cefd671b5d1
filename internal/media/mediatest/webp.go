package mediatest

import (
	"image"
	"image/color"
	"slices"
)

// WebP is Quadrants as a lossless WebP.
func WebP(width, height int) []byte {
	return riff(box8("VP8L", losslessWebP(Quadrants(width, height), false)))
}

// TransparentWebP is Quadrants as a lossless WebP whose top left quarter is fully transparent.
func TransparentWebP(width, height int) []byte {
	m := Quadrants(width, height)
	fill(m, image.Rect(0, 0, width/2, height/2), color.Transparent)
	return riff(box8("VP8L", losslessWebP(m, true)))
}

// AnimatedWebP returns a WebP of two frames.
func AnimatedWebP(width, height int) []byte {
	const alphaAndAnimation = 0x12
	header := join([]byte{alphaAndAnimation, 0, 0, 0}, le24(width-1), le24(height-1))
	frame := join(le24(0), le24(0), le24(width-1), le24(height-1), le24(100), []byte{0},
		box8("VP8L", losslessWebP(Quadrants(width, height), false)))
	return riff(join(box8("VP8X", header), box8("ANIM", make([]byte, 6)), box8("ANMF", frame), box8("ANMF", frame)))
}

// riff wraps the chunks of a WebP.
func riff(chunks []byte) []byte {
	return join([]byte("RIFF"), le32(len(chunks)+4), []byte("WEBP"), chunks)
}

// box8 writes a RIFF chunk, padded to an even length.
func box8(name string, body []byte) []byte {
	return join([]byte(name), le32(len(body)), body, make([]byte, len(body)%2))
}

func le24(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }
func le32(v int) []byte { return append(le24(v), byte(v>>24)) }

// losslessWebP encodes every pixel as four bytes with flat prefix codes (RFC 9649, section 3): nothing is compressed,
// so the encoder stays a page long.
func losslessWebP(m *image.RGBA, alpha bool) []byte {
	w := &lsbWriter{}
	width, height := m.Bounds().Dx(), m.Bounds().Dy()
	w.put(8, 0x2f)
	w.put(14, width-1)
	w.put(14, height-1)
	w.flag(alpha)
	w.put(3, 0)          // version
	w.put(1, 0)          // no transform
	w.put(1, 0)          // no colour cache
	w.put(1, 0)          // one group of prefix codes
	w.flatCode(256 + 24) // green and lengths of back references
	for range 3 {
		w.flatCode(256) // red, blue, alpha
	}
	w.singleCode() // distances of back references: none
	for y := range height {
		for x := range width {
			c := color.NRGBAModel.Convert(m.RGBAAt(x, y)).(color.NRGBA)
			for _, v := range []byte{c.G, c.R, c.B, c.A} {
				w.symbol(v)
			}
		}
	}
	return w.bytes
}

// lsbWriter collects bits, least significant first.
type lsbWriter struct {
	bytes []byte
	used  int // bits in use of the last byte; 0 or 8 when it is full
}

func (w *lsbWriter) put(n, v int) {
	for i := range n {
		if w.used%8 == 0 {
			w.bytes = append(w.bytes, 0)
			w.used = 0
		}
		w.bytes[len(w.bytes)-1] |= byte(v>>i&1) << w.used
		w.used++
	}
}

func (w *lsbWriter) flag(on bool) {
	if on {
		w.put(1, 1)
	} else {
		w.put(1, 0)
	}
}

// flatCode writes a prefix code in which the first 256 symbols have eight bits and all others none: the code lengths 0
// and 8 are themselves encoded in one bit each.
func (w *lsbWriter) flatCode(alphabet int) {
	order := []int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8}
	w.put(1, 0)            // normal code
	w.put(4, len(order)-4) // number of code length codes
	for _, length := range order {
		w.put(3, map[bool]int{true: 1}[slices.Contains([]int{0, 8}, length)])
	}
	w.put(1, 0) // the lengths of the whole alphabet follow
	for symbol := range alphabet {
		w.flag(symbol < 256)
	}
}

// singleCode writes a prefix code of the single symbol 0, which takes no bits.
func (w *lsbWriter) singleCode() {
	w.put(1, 1)
	w.put(1, 0)
	w.put(1, 0)
	w.put(1, 0)
}

// symbol writes a literal; prefix codes start with their most significant bit.
func (w *lsbWriter) symbol(v byte) {
	for i := 7; i >= 0; i-- {
		w.put(1, int(v>>i&1))
	}
}
