-- +goose Up

-- A browser session has an id, so that people can see where they are signed in and end a session without its token.
ALTER TABLE sessions ADD COLUMN id uuid;
UPDATE sessions SET id = gen_random_uuid();
ALTER TABLE sessions ALTER COLUMN id SET NOT NULL;
ALTER TABLE sessions ADD COLUMN browser text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN address text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN last_used_at timestamptz;
CREATE UNIQUE INDEX sessions_by_id ON sessions (id);
ALTER TABLE token_families ADD COLUMN last_used_at timestamptz;
