-- +goose Up

-- A publication is written twice before it ends: when a worker takes it, and when its call begins. Versions that fit on
-- the page of the first one need no new entries in indexes. With 60, there was no room for those of a whole page.
ALTER TABLE publications SET (fillfactor = 40);
