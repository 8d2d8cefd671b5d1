package enrich

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

const (
	// sampleGrid is the number of sampled points per side: a few thousand suffice for colors and texture.
	sampleGrid = 64
	// maxColours is the maximum number of dominant colors of an image.
	maxColours = 3
	// minColourShare is the minimum share of the image that a dominant color covers.
	minColourShare = 0.1
	// opaque is the minimum alpha value of a visible point.
	opaque = 0x8000
)

// Criteria that distinguish drawings, screenshots and logos from photographs: points that equal their neighbor, few
// distinct colors, or a transparent part.
const (
	flatShare        = 0.5  // of equal neighbors, together with few colors
	veryFlatShare    = 0.85 // of equal neighbors, whatever the colors
	fewColours       = 0.08 // distinct colors per point
	transparentShare = 0.02
)

// Image returns the tags of an upright image: landscape, portrait or square; its dominant colors, the most frequent
// first; photo or graphic. hasAlpha means that the file can have transparent parts.
func Image(img image.Image, hasAlpha bool) []string {
	size := img.Bounds().Size()
	tags := orientation(size.X, size.Y)
	if size.X <= 0 || size.Y <= 0 {
		return tags
	}
	s := sample(img)
	return append(append(tags, s.dominantColours()...), s.kind(hasAlpha))
}

// orientation returns the tag of a picture's shape, none if it has no size. A deviation of up to a twentieth counts as
// square.
func orientation(width, height int) []string {
	switch {
	case width <= 0 || height <= 0:
		return []string{}
	case 20*max(width, height) <= 21*min(width, height):
		return []string{"square"}
	case width > height:
		return []string{"landscape"}
	}
	return []string{"portrait"}
}

// samples holds the statistics of the sampled points.
type samples struct {
	points, transparent, flat int
	named                     map[string]int    // points by color name
	distinct                  map[[3]uint8]bool // the colors, with reduced precision
}

func sample(img image.Image) samples {
	bounds := img.Bounds()
	s := samples{named: map[string]int{}, distinct: map[[3]uint8]bool{}}
	columns, rows := min(sampleGrid, bounds.Dx()), min(sampleGrid, bounds.Dy())
	for row := range rows {
		for column := range columns {
			x := bounds.Min.X + (2*column+1)*bounds.Dx()/(2*columns)
			y := bounds.Min.Y + (2*row+1)*bounds.Dy()/(2*rows)
			neighbour := img.At(max(x-1, bounds.Min.X), y)
			s.add(img.At(x, y), neighbour)
		}
	}
	return s
}

func (s *samples) add(point, neighbour color.Color) {
	s.points++
	r, g, b, a := point.RGBA()
	if nr, ng, nb, na := neighbour.RGBA(); r == nr && g == ng && b == nb && a == na {
		s.flat++
	}
	if a < opaque {
		s.transparent++
		return
	}
	c := color.NRGBAModel.Convert(point).(color.NRGBA)
	s.named[colourName(c)]++
	s.distinct[[3]uint8{c.R >> 3, c.G >> 3, c.B >> 3}] = true
}

func (s *samples) dominantColours() []string {
	var names []string
	for _, name := range palette {
		if float64(s.named[name]) >= minColourShare*float64(s.points) {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(s.named[b], s.named[a]) })
	return names[:min(len(names), maxColours)]
}

func (s *samples) kind(hasAlpha bool) string {
	share := func(part int) float64 { return float64(part) / float64(s.points) }
	drawn := share(s.flat) >= flatShare && share(len(s.distinct)) < fewColours || share(s.flat) >= veryFlatShare
	if drawn || hasAlpha && share(s.transparent) >= transparentShare {
		return "graphic"
	}
	return "photo"
}
