-- +goose Up

-- True from the event that tells of few credits until there are enough again.
ALTER TABLE organizations ADD COLUMN credits_low boolean NOT NULL DEFAULT false;
UPDATE organizations SET credits_low = true WHERE credits_balance - reserved_credits < 100;
