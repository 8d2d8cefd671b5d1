-- +goose Up

-- What follows a publication: first comment, comment at a number of likes, repost. The engine's columns are those of
-- scheduled_posts.
CREATE TABLE post_actions (
    id                uuid PRIMARY KEY,
    scheduled_post_id uuid NOT NULL REFERENCES scheduled_posts (id),
    kind              text NOT NULL CHECK (kind IN ('first_comment', 'engagement_comment', 'repost')),
    spec              jsonb NOT NULL,
    expires_at        timestamptz, -- the end of a like trigger's window
    team_id           uuid NOT NULL REFERENCES teams (id),
    organization_id   uuid NOT NULL REFERENCES organizations (id),
    post_id           uuid NOT NULL REFERENCES posts (id),
    social_account_id uuid NOT NULL REFERENCES social_accounts (id),
    provider          text NOT NULL,
    status            text NOT NULL CHECK (status IN
        ('scheduled', 'publishing', 'processing', 'published', 'failed', 'canceled', 'missed', 'unknown')),
    scheduled_at      timestamptz NOT NULL,
    payload_id        uuid NOT NULL REFERENCES payloads (id),
    epoch             bigint NOT NULL DEFAULT 0,
    platform_settings jsonb NOT NULL,
    state             jsonb NOT NULL,
    state_secrets     bytea,
    platform_post_id  text,
    permalink         text,
    published_at      timestamptz,
    error_code        text,
    error_message     text,
    tries             integer NOT NULL DEFAULT 0,
    wake_at           timestamptz,
    lease_until       timestamptz,
    lease_owner       uuid,
    reserved_credits  bigint NOT NULL DEFAULT 0,
    captured_credits  bigint NOT NULL DEFAULT 0,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL
);
-- Each action happens once per publication.
CREATE UNIQUE INDEX post_actions_once ON post_actions (scheduled_post_id, kind);
CREATE INDEX post_actions_to_wake ON post_actions (wake_at) WHERE wake_at IS NOT NULL;

-- Everything that was tried with a network. A row that could make something public is committed before the call
-- (ended_at is null) and completed with the result.
CREATE TABLE attempts (
    id                uuid PRIMARY KEY,
    scheduled_post_id uuid NOT NULL REFERENCES scheduled_posts (id),
    action_id         uuid REFERENCES post_actions (id),
    operation         text NOT NULL CHECK (operation IN ('prepare', 'publish', 'resend', 'reconcile', 'poll', 'delete')),
    part              integer NOT NULL,
    started_at        timestamptz NOT NULL,
    send_before       timestamptz, -- a worker past this does not send
    settled_after     timestamptz, -- nobody reconciles before this
    ended_at          timestamptz,
    outcome           text,
    error_code        text,
    message           text,
    next_step         text,
    next_at           timestamptz,
    exchanges         jsonb
);
CREATE INDEX attempts_by_post ON attempts (scheduled_post_id, started_at, id);
CREATE INDEX attempts_open ON attempts (scheduled_post_id, action_id) WHERE ended_at IS NULL;

-- One node at a time refreshes an account's token.
ALTER TABLE social_accounts ADD COLUMN refresh_until timestamptz;
ALTER TABLE social_accounts ADD COLUMN refresh_owner uuid;
CREATE INDEX social_accounts_to_refresh ON social_accounts (token_expires_at) WHERE token_expires_at IS NOT NULL AND status = 'connected';

ALTER TABLE organizations ADD COLUMN credit_transaction_count bigint NOT NULL DEFAULT 0;
UPDATE organizations SET credit_transaction_count = (SELECT count(*) FROM credit_transactions c WHERE c.organization_id = organizations.id);
