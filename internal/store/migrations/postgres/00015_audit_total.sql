-- +goose Up

-- How many entries of the audit log there are up to a time; upkeep moves the time on. Later entries are counted when somebody asks.
-- audit_count, which every writer of an organization had to wait for, is no longer used; nodes of the previous version still write it.
ALTER TABLE organizations ADD COLUMN audit_total bigint NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN audit_counted_to timestamptz NOT NULL DEFAULT '0001-01-01 00:00:00+00:00';
