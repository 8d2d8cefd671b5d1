-- +goose Up

-- What was used of the limits that networks have and crier counts. A row is one limit of one account, or of the
-- installation; uses is when how much was used lately.
CREATE TABLE quotas (
    subject    text NOT NULL,
    name       text NOT NULL,
    uses       text NOT NULL,
    updated_at timestamp NOT NULL,
    PRIMARY KEY (subject, name)
);
CREATE INDEX quotas_by_age ON quotas (updated_at);

-- Networks differ in how long before its end a token is renewed.
DROP INDEX social_accounts_to_refresh;
CREATE INDEX social_accounts_to_renew ON social_accounts (provider, token_expires_at) WHERE token_expires_at IS NOT NULL AND status = 'connected';

-- When an account's network was last asked what the account looks like and may do.
ALTER TABLE social_accounts ADD COLUMN profile_at timestamp;
