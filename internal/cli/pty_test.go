//go:build linux

package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"

	"crier"
)

// terminal opens a pseudo-terminal: the person's end, and the program's.
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

// shownAt returns the lines that a command prints to a terminal of some width.
func (p person) shownAt(t *testing.T, columns int, args ...string) []string {
	t.Helper()
	eyes, screen := terminal(t)
	type reading struct {
		text []byte
		err  error
	}
	read := make(chan reading, 1)
	go func() {
		text, err := io.ReadAll(eyes)
		read <- reading{text, err}
	}()
	p.environ = append(slices.Clone(p.environ), fmt.Sprintf("COLUMNS=%d", columns))
	var stderr bytes.Buffer
	if code := p.start(t.Context(), strings.NewReader(""), screen, &stderr, args...); code != 0 {
		t.Fatalf("%v ended with %d: %s", args, code, stderr.String())
	}
	_ = screen.Close()
	found := <-read
	if found.err != nil && !errors.Is(found.err, syscall.EIO) { // the end of a terminal that nothing writes to
		t.Fatal(found.err)
	}
	return strings.Split(strings.ReplaceAll(string(found.text), "\r\n", "\n"), "\n")
}

func TestOnlyLinksExceedTheScreenWidth(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x", "linkedin")
	c.run(t, "post", "A text that is longer than the column that is left for it on a narrow screen", "--yes").want(t, 0)
	var list crier.Page[crier.Post]
	c.run(t, "posts", "list", "--json").want(t, 0).into(t, &list)
	post := string(list.Data[0].ID)
	for _, columns := range []int{60, 80, 100, 200} {
		for _, args := range [][]string{{"posts", "show", post}, {"calendar", "--list"}, {"posts", "list"},
			{"accounts", "list"}, {"posts", "attempts", post}, {"audit"},
			{"post", "Short", "--next-slot", "--dry-run"}, {"networks", "tiktok"}} {
			lines := c.shownAt(t, columns, args...)
			if all := strings.Join(lines, "\n"); args[0] == "posts" && args[1] != "attempts" &&
				!strings.Contains(all, post) {
				t.Errorf("%d columns, %v: the id is not there:\n%s", columns, args, all)
			}
			if args[0] == "networks" && strings.Contains(strings.Join(lines, ""), "…") {
				t.Errorf("%d columns: the settings are cut:\n%s", columns, strings.Join(lines, "\n"))
			}
			for _, line := range lines {
				if n := utf8.RuneCountInString(line); n > columns && !strings.Contains(line, "  LINK  ") &&
					!strings.HasPrefix(line, "  A text") { // which a terminal breaks itself
					t.Errorf("%d columns, %v: %q has %d", columns, args, line, n)
				}
			}
		}
	}
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
