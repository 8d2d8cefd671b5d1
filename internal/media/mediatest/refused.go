package mediatest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
)

// Cut returns the first two thirds of a file, as if the sender had stopped.
func Cut(file []byte) []byte { return bytes.Clone(file[:len(file)*2/3]) }

// HEIC returns the start of a picture in the format of phones, which crier does not accept.
func HEIC() []byte {
	return join(box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")), box("meta", make([]byte, 64)),
		box("mdat", make([]byte, 256)))
}

// AVIF returns the start of an AVIF picture, which crier does not accept.
func AVIF() []byte {
	return join(box("ftyp", []byte("avif\x00\x00\x00\x00mif1avif")), box("meta", make([]byte, 64)),
		box("mdat", make([]byte, 256)))
}

// HTML returns a web page, which is what a wrong URL often returns.
func HTML() []byte { return []byte("<!DOCTYPE html><html><body>Please sign in.</body></html>\n") }

// BombPNG returns a decompression bomb: a valid PNG of some thirty kilobytes and 108 million white pixels.
func BombPNG() []byte {
	const side = 10400
	header := join(u32(side), u32(side), []byte{1, 0, 0, 0, 0})
	var pixels bytes.Buffer
	z, err := zlib.NewWriterLevel(&pixels, zlib.BestSpeed)
	must(err)
	row := append([]byte{0}, bytes.Repeat([]byte{0xff}, side/8)...)
	for range side {
		_, err := z.Write(row)
		must(err)
	}
	must(z.Close())
	return join([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", header), pngChunk("IDAT", pixels.Bytes()),
		pngChunk("IEND", nil))
}

// GarbledPNG returns a PNG with a valid header and pixels that cannot be decoded.
func GarbledPNG(width, height int) []byte {
	return join([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", join(u32(width), u32(height), []byte{8, 2, 0, 0, 0})),
		pngChunk("IDAT", []byte("these are no pixels")), pngChunk("IEND", nil))
}

func pngChunk(name string, body []byte) []byte {
	named := join([]byte(name), body)
	return join(u32(len(body)), named, u32(int(crc32.ChecksumIEEE(named))))
}

// BombJPEG returns a small JPEG that claims 65,535 pixels on each side.
func BombJPEG() []byte {
	file := JPEG(16, 16)
	frame := bytes.Index(file, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint32(file[frame+5:], 0xffffffff)
	return file
}

// BombGIF returns a small GIF that claims 65,535 pixels on each side.
func BombGIF() []byte {
	file := GIF(16, 16, 1)
	binary.LittleEndian.PutUint32(file[6:], 0xffffffff)
	return file
}
