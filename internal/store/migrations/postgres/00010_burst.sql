-- +goose Up

-- Nobody looks for open attempts by themselves; without this index the end of an attempt touches no index.
DROP INDEX attempts_open;

-- Rows that change soon after they are written leave room on their pages for their next versions.
ALTER TABLE attempts SET (fillfactor = 60);
ALTER TABLE scheduled_posts SET (fillfactor = 75);
