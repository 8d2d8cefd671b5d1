-- +goose Up
-- Whose organization a kept answer tells of: it is given again to members only. Null: none, or kept before this was noted.
ALTER TABLE idempotency_keys ADD COLUMN organization_id uuid;
