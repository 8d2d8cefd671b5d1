-- +goose Up
-- Where an organization lets browsers go after a consent, besides crier itself. Null: anywhere.
ALTER TABLE organizations ADD COLUMN return_origins text;
