-- +goose Up

-- Addresses that are told of events.
CREATE TABLE webhooks (
    id                 text PRIMARY KEY,
    organization_id    text NOT NULL REFERENCES organizations (id),
    url                text NOT NULL,
    types              text NOT NULL,
    team_ids           text,
    description        text,
    status             text NOT NULL CHECK (status IN ('enabled', 'disabled')),
    disabled_reason    text,
    secret             blob NOT NULL,
    old_secret         blob,
    old_secret_ends_at timestamp,
    after_sequence     integer NOT NULL,
    failures           integer NOT NULL DEFAULT 0,
    failing_since      timestamp,
    wake_at            timestamp,
    created_at         timestamp NOT NULL,
    updated_at         timestamp NOT NULL
);
CREATE INDEX webhooks_by_created ON webhooks (organization_id, created_at, id);
CREATE INDEX webhooks_to_wake ON webhooks (wake_at) WHERE wake_at IS NOT NULL;

-- One row: the last event that was handed to the webhooks.
CREATE TABLE webhook_log (
    id         integer PRIMARY KEY CHECK (id = 1),
    dispatched integer NOT NULL
);
INSERT INTO webhook_log (id, dispatched) VALUES (1, 0);

-- An event on its way to an address. due_at is when to try next; while a worker has it, when to take it for lost.
CREATE TABLE webhook_deliveries (
    id              text PRIMARY KEY,
    webhook_id      text NOT NULL REFERENCES webhooks (id),
    organization_id text NOT NULL,
    event_id        text NOT NULL,
    event_sequence  integer NOT NULL,
    event_type      text NOT NULL,
    status          text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    claimed         boolean NOT NULL,
    epoch           integer NOT NULL,
    due_at          timestamp,
    begun_at        timestamp,
    tries           integer NOT NULL,
    attempts        text NOT NULL,
    created_at      timestamp NOT NULL,
    updated_at      timestamp NOT NULL
);
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (webhook_id, event_id);
CREATE INDEX webhook_deliveries_by_created ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, event_sequence) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (organization_id, webhook_id) WHERE claimed;
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_sequence);
