package cli

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"

	"crier"
	"crier/client"
)

// The exit codes of the commands, beside 0 for success.
const (
	exitFailed       = 1
	exitUsage        = 2
	exitUnauthorized = 3
	exitForbidden    = 4
	exitMissing      = 5
	exitConflict     = 6
	exitCredits      = 7
	exitTooMany      = 8
	exitServer       = 9 // the server failed, or cannot be reached
	exitNoTerminal   = 10
	exitInterrupted  = 130 // as shells report a program ended by SIGINT
)

// kindCodes are the exit codes by kind of error.
var kindCodes = map[crier.Kind]int{
	crier.KindInvalid: exitUsage, crier.KindUnauthorized: exitUnauthorized, crier.KindForbidden: exitForbidden,
	crier.KindNotFound: exitMissing, crier.KindConflict: exitConflict, crier.KindPaymentRequired: exitCredits,
	crier.KindTooManyRequests: exitTooMany, crier.KindPreconditionFailed: exitConflict,
}

// ExitCode returns the exit code for an error.
func ExitCode(err error) int {
	switch {
	case interrupted(err):
		return exitInterrupted
	case errors.Is(err, errNoTerminal):
		return exitNoTerminal
	case errors.Is(err, errNoLogin), errors.Is(err, errLoginEnded), is[*OtherServerError](err):
		return exitUnauthorized
	case is[*usageError](err):
		return exitUsage
	case is[*missingError](err):
		return exitMissing
	case is[*costError](err):
		return exitCredits
	case is[*client.UnreachableError](err):
		return exitServer
	}
	if unwell, ok := errors.AsType[*ProblemsError](err); ok && unwell.Away {
		return exitServer
	}
	if known, ok := errors.AsType[*client.Error](err); ok {
		return cmp.Or(kindCodes[known.Kind], exitServer)
	}
	if known, ok := errors.AsType[*crier.Error](err); ok { // of a command that works on the database itself
		return cmp.Or(kindCodes[known.Kind], exitFailed)
	}
	return exitFailed
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// interrupted reports whether a person or the system interrupted the command.
func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, errInterrupted)
}

// ErrorText returns the text of an error for people.
func ErrorText(err error) string {
	text := err.Error()
	if refused, ok := errors.AsType[*client.Error](err); ok {
		text = strings.Replace(text, refused.Error(), errorDetails(refused), 1)
		if refused.Kind == crier.KindUnauthorized {
			text += "\nRun 'crier login', or set CRIER_TOKEN to an API key."
		}
	}
	text = strings.ReplaceAll(text, context.Canceled.Error(), "interrupted")
	if away, ok := errors.AsType[*client.UnreachableError](err); ok {
		text += "\nName another server with --server or CRIER_SERVER."
		if onThisMachine(away.Base) {
			text = strings.TrimSuffix(text, "Name another server with --server or CRIER_SERVER.") +
				"Is crier running there? Start it with 'crier serve', or name another server with --server or " +
				"CRIER_SERVER."
		}
	}
	return printable(text)
}

// onThisMachine reports whether an address is on this machine.
func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	return err == nil && crier.OnThisMachine(u)
}
