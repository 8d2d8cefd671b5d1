-- +goose Up

-- A browser session has an id, so that people can see where they are signed in and end a session without its token.
ALTER TABLE sessions ADD COLUMN id text NOT NULL DEFAULT '';
UPDATE sessions SET id = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
    || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)));
ALTER TABLE sessions ADD COLUMN browser text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN address text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN last_used_at timestamp;
CREATE UNIQUE INDEX sessions_by_id ON sessions (id);
ALTER TABLE token_families ADD COLUMN last_used_at timestamp;
