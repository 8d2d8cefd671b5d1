package sim

import (
	"bytes"
	"crypto/sha256"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
)

// avatarSize is the width and height of avatars.
const avatarSize = 96

// serveAvatar serves GET /_avatar/{name}: a small mirrored pattern derived from the name.
func serveAvatar(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if end := strings.IndexAny(name, "_."); end > 0 {
		name = name[:end]
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, drawAvatar(sha256.Sum256([]byte(name)))); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	pageHeaders(w, "'none'")
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "max-age=86400")
	_, _ = w.Write(buf.Bytes()) // the client may be gone
}

// drawAvatar fills a grid of eight by eight fields, the right half mirroring the left.
func drawAvatar(sum [sha256.Size]byte) image.Image {
	paper := color.RGBA{0xf4, 0xf1, 0xea, 0xff}
	ink := color.RGBA{sum[0] / 2, sum[1] / 2, sum[2]/2 + 0x40, 0xff}
	img := image.NewPaletted(image.Rect(0, 0, avatarSize, avatarSize), color.Palette{paper, ink})
	for y := range avatarSize {
		for x := range avatarSize {
			row, column := y*8/avatarSize, x*8/avatarSize
			if column > 3 {
				column = 7 - column
			}
			img.SetColorIndex(x, y, sum[3+row]>>column&1)
		}
	}
	return img
}
