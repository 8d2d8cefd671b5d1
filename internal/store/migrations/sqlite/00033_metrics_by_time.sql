-- +goose Up
CREATE INDEX post_metrics_by_time ON post_metrics (taken_at);
