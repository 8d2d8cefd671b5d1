-- +goose Up

-- Addresses that are told of events.
CREATE TABLE webhooks (
    id                 uuid PRIMARY KEY,
    organization_id    uuid NOT NULL REFERENCES organizations (id),
    url                text NOT NULL,
    types              jsonb NOT NULL,
    team_ids           jsonb,
    description        text,
    status             text NOT NULL CHECK (status IN ('enabled', 'disabled')),
    disabled_reason    text,
    secret             bytea NOT NULL,
    old_secret         bytea,
    old_secret_ends_at timestamptz,
    after_sequence     bigint NOT NULL,
    failures           bigint NOT NULL DEFAULT 0,
    failing_since      timestamptz,
    wake_at            timestamptz,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL
);
CREATE INDEX webhooks_by_created ON webhooks (organization_id, created_at, id);
CREATE INDEX webhooks_to_wake ON webhooks (wake_at) WHERE wake_at IS NOT NULL;

-- One row: the last event that was handed to the webhooks.
CREATE TABLE webhook_log (
    id         integer PRIMARY KEY CHECK (id = 1),
    dispatched bigint NOT NULL
);
INSERT INTO webhook_log (id, dispatched) VALUES (1, 0);

-- An event on its way to an address. due_at is when to try next; while a worker has it, when to take it for lost.
CREATE TABLE webhook_deliveries (
    id              uuid PRIMARY KEY,
    webhook_id      uuid NOT NULL REFERENCES webhooks (id),
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    event_sequence  bigint NOT NULL,
    event_type      text NOT NULL,
    status          text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    claimed         boolean NOT NULL,
    epoch           bigint NOT NULL,
    due_at          timestamptz,
    begun_at        timestamptz,
    tries           bigint NOT NULL,
    attempts        jsonb NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL
);
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (webhook_id, event_id);
CREATE INDEX webhook_deliveries_by_created ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, event_sequence) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (organization_id, webhook_id) WHERE claimed;
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_sequence);
