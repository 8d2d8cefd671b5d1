-- +goose Up

-- How much is planned on a network within a day, whoever's it is. Rows of other networks are not read for it.
CREATE INDEX scheduled_posts_planned ON scheduled_posts (provider, scheduled_at) WHERE status = 'scheduled';
