-- +goose Up

-- Every publication goes through several states, most of them alike to the indexes: those ask whether it may still happen and whether
-- it was called off, so that the others are changed without touching an index.
ALTER TABLE scheduled_posts ADD COLUMN live boolean NOT NULL GENERATED ALWAYS AS (status IN ('scheduled', 'publishing', 'processing', 'unknown')) VIRTUAL;
ALTER TABLE scheduled_posts ADD COLUMN canceled boolean NOT NULL GENERATED ALWAYS AS (status = 'canceled') VIRTUAL;

DROP INDEX scheduled_posts_live;
DROP INDEX scheduled_posts_slot;
DROP INDEX scheduled_posts_occupied;
DROP INDEX scheduled_posts_by_time;
DROP INDEX scheduled_posts_recurring;
DROP INDEX scheduled_posts_by_provider;
DROP INDEX scheduled_posts_by_account;
DROP INDEX scheduled_posts_planned;
CREATE UNIQUE INDEX scheduled_posts_live ON scheduled_posts (post_id, social_account_id) WHERE live;
CREATE UNIQUE INDEX scheduled_posts_slot ON scheduled_posts (social_account_id, slot_at) WHERE slot_at IS NOT NULL AND live;
CREATE INDEX scheduled_posts_occupied ON scheduled_posts (social_account_id, scheduled_at) WHERE live;
CREATE INDEX scheduled_posts_by_time ON scheduled_posts (team_id, scheduled_at, id) WHERE NOT canceled;
CREATE INDEX scheduled_posts_recurring ON scheduled_posts (team_id, scheduled_at) WHERE recurring AND live;
CREATE INDEX scheduled_posts_by_provider ON scheduled_posts (team_id, provider, post_id) WHERE NOT canceled;
CREATE INDEX scheduled_posts_by_account ON scheduled_posts (social_account_id, post_id) WHERE NOT canceled;
CREATE INDEX scheduled_posts_planned ON scheduled_posts (provider, scheduled_at) WHERE live;
