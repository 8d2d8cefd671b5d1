-- +goose Up

-- SQLite updates every index with a generated column when a column that it depends on is set, even if its value stays:
-- the start of an attempt wrote the entries of a publication in all of its lists. Now triggers set live and canceled
-- when they change.
DROP INDEX publications_live;
DROP INDEX publications_by_time;
DROP INDEX publications_planned;
DROP INDEX publications_slot;
DROP INDEX publications_recurring;
DROP INDEX publications_canceled;
DROP INDEX publications_occupied;
ALTER TABLE publications DROP COLUMN live;
ALTER TABLE publications DROP COLUMN canceled;
ALTER TABLE publications ADD COLUMN live boolean NOT NULL DEFAULT true;
ALTER TABLE publications ADD COLUMN canceled boolean NOT NULL DEFAULT false;
UPDATE publications SET live = false, canceled = (status = 'canceled')
WHERE status NOT IN ('scheduled', 'publishing', 'processing', 'unknown');
CREATE UNIQUE INDEX publications_live ON publications (post_id, social_account_id) WHERE kind = 'post' AND live;
CREATE INDEX publications_by_time ON publications (team_id, scheduled_at, id) WHERE kind = 'post' AND NOT canceled;
CREATE INDEX publications_planned ON publications (provider, scheduled_at) WHERE kind = 'post' AND live;
CREATE UNIQUE INDEX publications_slot ON publications (social_account_id, slot_at) WHERE slot_at IS NOT NULL AND live;
CREATE INDEX publications_recurring ON publications (team_id, scheduled_at) WHERE recurring AND live;
CREATE INDEX publications_canceled ON publications (team_id, scheduled_at, id) WHERE kind = 'post' AND canceled;
CREATE INDEX publications_occupied ON publications (social_account_id, scheduled_at, kind) WHERE live;

-- +goose StatementBegin
CREATE TRIGGER publication_inserted AFTER INSERT ON publications
WHEN NEW.live <> (NEW.status IN ('scheduled', 'publishing', 'processing', 'unknown'))
    OR NEW.canceled <> (NEW.status = 'canceled')
BEGIN
    UPDATE publications SET live = (NEW.status IN ('scheduled', 'publishing', 'processing', 'unknown')),
        canceled = (NEW.status = 'canceled')
    WHERE id = NEW.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER publication_ended AFTER UPDATE OF status ON publications
WHEN NEW.live <> (NEW.status IN ('scheduled', 'publishing', 'processing', 'unknown'))
BEGIN
    UPDATE publications SET live = NOT NEW.live WHERE id = NEW.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER publication_canceled AFTER UPDATE OF status ON publications
WHEN NEW.canceled <> (NEW.status = 'canceled')
BEGIN
    UPDATE publications SET canceled = NOT NEW.canceled WHERE id = NEW.id;
END;
-- +goose StatementEnd
