-- +goose Up
-- When this store was restored, and when the backup that it was restored from was made: what may have been published
-- between the two is looked for before it is sent. Null: the store was never restored.
ALTER TABLE instance ADD COLUMN backed_up_at timestamptz;
ALTER TABLE instance ADD COLUMN restored_at timestamptz;
