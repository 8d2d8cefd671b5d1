-- +goose Up
-- Who asked for a secret of a key; null: the person who made the key.
ALTER TABLE api_key_secrets ADD COLUMN issued_by_id uuid REFERENCES users (id);
