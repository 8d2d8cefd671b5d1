-- +goose Up

-- What went wrong and is not over: publications that failed, were missed or have an unknown outcome. Triggers keep it, so that
-- whatever changes a status keeps it, and a publication that begins and ends well touches no further index. A failure that
-- comes again is a new one: somebody who dismissed the last one is told of it.
CREATE TABLE publication_problems (
    publication_id    text PRIMARY KEY REFERENCES publications (id) ON DELETE CASCADE,
    scheduled_post_id text NOT NULL, -- the publication itself, or the one that it follows
    team_id           text NOT NULL,
    post_id           text NOT NULL,
    status            text NOT NULL,
    dismissed_at      timestamp
);
CREATE INDEX publication_problems_open ON publication_problems (team_id, scheduled_post_id) WHERE dismissed_at IS NULL;
CREATE INDEX publication_problems_by_parent ON publication_problems (scheduled_post_id);
CREATE INDEX publication_problems_by_status ON publication_problems (team_id, status, post_id);

INSERT INTO publication_problems (publication_id, scheduled_post_id, team_id, post_id, status)
SELECT p.id, coalesce(p.parent_id, p.id), p.team_id, p.post_id, p.status FROM publications p WHERE p.status IN ('failed', 'missed', 'unknown');

-- +goose StatementBegin
CREATE TRIGGER publication_problem_begins AFTER UPDATE OF status ON publications
WHEN NEW.status IN ('failed', 'missed', 'unknown') AND OLD.status <> NEW.status
BEGIN
    INSERT INTO publication_problems (publication_id, scheduled_post_id, team_id, post_id, status)
    VALUES (NEW.id, coalesce(NEW.parent_id, NEW.id), NEW.team_id, NEW.post_id, NEW.status)
    ON CONFLICT (publication_id) DO UPDATE SET status = excluded.status, dismissed_at = NULL;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER publication_problem_ends AFTER UPDATE OF status ON publications
WHEN OLD.status IN ('failed', 'missed', 'unknown') AND NEW.status NOT IN ('failed', 'missed', 'unknown')
BEGIN
    DELETE FROM publication_problems WHERE publication_id = NEW.id;
END;
-- +goose StatementEnd

CREATE INDEX publications_canceled ON publications (team_id, scheduled_at, id) WHERE kind = 'post' AND canceled;
