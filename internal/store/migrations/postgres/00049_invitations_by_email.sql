-- +goose Up
-- For people who ask for the links of their own address.
CREATE INDEX invitations_by_email ON invitations (email) WHERE accepted_at IS NULL AND revoked_at IS NULL;
