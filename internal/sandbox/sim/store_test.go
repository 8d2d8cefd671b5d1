package sim

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"
)

func openStore(t *testing.T, dir string) (*Store, *Table[int]) {
	t.Helper()
	j, err := openJournal(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s := newStore("net", j, time.Now)
	j.stores = []*Store{s}
	table := NewTable[int](s, "numbers")
	if err := j.replay(); err != nil {
		t.Fatal(err)
	}
	return s, table
}

func TestConcurrentWritesSurviveManyRewrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, table := openStore(t, dir)
	s.journal.floor, s.journal.minSize = 4096, 4096
	const writers, rounds = 8, 200
	var wg sync.WaitGroup
	for writer := range writers {
		wg.Go(func() {
			for round := range rounds {
				err := s.Update(func(tx *Tx) error {
					table.Put(tx, fmt.Sprint(writer), round)
					table.Put(tx, fmt.Sprint("gone ", writer), round)
					table.Delete(tx, fmt.Sprint("gone ", writer))
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if size := s.journal.size; size > 16_384 {
		t.Errorf("journal has %d bytes for %d rows", size, writers)
	}
	if err := s.journal.close(); err != nil {
		t.Fatal(err)
	}
	again, table := openStore(t, dir)
	again.View(func() {
		for writer := range writers {
			if last, _ := table.Get(fmt.Sprint(writer)); last != rounds-1 {
				t.Errorf("writer %d: %d, want %d", writer, last, rounds-1)
			}
		}
		if table.Len() != writers {
			t.Errorf("%d rows, want %d", table.Len(), writers)
		}
	})
	if err := again.journal.close(); err != nil {
		t.Fatal(err)
	}
}

func TestFailedUpdateWritesNothing(t *testing.T) {
	t.Parallel()
	s, table := openStore(t, t.TempDir())
	err := s.Update(func(tx *Tx) error {
		table.Put(tx, "a", 1)
		return errKnown
	})
	if err == nil || table.Len() != 0 || s.journal.size != 0 {
		t.Errorf("error %v, %d rows, %d bytes", err, table.Len(), s.journal.size)
	}
	if err := s.journal.close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(func(tx *Tx) error { table.Put(tx, "a", 1); return nil }); err == nil || table.Len() != 0 {
		t.Errorf("a closed journal accepted a row (%v)", err)
	}
}

func TestSequenceIsMonotonicWithAStoppedClock(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t, "")
	s.now = func() time.Time { return time.UnixMilli(1_000) }
	var got []uint64
	for range 3 {
		if err := s.Update(func(tx *Tx) error {
			got = append(got, tx.NextSeq(),
				tx.NextSeq())
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i, n := range got {
		if n>>22 != 1_000 || (i > 0 && n <= got[i-1]) {
			t.Errorf("sequence is %v", got)
		}
	}
}
