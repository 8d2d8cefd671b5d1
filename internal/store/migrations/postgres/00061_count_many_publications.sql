-- +goose Up

-- The publications of one statement are counted in time that grows with their number. Before, each was compared with
-- all others once they did not fit into work_mem. A plan that was made when the table was small must not scan the table
-- later, when it is large.
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
            HAVING count(*) = (SELECT count(*) FROM publications o WHERE o.post_id = n.post_id AND o.kind = 'post'
                AND o.provider = n.provider)
        UNION ALL SELECT n.team_id, n.post_id, 'posts_by_account', n.social_account_id::text FROM added n
            WHERE n.kind = 'post' GROUP BY n.team_id, n.post_id, n.social_account_id
            HAVING count(*) = (SELECT count(*) FROM publications o WHERE o.post_id = n.post_id AND o.kind = 'post'
                AND o.social_account_id = n.social_account_id)) AS d
    JOIN posts p ON p.id = d.post_id
    WHERE p.deleted_at IS NULL AND p.status <> 'archived' GROUP BY d.team_id, d.list, d.value;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd
