-- +goose Up

-- Whether crier reads numbers that a network sells: 'free' leaves them out, 'all' pays for them with credits.
ALTER TABLE organizations ADD COLUMN metrics_policy text NOT NULL DEFAULT 'free' CHECK (metrics_policy IN ('free', 'all'));

-- When the numbers of an account are read next, and what keeps its network from telling them.
ALTER TABLE social_accounts ADD COLUMN metrics_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
ALTER TABLE social_accounts ADD COLUMN metrics_hint text;
CREATE INDEX social_accounts_to_read ON social_accounts (metrics_at) WHERE status = 'connected';

-- One row: the last event that was counted, and the last publication of before this table that was; the greatest id when
-- all are.
CREATE TABLE analytics_log (
    id         integer PRIMARY KEY CHECK (id = 1),
    followed   bigint NOT NULL,
    backfilled uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
INSERT INTO analytics_log (id, followed) VALUES (1, 0);

-- What a published post has by now on an account: of each metric what its network told last, NULL when it never did.
-- Days count from 1 January 1970, in the zone that the team had when the row was written.
CREATE TABLE publication_stats (
    publication_id    uuid PRIMARY KEY,
    team_id           uuid NOT NULL,
    social_account_id uuid NOT NULL,
    post_id           uuid NOT NULL,
    provider          text NOT NULL,
    post_type         text NOT NULL,
    due_at            timestamptz NOT NULL,
    published_at      timestamptz NOT NULL,
    published_day     bigint NOT NULL,
    late_ms           bigint, -- from the due time to the call; NULL when crier did not make it
    read_at           timestamptz, -- the last reading
    readings          bigint NOT NULL DEFAULT 0,
    views             bigint,
    reach             bigint,
    likes             bigint,
    comments          bigint,
    shares            bigint,
    quotes            bigint,
    saves             bigint,
    clicks            bigint,
    engagements       bigint,
    engagement_rate   bigint -- in millionths of the views
);
CREATE INDEX publication_stats_by_day ON publication_stats (team_id, published_day);
CREATE INDEX publication_stats_by_due ON publication_stats (team_id, due_at);
CREATE INDEX publication_stats_by_post ON publication_stats (post_id);

-- Sums per day. Rows that are not gained: posts that were published on the day, and what they have by now. Rows that are:
-- readings of the day, and by how much they differ from the ones before. Beside each sum stands how many told the metric.
CREATE TABLE analytics_days (
    team_id           uuid NOT NULL,
    gained            boolean NOT NULL,
    day               bigint NOT NULL,
    social_account_id uuid NOT NULL,
    post_type         text NOT NULL,
    provider          text NOT NULL,
    counted           bigint NOT NULL DEFAULT 0,
    views             bigint NOT NULL DEFAULT 0,
    views_told        bigint NOT NULL DEFAULT 0,
    likes             bigint NOT NULL DEFAULT 0,
    likes_told        bigint NOT NULL DEFAULT 0,
    comments          bigint NOT NULL DEFAULT 0,
    comments_told     bigint NOT NULL DEFAULT 0,
    shares            bigint NOT NULL DEFAULT 0,
    shares_told       bigint NOT NULL DEFAULT 0,
    quotes            bigint NOT NULL DEFAULT 0,
    quotes_told       bigint NOT NULL DEFAULT 0,
    saves             bigint NOT NULL DEFAULT 0,
    saves_told        bigint NOT NULL DEFAULT 0,
    clicks            bigint NOT NULL DEFAULT 0,
    clicks_told       bigint NOT NULL DEFAULT 0,
    engagements       bigint NOT NULL DEFAULT 0,
    engagements_told  bigint NOT NULL DEFAULT 0,
    rated_views       bigint NOT NULL DEFAULT 0,
    rated_engagements bigint NOT NULL DEFAULT 0,
    rated_told        bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (team_id, gained, day, social_account_id, post_type)
);

-- What networks tell of accounts: the last reading of the day, and what came in on that day as a whole.
CREATE TABLE account_days (
    social_account_id uuid NOT NULL,
    day               bigint NOT NULL,
    team_id           uuid NOT NULL,
    provider          text NOT NULL,
    read_at           timestamptz NOT NULL,
    followers         bigint,
    following         bigint,
    posts             bigint,
    views             bigint,
    reach             bigint,
    engagements       bigint,
    PRIMARY KEY (social_account_id, day)
);
CREATE INDEX account_days_by_team ON account_days (team_id, day);
