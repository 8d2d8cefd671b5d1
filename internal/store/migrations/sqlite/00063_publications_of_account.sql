-- +goose Up

-- Lists walk the publications of an account in the order of time without passing others. The team comes first, so that a
-- query by post and account does not use this index without statistics.
DROP INDEX publications_by_account;
CREATE INDEX publications_of_account ON publications (team_id, social_account_id, scheduled_at, post_id)
    WHERE kind = 'post';
