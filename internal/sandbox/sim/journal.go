package sim

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// journalName is the journal file in the data directory.
const journalName = "sandbox.jsonl"

// compactBytes is the size below which a journal is never compacted.
const compactBytes = 16 << 20

// line is one transaction in the journal.
type line struct {
	Network string   `json:"n"`
	Seq     uint64   `json:"s"`
	Records []record `json:"r"`
}

// record is one written row, or a deleted one if it has no value.
type record struct {
	Table string          `json:"t"`
	Key   string          `json:"k"`
	Value json.RawMessage `json:"v,omitempty"`
}

// journal is an append-only file of JSON lines, one per transaction. A line is passed to the operating system before
// the response to its request, so killing the process loses nothing that was confirmed. It is not synced to disk line
// by line: a power failure may lose the last moments, which a simulator can afford.
//
// A journal without a file stores nothing.
type journal struct {
	dir    string
	log    *slog.Logger
	lock   *os.File
	stores []*Store

	mu      sync.Mutex
	file    *os.File
	size    int64
	records int
	// floor is the size below which the journal is never compacted, minSize the current threshold.
	floor, minSize int64
	// broken is set if the file could not be truncated to the end of a line: nothing may be appended any more.
	broken error

	compacting sync.Mutex
}

// openJournal opens the journal in dir, or one that stores nothing if dir is empty. Its stores must be set and replay
// be called before it is used.
func openJournal(dir string, log *slog.Logger) (*journal, error) {
	j := &journal{dir: dir, log: log, floor: compactBytes, minSize: compactBytes}
	if dir == "" {
		return j, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create data directory: %w", err)
	}
	lock, err := lockFile(filepath.Join(dir, "sandbox.lock"))
	if err != nil {
		return nil, fmt.Errorf("lock data directory %s, is another sandbox using it? %w", dir, err)
	}
	j.lock = lock
	if j.file, err = os.OpenFile(j.path(), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("open journal: %w", err), lock.Close())
	}
	return j, nil
}

// keeps reports whether the journal has a file.
func (j *journal) keeps() bool { return j.dir != "" }

func (j *journal) path() string { return filepath.Join(j.dir, journalName) }

// replay passes every line to its store. A last line that was truncated by a kill was never confirmed and is removed;
// any other invalid line is an error.
func (j *journal) replay() error {
	if !j.keeps() {
		return nil
	}
	stores := map[string]*Store{}
	for _, s := range j.stores {
		stores[s.network] = s
	}
	in := bufio.NewReaderSize(j.file, 1<<20)
	for number := 1; ; number++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return j.dropTail(len(text))
		}
		if err != nil {
			return fmt.Errorf("read journal: %w", err)
		}
		if err := j.replayLine(stores, text); err != nil {
			return fmt.Errorf("journal %s, line %d: %w", j.path(), number, err)
		}
		j.size += int64(len(text))
	}
}

func (j *journal) replayLine(stores map[string]*Store, text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	s, ok := stores[l.Network]
	if !ok {
		return fmt.Errorf("unknown network %q", l.Network)
	}
	j.records += len(l.Records)
	return s.replay(l)
}

// dropTail removes an incomplete last line and seeks to the end of the last valid one.
func (j *journal) dropTail(length int) error {
	if length > 0 {
		j.log.Warn("sandbox journal ends in an unfinished line, which was never answered: dropped", "bytes", length)
		if err := j.file.Truncate(j.size); err != nil {
			return fmt.Errorf("drop unfinished line: %w", err)
		}
	}
	if _, err := j.file.Seek(j.size, io.SeekStart); err != nil {
		return fmt.Errorf("find end of journal: %w", err)
	}
	return nil
}

// append writes one line. If it fails, the line is not in the journal.
func (j *journal) append(l line) error {
	if !j.keeps() {
		return nil
	}
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode journal line: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	if _, err := j.file.Write(append(text, '\n')); err != nil {
		if tail := j.dropTail(len(text)); tail != nil {
			j.broken = fmt.Errorf("journal is unusable: %w", tail)
		}
		return fmt.Errorf("write journal: %w", err)
	}
	j.size += int64(len(text)) + 1
	j.records += len(l.Records)
	return nil
}

// compactIfLarge compacts the journal if most of it is obsolete. Callers hold no store's lock. A journal that could not
// be compacted is still complete, so the failure is logged and no call fails for it.
func (j *journal) compactIfLarge() {
	if !j.keeps() || !j.isLarge() || !j.compacting.TryLock() {
		return
	}
	defer j.compacting.Unlock()
	if err := j.compactIfStale(); err != nil {
		j.log.Error("sandbox journal could not be rewritten", "error", err)
	}
}

func (j *journal) compactIfStale() error {
	live := 0
	for _, s := range j.stores {
		s.mu.RLock()
		defer s.mu.RUnlock()
		live += s.rowCount()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	if j.records < 2*live {
		// Nearly all of it is live: check again when it has doubled.
		j.minSize = 2 * j.size
		return nil
	}
	return j.compact()
}

func (j *journal) isLarge() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size > j.minSize
}

// compact writes the live rows to a new file and replaces the old one. All locks are held.
func (j *journal) compact() error {
	next, err := os.CreateTemp(j.dir, journalName+".*")
	if err != nil {
		return fmt.Errorf("compact journal: %w", err)
	}
	size, records, err := j.writeSnapshot(next)
	if err == nil {
		err = os.Rename(next.Name(), j.path())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("compact journal: %w", err), next.Close(), os.Remove(next.Name()))
	}
	old := j.file
	j.file, j.size, j.records = next, size, records
	j.minSize = max(j.floor, 2*size)
	j.log.Info("sandbox journal rewritten", "bytes", size, "records", records)
	return old.Close()
}

func (j *journal) writeSnapshot(file *os.File) (size int64, records int, err error) {
	out := bufio.NewWriterSize(file, 1<<20)
	for _, s := range j.stores {
		for l, err := range s.snapshot() {
			if err != nil {
				return 0, 0, err
			}
			text, err := json.Marshal(l)
			if err != nil {
				return 0, 0, err
			}
			if _, err := out.Write(append(text, '\n')); err != nil {
				return 0, 0, err
			}
			size += int64(len(text)) + 1
			records++
		}
	}
	return size, records, errors.Join(out.Flush(), file.Sync())
}

// close syncs and closes the file and unlocks the data directory.
func (j *journal) close() error {
	if !j.keeps() {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.broken = errors.New("sandbox is closed")
	return errors.Join(j.file.Sync(), j.file.Close(), j.lock.Close())
}
