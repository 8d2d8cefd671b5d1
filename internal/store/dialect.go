package store

import (
	"strings"

	"crier"
)

// Dialect is the kind of database.
type Dialect string

// The two databases.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// fragments are the SQL fragments in which the databases differ.
type fragments struct {
	// forUpdate is the clause of an exclusive lock on rows. It still allows new rows that refer to them: the database
	// checks references in its own order, which would lead to deadlocks.
	forUpdate string
	// listOfTimes reads the first argument, a JSON array of times, as rows of position (from 0) and instant.
	listOfTimes string
	// jsonRows reads the first argument, a JSON array of objects, as table v with the named columns; see jsonrows.go.
	jsonRows func(columns string) string
	// driven joins a table as alias by one lookup of key in its column for each row of the tables before it. PostgreSQL
	// is forced to do so: before the first ANALYZE of many new rows it assumes that the table is empty and would
	// compare each row with each.
	driven func(table, alias, column, key string) string
	// position is the function that returns the position of a text in another, 0 if there is none.
	position string
	// eachOf reads a JSON array in a column as table e with the column value.
	eachOf func(column string) string
	// indexed makes SQLite read a table by an index. Without statistics its planner may prefer another one.
	indexed func(index string) string
	// setLive and insertLive set live of a publication with its status, setLive also canceled; a trigger would write
	// the row once more. On PostgreSQL, they are generated.
	setLive    func(status string) string
	insertLive func(status string) (column, value string)
	// expiredKeys selects up to $2 idempotency keys that expired by $1. On SQLite it looks among the oldest rows: they
	// expire in the order in which they are inserted, and an index costs every request with a key a page or two.
	expiredKeys string
	// listCounts selects the values and counts of list $2 of team $1; on PostgreSQL also those that are not merged yet.
	listCounts string
	// postCount is the number of posts of team $1 that are neither deleted nor archived.
	postCount string
	// eventLog is the table with the range of the event log. SQLite derives its end from the events.
	eventLog string
}

var (
	sqliteFragments = fragments{listOfTimes: `(SELECT key AS position, value AS instant FROM json_each($1))`,
		jsonRows: sqliteJSONRows, position: "instr",
		driven: func(table, alias, column, key string) string {
			return "CROSS JOIN " + table + " " + alias + " ON " + alias + "." + column + " = " + key
		},
		eachOf:  func(column string) string { return "json_each(" + column + ") AS e" },
		indexed: func(index string) string { return " INDEXED BY " + index },
		setLive: func(status string) string {
			return ", live = " + status + " IN " + liveStatuses + ", canceled = " + status + " = 'canceled'"
		},
		insertLive: func(status string) (column, value string) {
			return ", live", ", " + status + " IN " + liveStatuses
		},
		expiredKeys: `SELECT k.principal_id, k.key
			FROM (SELECT * FROM idempotency_keys ORDER BY rowid LIMIT $2) AS k WHERE k.expires_at <= $1`,
		listCounts: listCounts,
		postCount:  postCountOf(listCounts),
		eventLog: `(SELECT id, max(last, coalesce((SELECT max(sequence) FROM events), 0)) AS last, swept
			FROM event_log)`}
	postgresFragments = fragments{
		forUpdate: " FOR NO KEY UPDATE",
		listOfTimes: `(SELECT n - 1 AS position, CAST(t AS timestamptz) AS instant
			FROM jsonb_array_elements_text($1) WITH ORDINALITY AS e (t, n))`,
		jsonRows: postgresJSONRows,
		driven: func(table, alias, column, key string) string {
			return "CROSS JOIN LATERAL (SELECT * FROM " + table + " WHERE " + table + "." + column + " = " + key +
				" OFFSET 0) AS " + alias
		},
		position:   "strpos",
		eachOf:     func(column string) string { return "jsonb_array_elements(" + column + ") AS e (value)" },
		indexed:    func(string) string { return "" },
		setLive:    func(string) string { return "" },
		insertLive: func(string) (column, value string) { return "", "" },
		expiredKeys: `SELECT k.principal_id, k.key
			FROM idempotency_keys k WHERE k.expires_at <= $1 ORDER BY k.expires_at LIMIT $2`,
		listCounts: mergingListCounts,
		postCount:  postCountOf(mergingListCounts),
		eventLog:   "event_log",
	}
)

const (
	listCounts        = `SELECT c.value, c.row_count AS n FROM list_counts c WHERE c.team_id = $1 AND c.list = $2`
	mergingListCounts = listCounts + ` UNION ALL SELECT x.value, x.change FROM list_changes x
		WHERE x.team_id = $1 AND x.list = $2`
)

// postCountOf returns the expression postCount for a query that selects counts. Their values begin with the status.
func postCountOf(counts string) string {
	return `(SELECT CAST(coalesce(sum(counts.n), 0) AS bigint) FROM (` +
		strings.ReplaceAll(counts, "$2", "'"+string(countedPosts)+"'") +
		`) AS counts WHERE substr(counts.value, 1, 9) <> '` + string(crier.PostArchived) + ` ')`
}
