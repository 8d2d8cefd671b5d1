package media

import (
	"context"
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

// shrink flattens a picture on white and scales it to fit into a square of the given side. The picture's pixels lie on
// a canvas, which an animation's first frame need not fill. Small ones keep their size.
func shrink(ctx context.Context, picture image.Image, canvas image.Rectangle, side int) (*image.RGBA, error) {
	// Averaging whole blocks brings the picture to less than twice the wanted size, from which a bilinear scaler misses
	// nothing. Scalers with a larger kernel hold a table of the whole picture in floating point.
	block := max(1, max(canvas.Dx(), canvas.Dy())/side)
	coarse, err := averageBlocks(ctx, picture, canvas, block)
	if err != nil {
		return nil, err
	}
	width, height := Fit(canvas.Dx(), canvas.Dy(), side)
	if coarse.Rect.Dx() == width && coarse.Rect.Dy() == height {
		return coarse, nil
	}
	fine := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.ApproxBiLinear.Scale(fine, fine.Rect, coarse, coarse.Rect, draw.Src, nil)
	return fine, nil
}

// Fit scales dimensions to fit into a square, keeping the aspect ratio; no side becomes less than a pixel.
func Fit(width, height, side int) (int, int) {
	longest := max(width, height)
	if longest <= side {
		return width, height
	}
	scale := func(v int) int { return max(1, (v*side+longest/2)/longest) }
	return scale(width), scale(height)
}

// averageBlocks averages every n x n pixels into one, on white. Rows are converted a strip at a time, whatever the
// picture's own format is.
func averageBlocks(ctx context.Context, picture image.Image, canvas image.Rectangle, n int) (*image.RGBA, error) {
	width, height := (canvas.Dx()+n-1)/n, (canvas.Dy()+n-1)/n
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	strip := image.NewRGBA(image.Rect(0, 0, canvas.Dx(), n))
	for y := range height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := min(n, canvas.Dy()-y*n)
		draw.Draw(strip, strip.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(strip, strip.Rect, picture, canvas.Min.Add(image.Pt(0, y*n)), draw.Over)
		averageStrip(out.Pix[y*out.Stride:][:4*width], strip, rows, n)
	}
	return out, nil
}

// averageStrip averages a strip of rows into one row of pixels. The strip is opaque.
func averageStrip(row []byte, strip *image.RGBA, rows, n int) {
	for x := range len(row) / 4 {
		columns := min(n, strip.Rect.Dx()-x*n)
		var r, g, b int
		for y := range rows {
			line := strip.Pix[y*strip.Stride+4*x*n:][:4*columns]
			for ; len(line) > 0; line = line[4:] {
				r, g, b = r+int(line[0]), g+int(line[1]), b+int(line[2])
			}
		}
		count := rows * columns
		//nolint:gosec // the average of bytes is a byte
		row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = byte(r/count), byte(g/count), byte(b/count), 0xff
	}
}

// turnUpright undoes an EXIF orientation.
func turnUpright(stored *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return stored
	}
	w, h := stored.Rect.Dx(), stored.Rect.Dy()
	if orientation >= 5 {
		w, h = h, w
	}
	shown := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			sx, sy := storedPlace(orientation, x, y, w, h)
			copy(shown.Pix[shown.PixOffset(x, y):][:4], stored.Pix[stored.PixOffset(sx, sy):])
		}
	}
	return shown
}

// storedPlace returns the stored coordinates of a pixel that is displayed at x, y in a picture of the given displayed
// size.
func storedPlace(orientation, x, y, w, h int) (int, int) {
	switch orientation {
	case 2: // mirrored
		return w - 1 - x, y
	case 3: // upside down
		return w - 1 - x, h - 1 - y
	case 4: // upside down, mirrored
		return x, h - 1 - y
	case 5: // a quarter turn, mirrored
		return y, x
	case 6: // displayed a quarter turn clockwise
		return y, w - 1 - x
	case 7: // a quarter turn the other way, mirrored
		return h - 1 - y, w - 1 - x
	case 8: // displayed a quarter turn counter-clockwise
		return h - 1 - y, x
	}
	return x, y
}
