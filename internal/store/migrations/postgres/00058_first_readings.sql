-- +goose NO TRANSACTION
-- +goose Up

-- +goose StatementBegin
-- alter_briefly is that of 00013.
CREATE OR REPLACE PROCEDURE pg_temp.alter_briefly(statements text, done text DEFAULT NULL)
LANGUAGE plpgsql AS $procedure$
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

-- Whether the first metrics reading of a published post is planned when the post is counted. Otherwise, a settlement of
-- an older version planned it, perhaps on a node that still runs.
-- +goose StatementBegin
CALL pg_temp.alter_briefly($statements$
    ALTER TABLE publications ADD COLUMN IF NOT EXISTS reading_follows boolean NOT NULL DEFAULT false;
$statements$);
-- +goose StatementEnd

-- The last event whose post was counted and has its first reading planned. Nodes of the older version count posts, and
-- move followed, but do not plan the readings of posts that newer nodes published.
ALTER TABLE analytics_log ADD COLUMN IF NOT EXISTS planned_to bigint NOT NULL DEFAULT 0;
UPDATE analytics_log SET planned_to = followed WHERE planned_to = 0;
