package store

import (
	"context"
	"fmt"

	"crier"
)

// Delivery is the delivery of an event to a webhook.
type Delivery struct {
	crier.WebhookDelivery
	OrganizationID crier.ID
	EventSequence  int64
	// Claimed is true while a worker holds it. DueAt is when to try next, or when a claim is considered lost.
	Claimed bool
	DueAt   *crier.Time
	// Epoch grows with every claim, so that a worker whose claim was considered lost finds a newer one.
	Epoch int64
	// BegunAt is when it was first tried since it was created or redelivered.
	BegunAt *crier.Time
	// Event is the event as written; nil if it was swept.
	Event *Event
}

const deliveryColumns = `d.id, d.webhook_id, d.organization_id, d.event_id, d.event_sequence, d.event_type, d.status,
	d.claimed, d.epoch, d.due_at, d.begun_at, d.tries, d.attempts, d.created_at, d.updated_at,
	e.id, e.sequence, e.type, e.team_id, e.created_at, e.data`

const deliveryTables = `webhook_deliveries d LEFT JOIN events e ON e.id = d.event_id`

func scanDelivery(row scanner) (d Delivery, err error) {
	var attempts *[]crier.WebhookAttempt
	var id, team *crier.ID
	var sequence *int64
	var kind *crier.EventType
	var at *crier.Time
	var data *string
	err = row.Scan(&d.ID, &d.WebhookID, &d.OrganizationID, &d.EventID, &d.EventSequence, &d.EventType, &d.Status,
		&d.Claimed, &d.Epoch, &d.DueAt, &d.BegunAt, &d.Tries, intoJSON(&attempts), &d.CreatedAt, &d.UpdatedAt,
		&id, &sequence, &kind, &team, &at, &data)
	if err != nil {
		return d, err
	}
	d.Attempts = []crier.WebhookAttempt{}
	if attempts != nil {
		d.Attempts = *attempts
	}
	if id != nil && sequence != nil {
		d.Event = &Event{Event: crier.Event{ID: *id, Sequence: *sequence, Type: *kind, OrganizationID: d.OrganizationID,
			TeamID: team, CreatedAt: *at}, Data: []byte(*data)}
	}
	return d, nil
}

// deliveryRow is an input row of InsertDeliveries.
type deliveryRow struct {
	Key          crier.ID        `json:"key"`
	Webhook      crier.ID        `json:"webhook"`
	Organization crier.ID        `json:"organization"`
	Event        crier.ID        `json:"event"`
	Sequence     int64           `json:"seq"`
	Type         crier.EventType `json:"kind"`
}

// InsertDeliveries inserts deliveries of events to webhooks. Existing ones are left alone; if again is true, those that
// have ended start again.
func (tx *Tx) InsertDeliveries(ctx context.Context, list []Delivery, again bool, now crier.Time) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]deliveryRow, len(list))
	for i, d := range list {
		rows[i] = deliveryRow{Key: d.ID, Webhook: d.WebhookID, Organization: d.OrganizationID, Event: d.EventID,
			Sequence: d.EventSequence, Type: d.EventType}
	}
	conflict := `DO NOTHING`
	if again {
		conflict = `DO UPDATE SET status = 'pending', claimed = false, epoch = webhook_deliveries.epoch + 1,
			due_at = excluded.due_at, begun_at = NULL, tries = 0, updated_at = excluded.updated_at
			WHERE webhook_deliveries.status <> 'pending'`
	}
	_, err := tx.q.ExecContext(ctx, `INSERT INTO webhook_deliveries (id, webhook_id, organization_id, event_id,
		event_sequence, event_type, status, claimed, epoch, due_at, tries, attempts, created_at, updated_at)
		SELECT v.key, v.webhook, v.organization, v.event, v.seq, v.kind, 'pending', false, 0, $2, 0, '[]', $2, $2
		FROM `+tx.jsonRows(`key uuid, webhook uuid, organization uuid, event uuid, seq bigint, kind text`)+`
		WHERE true ON CONFLICT (webhook_id, event_id) `+conflict, asJSON(&rows), now)
	if err != nil {
		return fmt.Errorf("insert deliveries: %w", err)
	}
	return nil
}

// ClaimedDeliveries counts the claimed deliveries of a webhook, and of all webhooks of its organization.
func (tx *Tx) ClaimedDeliveries(ctx context.Context, organization, webhook crier.ID, now crier.Time) (of, all int,
	err error) {
	err = tx.q.QueryRowContext(ctx, `SELECT count(CASE WHEN d.webhook_id = $2 THEN 1 END), count(*)
		FROM webhook_deliveries d WHERE d.organization_id = $1 AND d.claimed AND d.due_at > $3`, organization, webhook,
		now).Scan(&of, &all)
	if err != nil {
		return 0, 0, fmt.Errorf("count deliveries: %w", err)
	}
	return of, all, nil
}

// Claim is a delivery claimed by a worker.
type Claim struct {
	ID    crier.ID
	Epoch int64
}

// ClaimDeliveries claims due deliveries of a webhook until a time, oldest first. The webhook must be locked.
func (tx *Tx) ClaimDeliveries(ctx context.Context, webhook crier.ID, limit int, now, until crier.Time) ([]Claim,
	error) {
	if limit <= 0 {
		return nil, nil
	}
	rows, err := tx.q.QueryContext(ctx, `UPDATE webhook_deliveries SET claimed = true, epoch = epoch + 1, due_at = $3
		WHERE id IN (SELECT d.id FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.status = 'pending'
			AND d.due_at <= $2 ORDER BY d.due_at, d.event_sequence LIMIT $4) RETURNING id, epoch`, webhook, now, until, limit)
	if err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}
	return collect(rows, func(row scanner) (c Claim, err error) { return c, row.Scan(&c.ID, &c.Epoch) })
}

// WakeWebhook sets when a webhook must be processed again: when a delivery is due or its claim is considered lost.
func (tx *Tx) WakeWebhook(ctx context.Context, webhook crier.ID) error {
	return tx.queueExec(ctx, changed("note when a webhook is due"), `UPDATE webhooks SET wake_at = (SELECT d.due_at
		FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.status = 'pending' ORDER BY d.due_at LIMIT 1)
		WHERE id = $1`, webhook)
}

// DueWebhooks returns the webhooks with due deliveries.
func (r reads) DueWebhooks(ctx context.Context, now crier.Time) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT w.id FROM webhooks w WHERE w.wake_at <= $1 AND w.status = 'enabled'
		ORDER BY w.wake_at LIMIT 1000`, now)
	if err != nil {
		return nil, fmt.Errorf("look for webhooks that are due: %w", err)
	}
	return collect(rows, scanID)
}

// ClaimedDelivery reads a delivery claimed by a worker; nil if the worker has lost the claim.
func (r reads) ClaimedDelivery(ctx context.Context, c Claim) (*Delivery, error) {
	d, err := scanDelivery(r.q.QueryRowContext(ctx, `SELECT `+deliveryColumns+` FROM `+deliveryTables+`
		WHERE d.id = $1 AND d.epoch = $2 AND d.status = 'pending' AND d.claimed`, c.ID, c.Epoch))
	return orNil(d, err, "read a delivery")
}

// FinishDelivery writes the result of an attempt; ok is false if the claim was lost meanwhile.
func (tx *Tx) FinishDelivery(ctx context.Context, d Delivery) (ok bool, err error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE webhook_deliveries SET status = $3, claimed = false, due_at = $4,
		begun_at = $5, tries = $6, attempts = $7, updated_at = $8 WHERE id = $1 AND epoch = $2 AND claimed`,
		d.ID, d.Epoch, d.Status, d.DueAt, d.BegunAt, d.Tries, asJSON(&d.Attempts), d.UpdatedAt)
	if err != nil {
		return false, fmt.Errorf("write a delivery: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// GiveUpDeliveries ends the pending deliveries of a webhook.
func (tx *Tx) GiveUpDeliveries(ctx context.Context, webhook crier.ID, now crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE webhook_deliveries SET status = 'failed', claimed = false, due_at = NULL,
		epoch = epoch + 1, updated_at = $2 WHERE webhook_id = $1 AND status = 'pending'`, webhook, now)
	if err != nil {
		return fmt.Errorf("give up deliveries: %w", err)
	}
	return nil
}

// Deliveries reads one page of a webhook's deliveries, filtered by event and status if given.
func (r reads) Deliveries(ctx context.Context, webhook, event crier.ID, status crier.WebhookDeliveryStatus,
	q PageQuery) (PageRows[Delivery], error) {
	b := branch{where: "d.webhook_id = ?", args: []any{webhook}}
	if event != "" {
		b.where, b.args = b.where+" AND d.event_id = ?", append(b.args, event)
	}
	if status != "" {
		b.where, b.args = b.where+" AND d.status = ?", append(b.args, status)
	}
	list := listing[Delivery]{
		columns: deliveryColumns, from: deliveryTables, id: "d.id",
		sorts:    map[string]string{"createdAt": "d.created_at"},
		branches: []branch{b},
		scan:     scanDelivery,
		key:      func(d Delivery, _ string) Key { return Key{Value: d.CreatedAt, ID: d.ID} },
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list deliveries: %w", err)
	}
	return page, nil
}

// DeliveryCount counts the deliveries of a webhook, filtered by event and status if given.
func (r reads) DeliveryCount(ctx context.Context, webhook, event crier.ID,
	status crier.WebhookDeliveryStatus) (n int64, err error) {
	err = r.q.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = $1
		AND ($2 = '' OR CAST(d.event_id AS text) = $2) AND ($3 = '' OR d.status = $3) LIMIT $4) AS counted`, webhook,
		string(event), string(status), countedMost).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count deliveries: %w", err)
	}
	return n, nil
}

// countedMost limits counting deliveries.
const countedMost = 10_000

// LockDelivery reads and locks a delivery of a webhook, to restart it.
func (tx *Tx) LockDelivery(ctx context.Context, webhook, id crier.ID) (Delivery, error) {
	var found crier.ID
	err := tx.q.QueryRowContext(ctx,
		`SELECT id FROM webhook_deliveries WHERE id = $1 AND webhook_id = $2`+tx.forUpdate, id, webhook).Scan(&found)
	if err := orNotFound(err, "delivery", id); err != nil {
		return Delivery{}, err
	}
	d, err := scanDelivery(tx.q.QueryRowContext(ctx, `SELECT `+deliveryColumns+` FROM `+deliveryTables+`
		WHERE d.id = $1`, id))
	return d, orNotFound(err, "delivery", id)
}

// SweepDeliveries deletes deliveries of events that were swept.
func (tx *Tx) SweepDeliveries(ctx context.Context) (int64, error) {
	res, err := tx.q.ExecContext(ctx, `DELETE FROM webhook_deliveries WHERE id IN (SELECT d.id FROM webhook_deliveries d
		WHERE d.event_sequence <= (SELECT swept FROM event_log WHERE id = 1) ORDER BY d.event_sequence LIMIT $1)`,
		sweepBatch)
	if err != nil {
		return 0, fmt.Errorf("sweep deliveries: %w", err)
	}
	return res.RowsAffected()
}

// RestartDelivery restarts a delivery at once.
func (tx *Tx) RestartDelivery(ctx context.Context, id crier.ID, now crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE webhook_deliveries SET status = 'pending', claimed = false,
		epoch = epoch + 1, due_at = $2, begun_at = NULL, tries = 0, updated_at = $2 WHERE id = $1`, id, now)
	return affectedOne(res, err, "delivery", id)
}
