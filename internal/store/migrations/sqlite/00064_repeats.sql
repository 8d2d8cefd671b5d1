-- +goose Up

-- Posts that have a scheduled post in a state are counted as the difference of two counts: the scheduled posts in that
-- state, which are counted already, and the new list repeats_by_state, how many more these are than the listed posts.
-- So publishing a post that is on one account changes no further count. States are pending (scheduled, publishing or
-- processing), published, failed, missed and unknown, and any for all of them. Archived and deleted posts are not
-- listed.
-- +goose StatementBegin
CREATE TRIGGER publication_repeats_counted AFTER INSERT ON publications
WHEN NEW.kind = 'post' AND NEW.status <> 'canceled'
BEGIN
    INSERT INTO list_counts
    SELECT NEW.team_id, 'repeats_by_state', c.state, 1
    FROM (SELECT 'any' AS state UNION ALL SELECT CASE WHEN NEW.status IN ('scheduled', 'publishing', 'processing')
        THEN 'pending' ELSE NEW.status END) AS c
    WHERE EXISTS (SELECT 1 FROM posts p
            WHERE p.id = NEW.post_id AND (p.deleted_at IS NOT NULL OR p.status = 'archived'))
        OR EXISTS (SELECT 1 FROM publications o WHERE o.post_id = NEW.post_id AND o.id <> NEW.id AND o.kind = 'post'
            AND o.status <> 'canceled' AND c.state IN ('any', o.status,
                CASE WHEN o.status IN ('scheduled', 'publishing', 'processing') THEN 'pending' END))
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER publication_repeats_recounted AFTER UPDATE OF status ON publications
WHEN NEW.kind = 'post'
    AND CASE WHEN OLD.status IN ('scheduled', 'publishing', 'processing') THEN 'pending' ELSE OLD.status END
        <> CASE WHEN NEW.status IN ('scheduled', 'publishing', 'processing') THEN 'pending' ELSE NEW.status END
BEGIN
    INSERT INTO list_counts
    SELECT NEW.team_id, 'repeats_by_state', c.state, c.change
    FROM (SELECT CASE WHEN OLD.status IN ('scheduled', 'publishing', 'processing') THEN 'pending'
            ELSE OLD.status END AS state, -1 AS change
        UNION ALL SELECT CASE WHEN NEW.status IN ('scheduled', 'publishing', 'processing') THEN 'pending'
            ELSE NEW.status END, 1
        UNION ALL SELECT 'any', CASE WHEN NEW.status = 'canceled' THEN -1 ELSE 1 END
            WHERE 'canceled' IN (OLD.status, NEW.status)) AS c
    WHERE c.state <> 'canceled' AND (EXISTS (SELECT 1 FROM posts p
            WHERE p.id = NEW.post_id AND (p.deleted_at IS NOT NULL OR p.status = 'archived'))
        OR EXISTS (SELECT 1 FROM publications o WHERE o.post_id = NEW.post_id AND o.id <> NEW.id AND o.kind = 'post'
            AND o.status <> 'canceled' AND c.state IN ('any', o.status,
                CASE WHEN o.status IN ('scheduled', 'publishing', 'processing') THEN 'pending' END)))
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + excluded.row_count;
END;
-- +goose StatementEnd

-- Archived, restored or deleted.
-- +goose StatementBegin
CREATE TRIGGER post_repeats_recounted AFTER UPDATE OF status, deleted_at ON posts
WHEN (OLD.deleted_at IS NULL AND OLD.status <> 'archived') <> (NEW.deleted_at IS NULL AND NEW.status <> 'archived')
BEGIN
    INSERT INTO list_counts
    SELECT NEW.team_id, 'repeats_by_state', d.state,
        CASE WHEN NEW.deleted_at IS NULL AND NEW.status <> 'archived' THEN -1 ELSE 1 END
    FROM (SELECT CASE WHEN status IN ('scheduled', 'publishing', 'processing') THEN 'pending' ELSE status END AS state
            FROM publications WHERE post_id = NEW.id AND kind = 'post' AND status <> 'canceled'
        UNION SELECT 'any' FROM publications WHERE post_id = NEW.id AND kind = 'post' AND status <> 'canceled') AS d
    WHERE true
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + excluded.row_count;
END;
-- +goose StatementEnd

INSERT INTO list_counts
SELECT s.team_id, 'repeats_by_state', c.state, count(*) - count(DISTINCT p.id)
FROM (SELECT 'any' AS state UNION ALL VALUES ('pending'), ('published'), ('failed'), ('missed'), ('unknown')) AS c
JOIN publications s ON s.kind = 'post' AND s.status <> 'canceled' AND c.state IN ('any', s.status,
    CASE WHEN s.status IN ('scheduled', 'publishing', 'processing') THEN 'pending' END)
LEFT JOIN posts p ON p.id = s.post_id AND p.deleted_at IS NULL AND p.status <> 'archived'
GROUP BY 1, 3 HAVING count(*) <> count(DISTINCT p.id);
