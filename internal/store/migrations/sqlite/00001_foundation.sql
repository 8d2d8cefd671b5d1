-- +goose Up

-- One row: what binds this store to one instance of crier.
CREATE TABLE instance (
    id              integer PRIMARY KEY CHECK (id = 1),
    key_fingerprint text NOT NULL,
    created_at      timestamp NOT NULL
);

CREATE TABLE users (
    id                 text PRIMARY KEY,
    email              text UNIQUE,
    name               text NOT NULL,
    password_hash      text,
    organization_count bigint NOT NULL DEFAULT 0,
    created_at         timestamp NOT NULL,
    updated_at         timestamp NOT NULL
);

-- One-time links by which a person chooses e-mail and password.
CREATE TABLE setup_links (
    token_hash blob PRIMARY KEY,
    user_id    text NOT NULL REFERENCES users (id),
    expires_at timestamp NOT NULL,
    used_at    timestamp
);

CREATE TABLE organizations (
    id                                   text PRIMARY KEY,
    name                                 text NOT NULL,
    billing_email                        text,
    onboarding_data                      text,
    payment_customer_id                  text,
    payment_subscription_id              text,
    payment_method_id                    text,
    payment_metered_subscription_item_id text,
    credits_balance                      bigint NOT NULL DEFAULT 0,
    reserved_credits                     bigint NOT NULL DEFAULT 0,
    auto_recharge_enabled                boolean NOT NULL DEFAULT false,
    auto_recharge_threshold              bigint,
    auto_recharge_amount                 bigint,
    subscription_status                  text NOT NULL,
    subscription_plan                    text NOT NULL,
    subscription_started_at              timestamp NOT NULL,
    subscription_ends_at                 timestamp,
    subscription_current_period_end      timestamp,
    team_count                           bigint NOT NULL DEFAULT 0,
    created_at                           timestamp NOT NULL,
    updated_at                           timestamp NOT NULL,
    CHECK (reserved_credits >= 0)
);

CREATE TABLE teams (
    id                    text PRIMARY KEY,
    organization_id       text NOT NULL REFERENCES organizations (id),
    name                  text NOT NULL,
    website               text,
    link_tracking_default boolean,
    timezone              text,
    require_approval      boolean NOT NULL DEFAULT false,
    publish_late_minutes  integer NOT NULL,
    created_at            timestamp NOT NULL,
    updated_at            timestamp NOT NULL,
    deleted_at            timestamp
);
CREATE INDEX teams_by_created ON teams (organization_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX teams_by_updated ON teams (organization_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX teams_by_name ON teams (organization_id, name, id) WHERE deleted_at IS NULL;

-- A principal (a user or an API key) in an organization. The organization's name and times are copied here so that
-- the list of a principal's organizations is one walk over one index, however many there are.
CREATE TABLE memberships (
    id                      text PRIMARY KEY,
    organization_id         text NOT NULL REFERENCES organizations (id),
    principal_kind          text NOT NULL CHECK (principal_kind IN ('user', 'api_key')),
    principal_id            text NOT NULL,
    role                    text NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    all_teams               boolean NOT NULL,
    organization_name       text NOT NULL,
    organization_created_at timestamp NOT NULL,
    organization_updated_at timestamp NOT NULL,
    created_at              timestamp NOT NULL,
    updated_at              timestamp NOT NULL
);
CREATE UNIQUE INDEX memberships_by_principal ON memberships (principal_id, organization_id);
CREATE INDEX memberships_by_organization ON memberships (organization_id, principal_kind);
CREATE INDEX memberships_by_organization_created ON memberships (principal_id, organization_created_at, organization_id);
CREATE INDEX memberships_by_organization_updated ON memberships (principal_id, organization_updated_at, organization_id);
CREATE INDEX memberships_by_organization_name ON memberships (principal_id, organization_name, organization_id);

-- The teams of a membership that does not have all_teams.
CREATE TABLE membership_teams (
    membership_id text NOT NULL REFERENCES memberships (id) ON DELETE CASCADE,
    team_id       text NOT NULL REFERENCES teams (id),
    PRIMARY KEY (membership_id, team_id)
);
CREATE INDEX membership_teams_by_team ON membership_teams (team_id);

CREATE TABLE api_keys (
    id                 text PRIMARY KEY,
    organization_id    text NOT NULL REFERENCES organizations (id),
    created_by_id      text NOT NULL REFERENCES users (id),
    name               text NOT NULL,
    permissions        text,
    organization_count bigint NOT NULL DEFAULT 0,
    expires_at         timestamp,
    last_used_at       timestamp,
    revoked_at         timestamp,
    created_at         timestamp NOT NULL,
    updated_at         timestamp NOT NULL
);
CREATE INDEX api_keys_by_created ON api_keys (organization_id, created_at, id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_by_name ON api_keys (organization_id, name, id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_by_creator ON api_keys (created_by_id);

-- The secrets of a key: one, or two while a rotation's grace runs.
CREATE TABLE api_key_secrets (
    hash       blob PRIMARY KEY,
    api_key_id text NOT NULL REFERENCES api_keys (id),
    sealed     blob NOT NULL,
    last_four  text NOT NULL,
    current    boolean NOT NULL,
    expires_at timestamp,
    created_at timestamp NOT NULL
);
CREATE UNIQUE INDEX api_key_secrets_current ON api_key_secrets (api_key_id) WHERE current;
CREATE INDEX api_key_secrets_by_key ON api_key_secrets (api_key_id);

-- Answers kept for repeated requests. body is sealed.
CREATE TABLE idempotency_keys (
    principal_id text NOT NULL,
    key          text NOT NULL,
    fingerprint  blob NOT NULL,
    status       integer NOT NULL,
    body         blob,
    expires_at   timestamp NOT NULL,
    PRIMARY KEY (principal_id, key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- Every change of credits. The sum of amount is the balance, the sum of reserved_amount what is reserved.
CREATE TABLE credit_transactions (
    id                text PRIMARY KEY,
    organization_id   text NOT NULL REFERENCES organizations (id),
    kind              text NOT NULL CHECK (kind IN ('grant', 'reserve', 'capture', 'release', 'adjust')),
    amount            bigint NOT NULL,
    reserved_amount   bigint NOT NULL,
    scheduled_post_id text,
    created_at        timestamp NOT NULL
);
CREATE INDEX credit_transactions_by_created ON credit_transactions (organization_id, created_at, id);
