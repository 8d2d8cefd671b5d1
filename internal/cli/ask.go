package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
)

var (
	// errRefused means that a person said no.
	errRefused = errors.New("nothing was changed")
	// errNoTerminal means that there is no person to ask.
	errNoTerminal = errors.New("there is no terminal to ask on: add --yes to skip the question")
	// errInterrupted means that a person interrupted the command at a question.
	errInterrupted = errors.New("interrupted: nothing was changed")
)

// confirm states what will happen and asks for confirmation, unless --yes was given. It fails if there is nobody to
// ask.
func (s *Shell) confirm(ctx context.Context, format string, args ...any) error {
	if s.yes {
		return nil
	}
	fmt.Fprintln(s.stderr, printable(strings.TrimRight(fmt.Sprintf(format, args...), "\n")))
	return s.askPerson(ctx, "Go ahead?")
}

// askPerson asks a person for confirmation, unless --yes was given.
func (s *Shell) askPerson(ctx context.Context, question string) error {
	if s.yes {
		return nil
	}
	person, done, err := s.person()
	if err != nil {
		return err
	}
	defer done()
	fmt.Fprint(s.stderr, question, " [y/N] ")
	answer, err := readLine(ctx, person)
	if !strings.HasSuffix(answer, "\n") { // what follows has a line of its own
		fmt.Fprintln(s.stderr)
	}
	if err != nil {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errRefused
	}
	return nil
}

// requirePerson fails early if nobody could be asked later, before anything is done that would have to be undone.
func (s *Shell) requirePerson() error {
	if s.yes {
		return nil
	}
	_, done, err := s.person()
	if err == nil {
		done()
	}
	return err
}

// person returns where to read a person's answer: the standard input, or the terminal if a text is piped in.
func (s *Shell) person() (r io.Reader, done func(), err error) {
	if Interactive(s.stdin) {
		return s.stdin, func() {}, nil
	}
	terminal, err := s.openTerminal()
	if err != nil {
		return nil, nil, errNoTerminal
	}
	return terminal, func() { _ = terminal.Close() }, nil // it was only read
}

func (s *Shell) openTerminal() (io.ReadCloser, error) {
	if s.terminal != nil {
		return s.terminal()
	}
	return os.Open("/dev/tty")
}

// readLine reads a line that a person types. Reading from a terminal cannot be canceled, so an interrupted command
// leaves the goroutine behind.
func readLine(ctx context.Context, person io.Reader) (string, error) {
	type line struct {
		text string
		err  error
	}
	typed := make(chan line, 1)
	go func() {
		text, err := bufio.NewReader(person).ReadString('\n')
		typed <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", errInterrupted
	case l := <-typed:
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return "", fmt.Errorf("read the answer: %w", l.err)
		}
		return l.text, nil
	}
}

// Interactive reports whether a file is a terminal.
func Interactive(end any) bool {
	f, ok := end.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
