-- +goose Up

-- Nobody looks for open attempts by themselves; without this index the end of an attempt touches no index.
DROP INDEX attempts_open;
