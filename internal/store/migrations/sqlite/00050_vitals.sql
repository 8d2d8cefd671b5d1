-- +goose Up
-- What is counted for alerts: accounts with a problem, and webhooks that fail or were given up.
CREATE INDEX social_accounts_unhealthy ON social_accounts (provider) WHERE health_issue IS NOT NULL;
CREATE INDEX webhooks_failing ON webhooks (status) WHERE failing_since IS NOT NULL;
