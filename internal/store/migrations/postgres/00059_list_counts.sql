-- +goose NO TRANSACTION
-- +goose Up

-- How many rows the lists of a team have, by the values that they are filtered by, so that totals need no counting:
--   posts              status, type and destination; posts that are not deleted
--   posts_by_provider  network; posts with a publication on it that are neither archived nor deleted
--   posts_by_account   account; likewise
--   scheduled_posts    network, account and status; publications of posts
-- Values are separated by blanks. A team's rows are removed with the team.
CREATE TABLE IF NOT EXISTS list_counts (
    team_id   uuid NOT NULL,
    list      text COLLATE "C" NOT NULL,
    value     text COLLATE "C" NOT NULL,
    row_count bigint NOT NULL,
    PRIMARY KEY (team_id, list, value)
);

-- Triggers add rows here, and maintenance adds them to list_counts: writers that updated the counts themselves would
-- wait for each other, and transactions of several teams for each other in a circle. Totals are the sum of both.
CREATE TABLE IF NOT EXISTS list_changes (
    team_id uuid NOT NULL,
    list    text COLLATE "C" NOT NULL,
    value   text COLLATE "C" NOT NULL,
    change  bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS list_changes_by_list ON list_changes (team_id, list);

-- Purging a team and loading a backup set crier.merges: there is nothing to count, or it is counted already.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_post() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF current_setting('crier.merges', true) = 'on' THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.deleted_at IS NULL THEN
        INSERT INTO list_changes
        VALUES (OLD.team_id, 'posts', concat_ws(' ', OLD.status, OLD.post_type, OLD.save_destination), -1);
    END IF;
    IF NEW.deleted_at IS NULL THEN
        INSERT INTO list_changes
        VALUES (NEW.team_id, 'posts', concat_ws(' ', NEW.status, NEW.post_type, NEW.save_destination), 1);
    END IF;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_post_destinations() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF current_setting('crier.merges', true) = 'on' THEN
        RETURN NULL;
    END IF;
    INSERT INTO list_changes
    SELECT NEW.team_id, d.list, d.value,
        CASE WHEN NEW.deleted_at IS NULL AND NEW.status <> 'archived' THEN 1 ELSE -1 END
    FROM (SELECT 'posts_by_provider' AS list, s.provider AS value FROM publications s
            WHERE s.post_id = NEW.id AND s.kind = 'post'
        UNION SELECT 'posts_by_account', s.social_account_id::text FROM publications s
            WHERE s.post_id = NEW.id AND s.kind = 'post') AS d;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_new_publications() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF current_setting('crier.merges', true) = 'on' THEN
        RETURN NULL;
    END IF;
    INSERT INTO list_changes
    SELECT n.team_id, 'scheduled_posts', concat_ws(' ', n.provider, n.social_account_id, n.status), count(*)
    FROM added n WHERE n.kind = 'post' GROUP BY n.team_id, n.provider, n.social_account_id, n.status;
    -- The first ones of their posts on a network, and on an account. Whoever schedules a post has locked it.
    INSERT INTO list_changes
    SELECT d.team_id, d.list, d.value, count(*)
    FROM (SELECT n.team_id, n.post_id, 'posts_by_provider' AS list, n.provider AS value FROM added n
            WHERE n.kind = 'post' AND NOT EXISTS (SELECT 1 FROM publications o WHERE o.post_id = n.post_id
                AND o.kind = 'post' AND o.provider = n.provider AND o.id NOT IN (SELECT a.id FROM added a))
        UNION SELECT n.team_id, n.post_id, 'posts_by_account', n.social_account_id::text FROM added n
            WHERE n.kind = 'post' AND NOT EXISTS (SELECT 1 FROM publications o WHERE o.post_id = n.post_id
                AND o.kind = 'post' AND o.social_account_id = n.social_account_id
                AND o.id NOT IN (SELECT a.id FROM added a))) AS d
    JOIN posts p ON p.id = d.post_id
    WHERE p.deleted_at IS NULL AND p.status <> 'archived' GROUP BY d.team_id, d.list, d.value;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_changed_publications() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    INSERT INTO list_changes
    SELECT c.team_id, 'scheduled_posts', concat_ws(' ', c.provider, c.social_account_id, c.status), sum(c.change)
    FROM (SELECT n.team_id, n.provider, n.social_account_id, n.status, 1 AS change FROM changed n WHERE n.kind = 'post'
        UNION ALL SELECT o.team_id, o.provider, o.social_account_id, o.status, -1 FROM former o
            WHERE o.kind = 'post') AS c
    GROUP BY c.team_id, c.provider, c.social_account_id, c.status HAVING sum(c.change) <> 0;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

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

-- All triggers in one transaction: it waits for writers, and what is committed after it is counted.
-- +goose StatementBegin
CALL pg_temp.alter_briefly($statements$
    LOCK TABLE posts, publications IN SHARE ROW EXCLUSIVE MODE;
    CREATE OR REPLACE TRIGGER post_counted AFTER INSERT ON posts FOR EACH ROW EXECUTE FUNCTION count_post();
    CREATE OR REPLACE TRIGGER post_recounted AFTER UPDATE ON posts FOR EACH ROW
        WHEN (OLD.status <> NEW.status OR OLD.post_type <> NEW.post_type
            OR OLD.save_destination <> NEW.save_destination
            OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
        EXECUTE FUNCTION count_post();
    CREATE OR REPLACE TRIGGER post_destinations_recounted AFTER UPDATE ON posts FOR EACH ROW
        WHEN ((OLD.deleted_at IS NULL AND OLD.status <> 'archived')
            <> (NEW.deleted_at IS NULL AND NEW.status <> 'archived'))
        EXECUTE FUNCTION count_post_destinations();
    CREATE OR REPLACE TRIGGER publications_counted AFTER INSERT ON publications REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION count_new_publications();
    CREATE OR REPLACE TRIGGER publications_recounted AFTER UPDATE ON publications
        REFERENCING OLD TABLE AS former NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_changed_publications();
$statements$);
-- +goose StatementEnd

-- What is not counted yet: one statement compares the rows with their counts at one instant, so that it can run while
-- others write, and twice.
-- +goose StatementBegin
INSERT INTO list_changes
SELECT c.team_id, c.list, c.value, sum(c.change) FROM (
    SELECT p.team_id, 'posts' AS list, concat_ws(' ', p.status, p.post_type, p.save_destination) AS value,
        count(*) AS change
    FROM posts p WHERE p.deleted_at IS NULL GROUP BY 1, 3
    UNION ALL SELECT p.team_id, 'posts_by_provider', s.provider, count(DISTINCT p.id)
    FROM posts p JOIN publications s ON s.post_id = p.id AND s.kind = 'post'
    WHERE p.deleted_at IS NULL AND p.status <> 'archived' GROUP BY 1, 3
    UNION ALL SELECT p.team_id, 'posts_by_account', s.social_account_id::text, count(DISTINCT p.id)
    FROM posts p JOIN publications s ON s.post_id = p.id AND s.kind = 'post'
    WHERE p.deleted_at IS NULL AND p.status <> 'archived' GROUP BY 1, 3
    UNION ALL SELECT s.team_id, 'scheduled_posts', concat_ws(' ', s.provider, s.social_account_id, s.status), count(*)
    FROM publications s WHERE s.kind = 'post' GROUP BY 1, 3
    UNION ALL SELECT n.team_id, n.list, n.value, -n.row_count FROM list_counts n
    UNION ALL SELECT x.team_id, x.list, x.value, -x.change FROM list_changes x) AS c
GROUP BY c.team_id, c.list, c.value HAVING sum(c.change) <> 0;
-- +goose StatementEnd
