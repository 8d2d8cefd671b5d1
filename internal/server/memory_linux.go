package server

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"
)

// unmapProgram releases the pages of the executable that ran only once. The kernel maps the executable in blocks of
// sixteen pages, so a start leaves nearly all of it resident; needed pages are mapped again from the page cache at
// their next use.
func unmapProgram(log *slog.Logger) {
	if err := unmapProgramPages(); err != nil {
		log.Debug("keep the pages of the program", "error", err)
	}
}

// processorTime returns the CPU time that the process has used so far.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// unmapProgramPages releases the read-only pages of the executable. Writable ones hold state and stay.
func unmapProgramPages() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer func() { _ = maps.Close() }()
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		var from, to uintptr
		var mode string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &mode); err != nil {
			return fmt.Errorf("read %q: %w", lines.Text(), err)
		}
		if mode[0] != 'r' || mode[1] == 'w' || !strings.HasSuffix(lines.Text(), " "+program) {
			continue
		}
		if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED); errno != 0 {
			return errno
		}
	}
	return lines.Err()
}
