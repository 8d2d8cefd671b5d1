-- +goose NO TRANSACTION
-- +goose Up

-- Posts that have a scheduled post in a state are counted as the difference of two counts: the scheduled posts in that
-- state, which are counted already, and the new list repeats_by_state, how many more these are than the listed posts.
-- So publishing a post that is on one account changes no further count. States are pending (scheduled, publishing or
-- processing), published, failed, missed and unknown, and any for all of them. Archived and deleted posts are not
-- listed.

-- The states that a scheduled post with a status counts for.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION counted_states(status text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN status IN ('scheduled', 'publishing', 'processing') THEN ARRAY['any', 'pending']
        WHEN status = 'canceled' THEN ARRAY[]::text[] ELSE ARRAY['any', status] END
$function$;
-- +goose StatementEnd

-- changes is how many more scheduled posts a post has in a state than before; the two other arrays name both. Whoever
-- changes the state of a scheduled post from or to one of these has locked the post. A plan that was made when the
-- table was small must not scan the table later, when it is large.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_repeats(posts uuid[], states text[], changes bigint[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off AS $function$
BEGIN
    INSERT INTO list_changes
    SELECT c.team_id, 'repeats_by_state', c.state, sum(c.change) FROM (
        SELECT p.team_id, d.state, CASE
            WHEN p.deleted_at IS NOT NULL OR p.status = 'archived' THEN d.change
            WHEN found.n > 0 AND found.n <= d.change THEN d.change - 1
            WHEN found.n = 0 THEN d.change + 1
            ELSE d.change END AS change
        FROM unnest(posts, states, changes) AS d (post_id, state, change)
        JOIN posts p ON p.id = d.post_id
        CROSS JOIN LATERAL (SELECT count(*) AS n FROM publications o WHERE o.post_id = d.post_id AND o.kind = 'post'
            AND d.state = ANY (counted_states(o.status))) AS found) AS c
    GROUP BY c.team_id, c.state HAVING sum(c.change) <> 0;
END
$function$;
-- +goose StatementEnd

-- Most posts are on one account. Both lookups are scalar, so that they read one post at a time.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_new_repeats() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off
AS $function$
DECLARE
    posts uuid[];
    states text[];
    changes bigint[];
BEGIN
    IF current_setting('crier.merges', true) = 'on' THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(d.post_id), array_agg(d.state), array_agg(d.change) INTO posts, states, changes
    FROM (SELECT n.post_id, s.state, count(*) AS change FROM added n, unnest(counted_states(n.status)) AS s (state)
        WHERE n.kind = 'post'
        AND ((SELECT count(*) FROM (SELECT 1 FROM publications x WHERE x.post_id = n.post_id AND x.kind = 'post'
                LIMIT 2) AS found) > 1
            OR (SELECT p.deleted_at IS NOT NULL OR p.status = 'archived' FROM posts p WHERE p.id = n.post_id))
        GROUP BY n.post_id, s.state) AS d;
    IF posts IS NOT NULL THEN
        PERFORM count_repeats(posts, states, changes);
    END IF;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

-- Most updates change no state. Old and new rows are grouped: a join may be planned for few rows and compare each of
-- many with each later.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_changed_repeats() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off
AS $function$
DECLARE
    posts uuid[];
    states text[];
    changes bigint[];
BEGIN
    WITH different AS MATERIALIZED (SELECT c.kind, c.post_id, min(c.old_status) AS old_status,
            min(c.new_status) AS new_status
        FROM (SELECT n.id, n.kind, n.post_id, NULL AS old_status, n.status AS new_status FROM changed n
            UNION ALL SELECT o.id, o.kind, o.post_id, o.status, NULL FROM former o) AS c
        GROUP BY c.id, c.kind, c.post_id HAVING min(c.old_status) <> min(c.new_status)
        AND counted_states(min(c.old_status)) <> counted_states(min(c.new_status))),
    moved AS MATERIALIZED (SELECT n.post_id, n.old_status, n.new_status FROM different n
        WHERE n.kind = 'post'
        AND ((SELECT count(*) FROM (SELECT 1 FROM publications x WHERE x.post_id = n.post_id AND x.kind = 'post'
                LIMIT 2) AS found) > 1
            OR (SELECT p.deleted_at IS NOT NULL OR p.status = 'archived' FROM posts p WHERE p.id = n.post_id)))
    SELECT array_agg(d.post_id), array_agg(d.state), array_agg(d.change) INTO posts, states, changes
    FROM (SELECT c.post_id, c.state, sum(c.change)::bigint AS change
        FROM (SELECT m.post_id, s.state, 1 AS change FROM moved m, unnest(counted_states(m.new_status)) AS s (state)
            UNION ALL SELECT m.post_id, s.state, -1 FROM moved m, unnest(counted_states(m.old_status)) AS s (state)
            ) AS c
        GROUP BY c.post_id, c.state HAVING sum(c.change) <> 0) AS d;
    IF posts IS NOT NULL THEN
        PERFORM count_repeats(posts, states, changes);
    END IF;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_post_repeats() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF current_setting('crier.merges', true) = 'on' THEN
        RETURN NULL;
    END IF;
    INSERT INTO list_changes
    SELECT DISTINCT NEW.team_id, 'repeats_by_state', s.state,
        CASE WHEN NEW.deleted_at IS NULL AND NEW.status <> 'archived' THEN -1 ELSE 1 END
    FROM publications o, unnest(counted_states(o.status)) AS s (state)
    WHERE o.post_id = NEW.id AND o.kind = 'post';
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
    CREATE OR REPLACE TRIGGER post_repeats_recounted AFTER UPDATE ON posts FOR EACH ROW
        WHEN ((OLD.deleted_at IS NULL AND OLD.status <> 'archived')
            <> (NEW.deleted_at IS NULL AND NEW.status <> 'archived'))
        EXECUTE FUNCTION count_post_repeats();
    CREATE OR REPLACE TRIGGER publications_repeats_counted AFTER INSERT ON publications
        REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_new_repeats();
    CREATE OR REPLACE TRIGGER publications_repeats_recounted AFTER UPDATE ON publications
        REFERENCING OLD TABLE AS former NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_changed_repeats();
$statements$);
-- +goose StatementEnd

-- What is not counted yet: one statement compares the rows with their counts at one instant, so that it can run while
-- others write, and twice.
-- +goose StatementBegin
INSERT INTO list_changes
SELECT c.team_id, 'repeats_by_state', c.state, sum(c.change) FROM (
    SELECT s.team_id, x.state, count(*) - count(DISTINCT p.id) AS change
    FROM publications s CROSS JOIN LATERAL unnest(counted_states(s.status)) AS x (state)
    LEFT JOIN posts p ON p.id = s.post_id AND p.deleted_at IS NULL AND p.status <> 'archived'
    WHERE s.kind = 'post' GROUP BY s.team_id, x.state
    UNION ALL SELECT n.team_id, n.value, -n.row_count FROM list_counts n WHERE n.list = 'repeats_by_state'
    UNION ALL SELECT x.team_id, x.value, -x.change FROM list_changes x WHERE x.list = 'repeats_by_state') AS c
GROUP BY c.team_id, c.state HAVING sum(c.change) <> 0;
-- +goose StatementEnd
