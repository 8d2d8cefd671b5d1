package media

import (
	"encoding/hex"
	"strings"
	"testing"
)

// unitOf returns a parameter set of a profile from bits, written as text.
func unitOf(profile byte, parts ...string) string {
	bits := strings.ReplaceAll(strings.Join(parts, ""), " ", "") + "1"
	bits += strings.Repeat("0", (8-len(bits)%8)%8)
	unit := []byte{0x67, profile, 0, 13}
	for ; bits != ""; bits = bits[8:] {
		value := byte(0)
		for _, bit := range bits[:8] {
			value = value<<1 | byte(bit-'0')
		}
		unit = append(unit, value)
	}
	return hex.EncodeToString(unit)
}

// The parameter sets in hex are those that an encoder writes for such videos.
func TestSequenceParameterSets(t *testing.T) {
	t.Parallel()
	const tail = "010 0 010 010 1" // references, gaps, width, height, frames only
	flatList, emptyList := "1"+strings.Repeat("1", 16), "1 000010001"
	cases := map[string]struct {
		unit string
		want spsFacts
	}{
		"progressive": {"6764000dacd94141fb011000000300100000030320f1429960", spsFacts{chroma: 1, bitDepth: 8}},
		"interlaced": {"67640015acd941410fcb808800000300080000030190f8a14cb0",
			spsFacts{chroma: 1, bitDepth: 8, interlaced: true}},
		"4:2:2, ten bit": {"677a000db6cd94141fb011000003000100000300320f142996", spsFacts{chroma: 2, bitDepth: 10}},
		"4:4:4":          {"67f4000d919b28283f6022000003000200000300641e28532c", spsFacts{chroma: 3, bitDepth: 8}},
		"Baseline":       {"6742c00dd90141fb011000000300100000030320f142a480", spsFacts{chroma: 1, bitDepth: 8}},
		"with scaling lists": {
			unitOf(100, "1 010 1 1 0 1", flatList, "00000", emptyList, "0", "1 011", tail),
			spsFacts{chroma: 1, bitDepth: 8},
		},
		"with a cycle of picture order": {
			unitOf(66, "1 1 010 0 1 1 011 1 1", "1 0 1 1 0"), spsFacts{chroma: 1, bitDepth: 8, interlaced: true},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unit, err := hex.DecodeString(c.unit)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := readSPS(unit)
			if !ok || got != c.want {
				t.Errorf("%+v, %t; want %+v", got, ok, c.want)
			}
		})
	}
}

func TestBrokenParameterSetsAreIgnored(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"empty": "", "another unit": "6864000dacd94141fb", "cut off": "6764000dac",
		"a cycle that never ends": unitOf(66, "1 1 010 0 1 1", strings.Repeat("0", 31), strings.Repeat("1", 32)),
		"zeros":                   "67640000000000000000000000",
	}
	for name, text := range cases {
		unit, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := readSPS(unit); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
