//go:build !windows

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalWidth returns how many characters a line of a terminal has; 0 for what is none.
func terminalWidth(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
