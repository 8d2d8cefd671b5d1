-- +goose NO TRANSACTION
-- +goose Up

-- Lists walk the publications of an account in the order of time without passing others. The team comes first, so that a
-- query by post and account does not use this index without statistics. That of an interrupted run is invalid and built
-- again.
DROP INDEX CONCURRENTLY IF EXISTS publications_of_account;
CREATE INDEX CONCURRENTLY publications_of_account ON publications (team_id, social_account_id, scheduled_at, post_id)
    WHERE kind = 'post';
DROP INDEX CONCURRENTLY IF EXISTS publications_by_account;
