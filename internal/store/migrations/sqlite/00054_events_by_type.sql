-- +goose Up

-- Lists of events of some types read their own index. An entry of an index ends with the sequence, which is the key of
-- the table: it need not be named.
DROP INDEX events_by_organization;
CREATE INDEX events_by_organization ON events (organization_id);
CREATE INDEX events_by_type ON events (organization_id, type);

-- Few entries of the audit log have the same time: their order by id needs no index.
DROP INDEX audit_log_by_created;
DROP INDEX audit_log_by_action;
DROP INDEX audit_log_by_principal;
CREATE INDEX audit_log_by_created ON audit_log (organization_id, created_at);
CREATE INDEX audit_log_by_action ON audit_log (organization_id, action, created_at);
CREATE INDEX audit_log_by_principal ON audit_log (organization_id, principal_id, created_at);
