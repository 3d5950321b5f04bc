-- When the token of a run that no process of callbox's is with becomes worthless; NULL of every other run.
ALTER TABLE executions ADD COLUMN unbound_until INTEGER;
CREATE INDEX executions_unbound ON executions (unbound_until) WHERE unbound_until IS NOT NULL AND state = 'running';
