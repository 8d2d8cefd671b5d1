-- +goose Up
-- How many entries of an organization's audit log are older than a time: upkeep adds a time after every few hundred
-- entries, for all of them (filter '') and for each action and principal that occurs among them. Rows never change.
-- The columns of organizations stay: they tell upkeep which entries are settled, and the total of the whole log.
CREATE TABLE audit_counts (
    organization_id uuid NOT NULL,
    filter          text COLLATE "C" NOT NULL, -- '', 'action ...' or 'principal ...'
    counted_before  timestamptz NOT NULL,
    total           bigint NOT NULL,
    PRIMARY KEY (organization_id, filter, counted_before)
);
