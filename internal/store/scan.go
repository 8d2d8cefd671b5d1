package store

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"crier"
)

// jsonColumn reads and writes a value as a JSON column of either database.
type jsonColumn[T any] struct{ value *T }

// asJSON returns a value as a JSON column; nil is NULL.
func asJSON[T any](v *T) jsonColumn[T] { return jsonColumn[T]{value: v} }

// encoded is an argument computed from a value that may still change.
type encoded interface {
	driver.Valuer
	isEncoded()
}

func (jsonColumn[T]) isEncoded() {}

// Value returns text: pgx rejects bytes for jsonb in some modes.
func (c jsonColumn[T]) Value() (driver.Value, error) {
	if c.value == nil {
		return nil, nil
	}
	data, err := json.Marshal(c.value)
	return string(data), err
}

// intoJSON scans a JSON column into a pointer that stays nil for NULL.
func intoJSON[T any](dst **T) sql.Scanner { return jsonTarget[T]{dst} }

type jsonTarget[T any] struct{ dst **T }

func (t jsonTarget[T]) Scan(src any) error {
	if src == nil {
		*t.dst = nil
		return nil
	}
	*t.dst = new(T)
	return decodeColumn(src, *t.dst)
}

// jsonOrZero scans a JSON column into a value, which is left alone for NULL and for zeroJSON.
func jsonOrZero[T any](dst *T) sql.Scanner { return jsonValue[T]{dst} }

type jsonValue[T any] struct{ dst *T }

func (v jsonValue[T]) Scan(src any) error {
	if text, ok := src.(string); src == nil || ok && zeroJSON[text] {
		return nil
	}
	return decodeColumn(src, v.dst)
}

// zeroJSON are texts without information: empty settings, and the results and the state of publications that have not
// started, as crier writes them and as PostgreSQL returns them. Most rows of a list have such, and decoding takes time.
var zeroJSON = map[string]bool{
	`{}`: true, `{"platformPostIds":[]}`: true, `{"platformPostIds": []}`: true,
	`{"ready":false,"done":false,"requiresPolling":false}`:      true,
	`{"done": false, "ready": false, "requiresPolling": false}`: true,
}

// decodeColumn decodes a JSON column into a new value.
func decodeColumn(src, dst any) error {
	var data []byte
	switch v := src.(type) {
	case string:
		data = []byte(v)
	case []byte:
		data = v
	default:
		return fmt.Errorf("scan JSON from %T", src)
	}
	if custom, ok := dst.(json.Unmarshaler); ok {
		return custom.UnmarshalJSON(data) // json.Unmarshal would parse the text once more before
	}
	return json.Unmarshal(data, dst)
}

// textOrEmpty scans a text or an id, which is left alone for NULL. Unlike a plain pointer to a named type, it needs no
// reflection.
func textOrEmpty[T ~string](dst *T) sql.Scanner { return textTarget[T]{dst} }

type textTarget[T ~string] struct{ dst *T }

func (t textTarget[T]) Scan(src any) error {
	switch v := src.(type) {
	case nil:
	case string:
		*t.dst = T(v)
	case []byte:
		*t.dst = T(v)
	default:
		return fmt.Errorf("scan a text from %T", src)
	}
	return nil
}

// timeOrZero scans a time, which is left alone for NULL.
func timeOrZero(dst *crier.Time) sql.Scanner { return timeTarget{dst} }

type timeTarget struct{ dst *crier.Time }

func (t timeTarget) Scan(src any) error {
	if src == nil {
		return nil
	}
	return t.dst.Scan(src)
}

// collect reads all rows and closes them.
func collect[T any](rows resultRows, scan func(scanner) (T, error)) ([]T, error) {
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// collectInto appends rows to a list, for questions.
func collectInto[T any](list *[]T, scan func(scanner) (T, error)) func(scanner) error {
	return func(row scanner) error {
		v, err := scan(row)
		*list = append(*list, v)
		return err
	}
}

// orNotFound turns sql.ErrNoRows into a crier.NotFound error.
func orNotFound(err error, noun string, id crier.ID) error {
	if errors.Is(err, sql.ErrNoRows) {
		return crier.NotFound("There is no %s %s.", noun, id)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", noun, err)
	}
	return nil
}

// orNil returns the row that was read, or nil if there is none; doing is what was being done, for errors.
func orNil[T any](row T, err error, doing string) (*T, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return &row, nil
}

// placeholders returns $from, $from+1, … for n values.
func placeholders(from, n int) string {
	marks := make([]byte, 0, n*len("$100, "))
	for i := range n {
		if i > 0 {
			marks = append(marks, ", "...)
		}
		marks = strconv.AppendInt(append(marks, '$'), int64(from+i), 10)
	}
	return string(marks)
}

// anys converts a list for use as arguments.
func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// forShare returns the clause of a shared lock on rows.
func (r reads) forShare() string {
	if r.forUpdate == "" {
		return "" // SQLite has a single writer
	}
	return " FOR SHARE"
}

// affectedOne returns an error unless a row was changed.
func affectedOne(res sql.Result, err error, noun string, id crier.ID) error {
	if err != nil {
		return changedOne(noun, id).outcome(0, err)
	}
	rows, err := res.RowsAffected()
	return changedOne(noun, id).outcome(rows, err)
}

// changedOne is affectedOne for queueExec.
func changedOne(noun string, id crier.ID) check {
	return check{want: 1, outcome: func(rows int64, err error) error {
		if err != nil {
			return fmt.Errorf("write %s: %w", noun, err)
		}
		if rows == 0 {
			return crier.NotFound("There is no %s %s.", noun, id)
		}
		return nil
	}}
}

// changed returns the check of queueExec for statements that may change any number of rows.
func changed(doing string) check {
	return check{want: -1, outcome: func(_ int64, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		return nil
	}}
}

// scanID reads a row that is an id.
func scanID(row scanner) (id crier.ID, err error) { return id, row.Scan(&id) }

// inList returns the placeholders of a list of ids from $from on, and its arguments. Lists are padded to the next power
// of two with their last id, so that few distinct statements serve lists of any length; an empty list matches nothing.
func inList(from int, ids []crier.ID) (marks string, args []any) {
	size := 1
	for size < len(ids) {
		size *= 2
	}
	args = make([]any, size)
	for i := range args {
		if len(ids) > 0 {
			args[i] = ids[min(i, len(ids)-1)]
		}
	}
	return placeholders(from, size), args
}
