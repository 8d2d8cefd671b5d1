-- +goose NO TRANSACTION
-- +goose Up

-- Purging a team finds its deleted assets without reading those of other teams. An index of an interrupted run is
-- invalid and built again.
DROP INDEX CONCURRENTLY IF EXISTS assets_deleted;
CREATE INDEX CONCURRENTLY assets_deleted ON assets (team_id) WHERE deleted_at IS NOT NULL;
