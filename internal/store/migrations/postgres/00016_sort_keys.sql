-- +goose NO TRANSACTION
-- +goose Up

-- Names and titles are sorted by their letters, without case and accents. The keys are computed by the program: rows without one get
-- theirs when the migrations are done. Indexes are built beside the old ones, while nodes of the previous version work.
ALTER TABLE teams ADD COLUMN IF NOT EXISTS name_key text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS name_key text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE tags ADD COLUMN IF NOT EXISTS name_key text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE folders ADD COLUMN IF NOT EXISTS name_key text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE memberships ADD COLUMN IF NOT EXISTS organization_name_key text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE posts ADD COLUMN IF NOT EXISTS sort_title text COLLATE "C" NOT NULL DEFAULT '';
UPDATE assets SET name_key = '' WHERE file_name ~ '[^ -~]';

DROP INDEX CONCURRENTLY IF EXISTS teams_by_name;
CREATE INDEX CONCURRENTLY teams_by_name ON teams (organization_id, name_key, id) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS api_keys_by_name;
CREATE INDEX CONCURRENTLY api_keys_by_name ON api_keys (organization_id, name_key, id) WHERE revoked_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS tags_by_plain_name;
CREATE INDEX CONCURRENTLY tags_by_plain_name ON tags (team_id, name_key, id);
DROP INDEX CONCURRENTLY IF EXISTS folders_by_plain_name;
CREATE INDEX CONCURRENTLY folders_by_plain_name ON folders (team_id, name_key, id);
DROP INDEX CONCURRENTLY IF EXISTS memberships_by_organization_name;
CREATE INDEX CONCURRENTLY memberships_by_organization_name ON memberships (principal_id, organization_name_key, organization_id);
DROP INDEX CONCURRENTLY IF EXISTS posts_by_title;
CREATE INDEX CONCURRENTLY posts_by_title ON posts (team_id, archived, sort_title, id) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS posts_without_sort_title;
CREATE INDEX CONCURRENTLY posts_without_sort_title ON posts (id) WHERE sort_title = '' AND title <> '';
DROP INDEX CONCURRENTLY IF EXISTS assets_without_name_key;
CREATE INDEX CONCURRENTLY assets_without_name_key ON assets (id) WHERE name_key = '' AND file_name <> '';

-- Words are searched without accents. Posts from before are indexed anew by the program, in steps.
ALTER TABLE posts ADD COLUMN IF NOT EXISTS words_version smallint NOT NULL DEFAULT 1;
DROP INDEX CONCURRENTLY IF EXISTS posts_to_index;
CREATE INDEX CONCURRENTLY posts_to_index ON posts (id) WHERE words_version < 2 AND deleted_at IS NULL;

-- Posts are found by networks and accounts that they were scheduled on, canceled ones too.
DROP INDEX CONCURRENTLY IF EXISTS publications_by_provider;
CREATE INDEX CONCURRENTLY publications_by_provider ON publications (team_id, provider, post_id) WHERE kind = 'post';
DROP INDEX CONCURRENTLY IF EXISTS publications_by_account;
CREATE INDEX CONCURRENTLY publications_by_account ON publications (social_account_id, post_id) WHERE kind = 'post';
