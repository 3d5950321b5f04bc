-- What `callbox gc` gave up: the sandboxes of a task up to this number, and the folders of its executions up to that
-- one. No run works there again, whether they still stand on the disk or not.
ALTER TABLE tasks ADD COLUMN swept_sandboxes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN swept_executions INTEGER;
