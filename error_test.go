package crier_test

import (
	"errors"
	"fmt"
	"testing"

	"crier"
)

func TestErrorsAreOfTheKindOfTheirMaker(t *testing.T) {
	t.Parallel()
	kinds := []crier.Kind{crier.KindInvalid, crier.KindUnauthorized, crier.KindPaymentRequired, crier.KindForbidden,
		crier.KindNotFound, crier.KindConflict, crier.KindPreconditionFailed, crier.KindTooManyRequests,
		crier.KindInternal}
	for kind, err := range map[crier.Kind]*crier.Error{
		"HttpApiDecodeError": crier.Invalid(crier.At("no", "x")),
		"Unauthorized":       crier.Unauthorized("no %s, %d", "x", 7),
		"PaymentRequired":    crier.PaymentRequired("no %s, %d", "x", 7),
		"Forbidden":          crier.Forbidden("no %s, %d", "x", 7),
		"NotFound":           crier.NotFound("no %s, %d", "x", 7),
		"Conflict":           crier.Conflict("no %s, %d", "x", 7),
		"PreconditionFailed": crier.PreconditionFailed(assetA),
		"TooManyRequests":    crier.TooManyRequests("no %s, %d", "x", 7),
	} {
		wrapped := fmt.Errorf("while testing: %w", err)
		for _, k := range kinds {
			if crier.IsKind(wrapped, k) != (k == kind) || crier.IsKind(err, k) != (k == kind) {
				t.Errorf("%s is of kind %s: %t", kind, k, k != kind)
			}
		}
		if kind != crier.KindInvalid && kind != crier.KindPreconditionFailed && err.Error() != "no x, 7" {
			t.Errorf("%s says %q", kind, err)
		}
	}
	if crier.IsKind(nil, crier.KindNotFound) || crier.IsKind(errors.New("NotFound"), crier.KindNotFound) {
		t.Error("an error of nobody has a kind")
	}
}

func TestInvalidCountsItsIssues(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*crier.Error{
		"The request is not valid.":                  crier.Invalid(),
		"The request is not valid. name: is missing": crier.Invalid(crier.At("is missing", "name")),
		"The request is not valid. is no JSON":       crier.Invalid(crier.At("is no JSON")),
		"The request is not valid: 2 problems. a.0: one; b: two": crier.Invalid(crier.At("one", "a", "0"),
			crier.At("two", "b")),
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
	if issue := crier.At("x"); issue.Path == nil || len(issue.Path) != 0 {
		t.Errorf("an issue of the whole request has the path %#v, which is written as null", issue.Path)
	}
}

func TestOAuthErrorSaysItsCodeAndDescription(t *testing.T) {
	t.Parallel()
	err := &crier.OAuthError{Code: "slow_down", Description: "Ask less often."}
	if err.Error() != "slow_down: Ask less often." {
		t.Errorf("got %q", err)
	}
}
