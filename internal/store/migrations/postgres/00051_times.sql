-- +goose Up
-- Times have a type of their own here; SQLite's declarations change.
SELECT 1;
