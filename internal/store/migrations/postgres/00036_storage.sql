-- +goose Up
-- The bytes of a team's assets, for the organization's storage quota.
ALTER TABLE teams ADD COLUMN asset_bytes bigint NOT NULL DEFAULT 0;
UPDATE teams SET asset_bytes = coalesce(
    (SELECT sum(byte_size) FROM assets WHERE assets.team_id = teams.id AND assets.deleted_at IS NULL), 0);
