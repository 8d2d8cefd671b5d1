package provider_test

import (
	"testing"

	"crier/internal/provider"
)

func TestSameTextIgnoresWhatNetworksChange(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ours, theirs string
		same         bool
	}{
		{"", "", true}, {"Hello", "Hello", true}, {" Hello\n", "Hello", true}, {"a\r\nb", "a\nb", true},
		{"Gr\u00fc\u00dfe", "Gru\u0308\u00dfe", true}, {"Hello", "hello", false}, {"", " \n", true},
		{"Hello", "Hello!", false}, {"\u00e9", "e", false}, {"", "a", false}, {"ab", "a b", false},
		// white space in the text
		{"a  b", "a b", true}, {"a\nb", "a b", true}, {"a\n\n\nb", "a\n\nb", true}, {"a\u00a0b", "a b", true},
		{"a \n b", "a\nb", true},
		// escapes: the network's own, the author's, and both
		{"a < b & c > d", "a &lt; b &amp; c &gt; d", true}, {"it's \"it\"", "it&#39;s &quot;it&quot;", true},
		{"write &amp;", "write &amp;", true}, {"write &amp;", "write &amp;amp;", true}, {"a & b", "a b", false},
		{"a &lt; b", "a > b", false},
	} {
		if provider.SameText(tc.ours, tc.theirs) != tc.same || provider.SameText(tc.theirs, tc.ours) != tc.same {
			t.Errorf("SameText(%q, %q) = %t", tc.ours, tc.theirs, !tc.same)
		}
	}
}
