package auth

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestPasswordHasherHashesAndChecks(t *testing.T) {
	t.Parallel()
	h := NewPasswordHasher(1)
	hash, err := h.Hash(t.Context(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", hash)
	}
	h.Memory = 64 // as in tests: the hashes of before still fit
	cheap, err := h.Hash(t.Context(), "correct horse battery")
	if err != nil || !strings.HasPrefix(cheap, "$argon2id$v=19$m=64,t=2,p=1$") {
		t.Errorf("the cheap hash is %s: %v", cheap, err)
	}
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse batterx": false} {
		if got, err := h.Check(t.Context(), password, hash); err != nil || got != want {
			t.Errorf("Check(%q) = %v, %v; want %v", password, got, err, want)
		}
	}
}

func TestPasswordHasherRefusesWhenAllSlotsAreTaken(t *testing.T) {
	t.Parallel()
	h := NewPasswordHasher(2)
	h.wait = time.Millisecond
	for range 2 {
		if _, err := h.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Hash(t.Context(), "correct horse battery"); !errors.Is(err, ErrBusy) {
		t.Errorf("a third hash at once: %v, want ErrBusy", err)
	}
	<-h.slots
	if _, err := h.Hash(t.Context(), "correct horse battery"); err != nil {
		t.Errorf("after a slot was freed: %v", err)
	}
}

func TestPasswordHasherWaitsForASlot(t *testing.T) {
	t.Parallel()
	h := NewPasswordHasher(1)
	h.wait = time.Minute
	release, err := h.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := h.Check(t.Context(), "x", "")
		done <- err
	}()
	release()
	if err := <-done; err != nil {
		t.Errorf("the waiting check: %v", err)
	}
}

func TestPasswordHasherStopsWaitingWithTheRequest(t *testing.T) {
	t.Parallel()
	h := NewPasswordHasher(1)
	h.wait = time.Minute
	if _, err := h.acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Hash(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that was given up: %v, want context.Canceled", err)
	}
}

func TestPasswordHasherHasAtLeastOneSlot(t *testing.T) {
	t.Parallel()
	for parallel, want := range map[int]int{-1: 1, 0: 1, 1: 1, 4: 4} {
		if got := cap(NewPasswordHasher(parallel).slots); got != want {
			t.Errorf("%d at once: %d slots, want %d", parallel, got, want)
		}
	}
}

func TestPasswordHasherRefusesChecksWhenAllSlotsAreTaken(t *testing.T) {
	t.Parallel()
	h := NewPasswordHasher(1)
	h.wait = time.Millisecond
	release, err := h.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := h.Check(t.Context(), "x", ""); ok || !errors.Is(err, ErrBusy) {
		t.Errorf("a second check at once: %v, %v", ok, err)
	}
	release()
	if ok, err := h.Check(t.Context(), "x", ""); ok || err != nil {
		t.Errorf("after the slot was freed: %v, %v", ok, err)
	}
	if len(h.slots) != 0 {
		t.Error("a check keeps its slot")
	}
}
