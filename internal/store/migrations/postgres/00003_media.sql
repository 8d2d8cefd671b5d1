-- +goose Up

ALTER TABLE teams ADD COLUMN asset_count bigint NOT NULL DEFAULT 0;
ALTER TABLE teams ADD COLUMN folder_count bigint NOT NULL DEFAULT 0;

CREATE TABLE folders (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams (id),
    parent_id  uuid REFERENCES folders (id),
    name       text COLLATE "C" NOT NULL,
    folded     text COLLATE "C" NOT NULL, -- the name in lower case: two spellings are one name
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
-- One name among siblings. Folders at the top have no parent, and null is unlike any other null: there the team stands for it.
CREATE UNIQUE INDEX folders_by_name ON folders (coalesce(parent_id, team_id), folded);
CREATE INDEX folders_by_parent ON folders (parent_id, id);
CREATE INDEX folders_by_created ON folders (team_id, created_at, id);
CREATE INDEX folders_by_updated ON folders (team_id, updated_at, id);
CREATE INDEX folders_by_plain_name ON folders (team_id, name, id);

-- The files of the media library. A deleted one stays as long as a post's content names it.
CREATE TABLE assets (
    id               uuid PRIMARY KEY,
    team_id          uuid NOT NULL REFERENCES teams (id),
    folder_id        uuid REFERENCES folders (id),
    file_name        text NOT NULL,
    name_key         text COLLATE "C" NOT NULL, -- the name in lower case, for sorting and finding
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
    facts            jsonb NOT NULL, -- what the bytes tell, and which files were made of them
    tags             jsonb NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    deleted_at       timestamptz,
    purged_at        timestamptz -- when its files were removed for good
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
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams (id),
    folder_id  uuid REFERENCES folders (id) ON DELETE SET NULL,
    file_name  text NOT NULL,
    mime_type  text NOT NULL,
    byte_size  bigint NOT NULL,
    alt_text   text,
    asset_id   uuid, -- what has become of it
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX uploads_by_expiry ON uploads (expires_at);
CREATE INDEX uploads_by_folder ON uploads (folder_id);
