-- +goose NO TRANSACTION
-- +goose Up

-- What went wrong and is not over: publications that failed, were missed or have an unknown outcome. A trigger keeps it, so that
-- whatever changes a status keeps it, and a publication that begins and ends well touches no further index. A failure that
-- comes again is a new one: somebody who dismissed the last one is told of it.

-- +goose StatementBegin
-- alter_briefly is that of 00013.
CREATE OR REPLACE PROCEDURE pg_temp.alter_briefly(statements text, done text DEFAULT NULL) LANGUAGE plpgsql AS $procedure$
BEGIN
    LOOP
        BEGIN
            IF to_regclass(done) IS NOT NULL THEN
                RETURN;
            END IF;
            PERFORM set_config('lock_timeout', '100ms', true);
            EXECUTE statements;
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            NULL;
        END;
        COMMIT;
        PERFORM pg_sleep(0.2);
    END LOOP;
END
$procedure$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_publication_problem() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF NEW.status IN ('failed', 'missed', 'unknown') THEN
        INSERT INTO publication_problems (publication_id, scheduled_post_id, team_id, post_id, status)
        VALUES (NEW.id, coalesce(NEW.parent_id, NEW.id), NEW.team_id, NEW.post_id, NEW.status)
        ON CONFLICT (publication_id) DO UPDATE SET status = excluded.status, dismissed_at = NULL;
    ELSE
        DELETE FROM publication_problems WHERE publication_id = NEW.id;
    END IF;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CALL pg_temp.alter_briefly(done => 'publication_problems', statements => $statements$
    CREATE TABLE publication_problems (
        publication_id    uuid PRIMARY KEY REFERENCES publications (id) ON DELETE CASCADE,
        scheduled_post_id uuid NOT NULL, -- the publication itself, or the one that it follows
        team_id           uuid NOT NULL,
        post_id           uuid NOT NULL,
        status            text NOT NULL,
        dismissed_at      timestamptz
    );
    CREATE INDEX publication_problems_open ON publication_problems (team_id, scheduled_post_id) WHERE dismissed_at IS NULL;
    CREATE INDEX publication_problems_by_parent ON publication_problems (scheduled_post_id);
    CREATE INDEX publication_problems_by_status ON publication_problems (team_id, status, post_id);
    CREATE TRIGGER publication_problem AFTER UPDATE OF status ON publications FOR EACH ROW
        WHEN (OLD.status <> NEW.status
            AND (OLD.status IN ('failed', 'missed', 'unknown') OR NEW.status IN ('failed', 'missed', 'unknown')))
        EXECUTE FUNCTION note_publication_problem();
$statements$);
-- +goose StatementEnd

-- Those that were there before; what changes meanwhile is noted by the trigger.
INSERT INTO publication_problems (publication_id, scheduled_post_id, team_id, post_id, status)
SELECT p.id, coalesce(p.parent_id, p.id), p.team_id, p.post_id, p.status FROM publications p
WHERE p.status IN ('failed', 'missed', 'unknown')
ON CONFLICT (publication_id) DO NOTHING;
DELETE FROM publication_problems x WHERE NOT EXISTS (SELECT 1 FROM publications p WHERE p.id = x.publication_id
    AND p.status IN ('failed', 'missed', 'unknown'));

CREATE INDEX CONCURRENTLY IF NOT EXISTS publications_canceled ON publications (team_id, scheduled_at, id) WHERE kind = 'post' AND canceled;
