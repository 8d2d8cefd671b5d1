-- +goose NO TRANSACTION
-- +goose Up

-- Lists walk the publications of a class in the order of time, so that those that wait do not pass those that ended,
-- and those of a network without passing others. Indexes of an interrupted run are invalid and built again.
DROP INDEX CONCURRENTLY IF EXISTS publications_waiting;
CREATE INDEX CONCURRENTLY publications_waiting ON publications (team_id, scheduled_at, id)
    WHERE kind = 'post' AND live;
DROP INDEX CONCURRENTLY IF EXISTS publications_ended;
CREATE INDEX CONCURRENTLY publications_ended ON publications (team_id, scheduled_at, id)
    WHERE kind = 'post' AND NOT live AND NOT canceled;
DROP INDEX CONCURRENTLY IF EXISTS publications_of_provider;
CREATE INDEX CONCURRENTLY publications_of_provider ON publications (team_id, provider, scheduled_at, post_id)
    WHERE kind = 'post';
DROP INDEX CONCURRENTLY IF EXISTS publications_by_time;
DROP INDEX CONCURRENTLY IF EXISTS publications_by_provider;
