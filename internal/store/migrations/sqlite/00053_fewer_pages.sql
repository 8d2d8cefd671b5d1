-- +goose Up

-- Stored responses are kept equally long, so the order of their rows is the order in which they expire.
DROP INDEX idempotency_keys_by_expiry;

-- Whether a slot is taken is read from the index: the kind is at the end of a long row.
DROP INDEX publications_occupied;
CREATE INDEX publications_occupied ON publications (social_account_id, scheduled_at, kind) WHERE live;

-- SQLite updates every index with a generated column when a column that it depends on is set, even if its value stays:
-- every approval of a post wrote a page of each of its sorted lists. Now a trigger sets archived when it changes. A
-- stored generated column is stored like any other, so that nothing on disk changes but the declaration.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'boolean NOT NULL GENERATED ALWAYS AS (status = ''archived'') STORED',
    'boolean NOT NULL DEFAULT false')
WHERE type = 'table' AND name = 'posts';
PRAGMA writable_schema = RESET;

-- +goose StatementBegin
CREATE TRIGGER post_inserted AFTER INSERT ON posts
WHEN NEW.archived <> (NEW.status = 'archived')
BEGIN
    UPDATE posts SET archived = (NEW.status = 'archived') WHERE id = NEW.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER post_status_changed AFTER UPDATE OF status ON posts
WHEN NEW.archived <> (NEW.status = 'archived')
BEGIN
    UPDATE posts SET archived = (NEW.status = 'archived') WHERE id = NEW.id;
END;
-- +goose StatementEnd
