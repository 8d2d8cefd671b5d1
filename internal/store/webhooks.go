package store

import (
	"context"
	"fmt"

	"crier"
)

// Webhook is a webhook with the fields that the API does not show.
type Webhook struct {
	crier.Webhook
	// Secret and OldSecret are sealed; OldSecret also signs until OldSecretEndsAt.
	Secret, OldSecret []byte
	OldSecretEndsAt   *crier.Time
	// AfterSequence is the sequence after which events are delivered to it.
	AfterSequence int64
	// Failures counts the attempts that have failed since the last success.
	Failures int64
}

const webhookColumns = `w.id, w.organization_id, w.url, w.types, w.team_ids, w.description, w.status,
	w.disabled_reason, w.secret, w.old_secret, w.old_secret_ends_at, w.after_sequence, w.failures, w.failing_since,
	w.created_at, w.updated_at`

func scanWebhook(row scanner) (w Webhook, err error) {
	var types *[]string
	var teams *[]crier.ID
	err = row.Scan(&w.ID, &w.OrganizationID, &w.URL, intoJSON(&types), intoJSON(&teams), &w.Description, &w.Status,
		&w.DisabledReason, &w.Secret, &w.OldSecret, &w.OldSecretEndsAt, &w.AfterSequence, &w.Failures, &w.FailingSince,
		&w.CreatedAt, &w.UpdatedAt)
	if types != nil {
		w.Types = *types
	}
	if teams != nil {
		w.TeamIDs = *teams
	}
	return w, err
}

// teamsOrNull writes null for all teams.
func teamsOrNull(teams []crier.ID) jsonColumn[[]crier.ID] {
	if teams == nil {
		return asJSON[[]crier.ID](nil)
	}
	return asJSON(&teams)
}

// InsertWebhook inserts a webhook, which receives events from now on.
func (tx *Tx) InsertWebhook(ctx context.Context, w Webhook) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO webhooks (id, organization_id, url, types, team_ids, description,
		status,
		secret, after_sequence, created_at, updated_at)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, l.last, $9, $9 FROM `+tx.eventLog+` l WHERE l.id = 1`,
		w.ID, w.OrganizationID, w.URL, asJSON(&w.Types), teamsOrNull(w.TeamIDs), w.Description, w.Status, w.Secret,
		w.CreatedAt)
	if err != nil {
		return fmt.Errorf("insert webhook: %w", err)
	}
	return nil
}

// UpdateWebhook writes the mutable fields of a webhook. One that is enabled receives events from now on.
func (tx *Tx) UpdateWebhook(ctx context.Context, w Webhook, switchedOn bool) error {
	after := `after_sequence`
	if switchedOn {
		after = `(SELECT l.last FROM ` + tx.eventLog + ` l WHERE l.id = 1)`
	}
	res, err := tx.q.ExecContext(ctx, `UPDATE webhooks SET url = $2, types = $3, team_ids = $4, description = $5,
		status = $6, disabled_reason = $7, secret = $8, old_secret = $9, old_secret_ends_at = $10, failures = $11,
		failing_since = $12, updated_at = $13, after_sequence = `+after+` WHERE id = $1`,
		w.ID, w.URL, asJSON(&w.Types), teamsOrNull(w.TeamIDs), w.Description, w.Status, w.DisabledReason, w.Secret,
		w.OldSecret, w.OldSecretEndsAt, w.Failures, w.FailingSince, w.UpdatedAt)
	return affectedOne(res, err, "webhook", w.ID)
}

// LockWebhook reads and locks a webhook of an organization.
func (tx *Tx) LockWebhook(ctx context.Context, organization, id crier.ID) (Webhook, error) {
	w, err := scanWebhook(tx.q.QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhooks w
		WHERE w.id = $1 AND w.organization_id = $2`+tx.forUpdate, id, organization))
	return w, orNotFound(err, "webhook", id)
}

// Webhook reads a webhook of an organization.
func (r reads) Webhook(ctx context.Context, organization, id crier.ID) (Webhook, error) {
	w, err := scanWebhook(r.q.QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhooks w
		WHERE w.id = $1 AND w.organization_id = $2`, id, organization))
	return w, orNotFound(err, "webhook", id)
}

// Webhooks reads one page of an organization's webhooks.
func (r reads) Webhooks(ctx context.Context, organization crier.ID, q PageQuery) (PageRows[Webhook], error) {
	list := listing[Webhook]{
		columns: webhookColumns, from: "webhooks w", id: "w.id",
		sorts:    map[string]string{"createdAt": "w.created_at"},
		branches: []branch{{where: "w.organization_id = ?", args: []any{organization}}},
		scan:     scanWebhook,
		key:      func(w Webhook, _ string) Key { return Key{Value: w.CreatedAt, ID: w.ID} },
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list webhooks: %w", err)
	}
	return page, nil
}

// WebhookCount returns the number of webhooks of an organization. They are few.
func (r reads) WebhookCount(ctx context.Context, organization crier.ID) (n int64, err error) {
	err = r.q.QueryRowContext(ctx, `SELECT count(*) FROM webhooks WHERE organization_id = $1`, organization).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count webhooks: %w", err)
	}
	return n, nil
}

// DeleteWebhook deletes a webhook and its deliveries.
func (tx *Tx) DeleteWebhook(ctx context.Context, id crier.ID) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM webhook_deliveries WHERE webhook_id = $1`, id); err != nil {
		return fmt.Errorf("delete the deliveries of a webhook: %w", err)
	}
	res, err := tx.q.ExecContext(ctx, `DELETE FROM webhooks WHERE id = $1`, id)
	return affectedOne(res, err, "webhook", id)
}

// SweepOldSecrets deletes the previous secrets of webhooks whose grace period is over.
func (tx *Tx) SweepOldSecrets(ctx context.Context, now crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE webhooks SET old_secret = NULL, old_secret_ends_at = NULL
		WHERE old_secret IS NOT NULL AND old_secret_ends_at <= $1`, now)
	if err != nil {
		return fmt.Errorf("delete the previous secrets of webhooks: %w", err)
	}
	return nil
}

// EnabledWebhooks reads the enabled webhooks of all organizations, in a fixed order.
func (tx *Tx) EnabledWebhooks(ctx context.Context) ([]Webhook, error) {
	rows, err := tx.q.QueryContext(ctx, `SELECT `+webhookColumns+` FROM webhooks w WHERE w.status = 'enabled'
		ORDER BY w.id`)
	if err != nil {
		return nil, fmt.Errorf("read webhooks: %w", err)
	}
	return collect(rows, scanWebhook)
}

// HasWebhooks reports whether any webhook is enabled.
func (r reads) HasWebhooks(ctx context.Context) (has bool, err error) {
	err = r.keyed.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM webhooks WHERE status = 'enabled')`).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for webhooks: %w", err)
	}
	return has, nil
}

// Dispatched returns the last event that was dispatched to the webhooks.
func (r reads) Dispatched(ctx context.Context) (at int64, err error) {
	err = r.keyed.QueryRowContext(ctx, `SELECT dispatched FROM webhook_log WHERE id = 1`).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("read the last event of the webhooks: %w", err)
	}
	return at, nil
}

// LockDispatched is Dispatched with a lock, so that no other node dispatches events meanwhile.
func (tx *Tx) LockDispatched(ctx context.Context) (at int64, err error) {
	err = tx.q.QueryRowContext(ctx, `SELECT dispatched FROM webhook_log WHERE id = 1`+tx.forUpdate).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("read the last event of the webhooks: %w", err)
	}
	return at, nil
}

// SetDispatched records the last event that was dispatched to the webhooks.
func (tx *Tx) SetDispatched(ctx context.Context, at int64) error {
	return tx.queueExec(ctx, changed("note the last event of the webhooks"),
		`UPDATE webhook_log SET dispatched = $1 WHERE id = 1`, at)
}

// Recipient is a user who has an e-mail address.
type Recipient struct {
	UserID crier.ID
	Email  crier.Email
}

// OwnersToMail returns the owners of an organization that have an e-mail address, or its admins if no owner has one.
func (r reads) OwnersToMail(ctx context.Context, organization crier.ID) ([]Recipient, error) {
	for _, role := range []crier.Role{crier.RoleOwner, crier.RoleAdmin} {
		rows, err := r.q.QueryContext(ctx, `SELECT u.id, u.email FROM `+memberTables+` WHERE m.organization_id = $1
			AND m.principal_kind = 'user' AND m.role = $2 AND u.email IS NOT NULL ORDER BY m.created_at`, organization,
			role)
		if err != nil {
			return nil, fmt.Errorf("read the addresses of owners: %w", err)
		}
		list, err := collect(rows, func(row scanner) (to Recipient, err error) {
			return to, row.Scan(&to.UserID, &to.Email)
		})
		if err != nil || len(list) > 0 {
			return list, err
		}
	}
	return nil, nil
}

// WebhookByID reads a webhook, for jobs; nil if it was deleted.
func (r reads) WebhookByID(ctx context.Context, id crier.ID) (*Webhook, error) {
	w, err := scanWebhook(r.q.QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhooks w WHERE w.id = $1`, id))
	return orNil(w, err, "read webhook")
}

// LockWebhookByID is WebhookByID with a lock.
func (tx *Tx) LockWebhookByID(ctx context.Context, id crier.ID) (*Webhook, error) {
	w, err := scanWebhook(tx.q.QueryRowContext(ctx,
		`SELECT `+webhookColumns+` FROM webhooks w WHERE w.id = $1`+tx.forUpdate, id))
	return orNil(w, err, "read webhook")
}
