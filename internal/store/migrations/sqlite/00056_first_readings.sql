-- +goose Up

-- The first metrics reading of a post is planned when the post is counted, not in its settlement. This is the last
-- event of the settlements that did plan it.
ALTER TABLE analytics_log ADD COLUMN planned integer NOT NULL DEFAULT 0;
UPDATE analytics_log SET planned = (SELECT last FROM event_log WHERE id = 1);
