-- +goose Up

ALTER TABLE teams ADD COLUMN post_count bigint NOT NULL DEFAULT 0;

CREATE TABLE social_accounts (
    id                  text PRIMARY KEY,
    team_id             text NOT NULL REFERENCES teams (id),
    provider            text NOT NULL,
    provider_account_id text NOT NULL,
    display_name        text NOT NULL,
    profile_handle      text,
    profile_image_url   text,
    account_sub_type    text,
    status              text NOT NULL CHECK (status IN ('connected', 'disabled', 'refresh_needed', 'disconnected')),
    scopes              text NOT NULL,
    provider_settings   text NOT NULL,
    sandbox             boolean NOT NULL,
    token               blob, -- sealed
    token_expires_at    timestamp,
    refresh_expires_at  timestamp,
    health_issue        text,
    health_message      text,
    health_since        timestamp,
    connected_at        timestamp NOT NULL,
    disconnected_at     timestamp,
    created_at          timestamp NOT NULL,
    updated_at          timestamp NOT NULL
);
CREATE UNIQUE INDEX social_accounts_by_identity ON social_accounts (team_id, provider, provider_account_id);

CREATE TABLE scheduling_slots (
    id           text PRIMARY KEY,
    team_id      text NOT NULL REFERENCES teams (id),
    hour         integer NOT NULL,
    minute       integer NOT NULL,
    label        text,
    days_of_week text NOT NULL,
    created_at   timestamp NOT NULL,
    updated_at   timestamp NOT NULL
);
CREATE INDEX scheduling_slots_by_team ON scheduling_slots (team_id, hour, minute);

CREATE TABLE tags (
    id         text PRIMARY KEY,
    team_id    text NOT NULL REFERENCES teams (id),
    name       text NOT NULL,
    folded     text NOT NULL, -- the name in lower case: two spellings are one tag
    colour     text NOT NULL,
    post_count bigint NOT NULL DEFAULT 0,
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL
);
CREATE UNIQUE INDEX tags_by_name ON tags (team_id, folded);
CREATE INDEX tags_by_created ON tags (team_id, created_at, id);
CREATE INDEX tags_by_plain_name ON tags (team_id, name, id);
CREATE INDEX tags_by_count ON tags (team_id, post_count DESC, name);

CREATE TABLE posts (
    id                 text PRIMARY KEY,
    team_id            text NOT NULL REFERENCES teams (id),
    post_type          text NOT NULL,
    type_given         boolean NOT NULL, -- by the caller; otherwise the type follows the media
    title              text,
    title_key          text NOT NULL GENERATED ALWAYS AS (coalesce(title, '')) STORED,
    status             text NOT NULL,
    archived           boolean NOT NULL GENERATED ALWAYS AS (status = 'archived') STORED,
    delivery_state     text NOT NULL,
    save_destination   text NOT NULL,
    content_payload_id text NOT NULL,
    publish_actions    text,
    -- The earliest pending time, else the last one; the year 1 when there is none.
    scheduled_at       timestamp NOT NULL,
    created_at         timestamp NOT NULL,
    updated_at         timestamp NOT NULL,
    deleted_at         timestamp
);
-- Lists leave archived posts out unless they are asked for: those have their own part of every index. One index per sort,
CREATE INDEX posts_by_created ON posts (team_id, archived, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX posts_by_updated ON posts (team_id, archived, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX posts_by_title ON posts (team_id, archived, title_key, id) WHERE deleted_at IS NULL;
CREATE INDEX posts_by_status ON posts (team_id, archived, status, id) WHERE deleted_at IS NULL;
CREATE INDEX posts_by_scheduled ON posts (team_id, archived, scheduled_at, id) WHERE deleted_at IS NULL;
-- and one per filter that no sort serves.
CREATE INDEX posts_by_delivery ON posts (team_id, archived, delivery_state, id) WHERE deleted_at IS NULL;
CREATE INDEX posts_by_type ON posts (team_id, archived, post_type, id) WHERE deleted_at IS NULL;
CREATE INDEX posts_by_destination ON posts (team_id, archived, save_destination, id) WHERE deleted_at IS NULL;
CREATE INDEX posts_deleted ON posts (team_id, id) WHERE deleted_at IS NOT NULL;

-- The versions of a post's content. Rows never change.
CREATE TABLE payloads (
    id         text PRIMARY KEY,
    post_id    text NOT NULL REFERENCES posts (id),
    version    integer NOT NULL,
    text       text NOT NULL,
    post_input text NOT NULL, -- attachments name their assets, and nothing else about them
    created_at timestamp NOT NULL
);
CREATE UNIQUE INDEX payloads_by_version ON payloads (post_id, version);

-- The assets of each post's present content, each once, in order.
CREATE TABLE post_assets (
    post_id  text NOT NULL REFERENCES posts (id),
    position integer NOT NULL,
    asset_id text NOT NULL,
    PRIMARY KEY (post_id, position)
);
CREATE INDEX post_assets_by_asset ON post_assets (asset_id, post_id);

CREATE TABLE post_tags (
    post_id text NOT NULL REFERENCES posts (id),
    tag_id  text NOT NULL REFERENCES tags (id),
    PRIMARY KEY (post_id, tag_id)
);
CREATE INDEX post_tags_by_tag ON post_tags (tag_id, post_id);

-- The words of each post's title and present content, for searching.
CREATE TABLE post_words (
    team_id text NOT NULL,
    word    text NOT NULL,
    post_id text NOT NULL REFERENCES posts (id),
    PRIMARY KEY (team_id, word, post_id)
);
CREATE INDEX post_words_by_post ON post_words (post_id, word);

-- The properties of each post that are counted, and the counts: kept with every change, never computed at reading time.
-- The tags that people give are not among them: they count their posts themselves.
CREATE TABLE post_facets (
    post_id text NOT NULL REFERENCES posts (id),
    field   text NOT NULL,
    value   text NOT NULL,
    PRIMARY KEY (post_id, field, value)
);
CREATE TABLE facet_counts (
    team_id    text NOT NULL,
    field      text NOT NULL,
    value      text NOT NULL,
    post_count bigint NOT NULL,
    PRIMARY KEY (team_id, field, value)
);
CREATE INDEX facet_counts_by_count ON facet_counts (team_id, field, post_count DESC, value);

-- One row per post and account that it goes to.
CREATE TABLE scheduled_posts (
    id                text PRIMARY KEY,
    team_id           text NOT NULL REFERENCES teams (id),
    organization_id   text NOT NULL REFERENCES organizations (id),
    post_id           text NOT NULL REFERENCES posts (id),
    social_account_id text NOT NULL REFERENCES social_accounts (id),
    provider          text NOT NULL,
    status            text NOT NULL CHECK (status IN
        ('scheduled', 'publishing', 'processing', 'published', 'failed', 'canceled', 'missed', 'unknown')),
    scheduled_at      timestamp NOT NULL,
    timezone          text NOT NULL,
    slot_at           timestamp, -- set by useNextSlot only
    payload_id        text NOT NULL, -- no foreign key: payloads go with their post alone, and an index would serve nothing else
    -- Grows when the row is moved, edited or cancelled: a worker that prepared an older one stops.
    epoch             bigint NOT NULL DEFAULT 0,
    platform_settings text NOT NULL,
    actions           text NOT NULL,
    recurring         boolean NOT NULL GENERATED ALWAYS AS ((actions ->> 'recurrenceIntervalDays') IS NOT NULL) STORED,
    state             text NOT NULL, -- how far the network is
    state_secrets     blob,          -- sealed
    results           text NOT NULL,
    platform_post_id  text,
    permalink         text,
    published_at      timestamp,
    error_code        text,
    error_message     text,
    tries             integer NOT NULL DEFAULT 0, -- failed in a row, for the backoff
    -- When the engine has to look at the row next; null when nothing is left to do.
    wake_at           timestamp,
    lease_until       timestamp,
    lease_owner       text,
    workflow_id       text,
    workflow_run_id   text,
    reserved_credits  bigint NOT NULL DEFAULT 0,
    captured_credits  bigint NOT NULL DEFAULT 0,
    recurrence_of     text, -- the first of the series
    created_at        timestamp NOT NULL,
    updated_at        timestamp NOT NULL
);
CREATE UNIQUE INDEX scheduled_posts_live ON scheduled_posts (post_id, social_account_id)
    WHERE status IN ('scheduled', 'publishing', 'processing', 'unknown');
CREATE UNIQUE INDEX scheduled_posts_slot ON scheduled_posts (social_account_id, slot_at)
    WHERE slot_at IS NOT NULL AND status IN ('scheduled', 'publishing', 'processing', 'unknown');
CREATE INDEX scheduled_posts_occupied ON scheduled_posts (social_account_id, scheduled_at)
    WHERE status IN ('scheduled', 'publishing', 'processing', 'unknown');
CREATE INDEX scheduled_posts_by_post ON scheduled_posts (post_id, created_at, id);
CREATE INDEX scheduled_posts_by_time ON scheduled_posts (team_id, scheduled_at, id) WHERE status <> 'canceled';
CREATE INDEX scheduled_posts_recurring ON scheduled_posts (team_id, scheduled_at)
    WHERE recurring AND status IN ('scheduled', 'publishing', 'processing', 'unknown');
CREATE INDEX scheduled_posts_by_provider ON scheduled_posts (team_id, provider, post_id) WHERE status <> 'canceled';
CREATE INDEX scheduled_posts_by_account ON scheduled_posts (social_account_id, post_id) WHERE status <> 'canceled';
CREATE INDEX scheduled_posts_to_wake ON scheduled_posts (wake_at) WHERE wake_at IS NOT NULL;
