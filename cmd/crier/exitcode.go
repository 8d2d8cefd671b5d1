package main

import (
	"context"
	"errors"
	"strings"

	"crier"
	"crier/client"
)

// The exit codes of the commands, beside 0 for success and those of the kinds of errors.
const (
	exitFailed       = 1
	exitUnauthorized = 3
	exitServer       = 9 // it failed, or cannot be reached
	exitNobody       = 10
	exitInterrupted  = 130 // as shells tell it of a program that SIGINT ended
)

// exitCode tells scripts apart what went wrong.
func exitCode(err error) int {
	if interrupted(err) {
		return exitInterrupted
	}
	if errors.Is(err, errNobody) {
		return exitNobody
	}
	if errors.Is(err, errNoLogin) || errors.Is(err, errLoginEnded) {
		return exitUnauthorized
	}
	if _, away := errors.AsType[*client.UnreachableError](err); away {
		return exitServer
	}
	known, ok := errors.AsType[*client.Error](err)
	if !ok {
		return exitFailed
	}
	switch known.Kind {
	case crier.KindInvalid:
		return 2
	case crier.KindUnauthorized:
		return exitUnauthorized
	case crier.KindForbidden:
		return 4
	case crier.KindNotFound:
		return 5
	case crier.KindConflict:
		return 6
	case crier.KindPaymentRequired:
		return 7
	case crier.KindTooManyRequests:
		return 8
	}
	return exitServer
}

// interrupted is true when a person or the system ended the command.
func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, errInterrupted)
}

// told is an error as a person reads it.
func told(err error) string {
	text := strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted")
	if _, away := errors.AsType[*client.UnreachableError](err); away {
		text += "\nIs crier running there? Start it with 'crier serve', or name another server with --server or CRIER_SERVER."
	}
	return printable(text)
}
