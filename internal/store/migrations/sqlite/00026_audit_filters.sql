-- +goose Up
-- What an action made.
ALTER TABLE audit_log ADD COLUMN created_id text;
CREATE INDEX audit_log_by_action ON audit_log (organization_id, action, created_at, id);
CREATE INDEX audit_log_by_principal ON audit_log (organization_id, principal_id, created_at, id);
CREATE INDEX credit_transactions_by_kind ON credit_transactions (organization_id, kind, created_at, id);
CREATE INDEX credit_transactions_by_post ON credit_transactions (scheduled_post_id, created_at, id)
    WHERE scheduled_post_id IS NOT NULL;
