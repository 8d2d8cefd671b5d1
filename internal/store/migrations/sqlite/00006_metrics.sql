-- +goose Up

-- How published posts did, as their networks told at some moments.
CREATE TABLE post_metrics (
    scheduled_post_id text NOT NULL REFERENCES scheduled_posts (id),
    taken_at          timestamp NOT NULL,
    metrics           text NOT NULL,
    PRIMARY KEY (scheduled_post_id, taken_at)
);
