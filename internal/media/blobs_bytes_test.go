package media

import "testing"

func TestByteCountCarriesIntoTheNextUnit(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1500: "1.465 KiB",
		10 << 20: "10 MiB", 1<<20 - 1: "1 MiB", 1<<20 - 600: "1023 KiB", 1<<30 - 1: "1 GiB", 5 << 30: "5 GiB",
		20 << 40: "20 TiB"} {
		if got := byteCount(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
