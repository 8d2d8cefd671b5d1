package store

import (
	"cmp"
	"context"
	"slices"

	"crier"
)

// creditChange is the change of an organization's available credits in a transaction.
type creditChange struct {
	delta int64
	at    crier.Time
}

// changeCredits makes the end of the transaction check whether the credits of an organization fell below their
// threshold or reached it again. A capture spends reserved credits and does not change the available ones.
func (tx *Tx) changeCredits(organization crier.ID, delta int64, at crier.Time) {
	if tx.credits == nil {
		tx.credits = map[crier.ID]creditChange{}
	}
	tx.credits[organization] = creditChange{delta: tx.credits[organization].delta + delta, at: at}
}

// creditChangeRow is an input row of the statements that compare credits with their threshold.
type creditChangeRow struct {
	Key          crier.ID `json:"key"`
	Organization crier.ID `json:"organization"`
	Delta        int64    `json:"delta"`
	CreatedAt    jsonTime `json:"created"`
}

// SQL of the comparison: organizations are o, rows are v, and $2 is the threshold of the installation, which an
// organization raises with that of its automatic recharge.
//
//nolint:gosec // no credentials
const (
	creditChangeColumns = `key uuid, organization uuid, delta bigint, created timestamptz`
	creditsAvailable    = `(o.credits_balance - o.reserved_credits)`
	creditsThreshold    = `(CASE WHEN o.auto_recharge_threshold > $2 THEN o.auto_recharge_threshold ELSE $2 END)`
	creditsCrossed      = `CASE WHEN o.credits_low THEN ` + creditsAvailable + ` >= ` + creditsThreshold + `
		ELSE v.delta <= 0 AND ` + creditsAvailable + ` < ` + creditsThreshold + ` END`
	creditsEventData = `'{"object":{"creditsBalance":' || o.credits_balance || ',"reservedCredits":' ||
		o.reserved_credits || ',"availableCredits":' || ` + creditsAvailable + ` || ',"threshold":' ||
		` + creditsThreshold + ` || '},"previous":{' || CASE WHEN v.delta = 0 THEN '' ELSE '"availableCredits":' ||
		(` + creditsAvailable + ` - v.delta) END || '}}'`
)

// writeCreditEvents writes the events of credits that fell below their threshold or reached it again. The database
// compares, so that scheduling and settling need not read credits back: on PostgreSQL it costs no round trip.
func (tx *Tx) writeCreditEvents(ctx context.Context) error {
	rows := make([]creditChangeRow, 0, len(tx.credits))
	for id, c := range tx.credits {
		rows = append(rows, creditChangeRow{Key: crier.NewID(), Organization: id, Delta: c.delta,
			CreatedAt: jsonTime(c.at)})
	}
	if len(rows) == 0 {
		return nil
	}
	slices.SortFunc(rows, func(a, b creditChangeRow) int { return cmp.Compare(a.Organization, b.Organization) })
	changes := tx.jsonRows(creditChangeColumns)
	kind := `CASE WHEN o.credits_low THEN '` + string(crier.CreditsRecharged) + `' ELSE '` +
		string(crier.CreditsLow) + `' END`
	count := check{want: -1, outcome: func(n int64, err error) error {
		tx.wroteEvents = tx.wroteEvents || n > 0
		return changed("tell of credits").outcome(n, err)
	}}
	insert := `INSERT INTO events (id, organization_id, type, data, created_at) SELECT v.key, o.id, ` + kind + `,
		` + creditsEventData + `, v.created FROM ` + changes + ` JOIN organizations o ON o.id = v.organization
		WHERE ` + hasID + ` AND ` + creditsCrossed
	if tx.pipe == nil {
		insert = `INSERT INTO events (id, written, sequence, organization_id, type, data, created_at) SELECT v.key,
			l.last + row_number() OVER (ORDER BY v.key), l.last + row_number() OVER (ORDER BY v.key), o.id, ` + kind + `,
			` + creditsEventData + `, v.created FROM ` + changes + ` JOIN organizations o ON o.id = v.organization
			JOIN ` + tx.eventLog + ` l ON l.id = 1 WHERE ` + creditsCrossed
	}
	if err := tx.queueExec(ctx, count, insert, asJSON(&rows), tx.creditsLow); err != nil {
		return err
	}
	return tx.queueExec(ctx, changed("note few credits"), `UPDATE organizations AS o SET credits_low = NOT o.credits_low
		FROM `+changes+` WHERE o.id = v.organization AND `+creditsCrossed, asJSON(&rows), tx.creditsLow)
}
