-- +goose Up

-- The publications of posts and what follows them become rows of one table, told apart by kind.
ALTER TABLE scheduled_posts ADD COLUMN kind text NOT NULL DEFAULT 'post' CHECK (kind IN ('post', 'first_comment', 'engagement_comment', 'repost'));
ALTER TABLE scheduled_posts ADD COLUMN parent_id text REFERENCES scheduled_posts (id); -- the publication that this one follows
ALTER TABLE scheduled_posts ADD COLUMN spec text; -- what to do, of those that follow one
ALTER TABLE scheduled_posts ADD COLUMN expires_at timestamp; -- the end of a like trigger's window
ALTER TABLE scheduled_posts RENAME TO publications;

DROP INDEX scheduled_posts_live;
DROP INDEX scheduled_posts_slot;
DROP INDEX scheduled_posts_occupied;
DROP INDEX scheduled_posts_by_post;
DROP INDEX scheduled_posts_by_time;
DROP INDEX scheduled_posts_recurring;
DROP INDEX scheduled_posts_by_provider;
DROP INDEX scheduled_posts_by_account;
DROP INDEX scheduled_posts_to_wake;
DROP INDEX scheduled_posts_planned;
