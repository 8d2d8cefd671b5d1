-- +goose Up
-- Codes of the authorization code flow. A code gives tokens once, within a minute; family_id is the login that it gave.
-- Used codes are kept for a day: the reuse of one revokes its login.
CREATE TABLE authorization_codes (
    hash         bytea PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES users (id),
    client_id    text NOT NULL,
    client_name  text NOT NULL,
    redirect_uri text NOT NULL,
    challenge    text NOT NULL,
    resource     text NOT NULL,
    family_id    uuid,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at);
CREATE INDEX authorization_codes_by_user ON authorization_codes (user_id);
-- The client that tokens were issued to, and the resource that they are for; null: a device, which may use all.
ALTER TABLE token_families ADD COLUMN client_id text;
ALTER TABLE token_families ADD COLUMN resource text;
