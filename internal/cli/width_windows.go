package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminalWidth returns the width of a terminal in characters; 0 if f is none.
func terminalWidth(f *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 0
	}
	return int(info.Window.Right-info.Window.Left) + 1
}
