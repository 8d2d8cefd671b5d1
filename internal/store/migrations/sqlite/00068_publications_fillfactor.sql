-- +goose Up

-- Nothing to do: SQLite changes a row where it is.
SELECT 1;
