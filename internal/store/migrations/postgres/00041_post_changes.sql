-- +goose NO TRANSACTION
-- +goose Up

-- What changed of posts and is not in the indexes yet: the words that a post is found by, and the facets that are counted. One
-- row is written with the post; the program brings many of them into the indexes at once. Whoever reads the indexes reads these rows
-- too. This migration runs while nodes of the previous version write the indexes themselves.
CREATE TABLE IF NOT EXISTS post_changes (
    team_id  uuid NOT NULL,
    post_id  uuid NOT NULL,
    words    text,   -- all of them, each between blanks; null: as indexed
    facets   jsonb,  -- all of them, as pairs of field and value; null: as in post_facets
    revision bigint NOT NULL DEFAULT 1,
    PRIMARY KEY (team_id, post_id)
);

-- How many rows of post_words a word has. Words of archived posts begin with ~, so that the others can be counted.
CREATE TABLE IF NOT EXISTS word_counts (
    team_id    uuid NOT NULL,
    word       text COLLATE "C" NOT NULL,
    post_count bigint NOT NULL,
    PRIMARY KEY (team_id, word)
);

-- What nodes of the previous version change: to be added to word_counts. Goes with the trigger when no such node can be left.
CREATE TABLE IF NOT EXISTS word_changes (
    team_id uuid NOT NULL,
    word    text COLLATE "C" NOT NULL,
    change  bigint NOT NULL
);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_word_changes() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF current_setting('crier.merges', true) = 'on' THEN
        RETURN NULL; -- the program counts by itself
    END IF;
    INSERT INTO word_changes SELECT c.team_id, c.word, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * count(*) FROM changed c
        GROUP BY c.team_id, c.word;
    -- The node has written all words of the post.
    UPDATE post_changes x SET words = NULL, revision = x.revision + 1 FROM (SELECT DISTINCT team_id, post_id FROM changed) AS c
        WHERE x.team_id = c.team_id AND x.post_id = c.post_id;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_facet_changes() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF current_setting('crier.merges', true) = 'on' THEN
        RETURN NULL;
    END IF;
    UPDATE post_changes x SET facets = NULL, revision = x.revision + 1 FROM posts p
        WHERE p.id IN (SELECT c.post_id FROM changed c) AND x.team_id = p.team_id AND x.post_id = p.id AND x.facets IS NOT NULL;
    RETURN NULL;
END
$function$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE pg_temp.alter_briefly(statements text, done text DEFAULT NULL) LANGUAGE plpgsql AS $procedure$
BEGIN
    LOOP
        BEGIN
            IF to_regclass(done) IS NOT NULL THEN
                RETURN;
            END IF;
            PERFORM set_config('lock_timeout', '100ms', true);
            EXECUTE statements;
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            NULL;
        END;
        COMMIT;
        PERFORM pg_sleep(0.2);
    END LOOP;
END
$procedure$;
-- +goose StatementEnd

-- +goose StatementBegin
CALL pg_temp.alter_briefly($statements$
    CREATE OR REPLACE TRIGGER post_words_added AFTER INSERT ON post_words REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_word_changes();
    CREATE OR REPLACE TRIGGER post_words_removed AFTER DELETE ON post_words REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_word_changes();
    CREATE OR REPLACE TRIGGER post_facets_added AFTER INSERT ON post_facets REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_facet_changes();
    CREATE OR REPLACE TRIGGER post_facets_removed AFTER DELETE ON post_facets REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_facet_changes();
$statements$);
-- +goose StatementEnd

-- One statement per team counts its words and drops the changes that it has seen: what was committed by then, and nothing else.
-- +goose StatementBegin
DO $$
DECLARE
    team uuid;
BEGIN
    FOR team IN SELECT t.id FROM teams t ORDER BY t.id LOOP
        WITH seen AS (
            DELETE FROM word_changes c WHERE c.team_id = team
        )
        INSERT INTO word_counts SELECT w.team_id, w.word, count(*) FROM post_words w WHERE w.team_id = team GROUP BY w.team_id, w.word
        ON CONFLICT (team_id, word) DO UPDATE SET post_count = excluded.post_count;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- Archived posts are indexed anew by the program, in steps.
-- +goose StatementBegin
DO $$
DECLARE
    last uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    LOOP
        WITH batch AS (
            SELECT p.id FROM posts p WHERE p.id > last ORDER BY p.id LIMIT 2000
        ), marked AS (
            UPDATE posts p SET words_version = 1 FROM batch b WHERE p.id = b.id AND p.archived AND p.deleted_at IS NULL
        )
        SELECT max(b.id::text)::uuid INTO last FROM batch b;
        EXIT WHEN last IS NULL;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd
