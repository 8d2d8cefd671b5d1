package store

import (
	"encoding/hex"
	"encoding/json"
	"strings"

	"crier"
)

// Rows may come with a statement as one argument, a JSON list of objects, which the statement reads like a table: many rows cost one
// statement, of one text whatever their number. In a second in which many posts are due, planning, starting and checking single
// statements would take most of the databases' time.

// postgresGiven is the first argument as the table v. columns are names and types of PostgreSQL, as in "key uuid, epoch bigint"; none may
// be called like a column that the statement returns.
func postgresGiven(columns string) string { return `jsonb_to_recordset($1) AS v (` + columns + `)` }

// sqliteGiven is the same.
func sqliteGiven(columns string) string {
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

// givenTime is a time in a given row, as both databases keep it; nil is NULL.
type givenTime crier.Time

// MarshalJSON keeps the microseconds, which the form on the wire does not.
func (t givenTime) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.Time.UTC().Format(sqliteTime) + `"`), nil
}

// givenBytes are bytes in a given row; nil is NULL.
type givenBytes []byte

// MarshalJSON writes the hexadecimal form of PostgreSQL.
func (b givenBytes) MarshalJSON() ([]byte, error) {
	if b == nil {
		return []byte("null"), nil
	}
	return []byte(`"\\x` + hex.EncodeToString(b) + `"`), nil
}

// givenText is text in a given row; none is NULL.
type givenText string

// MarshalJSON writes null for none.
func (t givenText) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// keyRow is a given row that is an id.
type keyRow struct {
	Key crier.ID `json:"key"`
}

// keys are ids as given rows, for "key uuid".
func keys(ids []crier.ID) any {
	rows := make([]keyRow, len(ids))
	for i, id := range ids {
		rows[i] = keyRow{id}
	}
	return asJSON(&rows)
}

// once splits a list into lists in which no publication stands twice: one statement changes a row once.
func once[T any](list []T, ref func(T) Ref) [][]T {
	var rounds [][]T
	seen := map[Ref]int{}
	for _, item := range list {
		round := seen[ref(item)]
		seen[ref(item)]++
		if round == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[round] = append(rounds[round], item)
	}
	return rounds
}

// ofKind are the items of a list that are posts, or those that are actions.
func ofKind[T any](list []T, action bool, ref func(T) Ref) []T {
	var kept []T
	for _, item := range list {
		if ref(item).Action == action {
			kept = append(kept, item)
		}
	}
	return kept
}
