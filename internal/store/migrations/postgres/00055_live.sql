-- +goose Up
-- What this changes on SQLite is cheap here.
SELECT 1;
