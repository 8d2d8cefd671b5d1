-- +goose Up

-- How many rows the lists of a team have, by the values that they are filtered by, so that totals need no counting:
--   posts              status, type and destination; posts that are not deleted
--   posts_by_provider  network; posts with a publication on it that are neither archived nor deleted
--   posts_by_account   account; likewise
--   scheduled_posts    network, account and status; publications of posts
-- Values are separated by blanks. Triggers count; a team's rows are removed with the team.
CREATE TABLE list_counts (
    team_id   text NOT NULL,
    list      text NOT NULL,
    value     text NOT NULL,
    row_count bigint NOT NULL,
    PRIMARY KEY (team_id, list, value)
) WITHOUT ROWID;

INSERT INTO list_counts
SELECT team_id, 'posts', status || ' ' || post_type || ' ' || save_destination, count(*)
FROM posts WHERE deleted_at IS NULL GROUP BY 1, 3;
INSERT INTO list_counts
SELECT p.team_id, 'posts_by_provider', s.provider, count(DISTINCT p.id)
FROM posts p JOIN publications s ON s.post_id = p.id AND s.kind = 'post'
WHERE p.deleted_at IS NULL AND p.status <> 'archived' GROUP BY 1, 3;
INSERT INTO list_counts
SELECT p.team_id, 'posts_by_account', s.social_account_id, count(DISTINCT p.id)
FROM posts p JOIN publications s ON s.post_id = p.id AND s.kind = 'post'
WHERE p.deleted_at IS NULL AND p.status <> 'archived' GROUP BY 1, 3;
INSERT INTO list_counts
SELECT team_id, 'scheduled_posts', provider || ' ' || social_account_id || ' ' || status, count(*)
FROM publications WHERE kind = 'post' GROUP BY 1, 3;

-- +goose StatementBegin
CREATE TRIGGER post_counted AFTER INSERT ON posts WHEN NEW.deleted_at IS NULL
BEGIN
    INSERT INTO list_counts
    VALUES (NEW.team_id, 'posts', NEW.status || ' ' || NEW.post_type || ' ' || NEW.save_destination, 1)
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER post_recounted AFTER UPDATE OF status, post_type, save_destination, deleted_at ON posts
WHEN OLD.status <> NEW.status OR OLD.post_type <> NEW.post_type OR OLD.save_destination <> NEW.save_destination
    OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)
BEGIN
    INSERT INTO list_counts
    SELECT OLD.team_id, 'posts', OLD.status || ' ' || OLD.post_type || ' ' || OLD.save_destination, -1
    WHERE OLD.deleted_at IS NULL
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count - 1;
    INSERT INTO list_counts
    SELECT NEW.team_id, 'posts', NEW.status || ' ' || NEW.post_type || ' ' || NEW.save_destination, 1
    WHERE NEW.deleted_at IS NULL
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + 1;
END;
-- +goose StatementEnd

-- Archived, restored or deleted.
-- +goose StatementBegin
CREATE TRIGGER post_destinations_recounted AFTER UPDATE OF status, deleted_at ON posts
WHEN (OLD.deleted_at IS NULL AND OLD.status <> 'archived') <> (NEW.deleted_at IS NULL AND NEW.status <> 'archived')
BEGIN
    INSERT INTO list_counts
    SELECT NEW.team_id, d.list, d.value,
        CASE WHEN NEW.deleted_at IS NULL AND NEW.status <> 'archived' THEN 1 ELSE -1 END
    FROM (SELECT 'posts_by_provider' AS list, provider AS value FROM publications
            WHERE post_id = NEW.id AND kind = 'post'
        UNION SELECT 'posts_by_account', social_account_id FROM publications
            WHERE post_id = NEW.id AND kind = 'post') AS d
    WHERE true
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + excluded.row_count;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER publication_counted AFTER INSERT ON publications WHEN NEW.kind = 'post'
BEGIN
    INSERT INTO list_counts
    VALUES (NEW.team_id, 'scheduled_posts', NEW.provider || ' ' || NEW.social_account_id || ' ' || NEW.status, 1)
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + 1;
    -- The first one of its post on the network, and on the account.
    INSERT INTO list_counts
    SELECT p.team_id, 'posts_by_provider', NEW.provider, 1 FROM posts p
    WHERE p.id = NEW.post_id AND p.deleted_at IS NULL AND p.status <> 'archived' AND NOT EXISTS (
        SELECT 1 FROM publications o WHERE o.post_id = NEW.post_id AND o.id <> NEW.id AND o.kind = 'post'
        AND o.provider = NEW.provider)
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + 1;
    INSERT INTO list_counts
    SELECT p.team_id, 'posts_by_account', NEW.social_account_id, 1 FROM posts p
    WHERE p.id = NEW.post_id AND p.deleted_at IS NULL AND p.status <> 'archived' AND NOT EXISTS (
        SELECT 1 FROM publications o WHERE o.post_id = NEW.post_id AND o.id <> NEW.id AND o.kind = 'post'
        AND o.social_account_id = NEW.social_account_id)
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER publication_recounted AFTER UPDATE OF status ON publications
WHEN NEW.kind = 'post' AND OLD.status <> NEW.status
BEGIN
    INSERT INTO list_counts
    VALUES (NEW.team_id, 'scheduled_posts', NEW.provider || ' ' || NEW.social_account_id || ' ' || OLD.status, -1)
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count - 1;
    INSERT INTO list_counts
    VALUES (NEW.team_id, 'scheduled_posts', NEW.provider || ' ' || NEW.social_account_id || ' ' || NEW.status, 1)
    ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + 1;
END;
-- +goose StatementEnd
