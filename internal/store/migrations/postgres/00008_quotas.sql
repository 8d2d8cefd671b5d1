-- +goose Up

-- What was used of the limits that networks have and crier counts. A row is one limit of one account, or of the
-- installation; uses is when how much was used lately.
CREATE TABLE quotas (
    subject    text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    uses       jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (subject, name)
);
CREATE INDEX quotas_by_age ON quotas (updated_at);
