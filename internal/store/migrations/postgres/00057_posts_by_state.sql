-- +goose NO TRANSACTION
-- +goose Up

-- One index for filters by type, delivery state and destination, instead of three: each is written with every post.
DROP INDEX CONCURRENTLY IF EXISTS posts_by_state;
CREATE INDEX CONCURRENTLY posts_by_state
    ON posts (team_id, archived, post_type, delivery_state, save_destination, id) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS posts_by_type;
DROP INDEX CONCURRENTLY IF EXISTS posts_by_delivery;
DROP INDEX CONCURRENTLY IF EXISTS posts_by_destination;
