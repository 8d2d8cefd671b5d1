-- +goose Up

-- Who began a consent, for the audit log: the browser that comes back from the network shows no token. Empty for consents that were under
-- way when this was added.
ALTER TABLE connections ADD COLUMN principal_kind text NOT NULL DEFAULT '';
ALTER TABLE connections ADD COLUMN principal_id text NOT NULL DEFAULT '';
ALTER TABLE connections ADD COLUMN person_id text NOT NULL DEFAULT '';
