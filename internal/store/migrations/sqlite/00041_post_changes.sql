-- +goose Up

-- What changed of posts and is not in the indexes yet: the words that a post is found by, and the facets that are counted. One
-- row is written with the post; the program brings many of them into the indexes at once, which touches far fewer pages. Whoever reads
-- the indexes reads these rows too.
CREATE TABLE post_changes (
    team_id  text NOT NULL,
    post_id  text NOT NULL,
    words    text,   -- all of them, each between blanks; null: as indexed
    facets   text,   -- all of them, as pairs of field and value; null: as in post_facets
    revision bigint NOT NULL DEFAULT 1,
    PRIMARY KEY (team_id, post_id)
) WITHOUT ROWID;

-- How many rows of post_words a word has.
CREATE TABLE word_counts (
    team_id    text NOT NULL,
    word       text NOT NULL,
    post_count bigint NOT NULL,
    PRIMARY KEY (team_id, word)
) WITHOUT ROWID;

-- Tables whose key is their order: a row in them is one entry of one tree, not of two. Words of archived posts begin with ~, so that
-- the others can be counted.
CREATE TABLE post_words_new (
    team_id text NOT NULL,
    word    text NOT NULL,
    post_id text NOT NULL,
    PRIMARY KEY (team_id, word, post_id)
) WITHOUT ROWID;
INSERT INTO post_words_new SELECT w.team_id, CASE WHEN p.archived THEN '~' || w.word ELSE w.word END, w.post_id
FROM post_words w JOIN posts p ON p.id = w.post_id ORDER BY 1, 2, 3;
DROP TABLE post_words;
ALTER TABLE post_words_new RENAME TO post_words;
CREATE INDEX post_words_by_post ON post_words (post_id, word);
INSERT INTO word_counts SELECT team_id, word, count(*) FROM post_words GROUP BY team_id, word;

CREATE TABLE post_facets_new (
    post_id text NOT NULL REFERENCES posts (id),
    field   text NOT NULL,
    value   text NOT NULL,
    PRIMARY KEY (post_id, field, value)
) WITHOUT ROWID;
INSERT INTO post_facets_new SELECT post_id, field, value FROM post_facets ORDER BY 1, 2, 3;
DROP TABLE post_facets;
ALTER TABLE post_facets_new RENAME TO post_facets;

CREATE TABLE facet_counts_new (
    team_id    text NOT NULL,
    field      text NOT NULL,
    value      text NOT NULL,
    post_count bigint NOT NULL,
    PRIMARY KEY (team_id, field, value)
) WITHOUT ROWID;
INSERT INTO facet_counts_new SELECT team_id, field, value, post_count FROM facet_counts ORDER BY 1, 2, 3;
DROP TABLE facet_counts;
ALTER TABLE facet_counts_new RENAME TO facet_counts;
CREATE INDEX facet_counts_by_count ON facet_counts (team_id, field, post_count DESC, value);

-- Nobody looks for an entry by its id alone.
CREATE TABLE audit_log_new (
    id              text NOT NULL,
    organization_id text NOT NULL REFERENCES organizations (id),
    team_id         text,
    principal_kind  text NOT NULL,
    principal_id    text NOT NULL,
    person_id       text NOT NULL,
    action          text NOT NULL,
    target          text NOT NULL,
    changes         text,
    request_id      text NOT NULL,
    created_at      timestamp NOT NULL,
    created_id      text -- what an action made
);
INSERT INTO audit_log_new SELECT id, organization_id, team_id, principal_kind, principal_id, person_id, action, target, changes, request_id,
    created_at, created_id FROM audit_log ORDER BY organization_id, created_at, id;
DROP TABLE audit_log;
ALTER TABLE audit_log_new RENAME TO audit_log;
CREATE INDEX audit_log_by_created ON audit_log (organization_id, created_at, id);
CREATE INDEX audit_log_by_action ON audit_log (organization_id, action, created_at, id);
CREATE INDEX audit_log_by_principal ON audit_log (organization_id, principal_id, created_at, id);

-- The one writer assigns sequence when it writes a row.
CREATE TABLE events_new (
    id              text NOT NULL,
    written         integer NOT NULL,
    sequence        integer PRIMARY KEY,
    organization_id text NOT NULL,
    team_id         text,
    type            text NOT NULL,
    data            text NOT NULL,
    created_at      timestamp NOT NULL
);
INSERT INTO events_new SELECT id, written, sequence, organization_id, team_id, type, data, created_at FROM events ORDER BY sequence;
DROP TABLE events;
ALTER TABLE events_new RENAME TO events;
CREATE UNIQUE INDEX events_by_id ON events (id);
CREATE INDEX events_by_organization ON events (organization_id, sequence) WHERE sequence IS NOT NULL;
