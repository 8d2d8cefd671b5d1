package store

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"crier"
)

// A statement can take rows as a single argument, a JSON array of objects, and read it like a table: any number of rows
// costs one statement with one text. When many posts are due in the same second, planning and starting single
// statements would take most of the database's time.

// postgresJSONRows reads the first argument as table v. columns are PostgreSQL names and types, such as "key uuid,
// epoch bigint"; none may have the name of a column that the statement returns.
func postgresJSONRows(columns string) string { return `jsonb_to_recordset($1) AS v (` + columns + `)` }

// sqliteJSONRows is postgresJSONRows for SQLite.
func sqliteJSONRows(columns string) string {
	fields := strings.Split(strings.Join(strings.Fields(columns), " "), ", ")
	for i, column := range fields {
		name, kind, _ := strings.Cut(column, " ")
		value := `value ->> '` + name + `'`
		if kind == "bytea" {
			value = `unhex(substr(` + value + `, 3))`
		}
		fields[i] = value + ` AS ` + name
	}
	return `(SELECT ` + strings.Join(fields, ", ") + ` FROM jsonb_each($1)) AS v`
}

// encodedRow is a JSON row that is encoded already. What many writers encode before they wait for a transaction is
// encoded concurrently, and nobody waits for it while the transaction holds its locks.
type encodedRow []byte

// encodeRow encodes a row, unless it was encoded before.
func encodeRow(before encodedRow, row any) (encodedRow, error) {
	if before != nil {
		return before, nil
	}
	data, err := json.Marshal(row)
	if err != nil {
		return nil, fmt.Errorf("encode a row: %w", err)
	}
	return data, nil
}

// encodedRows are rows as a statement takes them.
type encodedRows []encodedRow

func (encodedRows) isEncoded() {}

// Value joins the rows without parsing them again.
func (l encodedRows) Value() (driver.Value, error) { return l.join(false), nil }

// numberedRows are rows with their numbers, from 1, as a further column n.
type numberedRows struct{ encodedRows }

// Value joins the rows without parsing them again.
func (l numberedRows) Value() (driver.Value, error) { return l.join(true), nil }

func (l encodedRows) join(numbered bool) string {
	const most = len(`,"n":0000000},`)
	size := len("[]")
	for _, row := range l {
		size += len(row) + most
	}
	var list strings.Builder
	list.Grow(size)
	list.WriteByte('[')
	for i, row := range l {
		if i > 0 {
			list.WriteByte(',')
		}
		if !numbered {
			list.Write(row)
			continue
		}
		list.Write(row[:len(row)-1])
		list.WriteString(`,"n":`)
		list.WriteString(strconv.Itoa(i + 1))
		list.WriteByte('}')
	}
	list.WriteByte(']')
	return list.String()
}

// jsonTime is a time in a JSON row, in the format that both databases store.
type jsonTime crier.Time

// MarshalJSON keeps the microseconds, which the API format drops.
func (t jsonTime) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.Time.UTC().Format(crier.StoredTimeLayout) + `"`), nil
}

// jsonBytes are bytes in a JSON row; nil is NULL.
type jsonBytes []byte

// MarshalJSON writes PostgreSQL's hexadecimal format.
func (b jsonBytes) MarshalJSON() ([]byte, error) {
	if b == nil {
		return []byte("null"), nil
	}
	return []byte(`"\\x` + hex.EncodeToString(b) + `"`), nil
}

// jsonText is text in a JSON row; empty is NULL.
type jsonText string

// MarshalJSON writes null for the empty string.
func (t jsonText) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// keyRow is a JSON row with an id.
type keyRow struct {
	Key crier.ID `json:"key"`
}

// keys returns ids as JSON rows with the column "key uuid".
func keys(ids []crier.ID) any {
	rows := make([]keyRow, len(ids))
	for i, id := range ids {
		rows[i] = keyRow{id}
	}
	return asJSON(&rows)
}

// splitUnique splits a list so that no part names a publication twice: a statement updates a row only once.
func splitUnique[T any](list []T, id func(T) crier.ID) [][]T {
	var rounds [][]T
	seen := map[crier.ID]int{}
	for _, item := range list {
		round := seen[id(item)]
		seen[id(item)]++
		if round == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[round] = append(rounds[round], item)
	}
	return rounds
}
