-- +goose NO TRANSACTION
-- +goose Up

-- What follows publications moves from post_actions to publications, while nodes of the previous version work on it.

-- +goose StatementBegin
-- switched reports whether post_actions is the view already, of an interrupted run.
CREATE OR REPLACE FUNCTION pg_temp.switched() RETURNS boolean LANGUAGE sql AS $function$
    SELECT relkind = 'v' FROM pg_class WHERE oid = to_regclass('post_actions')
$function$;
-- +goose StatementEnd
-- +goose StatementBegin
-- alter_actions is alter_briefly of 00013; statements from before the switch are not run after it.
CREATE OR REPLACE PROCEDURE pg_temp.alter_actions(statements text, after_switch boolean DEFAULT false) LANGUAGE plpgsql AS $procedure$
BEGIN
    LOOP
        BEGIN
            IF pg_temp.switched() AND NOT after_switch THEN
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
-- From now on, every change of post_actions is repeated on its copy.
CREATE OR REPLACE FUNCTION copy_post_action() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM publications WHERE id = OLD.id AND kind <> 'post';
        RETURN NULL;
    END IF;
    INSERT INTO publications (id, parent_id, kind, spec, expires_at, team_id, organization_id, post_id, social_account_id, provider,
        status, scheduled_at, payload_id, epoch, platform_settings, state, state_secrets, platform_post_id, permalink, published_at,
        error_code, error_message, tries, wake_at, lease_until, lease_owner, reserved_credits, captured_credits, created_at, updated_at)
    VALUES (NEW.id, NEW.scheduled_post_id, NEW.kind, NEW.spec, NEW.expires_at, NEW.team_id, NEW.organization_id, NEW.post_id,
        NEW.social_account_id, NEW.provider, NEW.status, NEW.scheduled_at, NEW.payload_id, NEW.epoch, NEW.platform_settings, NEW.state,
        NEW.state_secrets, NEW.platform_post_id, NEW.permalink, NEW.published_at, NEW.error_code, NEW.error_message, NEW.tries,
        NEW.wake_at, NEW.lease_until, NEW.lease_owner, NEW.reserved_credits, NEW.captured_credits, NEW.created_at, NEW.updated_at)
    ON CONFLICT (id) DO UPDATE SET spec = NEW.spec, expires_at = NEW.expires_at, status = NEW.status, scheduled_at = NEW.scheduled_at,
        payload_id = NEW.payload_id, epoch = NEW.epoch, platform_settings = NEW.platform_settings, state = NEW.state,
        state_secrets = NEW.state_secrets, platform_post_id = NEW.platform_post_id, permalink = NEW.permalink,
        published_at = NEW.published_at, error_code = NEW.error_code, error_message = NEW.error_message, tries = NEW.tries,
        wake_at = NEW.wake_at, lease_until = NEW.lease_until, lease_owner = NEW.lease_owner, reserved_credits = NEW.reserved_credits,
        captured_credits = NEW.captured_credits, updated_at = NEW.updated_at;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd
-- +goose StatementBegin
CALL pg_temp.alter_actions($statements$
    CREATE OR REPLACE TRIGGER copy_post_action AFTER INSERT OR UPDATE OR DELETE ON post_actions
        FOR EACH ROW EXECUTE FUNCTION copy_post_action();
$statements$);
-- +goose StatementEnd

-- The rows that were there before are copied in batches. A batch keeps its rows from being changed until it is committed; what changes
-- them then finds the copy.
-- +goose StatementBegin
DO $$
DECLARE
    last uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    LOOP
        EXIT WHEN pg_temp.switched();
        WITH batch AS (
            SELECT * FROM post_actions a WHERE a.id > last ORDER BY a.id LIMIT 500 FOR SHARE
        ), copied AS (
            INSERT INTO publications (id, parent_id, kind, spec, expires_at, team_id, organization_id, post_id, social_account_id,
                provider, status, scheduled_at, payload_id, epoch, platform_settings, state, state_secrets, platform_post_id, permalink,
                published_at, error_code, error_message, tries, wake_at, lease_until, lease_owner, reserved_credits, captured_credits,
                created_at, updated_at)
            SELECT id, scheduled_post_id, kind, spec, expires_at, team_id, organization_id, post_id, social_account_id,
                provider, status, scheduled_at, payload_id, epoch, platform_settings, state, state_secrets, platform_post_id, permalink,
                published_at, error_code, error_message, tries, wake_at, lease_until, lease_owner, reserved_credits, captured_credits,
                created_at, updated_at
            FROM batch ON CONFLICT (id) DO NOTHING
        )
        SELECT b.id INTO last FROM batch b ORDER BY b.id DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- The switch: nodes of the previous version see the copies through a view of the old name.
-- +goose StatementBegin
CALL pg_temp.alter_actions($statements$
    LOCK TABLE post_actions IN ACCESS EXCLUSIVE MODE;
    DROP TRIGGER copy_post_action ON post_actions;
    ALTER TABLE attempts DROP CONSTRAINT attempts_action_id_fkey,
        ADD CONSTRAINT attempts_action_id_fkey FOREIGN KEY (action_id) REFERENCES publications (id) NOT VALID;
    ALTER TABLE post_actions RENAME TO post_actions_copied;
    CREATE VIEW post_actions AS SELECT id, parent_id AS scheduled_post_id, kind, spec, expires_at, team_id, organization_id, post_id,
        social_account_id, provider, status, scheduled_at, payload_id, epoch, platform_settings, state, state_secrets, platform_post_id,
        permalink, published_at, error_code, error_message, tries, wake_at, lease_until, lease_owner, reserved_credits, captured_credits,
        created_at, updated_at
        FROM publications WHERE kind <> 'post';
$statements$);
-- +goose StatementEnd
ALTER TABLE attempts VALIDATE CONSTRAINT attempts_action_id_fkey;
DROP FUNCTION IF EXISTS copy_post_action();
-- +goose StatementBegin
CALL pg_temp.alter_actions($statements$ DROP TABLE IF EXISTS post_actions_copied $statements$, after_switch => true);
-- +goose StatementEnd
ANALYZE publications;
