//go:build !windows

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalWidth returns the width of a terminal in characters; 0 if f is none.
func terminalWidth(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
