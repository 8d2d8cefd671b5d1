-- +goose Up

-- What happened, for those who react to it. A row is written in the transaction of the fact; the one writer of this
-- database assigns sequence, the order of reading, at once (docs/decisions/0005-event-order.md).
CREATE TABLE events (
    id              text PRIMARY KEY,
    written         integer NOT NULL,
    sequence        integer,
    organization_id text NOT NULL,
    team_id         text,
    type            text NOT NULL,
    data            text NOT NULL,
    created_at      timestamp NOT NULL
);
CREATE INDEX events_unsequenced ON events (written) WHERE sequence IS NULL;
CREATE UNIQUE INDEX events_by_sequence ON events (sequence) WHERE sequence IS NOT NULL;
CREATE INDEX events_by_organization ON events (organization_id, sequence) WHERE sequence IS NOT NULL;

-- One row: the sequence that was assigned last, and the last one that is no longer kept.
CREATE TABLE event_log (
    id    integer PRIMARY KEY CHECK (id = 1),
    last  integer NOT NULL,
    swept integer NOT NULL
);
INSERT INTO event_log (id, last, swept) VALUES (1, 0, 0);
