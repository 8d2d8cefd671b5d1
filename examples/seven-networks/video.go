// Command seven-networks writes a short vertical video (H.264 and AAC) that all seven networks accept to standard
// output. The script next to it publishes it.
package main

import (
	"log"
	"os"

	"crier/internal/media/mediatest"
)

func main() {
	if _, err := os.Stdout.Write(mediatest.VerticalMP4()); err != nil {
		log.Fatal(err)
	}
}
