-- +goose NO TRANSACTION
-- +goose Up

-- The functions of 00059, 00061 and 00064 look up the publications of a post in publications_by_post, which has all
-- kinds. All indexes of a small table cost the same, and PostgreSQL chose one that ends with the post: each lookup read
-- all of it, until the table was analyzed. Indexes of posts alone cannot be used for coalesce(kind, '').

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
            WHERE s.post_id = NEW.id AND coalesce(s.kind, '') = 'post'
        UNION SELECT 'posts_by_account', s.social_account_id::text FROM publications s
            WHERE s.post_id = NEW.id AND coalesce(s.kind, '') = 'post') AS d;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_new_publications() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off
AS $function$
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
            WHERE n.kind = 'post' GROUP BY n.team_id, n.post_id, n.provider
            HAVING count(*) = (SELECT count(*) FROM publications o WHERE o.post_id = n.post_id
                AND coalesce(o.kind, '') = 'post' AND o.provider = n.provider)
        UNION ALL SELECT n.team_id, n.post_id, 'posts_by_account', n.social_account_id::text FROM added n
            WHERE n.kind = 'post' GROUP BY n.team_id, n.post_id, n.social_account_id
            HAVING count(*) = (SELECT count(*) FROM publications o WHERE o.post_id = n.post_id
                AND coalesce(o.kind, '') = 'post' AND o.social_account_id = n.social_account_id)) AS d
    JOIN posts p ON p.id = d.post_id
    WHERE p.deleted_at IS NULL AND p.status <> 'archived' GROUP BY d.team_id, d.list, d.value;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

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
        CROSS JOIN LATERAL (SELECT count(*) AS n FROM publications o WHERE o.post_id = d.post_id
            AND coalesce(o.kind, '') = 'post' AND d.state = ANY (counted_states(o.status))) AS found) AS c
    GROUP BY c.team_id, c.state HAVING sum(c.change) <> 0;
END
$function$;
-- +goose StatementEnd

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
        AND ((SELECT count(*) FROM (SELECT 1 FROM publications x WHERE x.post_id = n.post_id
                AND coalesce(x.kind, '') = 'post' LIMIT 2) AS found) > 1
            OR (SELECT p.deleted_at IS NOT NULL OR p.status = 'archived' FROM posts p WHERE p.id = n.post_id))
        GROUP BY n.post_id, s.state) AS d;
    IF posts IS NOT NULL THEN
        PERFORM count_repeats(posts, states, changes);
    END IF;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

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
        AND ((SELECT count(*) FROM (SELECT 1 FROM publications x WHERE x.post_id = n.post_id
                AND coalesce(x.kind, '') = 'post' LIMIT 2) AS found) > 1
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
    WHERE o.post_id = NEW.id AND coalesce(o.kind, '') = 'post';
    RETURN NULL;
END
$function$;
-- +goose StatementEnd
