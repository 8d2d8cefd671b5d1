package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"crier"
	"crier/client"
)

func TestEachErrorKindHasItsExitCode(t *testing.T) {
	t.Parallel()
	refused := func(kind crier.Kind) error { return fmt.Errorf("try: %w", &client.Error{Kind: kind, Message: "no"}) }
	seen := map[int]error{}
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("anything else"), 1},
		{refused(crier.KindInvalid), 2},
		{refused(crier.KindUnauthorized), 3},
		{refused(crier.KindForbidden), 4},
		{refused(crier.KindNotFound), 5},
		{refused(crier.KindConflict), 6},
		{refused(crier.KindPaymentRequired), 7},
		{refused(crier.KindTooManyRequests), 8},
		{refused(crier.KindInternal), 9},
		{fmt.Errorf("ask: %w", errNoTerminal), 10},
		{fmt.Errorf("wait: %w", context.Canceled), 130},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("%v ends with %d, want %d", c.err, got, c.want)
		}
		if other := seen[c.want]; other != nil {
			t.Errorf("%v and %v end alike", c.err, other)
		}
		seen[c.want] = c.err
	}
	for err, want := range map[error]int{errNoLogin: 3, &noLoginError{server: "https://crier.example.com"}: 3,
		errLoginEnded: 3, errRefused: 1, errInterrupted: 130,
		fmt.Errorf("grant: %w", crier.NotFound("nothing")): 5, &crier.Error{Kind: crier.KindInternal}: 1,
		refused("of tomorrow"): 9, &client.UnreachableError{}: 9} {
		if got := ExitCode(err); got != want {
			t.Errorf("%v ends with %d, want %d", err, got, want)
		}
	}
}

func TestNotLoggedInErrorNamesTheServer(t *testing.T) {
	t.Parallel()
	if got := (&noLoginError{server: defaultServer}).Error(); got != errNoLogin.Error() {
		t.Error(got)
	}
	elsewhere := (&noLoginError{server: "https://crier.example.com"}).Error()
	if !strings.Contains(elsewhere, "'crier login --server https://crier.example.com'") {
		t.Error(elsewhere)
	}
}

func TestMissingMediaIsReported(t *testing.T) {
	t.Parallel()
	got := inWords(crier.At("needs a video", "postInput", "attachments"))
	if got != "the post needs a video (--media)" {
		t.Error(got)
	}
}

func TestGroupsOfWeekdaysAreNamed(t *testing.T) {
	t.Parallel()
	for want, days := range map[string][]int{"every day": {0, 1, 2, 3, 4, 5, 6}, "mon to fri": {1, 2, 3, 4, 5},
		"sun mon tue wed thu": {0, 1, 2, 3, 4}, "sat": {6}} {
		if got := dayList(days); got != want {
			t.Errorf("%v are %q, want %q", days, got, want)
		}
	}
}
