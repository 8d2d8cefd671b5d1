-- +goose Up

ALTER TABLE teams ADD COLUMN asset_count bigint NOT NULL DEFAULT 0;
ALTER TABLE teams ADD COLUMN folder_count bigint NOT NULL DEFAULT 0;

CREATE TABLE folders (
    id         text PRIMARY KEY,
    team_id    text NOT NULL REFERENCES teams (id),
    parent_id  text REFERENCES folders (id),
    name       text NOT NULL,
    folded     text NOT NULL, -- the name in lower case: two spellings are one name
    created_at timestamp NOT NULL,
    updated_at timestamp NOT NULL
);
-- One name among siblings. Folders at the top have no parent, and null is unlike any other null: there the team stands for it.
CREATE UNIQUE INDEX folders_by_name ON folders (coalesce(parent_id, team_id), folded);
CREATE INDEX folders_by_parent ON folders (parent_id, id);
CREATE INDEX folders_by_created ON folders (team_id, created_at, id);
CREATE INDEX folders_by_updated ON folders (team_id, updated_at, id);
CREATE INDEX folders_by_plain_name ON folders (team_id, name, id);

-- The files of the media library. A deleted one stays as long as a post's content names it.
CREATE TABLE assets (
    id               text PRIMARY KEY,
    team_id          text NOT NULL REFERENCES teams (id),
    folder_id        text REFERENCES folders (id),
    file_name        text NOT NULL,
    name_key         text NOT NULL, -- the name in lower case, for sorting and finding
    mime_type        text NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('image', 'video', 'document')),
    byte_size        bigint NOT NULL,
    width            integer,
    height           integer,
    duration_seconds double precision,
    sha256           text NOT NULL,
    alt_text         text,
    status           text NOT NULL CHECK (status IN ('processing', 'ready', 'failed')),
    failure_message  text,
    facts            text NOT NULL, -- what the bytes tell, and which files were made of them
    tags             text NOT NULL,
    created_at       timestamp NOT NULL,
    updated_at       timestamp NOT NULL,
    deleted_at       timestamp,
    purged_at        timestamp -- when its files were removed for good
);
-- One index per sort,
CREATE INDEX assets_by_created ON assets (team_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX assets_by_updated ON assets (team_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX assets_by_name ON assets (team_id, name_key, id) WHERE deleted_at IS NULL;
CREATE INDEX assets_by_size ON assets (team_id, byte_size, id) WHERE deleted_at IS NULL;
-- and one per filter.
CREATE INDEX assets_by_folder ON assets (folder_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX assets_by_kind ON assets (team_id, kind, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX assets_by_status ON assets (team_id, status, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX assets_to_purge ON assets (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

-- Files that arrive in pieces. The pieces themselves are blobs.
CREATE TABLE uploads (
    id         text PRIMARY KEY,
    team_id    text NOT NULL REFERENCES teams (id),
    folder_id  text REFERENCES folders (id) ON DELETE SET NULL,
    file_name  text NOT NULL,
    mime_type  text NOT NULL,
    byte_size  bigint NOT NULL,
    alt_text   text,
    asset_id   text, -- what has become of it
    created_at timestamp NOT NULL,
    expires_at timestamp NOT NULL
);
CREATE INDEX uploads_by_expiry ON uploads (expires_at);
CREATE INDEX uploads_by_folder ON uploads (folder_id);
