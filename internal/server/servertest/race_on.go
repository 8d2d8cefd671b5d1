//go:build race

package servertest

// RaceDetector reports whether the tests run under the race detector.
const RaceDetector = true
