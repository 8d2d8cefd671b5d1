-- +goose Up
-- The credential that wrote a version: its next change within minutes may replace it. Null for versions from before.
ALTER TABLE payloads ADD COLUMN credential_id uuid;
-- True when some networks or accounts publish something else than the post: the calendar looks closer then.
ALTER TABLE payloads ADD COLUMN has_variants boolean NOT NULL DEFAULT false;
