-- +goose Up

-- Names and titles are sorted by their letters, without case and accents. The keys are computed by the program: rows without one get
-- theirs when the migrations are done.
ALTER TABLE teams ADD COLUMN name_key text NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN name_key text NOT NULL DEFAULT '';
ALTER TABLE tags ADD COLUMN name_key text NOT NULL DEFAULT '';
ALTER TABLE folders ADD COLUMN name_key text NOT NULL DEFAULT '';
ALTER TABLE memberships ADD COLUMN organization_name_key text NOT NULL DEFAULT '';
ALTER TABLE posts ADD COLUMN sort_title text NOT NULL DEFAULT '';
UPDATE assets SET name_key = '' WHERE file_name GLOB '*[^ -~]*';

DROP INDEX teams_by_name;
CREATE INDEX teams_by_name ON teams (organization_id, name_key, id) WHERE deleted_at IS NULL;
DROP INDEX api_keys_by_name;
CREATE INDEX api_keys_by_name ON api_keys (organization_id, name_key, id) WHERE revoked_at IS NULL;
DROP INDEX tags_by_plain_name;
CREATE INDEX tags_by_plain_name ON tags (team_id, name_key, id);
DROP INDEX folders_by_plain_name;
CREATE INDEX folders_by_plain_name ON folders (team_id, name_key, id);
DROP INDEX memberships_by_organization_name;
CREATE INDEX memberships_by_organization_name ON memberships (principal_id, organization_name_key, organization_id);
DROP INDEX posts_by_title;
CREATE INDEX posts_by_title ON posts (team_id, archived, sort_title, id) WHERE deleted_at IS NULL;
CREATE INDEX posts_without_sort_title ON posts (id) WHERE sort_title = '' AND title <> '';
CREATE INDEX assets_without_name_key ON assets (id) WHERE name_key = '' AND file_name <> '';

-- Words are searched without accents. Posts from before are indexed anew by the program, in steps.
ALTER TABLE posts ADD COLUMN words_version smallint NOT NULL DEFAULT 1;
CREATE INDEX posts_to_index ON posts (id) WHERE words_version < 2 AND deleted_at IS NULL;

-- Posts are found by networks and accounts that they were scheduled on, canceled ones too.
DROP INDEX publications_by_provider;
CREATE INDEX publications_by_provider ON publications (team_id, provider, post_id) WHERE kind = 'post';
DROP INDEX publications_by_account;
CREATE INDEX publications_by_account ON publications (social_account_id, post_id) WHERE kind = 'post';
