-- +goose Up

-- A consent that is under way: from the address that was handed out to the account that came of it.
CREATE TABLE connections (
    state_hash blob PRIMARY KEY,
    team_id    text NOT NULL REFERENCES teams (id),
    provider   text NOT NULL,
    verifier   blob NOT NULL, -- sealed
    return_url text,
    status     text NOT NULL CHECK (status IN ('waiting', 'exchanging', 'choosing', 'done')),
    choices    blob, -- sealed: the accounts to choose from, with their tokens
    expires_at timestamp NOT NULL
);
CREATE INDEX connections_by_expiry ON connections (expires_at);
