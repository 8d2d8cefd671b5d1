package library

import "testing"

func TestByteCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1_500_000: "1.5 MB",
		5_000_000_000: "5.0 GB", 2_000_000_000_000: "2.0 TB", 999_949: "999.9 kB", 999_950: "1.0 MB",
		999_999: "1.0 MB", 999_999_999: "1.0 GB", 999_949_999_999: "999.9 GB", 7_000_000_000_000_000: "7.0 PB",
		1_234_567_000_000_000_000: "1234.6 PB"} {
		if got := byteCount(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
