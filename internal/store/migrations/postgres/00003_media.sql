-- +goose Up

-- The files of the media library. A deleted one stays as long as a post's content names it.
CREATE TABLE assets (
    id               uuid PRIMARY KEY,
    team_id          uuid NOT NULL REFERENCES teams (id),
    folder_id        uuid,
    file_name        text NOT NULL,
    mime_type        text NOT NULL,
    byte_size        bigint NOT NULL,
    width            integer,
    height           integer,
    duration_seconds double precision,
    sha256           text,
    alt_text         text,
    status           text NOT NULL CHECK (status IN ('processing', 'ready', 'failed')),
    failure_message  text,
    blob_key         text,
    thumbnail_key    text,
    facts            jsonb,
    tags             jsonb NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    deleted_at       timestamptz
);
CREATE INDEX assets_by_created ON assets (team_id, created_at, id) WHERE deleted_at IS NULL;
