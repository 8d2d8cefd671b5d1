// Package web is the dashboard: its sources, and what `make web` builds from them, for the program to serve.
package web

import (
	"embed"
	"io/fs"
)

// dist is committed, so that building crier needs Go alone.
//
//go:embed dist
var dist embed.FS

// Dist returns the built dashboard: index.html and, under assets, files whose names change with their content.
func Dist() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("web: " + err.Error()) // the name is a constant
	}
	return files
}
