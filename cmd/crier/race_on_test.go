//go:build race

package main

// raceDetector is true when the tests run under it.
const raceDetector = true
