//go:build !race

package servertest

// RaceDetector is true when the tests run under it.
const RaceDetector = false
