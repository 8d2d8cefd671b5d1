package enrich

import "image/color"

// palette lists the color names; of equally frequent colors the earlier comes first.
var palette = []string{
	"red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "brown", "beige", "black", "gray", "white",
}

// colourName returns the common name of a color.
func colourName(c color.NRGBA) string {
	r, g, b := float64(c.R)/255, float64(c.G)/255, float64(c.B)/255
	light, dark := max(r, g, b), min(r, g, b)
	if light < 0.16 || light-dark < 0.09 {
		return shade(light)
	}
	return tint(hue(r, g, b), (light-dark)/light, light)
}

// shade returns the name of a color without hue, by its brightness.
func shade(light float64) string {
	switch {
	case light < 0.2:
		return "black"
	case light > 0.88:
		return "white"
	}
	return "gray"
}

// tint returns the name of a color by its hue in degrees; saturation and brightness distinguish brown, beige and pink.
func tint(hue, saturation, light float64) string {
	warm := hue >= 15 && hue < 65
	switch {
	case warm && saturation < 0.4 && light > 0.7:
		return "beige"
	case hue >= 8 && hue < 45 && light < 0.62:
		return "brown"
	case (hue < 15 || hue >= 325) && saturation < 0.5 && light > 0.75:
		return "pink"
	}
	for _, band := range hueBands {
		if hue < band.end {
			return band.name
		}
	}
	return "red"
}

// hueBands divide the color wheel; beyond the last is red again.
var hueBands = []struct {
	end  float64
	name string
}{
	{15, "red"}, {45, "orange"}, {68, "yellow"}, {160, "green"}, {195, "teal"}, {258, "blue"}, {295, "purple"},
	{342, "pink"},
}

// hue returns the angle on the color wheel in degrees; the three must not be equal.
func hue(r, g, b float64) float64 {
	light, dark := max(r, g, b), min(r, g, b)
	var sixth float64
	switch light {
	case r:
		sixth = (g - b) / (light - dark)
	case g:
		sixth = 2 + (b-r)/(light-dark)
	default:
		sixth = 4 + (r-g)/(light-dark)
	}
	if sixth < 0 {
		sixth += 6
	}
	return 60 * sixth
}
