package library

import "testing"

func TestByteCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1_500_000: "1.5 MB",
		5_000_000_000: "5.0 GB", 2_000_000_000_000: "2.0 TB"} {
		if got := byteCount(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
