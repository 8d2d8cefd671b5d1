-- +goose Up

-- What happened, for those who react to it. A row is written in the transaction of the fact; sequence, the order of
-- reading, is assigned after the commit (docs/decisions/0005-event-order.md).
CREATE TABLE events (
    id              uuid PRIMARY KEY,
    written         bigint GENERATED ALWAYS AS IDENTITY,
    sequence        bigint,
    organization_id uuid NOT NULL,
    team_id         uuid,
    type            text NOT NULL,
    data            text NOT NULL,
    created_at      timestamptz NOT NULL
);
CREATE INDEX events_unsequenced ON events (written) WHERE sequence IS NULL;
CREATE UNIQUE INDEX events_by_sequence ON events (sequence) WHERE sequence IS NOT NULL;
CREATE INDEX events_by_organization ON events (organization_id, sequence) WHERE sequence IS NOT NULL;

-- One row: the sequence that was assigned last, and the last one that is no longer kept.
CREATE TABLE event_log (
    id    integer PRIMARY KEY CHECK (id = 1),
    last  bigint NOT NULL,
    swept bigint NOT NULL
);
INSERT INTO event_log (id, last, swept) VALUES (1, 0, 0);
