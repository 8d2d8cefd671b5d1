-- +goose NO TRANSACTION
-- +goose Up

-- The publications of posts and what follows them become rows of one table, told apart by kind. This migration and the next one run
-- while nodes of the previous version publish. Each statement is a transaction of its own, holds no lock that stops writers for long,
-- and can be repeated when a run was interrupted. See "A migration of a large table" in CONTRIBUTING.md.

-- +goose StatementBegin
-- alter_briefly runs statements that need an exclusive lock but little time. Whoever comes after a waiting exclusive lock waits too, so
-- it gives up after 100 ms, lets others pass and tries again. It does nothing once the relation done exists.
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

-- The existing table gets the columns of post_actions and the new name. Nodes of the previous version see the posts in it through a
-- view of the old name, which PostgreSQL reads, locks and writes like the table. The view goes when no such node can be left.
-- +goose StatementBegin
CALL pg_temp.alter_briefly(done => 'publications', statements => $statements$
    ALTER TABLE scheduled_posts
        ADD COLUMN kind text NOT NULL DEFAULT 'post',
        ADD COLUMN parent_id uuid, -- the publication that this one follows
        ADD COLUMN spec jsonb, -- what to do, of those that follow one
        ADD COLUMN expires_at timestamptz, -- the end of a like trigger's window
        ALTER COLUMN timezone SET DEFAULT '',
        ALTER COLUMN actions SET DEFAULT '{}',
        ALTER COLUMN results SET DEFAULT '{}';
    ALTER TABLE scheduled_posts RENAME TO publications;
    CREATE VIEW scheduled_posts AS SELECT id, team_id, organization_id, post_id, social_account_id, provider, status, scheduled_at,
        timezone, slot_at, payload_id, epoch, platform_settings, actions, recurring, state, state_secrets, results, platform_post_id,
        permalink, published_at, error_code, error_message, tries, wake_at, lease_until, lease_owner, workflow_id, workflow_run_id,
        reserved_credits, captured_credits, recurrence_of, created_at, updated_at, live, canceled
        FROM publications WHERE kind = 'post';
$statements$);
-- +goose StatementEnd

-- +goose StatementBegin
CALL pg_temp.alter_briefly($statements$
    ALTER TABLE publications
        DROP CONSTRAINT IF EXISTS publications_kind_check,
        DROP CONSTRAINT IF EXISTS publications_parent_id_fkey,
        ADD CONSTRAINT publications_kind_check CHECK (kind IN ('post', 'first_comment', 'engagement_comment', 'repost')
            AND (kind = 'post') = (parent_id IS NULL)) NOT VALID,
        ADD CONSTRAINT publications_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES publications (id) NOT VALID;
$statements$);
-- +goose StatementEnd
ALTER TABLE publications VALIDATE CONSTRAINT publications_kind_check;
ALTER TABLE publications VALIDATE CONSTRAINT publications_parent_id_fkey;

-- An interrupted CREATE INDEX CONCURRENTLY leaves an index that is not valid.
-- +goose StatementBegin
CALL pg_temp.alter_briefly($statements$
    DO $$
    DECLARE
        broken regclass;
    BEGIN
        FOR broken IN SELECT indexrelid FROM pg_index
            WHERE NOT indisvalid AND indrelid IN ('publications'::regclass, 'attempts'::regclass) LOOP
            EXECUTE format('DROP INDEX %s', broken);
        END LOOP;
    END
    $$
$statements$);
-- +goose StatementEnd

-- What follows a publication happens once per kind. Posts have no parent and are unlike each other. The index is not limited to
-- rows with a parent: the previous version names its columns alone in ON CONFLICT.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS publications_once ON publications (parent_id, kind);

-- These serve posts alone; those with the condition "live" alone, or none, serve every kind.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS publications_live ON publications (post_id, social_account_id) WHERE kind = 'post' AND live;
CREATE INDEX CONCURRENTLY IF NOT EXISTS publications_by_time ON publications (team_id, scheduled_at, id) WHERE kind = 'post' AND NOT canceled;
CREATE INDEX CONCURRENTLY IF NOT EXISTS publications_by_provider ON publications (team_id, provider, post_id) WHERE kind = 'post' AND NOT canceled;
CREATE INDEX CONCURRENTLY IF NOT EXISTS publications_by_account ON publications (social_account_id, post_id) WHERE kind = 'post' AND NOT canceled;
CREATE INDEX CONCURRENTLY IF NOT EXISTS publications_planned ON publications (provider, scheduled_at) WHERE kind = 'post' AND live;
-- The database looks here whether attempts refer to a publication that is deleted.
CREATE INDEX CONCURRENTLY IF NOT EXISTS attempts_by_action ON attempts (action_id) WHERE action_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS scheduled_posts_live;
DROP INDEX CONCURRENTLY IF EXISTS scheduled_posts_by_time;
DROP INDEX CONCURRENTLY IF EXISTS scheduled_posts_by_provider;
DROP INDEX CONCURRENTLY IF EXISTS scheduled_posts_by_account;
DROP INDEX CONCURRENTLY IF EXISTS scheduled_posts_planned;
ALTER INDEX IF EXISTS scheduled_posts_pkey RENAME TO publications_pkey;
ALTER INDEX IF EXISTS scheduled_posts_slot RENAME TO publications_slot;
ALTER INDEX IF EXISTS scheduled_posts_occupied RENAME TO publications_occupied;
ALTER INDEX IF EXISTS scheduled_posts_by_post RENAME TO publications_by_post;
ALTER INDEX IF EXISTS scheduled_posts_recurring RENAME TO publications_recurring;
ALTER INDEX IF EXISTS scheduled_posts_to_wake RENAME TO publications_to_wake;
