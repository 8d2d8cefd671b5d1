package mediatest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// The colors of Quadrants: top left, top right, bottom left, bottom right.
var (
	TopLeft     = color.RGBA{200, 30, 30, 255}
	TopRight    = color.RGBA{30, 160, 30, 255}
	BottomLeft  = color.RGBA{30, 30, 200, 255}
	BottomRight = color.RGBA{230, 200, 30, 255}
)

// Quadrants returns a picture with a different color in each quarter, so that a test can detect how it was rotated.
func Quadrants(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	x, y := width/2, height/2
	fill(m, image.Rect(0, 0, x, y), TopLeft)
	fill(m, image.Rect(x, 0, width, y), TopRight)
	fill(m, image.Rect(0, y, x, height), BottomLeft)
	fill(m, image.Rect(x, y, width, height), BottomRight)
	return m
}

func fill(m draw.Image, r image.Rectangle, c color.Color) {
	draw.Draw(m, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// JPEG is Quadrants as a baseline JPEG.
func JPEG(width, height int) []byte { return encodeJPEG(Quadrants(width, height)) }

func encodeJPEG(m image.Image) []byte {
	var b bytes.Buffer
	must(jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}))
	return b.Bytes()
}

// RotatedJPEG looks like JPEG to a viewer that applies its EXIF orientation (1 to 8); the pixels are stored rotated.
func RotatedJPEG(width, height, orientation int) []byte {
	plain := encodeJPEG(turned(Quadrants(width, height), orientation))
	exif := append([]byte("Exif\x00\x00"), exifOrientation(orientation)...)
	segment := join([]byte{0xff, 0xe1}, u16(len(exif)+2), exif)
	return join(plain[:2], segment, plain[2:])
}

// turned stores a picture as a camera in the given EXIF orientation does (CIPA DC-008, tag 274).
func turned(m *image.RGBA, orientation int) image.Image {
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	stored := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		stored = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			right, bottom := w-1-x, h-1-y
			at := [...]image.Point{{}, {x, y}, {right, y}, {right, bottom}, {x, bottom}, {y, x}, {y, right},
				{bottom, right},
				{bottom, x}}[orientation]
			stored.SetRGBA(at.X, at.Y, m.RGBAAt(x, y))
		}
	}
	return stored
}

// exifOrientation returns a TIFF structure with the orientation as its only tag.
func exifOrientation(orientation int) []byte {
	return join([]byte("MM\x00\x2a"), u32(8), u16(1), u16(0x112), u16(3), u32(1), u16(orientation), u16(0), u32(0))
}

// PNG is Quadrants as an opaque PNG.
func PNG(width, height int) []byte { return encodePNG(Quadrants(width, height)) }

// TransparentPNG is Quadrants whose top left quarter is fully transparent.
func TransparentPNG(width, height int) []byte {
	m := Quadrants(width, height)
	fill(m, image.Rect(0, 0, width/2, height/2), color.Transparent)
	return encodePNG(m)
}

func encodePNG(m image.Image) []byte {
	var b bytes.Buffer
	must(png.Encode(&b, m))
	return b.Bytes()
}

// GIF returns an animation of the given number of frames, a tenth of a second each: Quadrants first, then one quarter
// after the other turns white.
func GIF(width, height, frames int) []byte {
	colours := color.Palette{TopLeft, TopRight, BottomLeft, BottomRight, color.White}
	animation := &gif.GIF{Config: image.Config{ColorModel: colours, Width: width, Height: height}}
	for i := range frames {
		m := image.NewPaletted(image.Rect(0, 0, width, height), colours)
		draw.Draw(m, m.Bounds(), Quadrants(width, height), image.Point{}, draw.Src)
		if i > 0 {
			corner := image.Pt(i%2*(width/2), i/2%2*(height/2))
			fill(m, image.Rectangle{Min: corner, Max: corner.Add(image.Pt(width/2, height/2))}, color.White)
		}
		animation.Image = append(animation.Image, m)
		animation.Delay = append(animation.Delay, 10)
	}
	var b bytes.Buffer
	must(gif.EncodeAll(&b, animation))
	return b.Bytes()
}

// must panics: an encoder of the standard library cannot fail on a buffer.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("mediatest: %v", err))
	}
}
