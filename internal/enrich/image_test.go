package enrich_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crier/internal/enrich"
)

func filled(width, height int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

// landscape resembles a photograph: soft shapes in shades of two colors, with the noise of a sensor.
func landscape(width, height int, sky, ground color.NRGBA, noise float64) *image.NRGBA {
	random := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			hill := 0.5 + 0.2*math.Sin(float64(x)/37) + 0.1*math.Sin(float64(x)/11)
			base, light := sky, 0.8+0.4*float64(y)/float64(height)
			if float64(y) > hill*float64(height) {
				base, light = ground, 1.2-0.5*math.Abs(math.Sin(float64(x+2*y)/23))
			}
			light += random.NormFloat64() * noise
			img.SetNRGBA(x, y, color.NRGBA{scale(base.R, light), scale(base.G, light), scale(base.B, light), 255})
		}
	}
	return img
}

func scale(v uint8, by float64) uint8 { return uint8(max(0, min(255, float64(v)*by))) }

func compressed(t *testing.T, img image.Image) image.Image {
	t.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: 85}); err != nil {
		t.Fatal(err)
	}
	decoded, err := jpeg.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

var (
	red    = color.NRGBA{220, 30, 30, 255}
	blue   = color.NRGBA{90, 130, 220, 255}
	green  = color.NRGBA{70, 140, 50, 255}
	white  = color.NRGBA{255, 255, 255, 255}
	gray   = color.NRGBA{128, 128, 128, 255}
	silver = color.NRGBA{180, 180, 180, 255}
)

// logo returns a red disc on the given background.
func logo(width, height int, ground color.Color) *image.NRGBA {
	img := filled(width, height, ground)
	for y := range height {
		for x := range width {
			if math.Hypot(float64(x-width/2), float64(y-height/2)) < 0.4*float64(min(width, height)) {
				img.SetNRGBA(x, y, red)
			}
		}
	}
	return img
}

func gradient(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, color.NRGBA{uint8(40 + 60*x/width), uint8(60 + 80*x/width), 220, 255})
		}
	}
	return img
}

func TestImageTags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		img      image.Image
		hasAlpha bool
		want     []string
	}{
		{"photograph of a landscape", landscape(640, 480, blue, green, 0.04), false,
			[]string{"landscape", "blue", "green", "photo"}},
		{"the same as JPEG", compressed(t, landscape(640, 480, blue, green, 0.04)), false,
			[]string{"landscape", "blue", "green", "photo"}},
		{"photograph in black and white", compressed(t, landscape(480, 640, silver, gray, 0.04)), false,
			[]string{"portrait", "gray", "photo"}},
		{"logo on white", logo(500, 500, white), false, []string{"square", "red", "white", "graphic"}},
		{"logo as JPEG", compressed(t, logo(500, 500, white)), false, []string{"square", "red", "white", "graphic"}},
		{"logo on nothing", logo(500, 500, color.Transparent), true, []string{"square", "red", "graphic"}},
		{"banner with a gradient", gradient(1500, 500), false, []string{"landscape", "blue", "graphic"}},
		{"photograph cut out", cutOut(landscape(600, 600, blue, green, 0.04)), true,
			[]string{"square", "green", "blue", "graphic"}},
		{"one point", filled(1, 1, white), false, []string{"square", "white", "graphic"}},
		{"all transparent", filled(10, 10, color.Transparent), true, []string{"square", "graphic"}},
		{"nothing", image.NewNRGBA(image.Rectangle{}), false, []string{}},
		{"part of a larger image", logo(500, 500, white).SubImage(image.Rect(200, 150, 300, 350)), false,
			[]string{"portrait", "red", "graphic"}},
		{"nearly square", filled(1000, 960, white), false, []string{"square", "white", "graphic"}},
		{"not quite square", filled(1000, 940, white), false, []string{"landscape", "white", "graphic"}},
	} {
		if diff := cmp.Diff(test.want, enrich.Image(test.img, test.hasAlpha)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// cutOut makes the left fifth transparent.
func cutOut(img *image.NRGBA) *image.NRGBA {
	left := img.Bounds()
	left.Max.X = left.Dx() / 5
	draw.Draw(img, left, image.Transparent, image.Point{}, draw.Src)
	return img
}

func TestColourNames(t *testing.T) {
	t.Parallel()
	for want, colours := range map[string][]color.NRGBA{
		"red":    {{255, 0, 0, 255}, {180, 20, 30, 255}},
		"orange": {{255, 140, 0, 255}, {240, 120, 40, 255}},
		"yellow": {{255, 230, 0, 255}, {250, 220, 60, 255}},
		"green":  {{0, 128, 0, 255}, {140, 200, 60, 255}},
		"teal":   {{0, 150, 150, 255}, {60, 200, 190, 255}},
		"blue":   {{0, 0, 255, 255}, {30, 60, 120, 255}, {135, 190, 235, 255}},
		"purple": {{128, 0, 200, 255}, {150, 100, 220, 255}},
		"pink":   {{255, 105, 180, 255}, {255, 192, 203, 255}},
		"brown":  {{120, 70, 30, 255}, {90, 50, 30, 255}},
		"beige":  {{240, 225, 195, 255}},
		"black":  {{0, 0, 0, 255}, {30, 30, 35, 255}},
		"gray":   {{128, 128, 128, 255}, {90, 95, 100, 255}},
		"white":  {{255, 255, 255, 255}, {245, 245, 240, 255}},
	} {
		for _, c := range colours {
			if got := enrich.Image(filled(8, 8, c), false); got[1] != want {
				t.Errorf("%v is called %s, want %s", c, got[1], want)
			}
		}
	}
}

func TestAtMostThreeColours(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	for i, stripe := range []struct {
		width int
		c     color.NRGBA
	}{{40, blue}, {30, red}, {15, white}, {12, gray}, {3, green}} {
		left := []int{0, 40, 70, 85, 97}[i]
		draw.Draw(img, image.Rect(left, 0, left+stripe.width, 100), image.NewUniform(stripe.c), image.Point{}, draw.Src)
	}
	want := []string{"square", "blue", "red", "white", "graphic"}
	if diff := cmp.Diff(want, enrich.Image(img, false)); diff != "" {
		t.Errorf("stripes (-want +got):\n%s", diff)
	}
}

func TestVideoTags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		width, height, rotation int
		seconds                 float64
		want                    []string
	}{
		{1920, 1080, 0, 59.9, []string{"landscape", "short"}},
		{1920, 1080, 90, 60, []string{"portrait", "medium"}},
		{1920, 1080, -90, 599.9, []string{"portrait", "medium"}},
		{1920, 1080, 180, 600, []string{"landscape", "long"}},
		{1080, 1920, 270, 30, []string{"landscape", "short"}},
		{1080, 1080, 0, 30, []string{"square", "short"}},
		{0, 0, 0, 30, []string{"short"}},
		{1080, 1920, 0, 0, []string{"portrait"}},
		{1080, 1920, 0, math.NaN(), []string{"portrait"}},
		{-1, 5, 0, -1, []string{}},
	} {
		if diff := cmp.Diff(test.want, enrich.Video(test.width, test.height, test.rotation, test.seconds)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test, diff)
		}
	}
}
