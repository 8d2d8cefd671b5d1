-- +goose Up

-- Whether the first metrics reading of a published post is planned when the post is counted. Otherwise, a settlement of
-- an older version planned it.
ALTER TABLE publications ADD COLUMN reading_follows boolean NOT NULL DEFAULT false;

-- The last event whose post was counted and has its first reading planned. analytics_log.planned is not read any more.
ALTER TABLE analytics_log ADD COLUMN planned_to integer NOT NULL DEFAULT 0;
UPDATE analytics_log SET planned_to = followed;
UPDATE publications SET reading_follows = true WHERE id IN (SELECT e.data ->> '$.object.id' FROM events e
    JOIN analytics_log l ON e.sequence > l.followed AND e.sequence > l.planned
    WHERE e.type = 'scheduled_post.published');
