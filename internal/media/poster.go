package media

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
	"golang.org/x/image/vector"
)

// The colors of the placeholders, which suit light and dark pages alike.
var (
	posterBackground = color.RGBA{0x3a, 0x3f, 0x47, 0xff}
	posterMark       = color.RGBA{0xe8, 0xea, 0xed, 0xff}
	pageBackground   = color.RGBA{0xff, 0xff, 0xff, 0xff}
	pageLine         = color.RGBA{0xc4, 0xc9, 0xd0, 0xff}
)

// drawVideo draws a play triangle on a plain background in the shape of the video. Frames are not decoded: crier uses
// no external program, and there is no H.264 decoder in Go.
func drawVideo(info Info) *image.RGBA {
	shownWidth := info.Width
	if info.PixelAspect > 0 && info.Rotation%180 == 0 {
		shownWidth = max(1, int(float64(info.Width)*info.PixelAspect))
	}
	width, height := Fit(shownWidth, info.Height, thumbnailSide)
	if longest := max(width, height); longest < thumbnailSide { // so that the poster of a tiny video is visible, too
		width, height = max(1, width*thumbnailSide/longest), max(1, height*thumbnailSide/longest)
	}
	poster := plain(width, height, posterBackground)
	reach := float32(min(width, height)) / 6
	x, y := float32(width)/2, float32(height)/2
	fillShape(poster, posterMark, [][2]float32{{x - reach*0.8, y - reach}, {x - reach*0.8, y + reach}, {x + reach, y}})
	return poster
}

// drawDocument draws a page with a few lines of text.
func drawDocument() *image.RGBA {
	const width, height, margin, lines = 452, thumbnailSide, 56, 9
	page := plain(width, height, pageBackground)
	for line := range lines {
		top, right := float32(margin+line*60), float32(width-margin)
		if line == lines-1 {
			right = width / 2
		}
		fillShape(page, pageLine, [][2]float32{{margin, top}, {right, top}, {right, top + 20}, {margin, top + 20}})
	}
	return page
}

func plain(width, height int, ground color.Color) *image.RGBA {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(picture, picture.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	return picture
}

// fillShape fills a polygon with anti-aliased edges.
func fillShape(on *image.RGBA, with color.Color, corners [][2]float32) {
	shape := vector.NewRasterizer(on.Rect.Dx(), on.Rect.Dy())
	shape.MoveTo(corners[0][0], corners[0][1])
	for _, corner := range corners[1:] {
		shape.LineTo(corner[0], corner[1])
	}
	shape.ClosePath()
	shape.Draw(on, on.Rect, image.NewUniform(with), image.Point{})
}
