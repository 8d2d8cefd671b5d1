-- +goose Up

-- What follows publications moves from post_actions to publications.
INSERT INTO publications (id, parent_id, kind, spec, expires_at, team_id, organization_id, post_id, social_account_id, provider, status,
    scheduled_at, timezone, payload_id, epoch, platform_settings, actions, state, state_secrets, results, platform_post_id, permalink,
    published_at, error_code, error_message, tries, wake_at, lease_until, lease_owner, reserved_credits, captured_credits, created_at,
    updated_at)
SELECT id, scheduled_post_id, kind, spec, expires_at, team_id, organization_id, post_id, social_account_id, provider, status,
    scheduled_at, '', payload_id, epoch, platform_settings, '{}', state, state_secrets, '{}', platform_post_id, permalink,
    published_at, error_code, error_message, tries, wake_at, lease_until, lease_owner, reserved_credits, captured_credits, created_at,
    updated_at
FROM post_actions;

-- SQLite cannot change what a column refers to: the table is made anew.
CREATE TABLE attempts_new (
    id                text PRIMARY KEY,
    scheduled_post_id text NOT NULL REFERENCES publications (id),
    action_id         text REFERENCES publications (id),
    operation         text NOT NULL CHECK (operation IN ('prepare', 'publish', 'resend', 'reconcile', 'poll', 'delete')),
    part              integer NOT NULL,
    started_at        timestamp NOT NULL,
    send_before       timestamp, -- a worker past this does not send
    settled_after     timestamp, -- nobody reconciles before this
    ended_at          timestamp,
    outcome           text,
    error_code        text,
    message           text,
    next_step         text,
    next_at           timestamp,
    exchanges         text
);
INSERT INTO attempts_new SELECT id, scheduled_post_id, action_id, operation, part, started_at, send_before, settled_after, ended_at,
    outcome, error_code, message, next_step, next_at, exchanges FROM attempts;
DROP TABLE attempts;
ALTER TABLE attempts_new RENAME TO attempts;
CREATE INDEX attempts_by_post ON attempts (scheduled_post_id, started_at, id);
-- The database looks here whether attempts refer to a publication that is deleted.
CREATE INDEX attempts_by_action ON attempts (action_id) WHERE action_id IS NOT NULL;
DROP TABLE post_actions;

-- The indexes are built when all rows are there, which is faster than keeping them up to date.
-- What follows a publication happens once per kind.
CREATE UNIQUE INDEX publications_once ON publications (parent_id, kind) WHERE parent_id IS NOT NULL;
-- These serve posts alone,
CREATE UNIQUE INDEX publications_live ON publications (post_id, social_account_id) WHERE kind = 'post' AND live;
CREATE INDEX publications_by_time ON publications (team_id, scheduled_at, id) WHERE kind = 'post' AND NOT canceled;
CREATE INDEX publications_by_provider ON publications (team_id, provider, post_id) WHERE kind = 'post' AND NOT canceled;
CREATE INDEX publications_by_account ON publications (social_account_id, post_id) WHERE kind = 'post' AND NOT canceled;
CREATE INDEX publications_planned ON publications (provider, scheduled_at) WHERE kind = 'post' AND live;
-- and these every kind.
CREATE UNIQUE INDEX publications_slot ON publications (social_account_id, slot_at) WHERE slot_at IS NOT NULL AND live;
CREATE INDEX publications_occupied ON publications (social_account_id, scheduled_at) WHERE live;
CREATE INDEX publications_by_post ON publications (post_id, created_at, id);
CREATE INDEX publications_recurring ON publications (team_id, scheduled_at) WHERE recurring AND live;
CREATE INDEX publications_to_wake ON publications (wake_at) WHERE wake_at IS NOT NULL;
