-- +goose NO TRANSACTION
-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS post_metrics_by_time ON post_metrics (taken_at);
