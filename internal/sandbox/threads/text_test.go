package threads

import "testing"

func TestLengthCountsEmojiInBytes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":           0,
		"hello":      5,
		"故事":         2,
		"😀":          4,
		"👩\u200d💻":   11,
		"❤️":         6,
		"❤":          1,
		"1️⃣":        7,
		"🇩🇪":         8,
		"क्\u200dष":  4, // a joiner between letters
		"one ⭐ star": 12,
	} {
		if got := length(text); got != want {
			t.Errorf("%q has length %d, want %d", text, got, want)
		}
	}
}
