-- +goose Up

-- Lists of events of a team read their own index, in the order of the key.
CREATE INDEX events_by_team ON events (team_id) WHERE team_id IS NOT NULL;

-- The end of the log is the greatest sequence of an event, so that writers of events need not write it too. event_log
-- has it only if that event was deleted, because a sequence is never given twice.
-- +goose StatementBegin
CREATE TRIGGER event_log_keeps_end AFTER DELETE ON events
WHEN OLD.sequence > (SELECT last FROM event_log WHERE id = 1)
BEGIN
    UPDATE event_log SET last = max(OLD.sequence, coalesce((SELECT max(sequence) FROM events), 0)) WHERE id = 1;
END;
-- +goose StatementEnd

-- teams.post_count is no longer used: list_counts has the number. Nodes of the previous version still write it.
