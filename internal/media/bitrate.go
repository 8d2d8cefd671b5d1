package media

import "math"

// averageBitRate returns the bits per second of a file of some bytes. A file may claim a time that is next to nothing.
func averageBitRate(bytes int64, seconds float64) int64 {
	rate := float64(bytes) * 8 / seconds
	if rate >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(rate)
}
