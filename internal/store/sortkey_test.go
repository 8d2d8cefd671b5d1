package store

import "testing"

func TestSortKeysIgnoreCaseAndAccents(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "", "Zebra": "zebra", "äpfel": "apfel", "ÄPFEL": "apfel", "Łódź": "łodz", "Straße": "strasse", "ﬁn": "fin",
		"Ελλάδα": "ελλαδα", "東京": "東京", "\u0301": "\u0301",
	} {
		got := sortKey(name)
		if got != want {
			t.Errorf("%q sorts as %q, want %q", name, got, want)
		}
		if again := sortKey(got); again != got {
			t.Errorf("the key of the key %q is %q", got, again)
		}
	}
}
