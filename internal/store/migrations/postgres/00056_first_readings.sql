-- +goose Up

-- The last event of the settlements that plan the first metrics reading of their post: here, all do.
ALTER TABLE analytics_log ADD COLUMN planned bigint NOT NULL DEFAULT 9223372036854775807;
