-- +goose Up

-- Lists of events of some types read their own index.
CREATE INDEX events_by_type ON events (organization_id, type, sequence) WHERE sequence IS NOT NULL;
