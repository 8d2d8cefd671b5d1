-- +goose Up

-- How published posts did, as their networks told at some moments.
CREATE TABLE post_metrics (
    scheduled_post_id uuid NOT NULL REFERENCES scheduled_posts (id),
    taken_at          timestamptz NOT NULL,
    metrics           jsonb NOT NULL,
    PRIMARY KEY (scheduled_post_id, taken_at)
);
