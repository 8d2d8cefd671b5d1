-- +goose Up

-- What follows from the status of a publication is kept by triggers, whichever statement changes it. They cost an
-- update as much as the update itself, and the engine changes many rows in one statement. Its transactions do for all
-- rows at once what the triggers do for each, and set running meanwhile. Nobody ever reads it as true after a commit.
CREATE TABLE bulk_change (
    id      integer PRIMARY KEY CHECK (id = 1),
    running boolean NOT NULL
);
INSERT INTO bulk_change VALUES (1, FALSE);

DROP TRIGGER publication_ended;
DROP TRIGGER publication_canceled;
DROP TRIGGER publication_problem_begins;
DROP TRIGGER publication_problem_ends;
DROP TRIGGER publication_recounted;
DROP TRIGGER publication_repeats_recounted;

-- The work is done by the trigger of a view: SQLite prepares all statements of a trigger for every row, also when its
-- condition is false, but those of the view only for rows that are inserted into it.
CREATE VIEW publication_status_changes AS
SELECT id, parent_id, kind, team_id, post_id, provider, social_account_id, status AS before, status AS after
FROM publications WHERE FALSE;

-- +goose StatementBegin
CREATE TRIGGER publication_status_changed AFTER UPDATE OF status ON publications
WHEN OLD.status <> NEW.status AND NOT (SELECT running FROM bulk_change WHERE id = 1)
BEGIN
    INSERT INTO publication_status_changes VALUES (NEW.id, NEW.parent_id, NEW.kind, NEW.team_id, NEW.post_id,
        NEW.provider, NEW.social_account_id, OLD.status, NEW.status);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER publication_status_followed INSTEAD OF INSERT ON publication_status_changes
BEGIN
    UPDATE publications SET live = (status IN ('scheduled', 'publishing', 'processing', 'unknown')),
        canceled = (status = 'canceled')
    WHERE id = NEW.id AND (live <> (status IN ('scheduled', 'publishing', 'processing', 'unknown'))
        OR canceled <> (status = 'canceled'));

    DELETE FROM publication_problems
    WHERE publication_id = NEW.id AND NEW.after NOT IN ('failed', 'missed', 'unknown');
    INSERT INTO publication_problems (publication_id, scheduled_post_id, team_id, post_id, status)
    SELECT NEW.id, coalesce(NEW.parent_id, NEW.id), NEW.team_id, NEW.post_id, NEW.after
    WHERE NEW.after IN ('failed', 'missed', 'unknown')
    ON CONFLICT (publication_id) DO UPDATE SET status = excluded.status, dismissed_at = NULL;

    INSERT INTO list_counts
    SELECT NEW.team_id, 'scheduled_posts', NEW.provider || ' ' || NEW.social_account_id || ' ' || NEW.before, -1
    WHERE NEW.kind = 'post'
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count - 1;
    INSERT INTO list_counts
    SELECT NEW.team_id, 'scheduled_posts', NEW.provider || ' ' || NEW.social_account_id || ' ' || NEW.after, 1
    WHERE NEW.kind = 'post'
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + 1;

    INSERT INTO list_counts
    SELECT NEW.team_id, 'repeats_by_state', c.state, sum(c.change)
    FROM (SELECT CASE WHEN NEW.before IN ('scheduled', 'publishing', 'processing') THEN 'pending'
            ELSE NEW.before END AS state, -1 AS change
        UNION ALL SELECT CASE WHEN NEW.after IN ('scheduled', 'publishing', 'processing') THEN 'pending'
            ELSE NEW.after END, 1
        UNION ALL SELECT 'any', CASE WHEN NEW.after = 'canceled' THEN -1 ELSE 1 END
            WHERE 'canceled' IN (NEW.before, NEW.after)) AS c
    WHERE NEW.kind = 'post' AND c.state <> 'canceled' AND (EXISTS (SELECT 1 FROM posts p
            WHERE p.id = NEW.post_id AND (p.deleted_at IS NOT NULL OR p.status = 'archived'))
        OR EXISTS (SELECT 1 FROM publications o WHERE o.post_id = NEW.post_id AND o.id <> NEW.id AND o.kind = 'post'
            AND o.status <> 'canceled' AND c.state IN ('any', o.status,
                CASE WHEN o.status IN ('scheduled', 'publishing', 'processing') THEN 'pending' END)))
    GROUP BY c.state HAVING sum(c.change) <> 0
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + excluded.row_count;
END;
-- +goose StatementEnd
