-- +goose Up

-- Purging a team finds its deleted assets without reading those of other teams.
CREATE INDEX assets_deleted ON assets (team_id) WHERE deleted_at IS NOT NULL;
