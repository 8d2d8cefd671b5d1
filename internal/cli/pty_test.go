//go:build linux

package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// terminal opens a pseudo-terminal: the end of the person, and the end of the program.
func terminal(t *testing.T) (person, screen *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	var locked, number int32
	control := func(request uintptr, value *int32) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request,
			uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Skipf("this machine has no pseudo-terminals: %v", errno)
		}
	}
	control(syscall.TIOCSPTLCK, &locked)
	control(syscall.TIOCGPTN, &number)
	if screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { _, _ = person.Close(), screen.Close() })
	return person, screen
}

// answering runs a command at a terminal where a person has typed an answer; an empty one closes the terminal.
func (p person) answering(t *testing.T, answer string, args ...string) result {
	t.Helper()
	keyboard, screen := terminal(t)
	if answer == "" {
		_ = keyboard.Close()
	} else if _, err := io.WriteString(keyboard, answer); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	return p.execute(t.Context(), screen, &stdout, &stderr, args...)
}
