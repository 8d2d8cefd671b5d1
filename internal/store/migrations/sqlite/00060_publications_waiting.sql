-- +goose Up

-- Lists walk the publications of a class in the order of time, so that those that wait do not pass those that ended,
-- and those of a network without passing others.
DROP INDEX publications_by_time;
CREATE INDEX publications_waiting ON publications (team_id, scheduled_at, id) WHERE kind = 'post' AND live;
CREATE INDEX publications_ended ON publications (team_id, scheduled_at, id)
    WHERE kind = 'post' AND NOT live AND NOT canceled;
DROP INDEX publications_by_provider;
CREATE INDEX publications_of_provider ON publications (team_id, provider, scheduled_at, post_id) WHERE kind = 'post';
