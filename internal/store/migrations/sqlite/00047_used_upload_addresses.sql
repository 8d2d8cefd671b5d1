-- +goose Up
-- Signed upload addresses that have been used, until they expire: each takes one file.
CREATE TABLE used_upload_addresses (
    id         text PRIMARY KEY,
    expires_at timestamp NOT NULL
);
CREATE INDEX used_upload_addresses_by_expiry ON used_upload_addresses (expires_at);
