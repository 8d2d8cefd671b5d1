package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// Store is one network's state: some tables, and a lock over all of them. Every change goes through Update, which
// writes it to the journal before it is visible.
type Store struct {
	network string
	journal *journal
	now     func() time.Time

	mu     sync.RWMutex
	seq    uint64
	tables map[string]rows
	order  []string
}

func newStore(network string, j *journal, now func() time.Time) *Store {
	return &Store{network: network, journal: j, now: now, tables: map[string]rows{}}
}

// View runs fn while nothing changes. Tables may be read inside it. It must not call View or Update.
func (s *Store) View(fn func()) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	fn()
}

// Update runs fn exclusively and then makes the writes of its Tx durable and visible, all or none. Reads inside fn see
// the state before the transaction. If fn returns an error nothing is written and the error is returned.
func (s *Store) Update(fn func(tx *Tx) error) error {
	if err := s.update(fn); err != nil {
		return err
	}
	s.journal.compactIfLarge()
	return nil
}

// errRefused ends a transaction that was rejected.
var errRefused = errors.New("refused")

// Attempt is an Update for handlers: fn returns the response that ends it without a change, or nil. Attempt returns
// that response, or nil if everything was written.
func (s *Store) Attempt(fn func(tx *Tx) *Reply) (*Reply, error) {
	var refusal *Reply
	err := s.Update(func(tx *Tx) error {
		if refusal = fn(tx); refusal != nil {
			return errRefused
		}
		return nil
	})
	if refusal != nil {
		return refusal, nil
	}
	return nil, err
}

func (s *Store) update(fn func(tx *Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	tx := &Tx{store: s, seq: s.seq, now: s.now()}
	if err := fn(tx); err != nil {
		return err
	}
	if tx.err != nil {
		return tx.err
	}
	if len(tx.records) > 0 {
		if err := s.journal.append(line{Network: s.network, Seq: tx.seq, Records: tx.records}); err != nil {
			return err
		}
	}
	s.seq = tx.seq
	for _, apply := range tx.applies {
		apply()
	}
	return nil
}

// replay applies one line of the journal.
func (s *Store) replay(l line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq = max(s.seq, l.Seq)
	for _, r := range l.Records {
		t, ok := s.tables[r.Table]
		if !ok {
			return fmt.Errorf("network %s has no table %q", s.network, r.Table)
		}
		if err := t.load(r); err != nil {
			return fmt.Errorf("load %s %s: %w", r.Table, r.Key, err)
		}
	}
	return nil
}

// snapshot yields the lines that rebuild the store, in the order in which its rows were created. The caller holds the
// lock.
func (s *Store) snapshot() iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for _, name := range s.order {
			for r, err := range s.tables[name].dump() {
				if !yield(line{Network: s.network, Seq: s.seq, Records: []record{r}}, err) {
					return
				}
			}
		}
	}
}

func (s *Store) rowCount() int {
	n := 0
	for _, t := range s.tables {
		n += t.count()
	}
	return n
}

// Tx collects the writes of one Update.
type Tx struct {
	store   *Store
	seq     uint64
	now     time.Time
	records []record
	applies []func()
	err     error
}

// Now returns the time of the transaction.
func (tx *Tx) Now() time.Time { return tx.now }

// NextSeq returns a number that is larger than all before it, even across restarts. It has the milliseconds since 1970
// in its upper bits, shifted left by 22 bits, as the ids of several networks do.
func (tx *Tx) NextSeq() uint64 {
	tx.seq = max(tx.seq+1, uint64(tx.now.UnixMilli())<<22)
	return tx.seq
}

// rows is a table without its row type.
type rows interface {
	load(record) error
	dump() iter.Seq2[record, error]
	count() int
}

// Table is a set of rows of one type, by key. Rows are values: what Get returns must not be changed through its slices
// or maps; Put a new row instead. All methods need a running View or Update of the store.
type Table[T any] struct {
	name  string
	byKey map[string]entry[T]
	// keys is the insertion order, which indexes rely on. A deleted row leaves an empty key.
	keys    []string
	watches []func(key string, before, after *T)
	keep    func(T) bool
}

type entry[T any] struct {
	row      T
	position int
}

// NewTable adds a table to the store. It is called by a network's New, before the journal is read.
func NewTable[T any](s *Store, name string) *Table[T] {
	t := &Table[T]{name: name, byKey: map[string]entry[T]{}}
	s.tables[name] = t
	s.order = append(s.order, name)
	return t
}

// Watch calls fn for every change of the table, even while the journal is read, so that an index can follow the rows.
// before is nil for a new row, after is nil for a deleted one.
func (t *Table[T]) Watch(fn func(key string, before, after *T)) {
	t.watches = append(t.watches, fn)
}

// Keep selects the rows to keep when the journal is compacted; the default is all.
func (t *Table[T]) Keep(fn func(T) bool) { t.keep = fn }

// Get returns the row of a key.
func (t *Table[T]) Get(key string) (T, bool) {
	e, ok := t.byKey[key]
	return e.row, ok
}

// Len returns the number of rows.
func (t *Table[T]) Len() int { return len(t.byKey) }

// Newest yields the rows from the newest key to the oldest.
func (t *Table[T]) Newest() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, key := range slices.Backward(t.keys) {
			if e, ok := t.byKey[key]; ok && !yield(key, e.row) {
				return
			}
		}
	}
}

// Put writes a row in the transaction. The key must not be empty.
func (t *Table[T]) Put(tx *Tx, key string, row T) {
	value, err := json.Marshal(row)
	if err != nil {
		tx.err = fmt.Errorf("encode row %s of %s: %w", key, t.name, err)
		return
	}
	tx.records = append(tx.records, record{Table: t.name, Key: key, Value: value})
	tx.applies = append(tx.applies, func() { t.set(key, row) })
}

// Delete removes a row in the transaction.
func (t *Table[T]) Delete(tx *Tx, key string) {
	tx.records = append(tx.records, record{Table: t.name, Key: key})
	tx.applies = append(tx.applies, func() { t.unset(key) })
}

func (t *Table[T]) set(key string, row T) {
	e, known := t.byKey[key]
	var before *T
	if known {
		old := e.row
		before = &old
	} else {
		e.position = len(t.keys)
		t.keys = append(t.keys, key)
	}
	e.row = row
	t.byKey[key] = e
	t.notify(key, before, &row)
}

func (t *Table[T]) unset(key string) {
	e, known := t.byKey[key]
	if !known {
		return
	}
	delete(t.byKey, key)
	t.keys[e.position] = ""
	if len(t.keys) > 2*len(t.byKey)+64 {
		t.closeHoles()
	}
	t.notify(key, &e.row, nil)
}

func (t *Table[T]) closeHoles() {
	t.keys = slices.DeleteFunc(t.keys, func(key string) bool { return key == "" })
	for i, key := range t.keys {
		e := t.byKey[key]
		e.position = i
		t.byKey[key] = e
	}
}

func (t *Table[T]) notify(key string, before, after *T) {
	for _, watch := range t.watches {
		watch(key, before, after)
	}
}

func (t *Table[T]) load(r record) error {
	if len(r.Value) == 0 {
		t.unset(r.Key)
		return nil
	}
	var row T
	if err := json.Unmarshal(r.Value, &row); err != nil {
		return err
	}
	t.set(r.Key, row)
	return nil
}

func (t *Table[T]) dump() iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for _, key := range t.keys {
			e, ok := t.byKey[key]
			if !ok || (t.keep != nil && !t.keep(e.row)) {
				continue
			}
			value, err := json.Marshal(e.row)
			if !yield(record{Table: t.name, Key: key, Value: value}, err) {
				return
			}
		}
	}
}

func (t *Table[T]) count() int { return len(t.byKey) }
