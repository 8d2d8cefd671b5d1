-- +goose Up

-- Browser sessions of people.
CREATE TABLE sessions (
    token_hash bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Failed sign-ins, to slow guessing down.
CREATE TABLE sign_in_failures (
    email      text COLLATE "C" PRIMARY KEY,
    failures   integer NOT NULL,
    blocked_to timestamptz NOT NULL
);

-- Device logins (RFC 8628) that are under way.
CREATE TABLE device_logins (
    device_hash bytea PRIMARY KEY,
    user_code   text COLLATE "C" NOT NULL UNIQUE,
    client_name text NOT NULL,
    status      text NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'used')),
    user_id     uuid REFERENCES users (id),
    polled_at   timestamptz,
    interval_s  integer NOT NULL,
    expires_at  timestamptz NOT NULL
);
CREATE INDEX device_logins_by_expiry ON device_logins (expires_at);

-- What a device login gave: a family of tokens that follow each other. The reuse of an old one ends the family.
CREATE TABLE token_families (
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES users (id),
    name         text NOT NULL,
    created_at   timestamptz NOT NULL,
    revoked_at   timestamptz
);
CREATE INDEX token_families_by_user ON token_families (user_id);
CREATE TABLE access_tokens (
    hash       bytea PRIMARY KEY,
    family_id  uuid NOT NULL REFERENCES token_families (id),
    expires_at timestamptz NOT NULL
);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);
CREATE TABLE refresh_tokens (
    hash       bytea PRIMARY KEY,
    family_id  uuid NOT NULL REFERENCES token_families (id),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

-- Invitations by link.
CREATE TABLE invitations (
    id              uuid PRIMARY KEY,
    token_hash      bytea NOT NULL UNIQUE,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    email           text COLLATE "C" NOT NULL,
    role            text NOT NULL,
    team_ids        jsonb,
    invited_by_id   uuid NOT NULL REFERENCES users (id),
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    accepted_at     timestamptz,
    revoked_at      timestamptz
);
CREATE INDEX invitations_by_organization ON invitations (organization_id, created_at, id);

-- Who did what. Rows never change.
CREATE TABLE audit_log (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    team_id         uuid,
    principal_kind  text NOT NULL,
    principal_id    uuid NOT NULL,
    person_id       uuid NOT NULL,
    action          text NOT NULL,
    target          text NOT NULL,
    changes         jsonb,
    request_id      text NOT NULL,
    created_at      timestamptz NOT NULL
);
CREATE INDEX audit_log_by_created ON audit_log (organization_id, created_at, id);
ALTER TABLE organizations ADD COLUMN audit_count bigint NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN member_count bigint NOT NULL DEFAULT 0;
UPDATE organizations SET member_count = (SELECT count(*) FROM memberships m WHERE m.organization_id = organizations.id AND m.principal_kind = 'user');
CREATE INDEX memberships_by_joined ON memberships (organization_id, principal_kind, created_at, id);
