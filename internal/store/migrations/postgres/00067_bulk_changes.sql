-- +goose Up

-- Nothing to do: here, triggers run once for all rows of a statement.
SELECT 1;
