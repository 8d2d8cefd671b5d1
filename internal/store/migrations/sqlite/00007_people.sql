-- +goose Up

-- Browser sessions of people.
CREATE TABLE sessions (
    token_hash blob PRIMARY KEY,
    user_id    text NOT NULL REFERENCES users (id),
    created_at timestamp NOT NULL,
    expires_at timestamp NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Failed sign-ins, to slow guessing down.
CREATE TABLE sign_in_failures (
    email      text PRIMARY KEY,
    failures   integer NOT NULL,
    blocked_to timestamp NOT NULL
);

-- Device logins (RFC 8628) that are under way.
CREATE TABLE device_logins (
    device_hash blob PRIMARY KEY,
    user_code   text NOT NULL UNIQUE,
    client_name text NOT NULL,
    status      text NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'used')),
    user_id     text REFERENCES users (id),
    polled_at   timestamp,
    interval_s  integer NOT NULL,
    expires_at  timestamp NOT NULL
);
CREATE INDEX device_logins_by_expiry ON device_logins (expires_at);

-- What a device login gave: a family of tokens that follow each other. The reuse of an old one ends the family.
CREATE TABLE token_families (
    id           text PRIMARY KEY,
    user_id      text NOT NULL REFERENCES users (id),
    name         text NOT NULL,
    created_at   timestamp NOT NULL,
    revoked_at   timestamp
);
CREATE INDEX token_families_by_user ON token_families (user_id);
CREATE TABLE access_tokens (
    hash       blob PRIMARY KEY,
    family_id  text NOT NULL REFERENCES token_families (id),
    expires_at timestamp NOT NULL
);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);
CREATE TABLE refresh_tokens (
    hash       blob PRIMARY KEY,
    family_id  text NOT NULL REFERENCES token_families (id),
    expires_at timestamp NOT NULL,
    used_at    timestamp
);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

-- Invitations by link.
CREATE TABLE invitations (
    id              text PRIMARY KEY,
    token_hash      blob NOT NULL UNIQUE,
    organization_id text NOT NULL REFERENCES organizations (id),
    email           text NOT NULL,
    role            text NOT NULL,
    team_ids        text,
    invited_by_id   text NOT NULL REFERENCES users (id),
    created_at      timestamp NOT NULL,
    expires_at      timestamp NOT NULL,
    accepted_at     timestamp,
    revoked_at      timestamp
);
CREATE INDEX invitations_by_organization ON invitations (organization_id, created_at, id);

-- Who did what. Rows never change.
CREATE TABLE audit_log (
    id              text PRIMARY KEY,
    organization_id text NOT NULL REFERENCES organizations (id),
    team_id         text,
    principal_kind  text NOT NULL,
    principal_id    text NOT NULL,
    person_id       text NOT NULL,
    action          text NOT NULL,
    target          text NOT NULL,
    changes         text,
    request_id      text NOT NULL,
    created_at      timestamp NOT NULL
);
CREATE INDEX audit_log_by_created ON audit_log (organization_id, created_at, id);
ALTER TABLE organizations ADD COLUMN audit_count bigint NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN member_count bigint NOT NULL DEFAULT 0;
UPDATE organizations SET member_count = (SELECT count(*) FROM memberships m WHERE m.organization_id = organizations.id AND m.principal_kind = 'user');
CREATE INDEX memberships_by_joined ON memberships (organization_id, principal_kind, created_at, id);
