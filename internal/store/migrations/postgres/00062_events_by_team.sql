-- +goose NO TRANSACTION
-- +goose Up

-- Lists of events of a team read their own index. That of an interrupted run is invalid and built again.
DROP INDEX CONCURRENTLY IF EXISTS events_by_team;
CREATE INDEX CONCURRENTLY events_by_team ON events (team_id, sequence)
    WHERE team_id IS NOT NULL AND sequence IS NOT NULL;

-- teams.post_count is no longer used: list_counts has the number. Nodes of the previous version still write it.
